#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""DCQCN in a closed loop, live: marks, CNPs and rates instead of pauses.

Two hosts send two flows each to a third, over links of 200 Mb/s; all that
marks, answers and reacts is what dcbxd makes of the shipped profile roce-lab.
Once the loop has settled there is no XOFF, the queue stays between Kmin and
Kmax, and the flows share alike: for 10 s, 30 with DCBX_LONG=1.  Where the
processes had to wait for a CPU the interval is taken anew, twice at most.
"""
import os
import time

import datapath_lab as dl
import lab

lab.enter()
check = lab.Checks()
SECONDS = 30 if os.environ.get("DCBX_LONG") else 10
RATE = 200e6
PORT = """port "%s" { profile = "roce-lab"  backends = {datapath}
    datapath { socket = "%s" }
    pfc { %s }  ets { %s } }
"""
WINDOW = 0.1  # seconds of a queue mean


def negotiate(fabric):
    """A dcbxd at the switch that has the say, and willing ones."""
    with open(lab.SRC + "/conf/profiles/roce-lab.conf") as f:
        profile = f.read()
    told = {0: PORT % ("p*", fabric.switch.path, "willing = no",
                       "willing = no")}
    for n, host in fabric.hosts.items():
        told[n] = PORT % ("eth0", host.path, "prio-pfc = {}", "")
    return {n: lab.Daemon(fabric.nets[n] if n else fabric.switch_net,
                          "dcbxd%d" % n, profile + words,
                          ["eth0"] if n else ["p%d" % i for i in fabric.nets])
            for n, words in told.items()}


def flows():
    """Octets of each flow that host 3 received."""
    return {(r["mac"], r["qp"]): r["bytes"] + dl.WIRE * r["frames"]
            for r in fabric.hosts[3].document()["receivers"]}


def jain(shares):
    return sum(shares) ** 2 / len(shares) / sum(s * s for s in shares)


def queue():
    """(octets times us, us) of the bottleneck's queue."""
    d = fabric.switch.document()
    port = next(p for p in d["ports"] if p["port"] == "p3")
    return port["queue_byte_us"][3], d["mono_us"]


def means(seconds):
    """The queue's means of 100 ms each."""
    out, last, end = [], queue(), time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(WINDOW)
        now = queue()
        out.append((now[0] - last[0]) / (now[1] - last[1]))
        last = now
    return out


def between(queues):
    """Of the means, the part between Kmin and Kmax."""
    t = fabric.switch.port("p3")["thresholds"][3]
    return sum(t["kmin"] <= q <= t["kmax"] for q in queues) / len(queues)


def pauses():
    return sum(dl.pfc_sum(fabric.switch.port("p%d" % n), "tx", "xoff")
               for n in fabric.nets) + sum(
        dl.pfc_sum(h.port(), "tx", "xoff") for h in fabric.hosts.values())


def lost():
    return dl.total(fabric.hosts[3].document()["receivers"], "lost")


def look(seconds):
    """What there is to see in so many seconds."""
    before, xoff, late, gone = flows(), pauses(), dl.waited(), lost()
    begin = time.monotonic()
    queues = means(seconds)
    after, took = flows(), time.monotonic() - begin
    shares = [after[f] - before.get(f, 0) for f in after]
    return {"flows": len(shares), "jain": jain(shares),
            "full": sum(shares) * 8 / took / RATE,
            "between": between(queues), "queue": (
                min(queues), sum(queues) / len(queues), max(queues)),
            "xoff": pauses() - xoff, "lost": lost() - gone,
            "late": dl.late(late, took)}


def good(seen):
    return (seen["flows"] == 4 and seen["xoff"] == 0 and
            seen["lost"] == 0 and seen["between"] >= 0.95 and
            seen["jain"] >= 0.95)


fabric = dl.Fabric("200M")
fabric.start_switch()
fabric.start_host(3)
for n in (1, 2):
    fabric.start_host(n, "to=%s,prio=3,flows=2,start=2s" % dl.mac(3))
daemons = negotiate(fabric)
check("agreed end to end", dl.agreed(daemons, fabric, 3),
      [d.port("eth0" if n else "p1") for n, d in daemons.items()])
shown = daemons[1].port()["dcqcn"]["nic_rp"]
check("the reaction point is the profile's", shown["dce_tcp_rtt"] == 3300,
      shown)
check("four flows run", lab.wait_for(lambda: len(flows()) == 4))
lab.wait_for(lambda: good(look(2)), 30)
for _ in range(3):
    seen = look(SECONDS)
    print("  %r" % seen, flush=True)
    if good(seen) or seen["late"] < dl.LATE:
        break
check("no XOFF", seen["xoff"] == 0, seen)
check("95 % of queue means between Kmin and Kmax", seen["between"] >= 0.95,
      seen)
check("the flows share alike", seen["flows"] == 4 and seen["jain"] >= 0.95,
      seen)
check("the link is full", seen["full"] >= 0.9, seen)
senders = [s for n in (1, 2) for s in fabric.hosts[n].document()["senders"]]
check("by CNPs", all(s["limited"] and s["cnps"] > 0 for s in senders),
      senders)
check("nothing was lost", seen["lost"] == 0, seen)

dl.end(check)
lab.end(check)
