#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""What is written when: --dry-run, the diff, the hold, reopened backends.

The backend is `none`: what it would write and what it has written is all that
matters here.
"""
import atexit
import os
import shutil
import signal
import subprocess
import tempfile
import time

import lab
import lives

lab.enter()
check = lab.Checks()
A, B = lab.Net("a"), lab.Net("b")
lab.veth(A, "eth0", B, "eth0")
lab.veth(A, "alone", B, "alone")
HOLD = lab.config("3", "no", more="apply-hold = 2")


def diff(daemon, port="eth0"):
    """The first backend of a port's diff, or {}."""
    reply = daemon.client.call("Diff", port=port)
    backends = reply["parameters"]["ports"][0]["backends"]
    return backends[0] if backends else {}


def ctl_diff(daemon):
    p = subprocess.run([os.path.abspath("dcbxctl"), "-s", daemon.path, "diff",
                        "eth0"], stdout=subprocess.PIPE, text=True)
    return p.returncode, p.stdout


def backend(d):
    return d["backends"][0]


# B leads; A would follow, were it not a dry run.
class Dry(lives.Daemon):
    def start(self, ports, more=(), env=None):
        super().start(ports, more=("--dry-run",) + tuple(more), env=env)


b = lives.Daemon(B, "b", HOLD)
a = Dry(A, "a", "on-exit = clear\n" + lab.config("4", "yes"))
check("it negotiates", a.wait_states(pfc="from-peer"), a.port())
check("nothing is applied", a.wait(
    lambda d: d["state"] == "not-applied" and
    backend(d)["state"] == "not-applied" and
    backend(d)["reason"]["code"] == "dry-run" and
    backend(d)["writes"] == 0 and backend(d)["in_force"] is None), a.port())
check("the plan is there", lab.wait_for(
    lambda: [(w["what"], w["to"]) for w in diff(a).get("writes", [])][:1] ==
    [("pfc", "{3}")]), diff(a))
check("no write would reset the link",
      all(w["resets_link"] is False for w in diff(a)["writes"]), diff(a))
code, text = ctl_diff(a)
check("dcbxctl diff shows it", code == 1 and "{3}" in text, (code, text))
check("the log has it", lab.wait_for(
    lambda: "eth0: dry run: none would write pfc: - -> {3}" in a.text()),
    a.text())
check("it ends like any other", a.stop(signal.SIGTERM) == 0, a.text())
check("B has what it wants", b.wait(
    lambda d: backend(d)["in_force"]["prio_pfc"] == lab.prios(3)), b.port())

# A value that waits for a peer is in the diff, and in no state.
c = lives.Daemon(A, "c", lab.config("5", "yes", port="alone"),
                 ports=("alone",))
check("a value waits", c.wait(lambda d: d["held"] and d["link"] == "up",
                              "alone"), c.port("alone"))
check("the diff knows it", lab.wait_for(
    lambda: [(w["what"], w["from"], w["to"])
             for w in diff(c, "alone").get("writes") or []][:1] ==
    [("pfc", "-", "{5}")]), diff(c, "alone"))
check("no backend was told", c.port("alone")["backends"] == [] and
      c.port("alone")["state"] == "no-peer", c.port("alone"))
c.stop()

# A driver without dcbnl: all is computed, and the reason said.
c.configure(lab.config("5", "no", port="alone").replace("{none}", "{auto}"))
c.again(ports=("alone",))
check("no dcbnl", c.wait(
    lambda d: backend(d)["state"] == "unsupported" and
    backend(d)["reason"]["code"] == "no-dcbnl" and
    d["pfc"]["oper"]["prio_pfc"] == lab.prios(5) and
    d["state"] in ("unsupported", "no-peer"), "alone"), c.port("alone"))

# Two writes within the hold: the second waits, and the last one wins.
check("written", b.wait(lambda d: backend(d)["writes"] >= 1), b.port())
lab.wait_for(lambda: "error" not in b.client.call(
    "Set", port="eth0", words=["prio-pfc", "all:off", "1:on"]))
check("in force after the hold", b.wait(
    lambda d: backend(d)["in_force"]["prio_pfc"] == lab.prios(1),
    limit=20), b.port())
written = backend(b.port())["writes"]
for prio in ("6", "7"):
    b.client.call("Set", port="eth0",
                  words=["prio-pfc", "all:off", prio + ":on"])
check("held", b.wait(lambda d: backend(d)["reason"]["code"] == "hold" and
                     backend(d)["state"] == "not-applied" and
                     d["state"] == "not-applied" and
                     backend(d)["in_force"]["prio_pfc"] == lab.prios(1)),
      b.port())
check("held: the diff", [w["to"] for w in diff(b)["writes"]] == ["{7}"],
      diff(b))
check("then written, once", b.wait(
    lambda d: backend(d)["reason"] is None and
    backend(d)["in_force"]["prio_pfc"] == lab.prios(7) and
    backend(d)["writes"] == written + 1, limit=20), b.port())
check("nothing differs", ctl_diff(b)[0] == 0, ctl_diff(b))

# Other values for the backend alone, or another name: it is opened anew,
# finds all as it was, and writes nothing.
b.configure(HOLD.replace("apply-hold = 2", "apply-hold = 5")
            .replace("{3}", "{7}"))
