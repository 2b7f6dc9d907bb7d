#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""The data path's core beside DPDK: processor time a packet, goal, ratio.

Ours is bench_dp: eight ports with FDB, accounting at ingress, RED, strict and
DRR, PFC; any frame is for any port and any of eight priorities.  Beside it

rte_sched  does none of that but schedule; packets for any of eight queues, too,
           of as many pipes as suit it best (bench_sched.c)
 ordered   the same, but each packet is for the next pipe, and of fewer queues:
           a processor learns the branches.  Shown without a goal
testpmd    forwards in `mac` mode between two net_null devices: no queues at
           all, and frames that nobody makes or reads

A ratio of 2 means that ours takes half the time.

They take turns, and what counts are the medians: a machine that is shared, or
changes its clock, does it to all of them.  No hugepages, 64 octets, bursts of
32, one core.

Exit 77: no DPDK here (Debian's libdpdk-dev and dpdk-dev).
"""
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time

OURS = os.environ.get("BENCH_DP", "tests/bench/bench_dp")
SCHED = os.environ.get("BENCH_SCHED", "tests/bench/bench_sched")
ROUNDS = 7
RANDOM = [(pipes, "8", "random") for pipes in ("16", "64", "256", "1024")]
ORDERED = [("32", "1", "ordered"), ("64", "4", "ordered"),
           ("1024", "1", "ordered")]
SECONDS = .4
TESTPMD = ["dpdk-testpmd", "-l", "0,1", "--no-huge", "-m", "256", "--no-pci",
           "--no-telemetry", "--no-shconf", "--vdev", "net_null0,size=64",
           "--vdev", "net_null1,size=64", "--", "-i", "--burst=32",
           "--forward-mode=mac", "--total-num-mbufs=4096"]


def program(*words):
    """What a program says of itself, ns."""
    out = subprocess.run(words, check=True, capture_output=True, text=True)
    return next(iter(json.loads(out.stdout).values()))


def worker(pid):
    """The thread that forwards: its time on a processor, ns."""
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/comm", encoding="ascii") as f:
            if "worker" not in f.read():
                continue
        with open(f"/proc/{pid}/task/{task}/schedstat", encoding="ascii") as f:
            return int(f.read().split()[0])
    raise RuntimeError("testpmd has no worker")


def testpmd():
    """One run.  It writes what it counted when it ends, not before."""
    with subprocess.Popen(TESTPMD, stdin=subprocess.PIPE, text=True,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as p:
        time.sleep(1)
        for word, wait in (("start", SECONDS), ("stop", .1)):
            p.stdin.write(word + "\n")
            p.stdin.flush()
            time.sleep(wait)
        spent = worker(p.pid)
        text = p.communicate("quit\n", timeout=20)[0]
    return spent / int(re.findall(r"TX-packets: (\d+)", text)[-1])


def measure():
    """Medians: ours, testpmd, and of each shape of rte_sched."""
    ours, mac = [], []
    sched = {shape: [] for shape in RANDOM + ORDERED}
    for _ in range(ROUNDS):
        for shape, ns in sched.items():
            ours.append(program(OURS, "ns"))
            ns.append(program(SCHED, *shape))
        mac.append(testpmd())
    return (statistics.median(ours), statistics.median(mac),
            {shape: statistics.median(ns) for shape, ns in sched.items()})


def line(name, ns, ours, goal, what):
    ratio = ns / ours
    said = f"{goal:7.1f}  {'met' if ratio >= goal else 'NOT MET'}" if goal \
        else ""
    print(f"{name:10}{ns:8.1f}{ratio:8.2f}{said:18}{what}")


def main():
    ours, mac, sched = measure()
    print(f"{'':10}{'ns':>8}{'ratio':>8}{'goal':>7}")
    print(f"{'dcbxd':10}{ours:8.1f}{'':26}8 ports, everything")
    for name, shapes, goal in (("rte_sched", RANDOM, 2.5),
                               (" ordered", ORDERED, None)):
        best = min(shapes, key=sched.get)
        line(name, sched[best], ours, goal,
             f"best: {best[0]} pipes, {best[1]} of their queues")
    line("testpmd", mac, ours, 1, "net_null, mac")
    return 0


if __name__ == "__main__":
    if not os.path.exists(SCHED) or shutil.which("dpdk-testpmd") is None:
        print("SKIP beside DPDK: no libdpdk-dev, or no dpdk-testpmd "
              "(Debian's dpdk-dev)")
        sys.exit(77)
    sys.exit(main())
