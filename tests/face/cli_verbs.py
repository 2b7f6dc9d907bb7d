#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""dcbxctl's verb table, options and exit codes against its manual page."""
import re
import shutil
import subprocess

from cli_tools import Checks, run, source

check = Checks()
with open(source("man/dcbxctl.8")) as f:
    page = f.read()
text = run("--help").stdout

# Each verb with its words, from --help and from the page's list of verbs.
helped = {m[1]: m[2].split() for m in
          re.finditer(r"^  ([a-z]+)(.*)$", text, re.M)}
verbs = page.split(".Ss Verbs")[1].split(".Ss ")[0]
MACROS = {"Cm", "Op", "Ar", "Fl", "Oo", "Oc", "|"}


def words(mdoc):
    """The words of an mdoc line as they are printed."""
    return [w for w in mdoc.replace("Fl -", "--").split() if w not in MACROS]


def plain(help_words):
    return [w for w in re.sub(r"[][|]", " ", " ".join(help_words)).split()]


paged = {}
for line in re.findall(r"^\.It Cm (.*)$", verbs, re.M):
    verb, *rest = words(line)
    paged[verb] = rest
check(len(helped) >= 6, "--help lists verbs", text)
check(set(helped) == set(paged), "verbs of --help and page",
      (sorted(helped), sorted(paged)))
for verb in helped:
    check(plain(helped[verb]) == paged.get(verb), "words of " + verb,
          (plain(helped[verb]), paged.get(verb)))

# A verb's options are explained below it.
for verb, rest in helped.items():
    for option in [w for w in plain(rest) if w.startswith("--")]:
        check(re.search(r"^\.It Fl -" + option[2:], verbs, re.M),
              "%s %s is explained" % (verb, option))

# Options for every verb.
synopsis = text.splitlines()[0]
for option in re.findall(r"-[-a-z]+", synopsis.split("[VERB")[0]):
    check(re.search(r"^\.It Fl " + option[1:].replace("-color", "-color Ns"),
                    page, re.M), option + " is explained")

# Exit codes: the same numbers, the same first words.
codes = dict(re.findall(r"^  (\d)  (.*)$", text, re.M))
status = page.split(".Sh EXIT STATUS")[1].split(".Sh ")[0]
explained = {n: s.replace("\n.Pq mode off", " (mode off)") for n, s in
             re.findall(r"^\.It (\d)\n(.*(?:\n\.Pq .*)?)$", status, re.M)}
check(set(codes) == set(explained), "exit codes", (codes, explained))
for n in codes:
    check(explained.get(n, "").startswith(codes[n]), "exit code " + n,
          (codes[n], explained.get(n)))

# The page itself, except for references to pages that are not installed.
if shutil.which("mandoc"):
    lint = subprocess.run(["mandoc", "-Tlint", source("man/dcbxctl.8")],
                          stdout=subprocess.PIPE, text=True).stdout
    bad = [x for x in lint.splitlines() if "referenced manual" not in x]
    check(not bad, "mandoc -Tlint", "\n".join(bad))
else:
    print("not checked: mandoc is not installed")
check.done()
