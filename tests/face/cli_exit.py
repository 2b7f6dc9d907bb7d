#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""Exit codes, what is said with them, and answers of any shape.

B123: a missing daemon, a missing port and a port that is not managed are told
apart.  B137: words that do not exist get a suggestion.
"""
import copy
import json
import os
import random
import subprocess

from cli_tools import (CTL, ODD, Checks, FakeDaemon, error, run, sample,
                       spots)

check = Checks()


def expect(p, code, *said, what=""):
    check(p.returncode == code and all(s in p.stderr for s in said),
          "%s: exit %d, %s" % (what or p.args[1:], code, said),
          (p.returncode, p.stdout, p.stderr))
    check(code == 0 or p.stdout == "", "nothing but data on stdout", p.stdout)


# Words
for words, said in (
        (("get", "pfc", "eth0"), "did you mean: dcbxctl show eth0 pfc"),
        (("get", "eth0"), "did you mean: dcbxctl show eth0"),
        (("shw", "eth0"), "did you mean: dcbxctl show eth0"),
        (("stat",), "did you mean: dcbxctl status"),
        (("neighbors",), "did you mean: dcbxctl peers"),
        (("pfc", "eth0"), "did you mean: dcbxctl show eth0 pfc"),
        (("show", "pfc", "eth0"), "did you mean: dcbxctl show eth0 pfc"),
        (("show", "eth0", "pfx"), "did you mean: dcbxctl show eth0 pfc"),
        (("frobnicate",), "dcbxctl --help"),
        (("show",), "usage: dcbxctl show"),
        (("show", "a", "pfc", "b"), "usage: dcbxctl show"),
        (("status", "--sent"), "usage: dcbxctl status"),
        (("--sent",), "--help"),
        (("--jsn",), "--help"),
        (("--color=alway", "status"), "did you mean always"),
        (("restart", "eth0"), "did you mean: dcbxctl reset eth0"),
        (("set", "eth0"), "usage: dcbxctl set"),
        (("set", "eth0", "mode", "off", "--dir", "/x"), "--save"),
        (("wait", "eth0"), "--state"),
        (("wait", "eth0", "--state", "pendin"), "did you mean pending"),
        (("wait", "eth0", "--state", "pfc=8"), "pfc=PRIORITIES"),
        (("wait", "eth0", "--state", "pfx=ok"), "pfc=STATE"),
        (("wait", "eth0", "--state", "ets=3"), "ets=STATE"),
        (("wait", "eth0", "--state", "ets=negotiated"), "ets=STATE"),
        (("wait", "eth0", "--state", "ok", "--timeout", "1x"), "seconds"),
        (("wait", "eth0", "--state", "ok", "--timeout", "-1"), "seconds"),
        (("wait", "eth0", "--state", "ok", "--timeout", "nan"), "seconds"),
        (("record", "eth0"), "usage: dcbxctl record"),
        (("record", "eth0", "-", "--json"), "stdout"),
        (("reload", "eth0"), "usage: dcbxctl reload"),
        (("decode", "--mac", "2", "00"), "--negotiate")):
    expect(run(*words), 2, said)
expect(run("--version"), 0)
expect(run("decode", "/nonexistent.pcap"), 1, "/nonexistent.pcap")
expect(run("decode", "0180c2"), 1, "shorter than an Ethernet header")
expect(run("decode", "-", stdin=b"hello"), 1, "neither a pcap")
expect(run("decode", "-", stdin=b"\xd4\xc3\xb2\xa1"), 1, "-: ")

# No daemon
p = run("status", socket_path="/nonexistent/sock")
expect(p, 3, "/nonexistent/sock", "systemctl status dcbxd")
p = run("status", "-s", "/nonexistent/sock")
expect(p, 3, "/nonexistent/sock")

status = sample("status")
port = status["ports"][0]["port"]
off = copy.deepcopy(status)
off["ports"] = off["ports"][:1]
off["ports"][0].update(mode="off", state="disabled")

with FakeDaemon({"GetStatus": error("org.dcbx.NoSuchPort", port="eth9"),
                 "Watch": error("org.dcbx.NoSuchPort", port="eth9"),
                 "Diff": error("org.dcbx.NoSuchPort", port="eth9"),
                 "GetPeers": None}) as d:
    for words in (("show", "eth9"), ("peers", "eth9"), ("tlv", "eth9"),
                  ("watch", "eth9"), ("counters", "eth9"), ("reset", "eth9"),
                  ("diff", "eth9"),
                  ("record", "eth9", "/nonexistent/x"),
                  ("wait", "eth9", "--state", "ok"),
                  ("set", "eth9", "mode", "off")):
        expect(run(*words, socket_path=d.path), 4, "no port eth9")
    expect(run("show", b"\xff\xfe", socket_path=d.path), 4, what="no UTF-8")
    expect(run("peers", socket_path=d.path), 3, "closed the connection")
with FakeDaemon({"GetStatus": off,
                 "Watch": {"event": "snapshot", "ports": off["ports"]}}) as d:
    for words in (("show", port), ("peers", port), ("tlv", port),
                  ("watch", port), ("counters", port), ("reset", port),
                  ("diff", port),
                  ("record", port, "/nonexistent/x"),
                  ("wait", port, "--state", "ok"),
                  ("set", port, "willing", "on")):
        expect(run(*words, socket_path=d.path), 7, port, "not managed")
    expect(run("status", socket_path=d.path), 0)
with FakeDaemon({"GetStatus": error("org.varlink.service.PermissionDenied"),
                 "GetPeers": error("org.example.Odd")}) as d:
    expect(run("status", socket_path=d.path), 1, "permission denied")
    expect(run("peers", socket_path=d.path), 1, "org.example.Odd")
with FakeDaemon({"GetStatus": b"no json\0"}) as d:
    expect(run("status", socket_path=d.path), 1, "not understood")
with FakeDaemon({"GetStatus": b'{"parameters": []}\0'}) as d:
    expect(run("status", socket_path=d.path), 1, "without parameters")

# diff: 1 where something differs, and nothing is said on stderr
same = sample("diff")
same["ports"] = [p for p in same["ports"] if not p["held"]]
planned, long = copy.deepcopy(sample("diff")), copy.deepcopy(same)
planned["ports"][1]["backends"][0]["writes"] = []  # nothing it could write
long["ports"][0]["backends"][0]["writes_left_out"] = 2
for doc, code in ((sample("diff"), 1), (same, 0), (planned, 0), (long, 1)):
    with FakeDaemon({"Diff": doc}) as d:
        for words in (("diff",), ("diff", "--json")):
            p = run(*words, socket_path=d.path)
            check(p.returncode == code and p.stderr == "" and p.stdout,
                  "%s: exit %d" % (words, code), p)

# Options before and after the verb, and what the daemon is asked
with FakeDaemon({"GetStatus": status, "GetTlvs": sample("tlv")}) as d:
    a = run("--json", "status", socket_path=d.path)
    b = run("status", "--json", "-s", d.path)
    c = run("--json", socket_path=d.path)
    check(a.stdout == b.stdout == c.stdout and
          json.loads(a.stdout) == status, "--json before and after", a)
    p = run("tlv", port, "--sent", "--json", socket_path=d.path)
    check(d.calls[-1] == {"method": "org.dcbx.GetTlvs", "parameters":
                          {"port": port, "sent": True}}, "GetTlvs",
          d.calls[-1])
    # A reader that goes away is no reason to complain.
    reader, writer = os.pipe()
    os.close(reader)
    p = subprocess.run([CTL, "-s", d.path, "--json"], stdout=writer,
                       stderr=subprocess.PIPE, timeout=60,
                       restore_signals=False)
    os.close(writer)
    check(p.stderr == b"", "broken pipe", p.stderr)
    with open("/dev/full", "w") as full:
        p = subprocess.run([CTL, "-s", d.path], stdout=full, timeout=60,
                           stderr=subprocess.PIPE)
    check(p.returncode == 1 and b"stdout" in p.stderr, "full disk", p)


# Any shape of answer: values replaced, removed, nested at random.
seed = int(os.environ.get("SEED", "1"))
rng = random.Random(seed)
VERBS = (("diff",), ("counters", port), ("counters",), ("config",), ("config", port),
         ("set", port, "willing", "on"),
         ("wait", port, "--state", "pfc=3", "--timeout", "0"), ("reload",),
         ("wait", port, "--state", "negotiated", "--timeout", "0"),
         ("status",), ("show", port), ("show", port, "ets"),
         ("show", port, "lldp"), ("peers",), ("tlv", port), ("watch",))
for i in range(120):
    docs = {"GetStatus": copy.deepcopy(status), "Watch": sample("watch"),
            "GetPeers": sample("peers"), "GetTlvs": sample("tlv"),
            "GetCounters": sample("counters"), "GetConfig": sample("config"),
            "Set": {}, "Reload": sample("reload"), "Diff": sample("diff")}
    for doc in docs.values():
        for _ in range(rng.randint(1, 4) if doc else 0):
            where, key = rng.choice(list(spots(doc)))
            where[key] = copy.deepcopy(rng.choice(ODD))
    docs["Watch"] = [x if isinstance(x, dict) else {} for x in
                     docs["Watch"]] + [None]
    with FakeDaemon(docs) as d:
        p = run(*VERBS[i % len(VERBS)], socket_path=d.path)
    check(p.returncode in range(8), "odd answer, seed %d round %d" %
          (seed, i), (p.args, p.returncode, p.stderr, docs))
    check("\x1b" not in p.stdout + p.stderr, "odd answer escaped", p.stdout)
check.done()
