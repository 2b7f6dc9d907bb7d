#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""dcbxctl datapath: whom it asks, what it shows of it, and in 80 columns."""
import copy
import json
import random

from cli_tools import (ODD, Checks, FakeDaemon, columns, error, run, sample,
                       spots)

check = Checks()
DOC = sample("datapath")
EVIL = "\x1b[2J\u202e\"\n" + "n" * 790


def datapath(doc, *words, **env):
    """Its own socket, whatever dcbxd's is; the result and what was asked."""
    with FakeDaemon({"GetCounters": doc}) as d:
        p = run("-s", d.path, "datapath", *words,
                socket_path="/nonexistent/sock", **env)
        return p, d.calls


def rows(p):
    return [line.split() for line in p.stdout.splitlines()]


# Whom it asks, and for what
p, calls = datapath(DOC)
check(p.returncode == 0 and p.stderr == "", "works", p)
check(calls == [{"method": "org.dcbx.datapath.GetCounters",
                 "parameters": {}}], "all ports", calls)
p, calls = datapath(DOC, "eth0", "--json")
check(calls[0]["parameters"] == {"port": "eth0"} and
      json.loads(p.stdout) == DOC, "one port, --json", (p, calls))
p = run("datapath", socket_path="/nonexistent/sock")
check("/nonexistent" not in p.stderr, "DCBX_SOCKET is dcbxd's", p)
p = run("-s", "/nonexistent/sock", "datapath")
check(p.returncode == 3 and "systemctl status dcbx-datapath" in p.stderr,
      "nobody there", p)
for reply, code, said in (
        (error("org.dcbx.datapath.NoSuchPort", port="eth9"), 4,
         "no port eth9; `dcbxctl datapath` lists the ports"),
        (error("org.dcbx.datapath.Stopping"), 1, "is stopping"), (None, 3, "")):
    p, _ = datapath(reply, "eth9")
    check(p.returncode == code and said in p.stderr and p.stdout == "",
          "error, exit %d" % code, p)

# A host: its ports by priority, what it sends, what it hears
lines = rows(datapath(DOC)[0])
check(lines[0] == "host, blocking: 4494 B of 16.8 MB held".split(), "head",
      lines)
port = DOC["ports"][0]
q = port["priorities"][3]
check(["eth0", "af_xdp", "100M", "3", "on", str(q["rx_frames"]),
       str(q["tx_frames"]), str(q["pfc_rx"]["xoff"]),
       str(q["pfc_tx"]["xoff"]), "0"] in lines, "a lossless priority", lines)
check(["256", "3", "27441", "48.5", "on", "17"] in lines, "a sender", lines)
check(["02:00:00:00:00:03", "257", "0", "21015", "5558", "2", "0", "0"] in
      lines, "a receiver", lines)
text = " ".join(datapath(DOC)[0].stdout.split())
check("12 lost before they were read" in text, "lost outside", text)
check("reaction" not in text, "no reaction of all", text)

check("CNPs 0 in, 0 out; host drops 0 from the stack, 0 to it" in
      datapath(DOC)[0].stdout.splitlines(), "host")
busy = copy.deepcopy(DOC)
busy["host"].update(cnp_rx=7, tap_rx_lost=5, tap_tx_lost=2, rx_damaged=3)
busy["host"]["np"]["cnp_sent"] = 9
check("CNPs 7 in, 9 out; host drops 5 from the stack, 2 to it; rx_damaged 3" in
      datapath(busy)[0].stdout.splitlines(), "a busy host")

# One port: what its headroom is made for, and why it is as it is
text = " ".join(datapath(DOC, "eth0")[0].stdout.split())
check("reaction 60000.0 us; measured 0 times, 0.0 us at most AF_XDP, generic"
      in text, "reaction and why", text)
check("HEARS FROM" not in text and "SENDS" not in text, "no flows", text)

# A switch; a port that is down, idle, and that nobody configured
switch = {k: v for k, v in DOC.items()
          if k not in ("host", "senders", "receivers")}
switch["role"] = "switch"
idle = dict(copy.deepcopy(port), port="p2", config=None, up=False, lost_rx=0)
for one in idle["priorities"]:
    one.update(rx_frames=0, tx_frames=0)
lossy = dict(copy.deepcopy(port), port="p3", config=None, lost_rx=0)
lossy["priorities"][0]["drops"].update(tail=5, headroom=2)
lossy["priorities"][0]["rx_frames"] = 1
switch["ports"] = [port, idle, lossy]
lines = rows(datapath(switch)[0])
check(["p2", "af_xdp", "down", "-"] in lines, "idle", lines)
check([x[4:5] + x[-1:] for x in lines if x[:1] == ["p3"] and x[3] == "0"] ==
      [["-", "7"]], "drops of all reasons", lines)
check(not any("HEARS" in x or "SENDS" in x for x in lines), "no host", lines)

# Everything as long as it can be
most = copy.deepcopy(DOC)
most.update(buffer=2**30, held=2**30, receivers=most["receivers"] * 128,
            senders=most["senders"] * 128)
for one in most["ports"]:
    one.update(port="enp123s456f7n1", io="af_packet", why=EVIL,
               rate_bps=10**12, lost_rx=2**62, lost_tx=2**62, oversize=2**62)
    for q in one["priorities"]:
        q.update(rx_frames=2**62, tx_frames=2**62)
        q["drops"] = {reason: 2**56 for reason in q["drops"]}
        for way in (q["pfc_rx"], q["pfc_tx"]):
            way["xoff"] = 2**50
most["host"] = {k: v if k == "np" else 2**62 for k, v in most["host"].items()}
for one in most["receivers"] + most["senders"]:
    one.update({k: 2**62 for k in ("frames", "lost", "reordered", "duplicate",
                                   "ce", "cnps") if k in one})
    one.update({k: 1e6 for k in ("current_mbps",) if k in one})
for locale in ("C", "C.UTF-8"):
    for words in ((), ("enp123s456f7n1",)):
        p, _ = datapath(most, *words, LC_ALL=locale)
        check(p.returncode == 0 and p.stdout.count("\n") > 8, "at its most", p)
        for line in p.stdout.splitlines():
            check(columns(line) <= 80, "80 columns", line)
        check("\x1b" not in p.stdout, "escaped", p.stdout)

# Any shape of answer
rng = random.Random(1)
for i in range(60):
    doc = copy.deepcopy(DOC)
    for _ in range(rng.randint(1, 8)):
        where, key = rng.choice(list(spots(doc)))
        where[key] = copy.deepcopy(rng.choice(ODD))
    p, _ = datapath(doc, *(["eth0"] if i % 2 else []))
    check(p.returncode in range(8) and "\x1b" not in p.stdout + p.stderr,
          "odd answer, round %d" % i, (p, doc))
check.done()
