#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""dcbxctl wait (B135): at once, within 100 ms of an event, never, too late."""
import copy
import json
import threading
import time

from cli_tools import Checks, FakeDaemon, run, sample, schema_errors

check = Checks()
ok = next(p for p in sample("status")["ports"] if p["state"] == "ok")
PORT = ok["port"]


def port(state="ok", pfc="from-peer", mode="negotiate", prios=(3,),
         willing=True, backend="applied"):
    p = copy.deepcopy(ok)
    p.update(state=state, mode=mode)
    p["pfc"].update(state=pfc)
    p["pfc"]["admin"]["willing"] = willing
    p["pfc"]["oper"]["prio_pfc"] = [i in prios for i in range(8)]
    p["backends"][0]["state"] = backend
    return p


def ports(p):
    return {"schema": 1, "ports": [p]}


SNAPSHOT = {"time": "2026-11-29T20:00:00.000Z", "mono_us": 1, "seq": 0,
            "port": None, "event": "snapshot", "ports": []}


def wait(p, state, *more):
    with FakeDaemon({"GetStatus": ports(p), "Watch": SNAPSHOT}) as d:
        return run("wait", PORT, "--state", state, *more,
                   socket_path=d.path)


# At once.
for p, state in ((port(), "ok"), (port(), "negotiated"),
                 (port(), "pfc=from-peer"), (port(), "pfc=3"),
                 (port(prios=(3, 4)), "pfc=34"), (port(prios=()), "pfc=none"),
                 (port(prios=(3, 4)), "pfc=4,3"),
                 (port(state="no-peer", pfc="no-peer"), "pfc=no-peer"),
                 (port(state="link-down"), "link-down"),
                 (port(pfc="disabled", mode="observe"), "pfc=disabled"),
                 (port(pfc="disabled", mode="observe"), "ok")):
    r = wait(p, state)
    check(r.returncode == 0 and r.stdout.startswith(
        "%s: %s after " % (PORT, state)), "at once: " + state, r)

# Never: no peer can bring it about.
for p, state in ((port(mode="observe"), "pfc=pending"),
                 (port(mode="observe"), "pfc=4"),
                 (port(mode="observe"), "negotiated"),
                 (port(mode="verify", pfc="ok"), "pfc=from-peer"),
                 (port(willing=False, pfc="ok"), "pfc=from-peer"),
                 (port(willing=False, pfc="ok"), "pfc=4"),
                 (port(state="firmware", backend="firmware"), "ok"),
                 (port(state="unsupported", backend="unsupported"),
                  "negotiated")):
    r = wait(p, state)
    check(r.returncode == 5 and "cannot be reached" in r.stderr and
          r.stdout == "", "never: " + state, r)

# Too late.
began = time.monotonic()
r = wait(port(state="no-peer", pfc="no-peer"), "ok", "--timeout", "0.4")
took = time.monotonic() - began
check(r.returncode == 1 and "not reached within 0.4 s; the port is no-peer"
      in r.stderr and 0.4 <= took < 3, "time-out", (r, took))
r = wait(port(state="no-peer"), "ok", "--timeout", "0", "--json")
doc = json.loads(r.stdout)
check(r.returncode == 1 and doc["reached"] is False and
      doc["state"] == "no-peer", "time-out, JSON", r)
try:
    import jsonschema  # noqa: F401
    check(not schema_errors("wait", doc), "schema", doc)
except ImportError:
    pass

# An event is followed at once.
now = {"port": port(state="no-peer", pfc="no-peer"), "changed": 0.0}
changed = threading.Event()


class Watched(FakeDaemon):
    """Its stream has an event when `changed` is set."""

    def answer(self, client, call):
        if not super().answer(client, call):
            return False
        if call["method"] == "org.dcbx.Watch":
            changed.wait(20)
            event = dict(SNAPSHOT, event="feature", port=PORT)
            client.sendall(json.dumps({"parameters": event}).encode() +
                           b"\0")
        return True


def change():
    now["port"] = port()
    now["changed"] = time.monotonic()
    changed.set()


with Watched({"GetStatus": lambda call: ports(now["port"]),
              "Watch": SNAPSHOT}) as d:
    threading.Timer(0.5, change).start()
    r = run("wait", PORT, "--state", "negotiated", "--timeout", "20",
            socket_path=d.path)
    late = time.monotonic() - now["changed"]
    check(r.returncode == 0 and late < 0.4, "follows an event", (r, late))
    print("%.0f ms after the event, the end of the process included" %
          (late * 1000))

# The daemon goes away.
with FakeDaemon({"GetStatus": ports(port(state="no-peer")),
                 "Watch": [SNAPSHOT, None]}) as d:
    r = run("wait", PORT, "--state", "ok", socket_path=d.path)
    check(r.returncode == 3, "no daemon any more", r)
check.done()
