#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""dcbxctl plan: what it derives, which rules it checks, what it refuses."""
import csv
import itertools
import json
import re

from cli_tools import Checks, columns, run, sample, schema_errors, source

check = Checks()
with open(source("man/dcbxctl.8")) as f:
    page = f.read().split(".Ss Planning")[1].split(".Ss ")[0]
try:
    import jsonschema
except ImportError:
    jsonschema = None
    print("not checked: python3-jsonschema is not installed")


def plan(*words, code=0):
    """The document; the text is looked at on the way."""
    p = run("plan", *words, "--json")
    check(p.returncode == code and not p.stderr, "exit %d of %s" % (
        code, words), (p.returncode, p.stderr))
    doc = json.loads(p.stdout)
    if jsonschema:
        check(not schema_errors("plan", doc), "schema of %s" % (words,),
              schema_errors("plan", doc))
    for locale in ("C", "C.UTF-8"):
        text = run("plan", *words, LC_ALL=locale)
        check(text.returncode == code, "exit of text")
        for line in text.stdout.splitlines():
            check(columns(line) <= 80 and line == line.rstrip(), "80 columns",
                  line)
    joined = " ".join(text.stdout.split())
    for rule in doc["rules"]:
        check((rule["text"] is not None) == rule["broken"], "a sentence",
              rule)
        if rule["broken"]:
            check("%s %s: %s" % (rule["level"], rule["rule"], rule["text"])
                  in joined, "the sentence is shown", (rule, joined))
            check("{" not in rule["text"], "values are filled in", rule)
    return doc


def broken(doc):
    return {r["rule"] for r in doc["rules"] if r["broken"]}


# The sample is an answer.
p = run("plan", *"speed 100G cable 100 mtu 9216 ports 32 buffer 32M lossless 2"
        " cnp-interval 0".split(), "--json")
check(json.loads(p.stdout) == sample("plan"), "the sample", p.stdout)

# Headroom against the golden table.
with open(source("tests/sim/golden/headroom.csv")) as f:
    for row in csv.DictReader(f):
        words = ["speed", row["rate_gbps"] + "G", "cable", row["length_m"],
                 "mtu", row["mtu"], "buffer", "1G"]
        if row["rate_gbps"] == "10":  # the table's other source
            words += ["response", "60"]
        for column, more in (("bytes_without_interface_delay",
                              ["interface", "0"]),
                             ("bytes_with_interface_delay", [])):
            if row[column]:
                p = run("plan", *words, *more, "--json")
                got = json.loads(p.stdout)["headroom"]["bytes"]
                check(abs(got - int(row[column])) <= 1, words, (got, row))

# Each term is shown, and they add up.
doc = plan("speed", "40G", "cable", "100", "mtu", "1500")
h = doc["headroom"]
check(h == {"frames_bits": 24608, "pfc_bits": 672, "cable_bits": 40000,
            "response_bits": 60416, "interfaces_bits": 49152, "bits": 174848,
            "bytes": 21856, "crossing_bytes": 1518}, "40G, 100 m, 1500", h)
text = run("plan", "speed", "40G", "cable", "100", "mtu", "1500").stdout
check("1518 bytes" in " ".join(text.split()), "the frame that crosses", text)
check(doc["thresholds"]["headroom"]["bytes"] == 21856 + 1518, "both", doc)
h["crossing_bits"] = 8 * h.pop("crossing_bytes")
for n in h.values():
    check(re.search(r"\b%d\b" % n, text), "%d is shown" % n, text)
check(plan("speed", "40G", "cable", "100m", "mtu", "1500", "cell", "144")
      ["headroom"]["bytes"] == 152 * 144, "whole cells")

# Thresholds: derived, one given, all given.
t = doc["thresholds"]
check((t["bdp"], t["kmin"]["bytes"], t["kmax"]["bytes"]) ==
      (40000, 40000, 80000), "8 us at 40G", t)
shared = 32e6 - 32 * (21856 + 1518)
check(t["xoff"]["bytes"] == int(8 * shared / (1 + 8 * 32)) and
      t["xoff_alone"] == int(8 * shared / 9), "dynamic", t)
doc = plan("speed", "40G", "cable", "100", "mtu", "1500", "alpha", "static",
           "delay", "10")
t, b = doc["thresholds"], doc["buffer"]
check((t["alpha"], t["xoff_alone"], t["xoff"]["bytes"], t["xon"]["bytes"]) ==
      (None, None, int(100000 / .7), int(.6 * int(100000 / .7))), "static", t)
