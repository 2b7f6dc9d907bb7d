#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""Every line of every verb fits 80 columns, and the state is never cut."""
import copy
import os

from cli_tools import Checks, FakeDaemon, columns, run, sample

check = Checks()
LONG = "a-very-long-name.of-some-switch.example.org" * 5
WIDE = "\u30b9\u30a4\u30c3\u30c1" * 20  # two columns a character


def crowd(doc, name):
    """Everything in the first port as long as it can be."""
    p = doc["ports"][0]
    p["port"] = "enp123s456f7np1"
    p["state"] = "unsupported"
    for feature in ("pfc", "ets", "app"):
        p[feature]["state"] = "multi-peer"
    for peer in p["peers"]:
        peer.update(system_name=name, port_id=name, chassis_id=name,
                    ttl=65535, age_ms=86400000 * 999, expires_ms=2**40,
                    dialects=["ieee", "cee", "cin"])
    every = [True] * 8
    for side in ("admin", "peer", "oper"):
        p["pfc"][side]["prio_pfc"] = every
    p["backends"][0]["in_force"].update(
        prio_pfc=[False] * 8, tc_bw=[13, 13, 13, 13, 12, 12, 12, 12])
    for i, table in enumerate((p["ets"]["admin"], p["ets"]["oper"],
                               p["ets"]["peer"]["config"],
                               p["ets"]["peer"]["reco"])):
        table["tc_bw"] = [100, 10 + i, 11, 12, 13, 14, 15, 16]
        table["tc_tsa"] = ["ets"] * 8
    p["app"]["admin"] = [
        {"selector": s, "protocol": 65535, "priority": 7} for s in
        ("ethtype", "stream-port", "dgram-port", "port", "dscp", "default",
         "reserved-7")]
    return doc


def lines_fit(p, what):
    check(p.returncode == 0 and p.stdout, what + ": works", p.stderr)
    for line in p.stdout.splitlines():
        check(columns(line) <= 80, what, (columns(line), line))


for locale in ("C", "C.UTF-8"):
    for name in ("leaf1", LONG, WIDE, "\xe9" * 255):
        plain, crowded = sample("status"), crowd(sample("status"), name)
        peers = sample("peers")
        peers["ports"][0]["peers"] = crowded["ports"][0]["peers"]
        tlv = sample("tlv")
        tlv["ports"][0]["frames"][0]["tlvs"][0].update(
            text=name, name=name[:40], hex="ab" * 511)
        one = {"schema": 1, "ports": crowded["ports"][:1]}
        with FakeDaemon({"GetStatus": crowded, "GetPeers": peers,
                         "GetTlvs": tlv}) as d:
            p = run("status", socket_path=d.path, LC_ALL=locale)
            lines_fit(p, "status " + locale)
            check("unsupported" in p.stdout, "status: state", p.stdout)
            lines_fit(run("peers", socket_path=d.path, LC_ALL=locale),
                      "peers " + locale)
        with FakeDaemon({"GetStatus": one, "GetTlvs": tlv}) as d:
            port = one["ports"][0]["port"]
            for words in ((), ("pfc",), ("ets",), ("app",), ("cn",),
                          ("lldp",)):
                p = run("show", port, *words, socket_path=d.path,
                        LC_ALL=locale)
                lines_fit(p, "show %s %s" % (words, locale))
                if words not in (("lldp",), ("cn",)):
                    check("multi-peer" in p.stdout, "show: state", p.stdout)
            lines_fit(run("tlv", port, socket_path=d.path, LC_ALL=locale),
                      "tlv " + locale)

# The verbs of counting and changing.
long_set, long_config = sample("set"), sample("config")
long_set["ports"][1]["error"] = LONG
for v in long_config["values"]:
    v["file"] = v["file"] and "/etc/" + LONG
    v["value"] = LONG if isinstance(v["value"], str) else v["value"]
