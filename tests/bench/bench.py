#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""What one LLDPDU costs: instructions and nanoseconds, against the goals.

bench.py           prints a table of goal, got and ratio
bench.py --gate    instructions alone, fails above a bound (make check)

Instructions are callgrind's, collected inside the function under test: the
difference of two run lengths of one program built with -O2 and without
sanitizers, divided by the difference of the lengths, so that start-up and the
loop do not count; steady to a few per cent on any machine.
Nanoseconds are medians of nine rounds and say something about this machine
only.  No other LLDP decoder is packaged as a library in Debian (tshark and
tcpdump decode inside their programs, liblldpctl talks to a daemon), so there
is no peer to run beside; the goals are fixed numbers.

Exit 77: no valgrind.
"""
import json
import os
import re
import shutil
import subprocess
import sys

PROGRAM = os.environ.get("BENCH_DECODE", "tests/bench/bench_decode")
SHORT, LONG = 2000, 6000
ROWS = [  # what, function, sentence, goal; the gate is 10 % above it
    ("decode", "lldp_decode",
     "decode and validate an LLDPDU of 246 octets, 12 TLVs", 1100),
    ("refresh", "dcbx_input",
     "an unchanged frame, the same LLDPDU", 100),
]


def collected(what, function, count):
    """Instructions of a run, in the function and below it."""
    out = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
         f"--toggle-collect={function}", PROGRAM, what, str(count)],
        check=True, capture_output=True, text=True).stderr
    return int(re.search(r"Collected : (\d+)", out).group(1))


def instructions(what, function):
    return (collected(what, function, LONG) -
            collected(what, function, SHORT)) / (LONG - SHORT)


def gate():
    bad = 0
    for what, function, sentence, goal in ROWS:
        got = instructions(what, function)
        bound = goal * 11 // 10
        ok = 0 < got <= bound
        bad += not ok
        print(f"{'PASS' if ok else 'FAIL'} {what}: {got:.0f} instructions, "
              f"bound {bound}, goal {goal} ({sentence})")
    return 1 if bad else 0


def table():
    ns = json.loads(subprocess.run([PROGRAM, "ns"], check=True, text=True,
                                   capture_output=True).stdout)
    print("peer: none packaged as a library; fixed goals "
          "(see the head of this file)")
    print(f"{'':9}{'goal':>7}{'got':>9}{'ratio':>8}{'ns':>8}")
    for what, function, sentence, goal in ROWS:
        got = instructions(what, function)
        print(f"{what:9}{goal:7}{got:9.0f}{got / goal:8.2f}"
              f"{ns[what]:8.1f}   {sentence}")
    return 0


if __name__ == "__main__":
    if shutil.which("valgrind") is None:
        print("SKIP: no valgrind")
        sys.exit(77)
    sys.exit(gate() if "--gate" in sys.argv[1:] else table())