check(b["needed"] == 32 * (21856 + 1518 + t["xoff"]["bytes"]) and
      b["headroom"] == 32 * (21856 + 1518), "memory of static thresholds", b)
# The paper's switch, given its headroom: 24.475 KB, and ECN is not first.
doc = plan(*"speed 40G mtu 1500 lossless 8 buffer 12M headroom 22400 alpha"
           " static delay 10 rdma 0,1,2,3,4,5,6,7".split())
check(doc["thresholds"]["xoff"]["bytes"] == 24475, "24.475 KB", doc)
check("ecn-first" in broken(doc), "no static ECN first", broken(doc))
# Dynamic with alpha 8: ECN first below 21.755 KB.
for kmin, first in (("21755", False), ("21756", True)):
    doc = plan(*("speed 40G mtu 1500 lossless 8 buffer 12M headroom 22400 "
                 "delay 5 xoff 100K kmin " + kmin).split())
    check(("ecn-first" in broken(doc)) == first, "ECN first at " + kmin,
          broken(doc))
check("xoff" in plan("speed", "10G", "buffer", "1G")["thresholds"], "10G")
for rate in "1G 10G 25G 40G 50G 100G 200G 400G 800G".split():
    check(not {r["rule"] for r in plan("speed", rate, "buffer", "1G")["rules"]
               if r["broken"] and r["level"] != "info"} - {"kmin-high"},
          "a plan of our own breaks no rule at " + rate)

# The example of the reference: 500/300 KB with 400 KB is well.
good = "speed 100G delay 16 ports 2 fan-out 2 buffer 12M alpha static " \
    "kmin 200K kmax 400K xoff 500K xon 300K".split()
base = broken(plan(*good))
check(base == {"one-group"}, "500/300/400", base)


def change(**values):
    words = list(good)
    for word, value in values.items():
        word = word.replace("_", "-")
        if word in words:
            words[words.index(word) + 1] = value
        else:
            words += [word, value]
    return words


# Every rule, broken by one value; errors make the exit code 1.
CASES = {
    "memory": dict(buffer="100K"),
    "headroom": dict(headroom="10000"),
    "static-xoff": dict(xoff="6M", xon="3.6M", kmax="4M", kmin="2M"),
    "kmin-kmax": dict(kmin="400K"),
    "kmax-xoff": dict(kmax="500K"),
    "xoff-buffer": dict(buffer="500K", ports="1"),
    "xon-xoff": dict(xon="500K"),
    "alpha-period": dict(rp="paper", cnp_interval="55"),
    "xon-share": dict(xon="240K"),
    "kmax-close": dict(kmax="480K"),
    "kmax-share": dict(kmax="420K"),
    "kmin-low": dict(kmin="90K"),
    "kmin-high": dict(kmin="210K"),
    "kmax-double": dict(kmin="120K"),
    "xoff-bdp": dict(delay="21"),
    "ecn-first": dict(fan_out="3"),
    "cnp-throttle": dict(cnp_interval="0"),
    "cnp-prio": dict(cnp_prio="3"),
    "only-rdma": dict(rdma="4"),
    "default-prio": dict(default_prio="3"),
    "alpha-state": dict(alpha="0.5"),
    "one-group": dict(),
}
rules = {r["rule"]: r["level"] for r in plan(*good)["rules"]}
check(set(rules) == set(CASES), "a case for each rule",
      set(rules) ^ set(CASES))
for rule, values in CASES.items():
    words = change(**values)
    p = run("plan", *words, "--json")
    doc = json.loads(p.stdout)
    check(rule in broken(doc), "%s is broken" % rule, broken(doc))
    errors = any(rules[r] == "error" for r in broken(doc))
    check(p.returncode == errors, "exit code of " + rule, p.returncode)
    check(errors or rules[rule] != "error", "its level", rule)
    plan(*words, code=int(errors))
check(broken(plan(*change(buffer="100K"), code=1)) <=
      {"memory", "one-group"}, "without memory only that is said")

# The rules and words of the manual page are those of the program.
listed = re.findall(r"^\.It Cm ((?:[a-z-]+ , )*[a-z-]+)$", page, re.M)
listed = [r for line in listed for r in line.split(" , ")]
check(sorted(listed) == sorted(rules), "rules of the page",
      set(listed) ^ set(rules))
named = set(re.findall(r"^\.It Cm ([a-z-]+) (?:Ar|Cm) ", page, re.M)) | {
    "headroom", "xoff", "xon", "kmin", "kmax"}