long_config["ports"][0]["port"] = LONG
reload = sample("reload")
reload["messages"][0].update(file=LONG, text=LONG + " " + LONG)
reload["errors"] = 0
well = next(p for p in sample("status")["ports"] if p["state"] == "ok")
well["port"] = "enp123s456f7np1"
well["backends"][0]["in_force"]["tc_tsa"] = ["vendor"] * 8
well["backends"][0]["state"] = "firmware"
counters = sample("counters")
counters["ports"][0]["port"] = LONG
diff = sample("diff")
diff["ports"][1]["port"] = "enp123s456f7np1"
for one, bw in zip(("want", "in_force"), (13, 12)):
    diff["ports"][1]["backends"][0]["differences"][1][one].update(
        prio_tc=[bw - 10] * 8, tc_bw=[bw] * 8, tc_tsa=["vendor"] * bw)
diff["ports"][1]["backends"][0]["writes"] = None
planned = copy.deepcopy(diff)
planned["ports"][1]["backends"][0]["writes"] = [
    {"what": "app reserved 65535", "from": "13/13/13/13/12/12/12/12 01234567 "
     + "vendor," * 8, "to": "12/" * 8 + "vendor," * 8, "resets_link": True}]
for doc in (diff, planned):
    with FakeDaemon({"Diff": doc}) as d:
        p = run("diff", socket_path=d.path)
    check(p.returncode == 1, "diff: exit code", p)
    p.returncode = 0
    lines_fit(p, "diff")
with FakeDaemon({"GetCounters": counters, "GetConfig": long_config,
                 "Reload": reload, "Set": {},
                 "GetStatus": {"schema": 1, "ports": [well]}}) as d:
    for words in (("counters",), ("config",), ("reload",)):
        lines_fit(run(*words, socket_path=d.path), words[0])
    p = run("set", well["port"], "willing", "on", socket_path=d.path)
    check(p.returncode == 6, "set: exit code", p)
    for line in p.stdout.splitlines():
        check(columns(line) <= 80, "set", line)

# A port in CEE: numbers, machines, what it could not say, how it came there.
machine = {"advertise": True, "enable": True, "willing": True, "error": True,
           "oper_mode": False, "syncd": False,
           "peer": {"enable": True, "willing": True, "error": True}}
cee = sample("show")["ports"][0]
cee["dialect"].update(active="cee", peer=["cee", "cin"], changes=4294967295,
                      history=[{"from": "ieee", "to": "cee",
                                "reason": "not-offered",
                                "age_ms": 86400000 * 999}])
cee["cee"] = {
    "control": {"oper_version": 0, "max_version": 0, "seq_no": 4294967295,
                "ack_no": 4294967294, "peer_seq_no": 4294967293,
                "peer_ack_no": 4294967292},
    "features": {f: machine for f in (
        "pg", "pfc", "app_fcoe", "app_iscsi", "app_fip", "llink_fcoe",
        "llink_lan")},
    "unsaid": ["ets recommendation"] + ["app dscp %d" % i for i in range(64)]}
for locale in ("C", "C.UTF-8"):
    with FakeDaemon({"GetStatus": {"schema": 1, "ports": [cee]}}) as d:
        p = run("show", cee["port"], socket_path=d.path, LC_ALL=locale)
        q = run("show", cee["port"], "cee", socket_path=d.path,
                LC_ALL=locale)
    lines_fit(p, "show in cee")
    lines_fit(q, "show cee")
    flat = " ".join(p.stdout.split())
    check("SeqNo 4294967295, the peer acknowledges 4294967292; its SeqNo "
          "4294967293, acknowledged 4294967294" in flat, "numbers", flat)
    check("the peer also sends cin" in flat, "also", flat)
    check("not said in cee: ets recommendation, app dscp 0," in flat and
          "app dscp 63" in flat, "unsaid", flat)
    check("from ieee to cee" in flat and ": not-offered" in flat,
          "history", flat)
    check(["llink-lan", "enable", "willing", "error", "enable", "willing",
           "error", "off", "no"] in [x.split() for x in
                                     q.stdout.splitlines()],
          "a machine a row", q.stdout)
with FakeDaemon({"GetStatus": sample("show")}) as d:
    p = run("show", cee["port"], "cee", socket_path=d.path)
check(p.returncode == 0 and "IEEE" in p.stdout, "show cee in ieee", p)

