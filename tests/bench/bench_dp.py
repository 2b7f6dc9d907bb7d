#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""What a frame costs in the data path's core, against the goal.

bench_dp.py           prints a table of goal, got and ratio
bench_dp.py --gate    instructions alone, fails above a bound (make check)

Instructions are callgrind's, inside dp_enqueue_burst() and dp_dequeue_burst():
the difference of two run lengths of one program built with -O2 and without
sanitizers, divided by the frames delivered in between.  The gate is 3 % above
what it was when it was last looked at, well below the goal.  A run that marks
nothing, sends no XOFF, or loses a lossless frame measured something else, and
fails.  Nanoseconds are the median of nine rounds and say something about this
machine only.

Exit 77: no valgrind.
"""
import json
import os
import re
import shutil
import subprocess
import sys

PROGRAM = os.environ.get("BENCH_DP", "tests/bench/bench_dp")
SHORT, LONG = 40000, 120000
GOAL = 220
WAS = 194
WHAT = "8 ports: FDB, ingress accounting, RED, strict and DRR, PFC"


def run(count):
    """Instructions of a run, and what it did."""
    out = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
         "--toggle-collect=dp_enqueue_burst",
         "--toggle-collect=dp_dequeue_burst", PROGRAM, str(count)],
        check=True, capture_output=True, text=True)
    collected = re.search(r"Collected : (\d+)", out.stderr)
    return int(collected.group(1)), json.loads(out.stdout)


def instructions():
    """Per frame delivered; None if the run was not what it should be."""
    short, long = run(SHORT), run(LONG)
    did = long[1]
    if (did["lost"] or not did["marked"] or not did["xoff"] or
            not did["pfc"] or not did["balanced"]):
        print(f"FAIL the run: {did}")
        return None
    return (long[0] - short[0]) / (did["sent"] - short[1]["sent"])


def gate():
    got, bound = instructions(), WAS * 1.03
    ok = got is not None and 0 < got <= bound
    if got is not None:
        print(f"{'PASS' if ok else 'FAIL'} forward: {got:.0f} instructions a "
              f"frame, bound {bound:.0f}, goal {GOAL} ({WHAT})")
    return 0 if ok else 1


def table():
    ns = json.loads(subprocess.run([PROGRAM, "ns"], check=True, text=True,
                                   capture_output=True).stdout)
    got = instructions()
    if got is None:
        return 1
    print(f"{'':9}{'goal':>7}{'got':>9}{'ratio':>8}{'ns':>8}")
    print(f"{'forward':9}{GOAL:7}{got:9.0f}{got / GOAL:8.2f}"
          f"{ns['forward']:8.1f}   {WHAT}")
    return 0


if __name__ == "__main__":
    if shutil.which("valgrind") is None:
        print("SKIP: no valgrind")
        sys.exit(77)
    sys.exit(gate() if "--gate" in sys.argv[1:] else table())
