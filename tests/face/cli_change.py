#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""The verbs that change something: set, --save, reset, reload; and config.

B117: set waits for what was asked for and says where it is not in force.
B137: a glob is refused and says what it would have meant.
"""
import copy
import json
import os
import stat
import tempfile
import threading

from cli_tools import Checks, FakeDaemon, error, run, sample, schema_errors

check = Checks()
ok = next(p for p in sample("status")["ports"] if p["state"] == "ok")
PORT = ok["port"]


def port(name=PORT, mode="negotiate", state="applied", **in_force):
    p = copy.deepcopy(ok)
    p.update(port=name, mode=mode)
    p["backends"][0].update(state=state)
    p["backends"][0]["in_force"].update(in_force)
    return p


def ports(*all_of):
    return {"schema": 1, "ports": list(all_of)}


def named(*all_of):
    """GetStatus as a daemon answers it: all, or the one that is named."""
    def answer(call):
        name = call.get("parameters", {}).get("port")
        found = [p for p in all_of if name in (None, p["port"])]
        return ports(*found) if found else \
            error("org.dcbx.NoSuchPort", port=name)
    return answer


def set_calls(d):
    return [c["parameters"] for c in d.calls if c["method"] == "org.dcbx.Set"]


def has_schema(verb, p):
    try:
        import jsonschema  # noqa: F401
    except ImportError:
        return
    check(not schema_errors(verb, json.loads(p.stdout)), "schema of " + verb,
          p.stdout)


# One port: the words go through as they are; applied is said and is 0.
with FakeDaemon({"GetStatus": named(port()), "Set": {}}) as d:
    p = run("set", PORT, "prio-pfc", "all:off", "3:on", "willing", "on",
            socket_path=d.path)
    check(p.returncode == 0 and p.stdout.startswith(PORT + ": applied"),
          "applied", p)
    check(set_calls(d) == [{"port": PORT, "words": [
        "prio-pfc", "all:off", "3:on", "willing", "on"]}], "words", d.calls)
    p = run("set", PORT, "willing", "on", "--json", socket_path=d.path)
    check(json.loads(p.stdout)["ports"][0]["applied"] is True, "JSON", p)
    has_schema("set", p)

# A driver that ignores what it is told (B117): said after 2 s, exit 5.
with FakeDaemon({"GetStatus": named(port(tc_bw=[50, 50] + [0] * 6)),
                 "Set": {}}) as d:
    p = run("set", PORT, "tc-bw", "0:40", "1:60", socket_path=d.path)
    check(p.returncode == 5 and "not applied" in p.stdout and
          "tc-bw: admin" in p.stdout and "kernel {50,50," in " ".join(p.stdout.split()),
          "kernel differs", p)
    p = run("set", PORT, "tc-bw", "0:40", "--json", socket_path=d.path)
    doc = json.loads(p.stdout)["ports"][0]
    check(p.returncode == 5 and not doc["applied"] and
          [x["kernel"] for x in doc["differences"]
           if x["attribute"] == "tc_bw"] == [[50, 50] + [0] * 6], "JSON", p)
    has_schema("set", p)

# The peer has the say: applied, and told that it is not what was asked for.
other = port()
other["pfc"]["admin"]["prio_pfc"] = [i == 4 for i in range(8)]
with FakeDaemon({"GetStatus": named(other), "Set": {}}) as d:
    p = run("set", PORT, "prio-pfc", "4:on", socket_path=d.path)
    check(p.returncode == 0 and "prio-pfc: admin ....4..., oper ...3...., "
          "kernel same" in p.stdout, "oper differs", p)

# It comes through while we wait.
looks = []


def soon(call):
    looks.append(call)
    return ports(port(state="applied" if len(looks) > 5 else "not-applied"))


with FakeDaemon({"GetStatus": soon, "Set": {}}) as d:
    p = run("set", PORT, "willing", "on", socket_path=d.path)
    check(p.returncode == 0 and len(looks) == 6, "waits", (p, len(looks)))

# No peer yet, so the value waits: said at once, and not called applied.
waiting = port()
waiting["held"] = True
with FakeDaemon({"GetStatus": named(waiting), "Set": {}}) as d:
    p = run("set", PORT, "willing", "on", socket_path=d.path)
    check(p.returncode == 5 and "held back" in p.stdout, "held back", p)
    p = run("set", PORT, "willing", "on", "--json", socket_path=d.path)
    done = json.loads(p.stdout)["ports"][0]
    check(p.returncode == 5 and done["held"] and not done["applied"],
          "held back, JSON", p)
    has_schema("set", p)

# Nor is one that the backend may not write yet; show says so, too.
hold = port(prio_pfc=[i == 4 for i in range(8)])
hold["backends"][0]["reason"] = {"code": "hold", "text": "a value waits"}
with FakeDaemon({"GetStatus": named(hold), "Set": {}}) as d:
    p = run("set", PORT, "willing", "on", socket_path=d.path)
    check(p.returncode == 5 and "held back" in p.stdout, "apply-hold", p)
    p = run("show", PORT, socket_path=d.path)
    check("dcbnl: a value waits" in p.stdout, "show: apply-hold", p)

# Distinct exit codes (B123).
for state, code in (("firmware", 6), ("unsupported", 5), ("not-applied", 5)):
    with FakeDaemon({"GetStatus": named(port(state=state)),
                     "Set": {}}) as d:
        p = run("set", PORT, "willing", "on", socket_path=d.path)
        check(p.returncode == code and state in p.stdout, state, p)
with FakeDaemon({"GetStatus": named(port(mode="off")), "Set": {}}) as d:
    check(run("set", PORT, "willing", "on",
              socket_path=d.path).returncode == 7, "off")
    check(run("set", PORT, "mode", "verify",
              socket_path=d.path).returncode == 0, "off, but a mode is set")
for name, code, said in (
        ("org.dcbx.BadValue", 2, 'prio-pfc: found "9:on"; allowed: 0: to 7:'),
        ("org.dcbx.Busy", 1, "busy"),
        ("org.varlink.service.PermissionDenied", 1, "in the group storage")):
    with FakeDaemon({"GetStatus": named(port()), "Set": error(
            name, key="prio-pfc", found='"9:on"', allowed="0: to 7:"),
                     "Reset": error(name), "Reload": error(name),
                     "GetConfig": sample("config")}) as d:
        p = run("set", PORT, "prio-pfc", "9:on", socket_path=d.path)
        check(p.returncode == code and said in p.stderr and p.stdout == "",
              name, p)
        if "Permission" in name:
            for words in (("reset", PORT), ("reload",)):
                p = run(*words, socket_path=d.path)
                check(p.returncode == 1 and said in p.stderr, words, p)

# Globs and --all.
three = (port("eth0"), port("eth1", mode="verify"), port("eth2", mode="off"),
         port("eth3", mode="observe"))
with FakeDaemon({"GetStatus": named(*three), "Set": {}}) as d:
    p = run("set", "eth*", "willing", "on", socket_path=d.path)
    check(p.returncode == 2 and "eth0, eth1, eth2, eth3" in p.stderr and
          "--all" in p.stderr and not set_calls(d), "a glob", p)
    p = run("set", "eth9", "willing", "on", socket_path=d.path)
    check(p.returncode == 4, "no such port", p)
    p = run("set", "--all", "willing", "on", socket_path=d.path)
    check(p.returncode == 0 and [c["port"] for c in set_calls(d)] ==
          ["eth0", "eth1"], "--all", p)
    d.calls.clear()
    p = run("set", "--all", "mode", "verify", socket_path=d.path)
    check(len(set_calls(d)) == 4, "--all with a mode", p)
with FakeDaemon({"GetStatus": named(port("x*")), "Set": {}}) as d:
    check(run("set", "x*", "willing", "on",
              socket_path=d.path).returncode == 0, "a port of that name")

# --save
tmp = tempfile.TemporaryDirectory(prefix="dcbxctl-test.")
dropin = os.path.join(tmp.name, "d")
path = os.path.join(dropin, "50-set-%s.conf" % PORT)


def value(section, key, v, file="set"):
    return {"section": 'port "%s"%s' % (PORT, section), "key": key,
            "value": v, "file": file, "line": None}


def save(values, *words):
    config = {"schema": 1, "values": values, "ports": []}
    with FakeDaemon({"GetStatus": named(port()), "Set": {},
                     "GetConfig": config}) as fake:
        return run("set", PORT, *words, "--save", "--dir", dropin,
                   socket_path=fake.path)


def text():
    with open(path) as f:
        return f.read()


def lines():
    return [x.strip() for x in text().splitlines()[1:]]


p = save([value(" pfc", "prio-pfc", [3]), value(" pfc", "willing", False),
          value(" ets", "willing", True), value("", "mode", "verify")],
         "prio-pfc", "3:on", "pfc", "willing", "off")
check(p.returncode == 0 and "saved in " + path in p.stdout.replace(
    "\n        ", ""), "saved", p)
check(lines() == ['port "%s" {' % PORT, "pfc {", "prio-pfc = {3}",
                  "willing = no", "}", "}"], "only what was named", text())
check(stat.S_IMODE(os.stat(path).st_mode) == 0o644, "mode of the file")
p = save([value(" pfc", "prio-pfc", [3, 4]), value(" ets", "tc-tsa",
          ["ets"] * 8), value("", "mode", "verify"),
          value(' app "dscp:26"', "priority", 3)],
         "prio-pfc", "4:on", "tc-tsa", "all:ets", "mode", "verify",
         "dscp-prio", "26:3")
check(p.returncode == 0 and lines() == [
    'port "%s" {' % PORT, "pfc {", "prio-pfc = {3,4}", "willing = no", "}",
    "ets {", "tc-tsa = {ets,ets,ets,ets,ets,ets,ets,ets}", "}",
    "mode = verify", 'app "dscp:26" {', "priority = 3", "}", "}"], "merged",
    (p, text()))
check(os.listdir(dropin) == ["50-set-%s.conf" % PORT], "nothing else left",
      os.listdir(dropin))
p = save([value("", "mode", "verify")], "mode", "verify")
check(p.returncode == 0, "read back what was written", p)

# Dropped meanwhile; somebody else's file; a place where none can be.
before = text()
p = save([], "mode", "verify")
check(p.returncode == 1 and text() == before, "dropped", p)
for foreign in ('port "other0" { mode = verify }\n', "lldp { tx-hold = 3 }",
                "port x {", "nonsense = 1", 'port "%s" { mode = x }' % PORT):
    with open(path, "w") as f:
        f.write(foreign)
    p = save([value("", "mode", "verify")], "mode", "verify")
    check(p.returncode == 1 and text() == foreign and path in
          p.stderr, "somebody else's file", p)
check(os.listdir(dropin) == ["50-set-%s.conf" % PORT], "no litter",
      os.listdir(dropin))
os.unlink(path)
dropin = "/proc/self/nowhere"
p = save([value("", "mode", "verify")], "mode", "verify")
check(p.returncode == 1 and "nowhere" in p.stderr and PORT in p.stdout,
      "no such place: set, but not saved", p)
dropin = os.path.join(tmp.name, "d")

# Many at once: each finds what the others have saved.
keys = ("delay", "cap", "willing", "advertise")
threads = [threading.Thread(target=save, args=(
    [value(" pfc", k, 1 if i < 2 else True)], "pfc", k,
    "1" if i < 2 else "on")) for i, k in enumerate(keys)]
for t in threads:
    t.start()
for t in threads:
    t.join()
check(all(k in text() for k in keys), "a lock", text())
tmp.cleanup()

# reset and reload
with FakeDaemon({"GetStatus": named(port()), "Reset": {},
                 "Reload": {"errors": 0}}) as d:
    p = run("reset", PORT, "--json", socket_path=d.path)
    check(p.returncode == 0 and d.calls[-1] == {
        "method": "org.dcbx.Reset", "parameters": {"port": PORT}}, "reset", p)
    has_schema("reset", p)
    p = run("reload", socket_path=d.path)
    check(p.returncode == 0 and p.stdout == "reloaded\n", "reload", p)
    p = run("reload", "--json", socket_path=d.path)
    check(json.loads(p.stdout) == {"schema": 1, "errors": 0}, "reload", p)
    has_schema("reload", p)
with FakeDaemon({"Reload": sample("reload")}) as d:
    p = run("reload", socket_path=d.path)
    check(p.returncode == 1 and 'found "negociate"' in p.stdout and
          "1 error " in p.stderr, "reload with errors", p)

# config
with FakeDaemon({"GetConfig": sample("config")}) as d:
    p = run("config", socket_path=d.path)
    out = [x.split() for x in p.stdout.splitlines()]
    for line in ("control group = storage # /etc/dcbxd.conf:3",
                 'port "ens1f0"', "mode = negotiate # default",
                 "pfc willing = no # set",
                 'control socket = "/run/dcbxd/control.sock" # default',
                 "lldp tx-interval = 30 # default"):
        check(line.split() in out, "config: " + line, p.stdout)
    p = run("config", "ens1f0", socket_path=d.path)
    check("lldp" not in p.stdout and p.stdout.count("port ") == 1 and
          'app "dgram-port:4791" priority = 3' in p.stdout, "one port", p)
    p = run("config", "ens1f0", "--json", socket_path=d.path)
    check([x["port"] for x in json.loads(p.stdout)["ports"]] == ["ens1f0"],
          "one port, JSON", p)
    has_schema("config", p)
    check(run("config", "x", socket_path=d.path).returncode == 4, "no port")
check.done()