# The columns of show, in this order; same, - and the differing value.
ok = next(p for p in sample("status")["ports"] if p["state"] == "ok")
drift = copy.deepcopy(ok)
drift["backends"][0]["in_force"]["prio_pfc"] = [False] * 4 + [True] * 4
none = dict(copy.deepcopy(ok), backends=[])
for doc, kernel, mark in ((ok, "same", " "), (drift, "....4567", "!"),
                          (none, "-", " ")):
    with FakeDaemon({"GetStatus": {"schema": 1, "ports": [doc]}}) as d:
        out = run("show", doc["port"], socket_path=d.path).stdout
    head = next(x for x in out.splitlines() if "LOCAL" in x)
    row = next(x for x in out.splitlines() if "prio-pfc" in x)
    check(head.split() == ["LOCAL", "PEER", "OPER", "KERNEL", "STATE"],
          "columns", out)
    check(row[0] == mark and row.lstrip("! ").split() ==
          ["PFC", "prio-pfc", "...3....", "...3....", "...3....", kernel,
           doc["pfc"]["state"]], "kernel " + kernel, row)

# Congestion control: thresholds, parameters, queues and flows, at their most.
most = copy.deepcopy(sample("show")["ports"][0])
for key in most["dcqcn"]["thresholds"][3]:
    most["dcqcn"]["thresholds"][3][key] = 2**30
most["dcqcn"]["thresholds"] = [most["dcqcn"]["thresholds"][3]] * 8
most["dcqcn"]["nic_rp"] = {"rate_reduce_monitor_period_%d" % i: 2**31
                           for i in range(16)}
most["queues"]["note"] = "\x1b[31m" + "n" * 180
for queue in most["queues"]["priorities"]:
    queue.update(bytes=2**30, max_bytes=2**30, headroom_max_bytes=2**30,
                 storms=2**20, flows=[
                     {"src": "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
                      "dst": "2001:db8:ffff:ffff:ffff:ffff:ffff:fffe",
                      "protocol": 17, "sport": 65535, "dport": 65535,
                      "bytes": 2**62}] * 8)
    queue["drops"] = {reason: 2**40 for reason in queue["drops"]}
    for counts in (queue["ecn"], *queue["pfc"].values()):
        counts.update({key: 2**50 for key in counts})
for locale in ("C", "C.UTF-8"):
    with FakeDaemon({"GetStatus": {"schema": 1, "ports": [most]}}) as d:
        p = run("show", most["port"], "dcqcn", socket_path=d.path,
                LC_ALL=locale)
    lines_fit(p, "show dcqcn")
    check("\x1b" not in p.stdout, "no octet of a note", p.stdout)
    check(p.stdout.count("priority 3: 2001:db8:") == 8, "flows", p.stdout)
with FakeDaemon({"GetStatus": sample("show")}) as d:
    out = run("show", most["port"], "dcqcn", socket_path=d.path).stdout
check("".join(next(x for x in out.splitlines() if x.startswith("3  ")).split())
      == "3" + "100.0KB200.0KB100%285.7KB171.4KB62.0KB", "thresholds", out)
check("nic-rp: rpg-ai-rate 50" in out and
      "priority 3: 192.0.2.1 49152 > 192.0.2.9 4791  48.3 MB" in out,
      "parameters and flows", out)

# A difference in Willing alone is marked nowhere.
alone = copy.deepcopy(ok)
alone["pfc"]["peer"]["willing"] = not alone["pfc"]["admin"]["willing"]
alone["pfc"]["state"] = "mismatch"
with FakeDaemon({"GetStatus": {"schema": 1, "ports": [alone]}}) as d:
    out = run("show", alone["port"], socket_path=d.path).stdout
check("!" not in out, "willing is no difference", out)

# diff: a row a write; else a value or application that differs; a sum.
with FakeDaemon({"Diff": sample("diff")}) as d:
    out = run("diff", socket_path=d.path).stdout
rows = [x.split() for x in out.splitlines()[:-1]]
check(rows[2][:3] + rows[2][-1:] == ["ens1f1", "dcbnl", "ets", "stays"],
      "diff: a long value", out)
