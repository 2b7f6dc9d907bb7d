#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""dcbxctl simulate: its outputs against the schema, CSV, XML and pcap."""
import csv
import io
import json
import os
import re
import struct
import tempfile
import xml.etree.ElementTree

from cli_tools import Checks, run, sample, schema_errors, source

try:
    import jsonschema
except ImportError:
    jsonschema = None

check = Checks()
SHORT = ("s.count=2", "duration=2ms", "measure-from=1ms")
STORY = source("conf/scenarios/before-a-static.conf")


def simulate(*words, path=STORY):
    return run("simulate", path, *words)


# JSON: the sample is what is printed, and every scenario keeps to the schema.
p = simulate(*SHORT, "--json")
check(p.returncode == 0 and not p.stderr, "--json", p.stderr)
check(json.loads(p.stdout) == sample("simulate"), "the sample is up to date",
      p.stdout)
check(simulate(*SHORT, "--json").stdout == p.stdout, "twice the same")
names = sorted(os.listdir(source("conf/scenarios")))
check(len(names) >= 15, "scenarios are shipped", names)
for name in names:
    p = simulate("duration=1ms", "measure-from=0", "--json",
                 path=source("conf/scenarios/" + name))
    check(p.returncode == 0 and not p.stderr, name, p.stderr)
    if jsonschema is not None and p.returncode == 0:
        bad = schema_errors("simulate", json.loads(p.stdout))
        check(not bad, "schema of " + name, bad)

# Tables: 80 columns are a terminal's business, the words are ours.
p = simulate(*SHORT)
for word in ("received", "latency", "pauses", "FLOW", "SWITCH>NODE"):
    check(word in p.stdout, "the tables have " + word, p.stdout)
check(max(len(line) for line in p.stdout.splitlines()) <= 80, "80 columns",
      p.stdout)

# A seed is an override; --seed wins where both are given last.
for words in (("seed=9",), ("--seed", "9")):
    check(json.loads(simulate(*SHORT, "--json", *words).stdout)["seed"] == 9,
          "seed", words)

# CSV: a line a point, as many fields as the heading has.
p = simulate(*SHORT, "sample=100us", "--csv")
rows = list(csv.reader(io.StringIO(p.stdout)))
check(len(rows) == 21, "20 points of 100 us", len(rows))
check(len({len(r) for r in rows}) == 1 and len(rows[0]) > 4, "fields")
check(float(rows[-1][0]) == 2000, "the last is at 2 ms", rows[-1][0])

with tempfile.TemporaryDirectory() as where:
    svg, pcap = os.path.join(where, "a.svg"), os.path.join(where, "a.pcap")
    p = simulate(*SHORT, "--svg", svg, "--pcap", "receiver", pcap)
    check(p.returncode == 0, "--svg and --pcap", p.stderr)
    with open(svg) as f:
        text = f.read()
    xml.etree.ElementTree.fromstring(text)
    for word in ("Queue depth", "XOFF", "Received", "Paused", "polyline"):
        check(word in text, "the picture has " + word)
    with open(pcap, "rb") as f:
        data = f.read()
    magic, = struct.unpack("<I", data[:4])
    check(magic == 0xa1b23c4d, "pcap with nanoseconds", hex(magic))
    at, n, last, good = 24, 0, 0, True
    while at < len(data):
        s, ns, captured, length = struct.unpack("<IIII", data[at:at + 16])
        frame = data[at + 16:at + 16 + captured]
        good &= s * 10**9 + ns >= last and ns < 10**9
        last = s * 10**9 + ns
        good &= frame[12:14] == b"\x08\x00" and length == 1066
        at += 16 + captured
        n += 1
    check(good, "IPv4 frames of their length, in order")
    check(n > 20000, "two milliseconds of a full link", n)

    # What is wrong is told with its line, and nothing is printed.
    bad = os.path.join(where, "bad.conf")
    with open(bad, "w") as f:
        f.write('seed = 1\nswitch "sw" {\n\tkmni = 3\n}\n')
    p = simulate(path=bad)
    check(p.returncode == 2 and p.stdout == "", "exit code 2", p.stdout)
    check(re.search(r"bad\.conf:3: unknown key kmni; did you mean kmin",
                    p.stderr), "the line is told", p.stderr)
    p = simulate(*SHORT, "--pcap", "nolink", pcap)
    check(p.returncode == 2 and "no link" in p.stderr, "no link", p.stderr)
    p = simulate(*SHORT, "--svg", "/nowhere/a.svg")
    check(p.returncode == 1, "a file that cannot be written", p.stderr)

for words, code in ((("--json", "--csv"), 2), (("sw.kmin=9M",), 2),
                    (("nonsense",), 2), (("--pcap", "receiver"), 2)):
    p = simulate(*SHORT, *words)
    check(p.returncode == code and p.stderr, "refused", (words, p.stderr))
p = run("simulate", "/nowhere.conf")
check(p.returncode == 2 and "No such file" in p.stderr, "no file", p.stderr)

# Each key of the table and each file is on the page.
with open(source("man/dcbxctl.8")) as f:
    page = f.read().split(".Ss Scenarios\n")[1].split(".Ss ")[0]
listed = re.findall(r"^\.It Pa (.*)$", page, re.M)
check(sorted(" , ".join(listed).split(" , ")) == names, "files of the page",
      listed)
with open(source("daemon/datapath/sim/scenario_keys.c")) as f:
    table = f.read().split("THE KEY TABLE of scenarios")[1]
for section, key in re.findall(r'\{ IN_(\w+), "([a-z-]+)"', table):
    check(re.search(r"^\.It Cm %s( |$)" % key, page, re.M),
          "%s %s is explained" % (section, key))
check.done()
