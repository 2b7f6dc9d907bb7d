#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""The JSON Schema over the samples and over what decode prints.

(cli_live.py does the same with what a daemon answers.)
"""
import glob
import json
import os

from cli_tools import (Checks, FakeDaemon, run, sample, schema_errors, skip,
                       source)

try:
    import jsonschema
except ImportError:
    skip("python3-jsonschema is not installed")

check = Checks()
with open(source("conf/schema.json")) as f:
    schema = json.load(f)
jsonschema.Draft202012Validator.check_schema(schema)

# One definition and one sample for each verb.
verbs = [line.split()[0] for line in run("--help").stdout.splitlines()
         if line.startswith("  ") and line[2].isalpha()]
verbs = [v for v in verbs if not v.isdigit()]
for verb in verbs:
    check(verb in schema["$defs"], "definition of " + verb)
    check({"$ref": "#/$defs/" + verb} in schema["anyOf"], "anyOf " + verb)
names = [os.path.splitext(os.path.basename(p))[0]
         for p in glob.glob(source("conf/samples/*"))]
check(sorted(names) == sorted(verbs), "one sample a verb", (names, verbs))
for verb in verbs:
    for doc in sample(verb) if verb == "watch" else [sample(verb)]:
        check(not schema_errors(verb, doc), "sample of " + verb,
              schema_errors(verb, doc))
kinds = schema["$defs"]["watch"]["properties"]["event"]["enum"]
check({e["event"] for e in sample("watch")} == set(kinds),
      "a sample of each event")

# The schema does refuse: a wrong type, a missing member, an unknown one.
for spoil in (lambda p: p.update(ifindex="3"), lambda p: p.pop("pfc"),
              lambda p: p.update(odd=1), lambda p: p.update(state="fine"),
              lambda p: p["pfc"]["admin"]["prio_pfc"].append(True)):
    doc = sample("status")
    spoil(doc["ports"][0])
    check(schema_errors("status", doc), "a spoilt sample is refused")

# What is printed is what came.
with FakeDaemon({"GetCounters": sample("counters"),
                 "GetConfig": sample("config"), "Diff": sample("diff"),
                 "Reload": dict(sample("reload"), errors=0),
                 "GetStatus": sample("status"), "GetPeers": sample("peers"),
                 "GetTlvs": sample("tlv"),
                 "Watch": sample("watch") + [None]}) as d:
    for verb, words in (("status", ()), ("peers", ()), ("tlv", ("ens1f1",)),
                        ("counters", ()), ("config", ()), ("diff", ())):
        out = run(verb, *words, "--json", socket_path=d.path).stdout
        check(json.loads(out) == sample(verb), verb + " --json")
    out = run("watch", "--json", socket_path=d.path).stdout
    check([json.loads(line) for line in out.splitlines()] == sample("watch"),
          "watch --json: a line an event")

# A value is of its attribute.
doc = sample("diff")
for one in doc["ports"][1]["backends"][0]["differences"][1:]:
    whole, one["want"] = one["want"], {"prio_pfc": [True] * 8, "delay": 0}
    check(schema_errors("diff", doc), "a value of another attribute", one)
    one["want"] = whole

# decode over every frame there is
paths = sorted(glob.glob(source("tests/vectors/**/*.pcap"), recursive=True))
for path in paths:
    p = run("decode", "--json", path)
    doc = json.loads(p.stdout)
    check(p.returncode == 0 and not schema_errors("decode", doc),
          "decode " + path, p.stderr or schema_errors("decode", doc))
print("%d captures decoded" % len(paths))
check.done()