check(" ".join(rows[3] + rows[4]) ==
      "from 50/50 00010002 ets,ets,strict to 40/60 00010002 ets,ets,strict",
      "diff: a long value, whole", out)
check(rows[:2] + rows[-1:] == [
    ["PORT", "BACKEND", "ATTRIBUTE", "WANT", "IN-FORCE", "LINK"],
    ["ens1f1", "dcbnl", "pfc", "{3}", "{}", "resets"],
    ["ens1f1", "dcbnl", "app", "dgram-port", "4791", "3", "-", "-"]],
    "diff", out)
check(out.splitlines()[-1] == "4 ports: 3 differences, 1 resets the link, "
      "1 port held, 1 backend unreadable", "the sum of diff", out)
more = sample("diff")
more["ports"] = more["ports"][1:2]
more["ports"][0]["backends"][0]["writes"] = None
with FakeDaemon({"Diff": more}) as d:
    out = run("diff", socket_path=d.path).stdout
check([x.split() for x in out.splitlines()[1:-1]] == [
    ["ens1f1", "dcbnl", "pfc", "prio-pfc", "...3....", "........", "-"],
    ["ens1f1", "dcbnl", "ets", "tc-bw", "40/60", "50/50", "-"],
    ["ens1f1", "dcbnl", "app", "dgram", "4791", "3", "-", "-"]],
    "diff without a plan", out)
pfc, ets, app = more["ports"][0]["backends"][0]["differences"]
pfc.update(in_force=dict(pfc["want"], delay=32), resets_link=True)
ets.update(attribute="later", resets_link=False)
app["want"]["app"].append(dict(app["want"]["app"][0], protocol=1))
app["in_force"]["app"] = [dict(x, priority=p, selector=s) for x, p, s in
                          zip(app["want"]["app"], (3, 4),
                              ("dgram-port", "dgram-port"))] + [
    {"selector": "ethtype", "protocol": 0x8906, "priority": 3}]
with FakeDaemon({"Diff": more}) as d:
    out = run("diff", socket_path=d.path).stdout
check([x.split()[2:] for x in out.splitlines()[1:-1]] == [
    ["pfc", "delay", "0", "32", "resets"], ["later", "-", "-", "stays"],
    ["app", "dgram", "1", "3", "4", "-"],
    ["app", "ethtype", "0x8906", "-", "3", "-"]], "diff, closer", out)

# Worst first, a sum at the end; no colour but on demand.
with FakeDaemon({"GetStatus": sample("status")}) as d:
    p = run("status", socket_path=d.path)
    rows = [x.split()[-1] for x in p.stdout.splitlines()[1:]
            if x[0] not in " 0123456789"]
    check(rows == ["mismatch", "multi-peer", "ok"], "worst first", p.stdout)
    check(p.stdout.splitlines()[-1] ==
          "3 ports: 1 mismatch, 1 multi-peer, 1 ok", "the sum", p.stdout)
    check("\x1b" not in p.stdout, "no colour in a pipe")
    colored = run("status", "--color=always", socket_path=d.path,
                  NO_COLOR="1")
    check("\x1b[" in colored.stdout, "--color=always")
    check(run("status", "--color=never", socket_path=d.path).stdout ==
          p.stdout, "--color=never")

# On a terminal: colour, but not with NO_COLOR; its own width from 80 on.
if os.path.exists("/usr/bin/script"):
    with FakeDaemon({"GetStatus": sample("status")}) as d:
        import subprocess
        from cli_tools import CTL
        for env, colour in (({}, True), ({"NO_COLOR": "1"}, False),
                            ({"NO_COLOR": ""}, True)):
            out = subprocess.run(
                ["/usr/bin/script", "-qec", "stty cols 60; %s -s %s" %
                 (CTL, d.path), "/dev/null"], stdin=subprocess.DEVNULL,
                env=dict(os.environ, TERM="xterm", LC_ALL="C.UTF-8",
                         **env) if env else
                {k: v for k, v in os.environ.items() if k != "NO_COLOR"},
                stdout=subprocess.PIPE, timeout=60).stdout.decode()
            check(("\x1b[" in out) == colour, "terminal %s" % env, out)
else:
    print("not checked: no script(1) for a terminal")
check.done()