with open(source("cli/plan_words.c")) as f:
    table = set(re.findall(r'^\t\[[A-Z_]+\] = \{ "([a-z-]+)"', f.read(), re.M))
check(named == table, "words of the page", named ^ table)
for name in table - {"speed"}:
    p = run("plan", "speed", "100G", name)
    check(p.returncode == 2 and name + " needs a value" in p.stderr, name,
          p.stderr)

# Values in other units; lossless priorities by number and by name.
same = plan("speed", "100G", "buffer", "16MiB", "delay", "2.5")
check(same["input"]["buffer"] == 1 << 24 and
      same["thresholds"]["bdp"] == 31250, "units", same)
for words in (("100Gbit", "buffer", "16777216", "delay", "2500ns"),
              ("100000M", "buffer", "16384KiB", "delay", "0.0025ms")):
    check(plan("speed", *words) == same, words)
for words, prios in ((("lossless", "2"), {3, 4}), (("lossless", "1"), {3}),
                     (("prio-pfc", "2,5"), {2, 5}),
                     (("prio-pfc", "2,5", "lossless", "2"), {2, 5})):
    doc = plan("speed", "100G", *words)
    check({i for i, on in enumerate(doc["input"]["prio_pfc"]) if on} ==
          prios, words, doc["input"])
check(plan("speed", "100G", "lossless", "8")["input"]["prio_pfc"] ==
      [True] * 8, "lossless 8")

# What is refused, and what is said.
for words, said in (
        ("", "usage: dcbxctl plan speed RATE"),
        ("cable 100", "speed is needed: 1G, 10G"),
        ("speed", "usage"),
        ("speed 33G", "1G, 10G, 25G"), ("speed 100", "1G, 10G"),
        ("speed 0G", "1G, 10G"), ("speed 1e2G", "1G, 10G"),
        ("speed 100G cabel 3", "did you mean: cable"),
        ("speed 100G pfc 3", "unknown word: pfc"),
        ("speed 100G zzzzzzzz 3", "dcbxctl(8)"),
        ("speed 100G cable", "cable needs a value: whole metres"),
        ("speed 100G cable 3 cable 4", "cable is given twice"),
        ("speed 100G cable 3x", "whole metres"),
        ("speed 100G cable 3.5", "whole metres"),
        ("speed 100G cable 100001", "whole metres"),
        ("speed 100G mtu 63", "64 to 16384"),
        ("speed 100G mtu 1500.0", "64 to 16384"),
        ("speed 100G ports 0", "1 to 1024"),
        ("speed 100G buffer 0", "a size"), ("speed 100G buffer 1X", "a size"),
        ("speed 100G buffer nan", "a size"),
        ("speed 100G buffer 0x10", "a size"),
        ("speed 100G buffer 9999999G", "a size"),
        ("speed 100G kmin 1.0001K", "a size"),
        ("speed 100G buffer 1.2.3M", "a size"),
        ("speed 100G alpha 0", "or static"),
        ("speed 100G alpha dynamic", "or static"),
        ("speed 100G alpha inf", "or static"),
        ("speed 100G lossless 9", "1 to 8"),
        ("speed 100G prio-pfc 8", "priorities"),
        ("speed 100G prio-pfc 3,", "priorities"),
        ("speed 100G prio-pfc none", "priorities"),
        ("speed 100G prio-pfc 34", "priorities"),
        ("speed 100G prio-pfc 3,4 lossless 1", "prio-pfc names 2"),
        ("speed 100G rp dctcp", "paper or connectx"),
        ("speed 100G delay 0", "us"), ("speed 100G cnp-prio 8", "0 to 7"),
        ("speed 100G --sent", "usage"),
        ("speed 100G \x1b[2J 1", "unknown word: \\x1b")):
    p = run("plan", *words.split(" ") if words else [])
    check(p.returncode == 2 and said in p.stderr and not p.stdout,
          "refused: " + words, (p.returncode, p.stdout, p.stderr))

# The farthest ends of every range together.
for speed, ports, lossless in itertools.product(("1G", "800G"),
                                                ("1", "1024"), ("1", "8")):
    for words in (("buffer", "1000G", "reserve", "1000G", "cable", "100000",
                   "mtu", "16384", "interface", "10000000", "delay",
                   "100000"), ("buffer", "1", "mtu", "64", "delay", "1ns"),
                  ("headroom", "1000G", "xoff", "1000G", "xon", "1000G",
                   "kmin", "1", "kmax", "1", "alpha", "128")):
        plan("speed", speed, "ports", ports, "lossless", lossless, *words,
             code=1)
check.done()