b.client.call("Reload")
check("reopened", b.wait(
    lambda d: backend(d)["writes"] == 0 and
    backend(d)["in_force"]["prio_pfc"] == lab.prios(7)), b.port())
b.configure(lab.config("7", "no") + lab.config("7", "no", port="new0"))
b.client.call("Reload")
b.client.call("Set", port="eth0", words=["prio-pfc", "0:on"])
check("written once more", b.wait(
    lambda d: backend(d)["writes"] == 1 and
    backend(d)["in_force"]["prio_pfc"] == lab.prios(0, 7)), b.port())
B.ip("link set eth0 down")
B.ip("link set eth0 name new0")
B.ip("link set new0 up")
check("reopened by its new name", b.wait(
    lambda d: d["port"] == "new0" and backend(d)["writes"] == 0 and
    backend(d)["in_force"]["prio_pfc"] == lab.prios(0, 7), "new0"),
    b.port("new0"))

# A program that was not there, or another than before, knows nothing of what
# is in force: it is run for the same value.  With all else it is not.
RUNS = b.dir + "/runs"
os.chmod("/run", 0o755)
PROGRAMS = tempfile.mkdtemp(prefix="dcbx-", dir="/run")  # root's, all the way
os.chmod(PROGRAMS, 0o755)
atexit.register(shutil.rmtree, PROGRAMS)


def run_by(name):
    """A port whose values also go to this program, which notes its runs."""
    path = os.path.join(PROGRAMS, name)
    with open(path, "w") as f:
        f.write("#!/bin/sh\necho %s $DCB_PRIO_PFC >>%s\n" % (name, RUNS))
    os.chmod(path, 0o755)
    return lab.config("0,7", "no", port="new0",
                      more="exec { command = %s }" % path).replace(
                          "{none}", "{none,exec}")


def runs():
    try:
        with open(RUNS) as f:
            return f.read().splitlines()
    except OSError:
        return []


def ran(*wanted):
    return lab.wait_for(lambda: runs() == list(wanted)) and b.wait(
        lambda d: all(x["state"] == "applied" for x in d["backends"]) and
        runs() == list(wanted), "new0")


b.configure(run_by("one"))
b.client.call("Reload")
check("a new backend is run", ran("one 0,7"), (runs(), b.port("new0")))
b.configure(run_by("two"))
b.client.call("Reload")
check("another program, too", ran("one 0,7", "two 0,7"),
      (runs(), b.port("new0")))
b.configure(run_by("two").replace("exec {", "apply-hold = 1 exec {"))
b.client.call("Reload")
check("the same one is not", b.wait(
    lambda d: len(d["backends"]) == 2 and
    all(x["writes"] == 0 and x["state"] == "applied"
        for x in d["backends"]), "new0") and
    runs() == ["one 0,7", "two 0,7"], (runs(), b.port("new0")))

# The same over lives of the daemon: one that was not there has done nothing,
# and one that did its part is not asked again because of another.
TWICE = ["one 0,7", "two 0,7"]


def did(*names):
    """Who has put the value into force, as the file has it."""
    return lab.wait_for(lambda: b.files().get("new0", {"by": {}})["by"].get(
        "backends") == list(names))


def lived(name, config, *wanted):
    b.stop(signal.SIGUSR1)
    b.configure(config.replace("backends", "mode = verify backends", 1))
    b.start(("new0",))  # verify: there is no peer to wait for
    check(name, lab.wait_for(lambda: runs() == list(wanted)) and
          b.wait(lambda d: not d["backends"][-1]["reason"] or
                 d["backends"][-1]["state"] == "unsupported", "new0"),
          (runs(), b.port("new0")))


b.wait(lambda d: all(x["state"] == "applied" for x in d["backends"]), "new0")
check("both have done it", did("none", "exec"), b.files())
lived("restart: not run again", run_by("two"), *TWICE)
lived("restart: another program is", run_by("three"), *TWICE, "three 0,7")
lived("restart without it", run_by("three").replace(
    "{none,exec}", "{none}"), *TWICE, "three 0,7")
check("one has done it", did("none"), b.files())
lived("restart with it: it is run", run_by("three"), *TWICE, "three 0,7",
      "three 0,7")
BOTH = run_by("four").replace("{none,exec}", "{exec,roce}")
lived("beside one that is unsupported", BOTH, *TWICE, "three 0,7",
      "three 0,7", "four 0,7")
check("only who has done it is remembered", did("exec"), b.files())
lived("restart: it is not run again", BOTH, *TWICE, "three 0,7", "three 0,7",
      "four 0,7")
time.sleep(1.5)
check("nor later", len(runs()) == 5, runs())

# A dry run has done nothing that the next life could build on.
b.stop(signal.SIGUSR1)
os.unlink(b.state + "/port-new0")
b.start(("new0",), more=("--dry-run",))
b.wait(lambda d: d["backends"][0]["reason"]["code"] == "dry-run", "new0")
time.sleep(1.5)
b.stop(signal.SIGUSR1)
check("dry: nothing is in force", b.files()["new0"]["oper"] is None,
      b.files())
b.start(("new0",))
check("dry: then it is run", lab.wait_for(lambda: len(runs()) == 6), runs())
lab.end(check)
