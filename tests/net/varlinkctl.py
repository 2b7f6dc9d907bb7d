#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""The control socket, by systemd's varlinkctl.

Debian 12 has none, so trixie's is fetched and unpacked, not installed; see
tests/testbed/get-varlinkctl.sh.  Without a network, or without apt, this is
skipped.  varlinkctl parses the interface description itself and checks what
it sends and gets against it.
"""
import atexit
import json
import os
import shutil
import subprocess
import tempfile

import lab


def fetch():
    """Where varlinkctl is, or None and why not."""
    if found := shutil.which("varlinkctl"):
        return found, None
    where = tempfile.mkdtemp(prefix="varlinkctl-")
    said, why = lab.fetch("get-varlinkctl.sh", where)
    if said is not None:
        for line in said:
            print("  " + line, flush=True)
        return where + "/varlinkctl", None
    shutil.rmtree(where, ignore_errors=True)
    return None, why


# Outside of the laboratory, which has no network.
if "DCBX_LAB" not in os.environ:
    program, why = fetch()
    if program is None:
        print("skip varlinkctl: " + why)
        raise SystemExit(77)
    os.environ["VARLINKCTL"] = program
lab.enter()
PROGRAM = os.environ["VARLINKCTL"]
if os.path.basename(os.path.dirname(PROGRAM)).startswith("varlinkctl-"):
    atexit.register(shutil.rmtree, os.path.dirname(PROGRAM), True)
check = lab.Checks()
A, B = lab.Net("a"), lab.Net("b")
for port in "eth0", "eth1":
    lab.veth(A, port, B, port)
a = lab.Daemon(A, "varlink", lab.config("3", "no", port="*"),
               ("eth0", "eth1"))
b = lab.Daemon(B, "peer", lab.config("4", port="*"), ("eth0", "eth1"))
a.wait_states(pfc="to-peer", ets="to-peer")


def ctl(*words):
    return subprocess.run([PROGRAM, "--no-pager", *words], text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=lab.LIMIT)


def replies(p):
    """The JSON that it printed: one text, or a sequence (RFC 7464)."""
    texts = p.stdout.replace("\x1e", "").split("\n")
    return [json.loads(t) for t in texts if t.strip()]


def call(method, more=False, **parameters):
    """Its replies, and what went wrong."""
    p = ctl("--json=short", *(["--more"] if more else []), "call",
            "unix:" + a.path, "org.dcbx." + method, json.dumps(parameters))
    return replies(p), p.returncode, p.stderr


p = ctl("--json=short", "info", "unix:" + a.path)
check("info", p.returncode == 0 and "org.dcbx" in
      replies(p)[0]["interfaces"], p)
p = ctl("introspect", "unix:" + a.path, "org.dcbx")
check("introspect", p.returncode == 0 and "interface org.dcbx" in p.stdout and
      all("method " + m in p.stdout for m in (
          "GetStatus", "GetPeers", "GetTlvs", "GetCounters", "GetConfig",
          "Record", "Diff", "Set", "Reset", "Reload", "Watch")), p)
check("introspect says nothing else", p.stderr == "", p.stderr)

for method, parameters in (
        ("GetStatus", {"port": "eth0"}), ("GetPeers", {"port": "eth0"}),
        ("GetCounters", {"port": "eth0"}), ("GetTlvs", {"port": "eth0"}),
        ("Diff", {"port": "eth0"})):
    got, code, said = call(method, **parameters)
    check(method, code == 0 and said == "" and len(got) == 1 and
          got[0]["schema"] == 1 and
          [x["port"] for x in got[0]["ports"]] == ["eth0"], (got, said))
got, code, said = call("GetStatus")
check("GetStatus of all", code == 0 and said == "" and sorted(
    (x["port"], x["pfc"]["state"]) for x in got[0]["ports"]) == [
        ("eth0", "to-peer"), ("eth1", "to-peer")], (got, said))
got, code, said = call("GetStatus", more=True)
check("GetStatus with more: a port a reply", code == 0 and said == "" and
      sorted(x["ports"][0]["port"] for x in got) == ["eth0", "eth1"],
      (got, said))
got, code, said = call("GetConfig")
check("GetConfig", code == 0 and said == "" and got[0]["schema"] == 1 and
      "eth0" in [x["port"] for x in got[0]["ports"]], said)
got, code, said = call("Record", port="eth0")
check("Record", code == 0 and said == "" and got[0]["frames"], said)

got, code, said = call("Set", port="eth0", words=["prio-pfc", "5:on"])
check("Set", code == 0 and got in ([], [{}]) and a.wait(
    lambda d: d["pfc"]["admin"]["prio_pfc"] == lab.prios(3, 5)), (got, said))
got, code, said = call("Set", port="eth0", words=["prio-pfc", "9:on"])
check("BadValue", code != 0 and "org.dcbx.BadValue" in said, said)
got, code, said = call("GetStatus", port="eth9")
check("NoSuchPort", code != 0 and "org.dcbx.NoSuchPort" in said, said)
got, code, said = call("Reload")
check("Reload", code == 0 and got == [{"errors": 0, "messages": []}],
      (got, said))
got, code, said = call("Reset", port="eth0")
check("Reset", code == 0, said)

# The data path's socket is another one of the same kind.
lab.veth(A, "dp0", B, "dp0")
address = "unix:" + a.dir + "/datapath.sock"
with open(a.dir + "/datapath.log", "w") as log:
    datapath = A.run(os.path.abspath("dcbx-datapath"), "-s", address[5:],
                     "--buffer", "4M", "--role", "switch", "--port", "dp0",
                     stdout=log, stderr=log)
check("dcbx-datapath answers", lab.wait_for(
    lambda: ctl("info", address).returncode == 0))
p = ctl("introspect", address, "org.dcbx.datapath")
check("introspect the data path", p.returncode == 0 and p.stderr == "" and
      all("method " + m in p.stdout for m in (
          "Configure", "GetCounters", "Watch")), p)
for method, parameters in (("GetCounters", {}), ("GetCounters", {
        "port": "dp0"}), ("Configure", {"port": "dp0", "config": {}})):
    p = ctl("--json=short", "call", address, "org.dcbx.datapath." + method,
            json.dumps(parameters))
    check("data path: %s %s" % (method, list(parameters)),
          p.returncode == 0 and p.stderr == "", p)
p = subprocess.Popen(
    [PROGRAM, "--json=short", "--more", "call", address,
     "org.dcbx.datapath.Watch", "{}"], text=True, stdin=subprocess.DEVNULL,
    stdout=subprocess.PIPE, stderr=subprocess.PIPE)
first = p.stdout.readline()
check("data path: Watch, a snapshot", '"snapshot"' in first, first[:300])
B.ip("link set dp0 down")
second = p.stdout.readline()
check("data path: Watch, an event", '"link"' in second, second[:300])
datapath.terminate()
p.communicate(timeout=lab.LIMIT)
check("the data path stops", datapath.wait(lab.LIMIT) == 0)
lab.end(check)
