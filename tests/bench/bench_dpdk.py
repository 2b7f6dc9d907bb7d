#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""The data path's core beside DPDK: processor time a packet, goal, ratio.

Ours is bench_dp: eight ports with FDB, accounting at ingress, RED, strict and
DRR, PFC; any frame is for any port and any of eight priorities.  Beside it

rte_sched  does none of that but schedule; packets for any of eight queues, too,
           of as many pipes as suit it best (bench_sched.c)
 ordered   the same, but each packet is for the next pipe, and of fewer queues:
           a processor learns the branches.  Shown without a goal
testpmd    forwards in `mac` mode between eight net_null devices, as many ports
           as ours has: no queues at all, and frames of which nobody makes or
           reads anything but the addresses that are written

Both take the memory of each frame from a pool and give it back, hand over
bursts of 32, and are charged for that; neither is for making frames.  Ours does
not write addresses: a bridge must not.

A ratio of 2 means that ours takes half the time.

They take turns, and what counts is the median of the ratios of neighbours: a
machine that is shared, or changes its clock, does it to both.  No hugepages, 64
octets, bursts of 32, one core.

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
ROUNDS = 5
RANDOM = [(pipes, "8", "random") for pipes in ("16", "64", "256", "1024")]
ORDERED = [("32", "1", "ordered"), ("64", "4", "ordered"),
           ("1024", "1", "ordered")]
PORTS = 8
SECONDS = .4
LIMIT = 20
TESTPMD = ["dpdk-testpmd", "-l", "0,1", "--no-huge", "-m", "256", "--no-pci",
           "--no-telemetry", "--no-shconf",
           *(f"--vdev=net_null{port},size=64" for port in range(PORTS)),
           "--", "-i", "--burst=32", "--forward-mode=mac",
           "--total-num-mbufs=4096"]


def program(*words):
    """What a program says of itself, ns."""
    out = subprocess.run(words, check=True, capture_output=True, text=True)
    return next(iter(json.loads(out.stdout).values()))


def worker(pid):
    """The thread that forwards: its time on a processor, ns, and its state;
    (0, "") before there is one."""
    for task in os.listdir(f"/proc/{pid}/task"):
        at = f"/proc/{pid}/task/{task}"
        with open(f"{at}/stat", encoding="ascii") as f:
            name, state = re.search(r"\((.*)\) (\w)", f.read()).groups()
        if "worker" in name:
            with open(f"{at}/schedstat", encoding="ascii") as f:
                return int(f.read().split()[0]), state
    return 0, ""


def say(p, word, done):
    """Tell testpmd something and wait until its worker shows it."""
    p.stdin.write(word + "\n")
    p.stdin.flush()
    end = time.monotonic() + LIMIT
    while not done(*worker(p.pid)):
        if p.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"testpmd does not {word}")
        time.sleep(.02)


def testpmd():
    """One run.  It writes what it counted when it ends, not before, and on a
    busy machine takes its time to begin: the worker's time tells."""
    with subprocess.Popen(TESTPMD, stdin=subprocess.PIPE, text=True,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as p:
        say(p, "start", lambda spent, _: spent > SECONDS * 1e9)
        say(p, "stop", lambda _, state: state == "S")
        spent, _ = worker(p.pid)
        text = p.communicate("quit\n", timeout=LIMIT)[0]
    return spent / int(re.findall(r"TX-packets: (\d+)", text)[-1])


def beside(ours, *other):
    """One pair: what a frame costs in ours, and in another right after."""
    ours.append(program(OURS, "ns"))
    return ours[-1], program(*other) if other else testpmd()


def measure():
    """Median of ours; ns and ratio of testpmd and each shape of rte_sched."""
    ours, mac = [], []
    sched = {shape: [] for shape in RANDOM + ORDERED}
    for _ in range(ROUNDS):
        for shape, pairs in sched.items():
            pairs.append(beside(ours, SCHED, *shape))
            mac.append(beside(ours))
    return (statistics.median(ours), medians(mac),
            {shape: medians(pairs) for shape, pairs in sched.items()})


def medians(pairs):
    """Of a rival's ns, and of its ratio to ours."""
    return (statistics.median(ns for _, ns in pairs),
            statistics.median(ns / ours for ours, ns in pairs))


def line(name, ns, ratio, goal, what):
    said = f"{goal:7.1f}  {'met' if ratio >= goal else 'NOT MET'}" if goal \
        else ""
    print(f"{name:10}{ns:8.1f}{ratio:8.2f}{said:18}{what}")


def main():
    ours, mac, sched = measure()
    print(f"{'':10}{'ns':>8}{'ratio':>8}{'goal':>7}")
    print(f"{'dcbxd':10}{ours:8.1f}{'':26}8 ports, everything")
    for name, shapes, goal in (("rte_sched", RANDOM, 2.5),
                               (" ordered", ORDERED, None)):
        best = min(shapes, key=lambda shape: sched[shape][1])
        line(name, *sched[best], goal,
             f"best: {best[0]} pipes, {best[1]} of their queues")
    line("testpmd", *mac, 1, f"net_null, mac, {PORTS} ports")
    return 0


if __name__ == "__main__":
    if not os.path.exists(SCHED) or shutil.which("dpdk-testpmd") is None:
        print("SKIP beside DPDK: no libdpdk-dev, or no dpdk-testpmd "
              "(Debian's dpdk-dev)")
        sys.exit(77)
    sys.exit(main())
