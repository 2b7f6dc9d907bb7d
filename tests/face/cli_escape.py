#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""B013: text of a peer reaches neither terminal nor JSON as it came.

In text output every octet that could act on a terminal is escaped; in JSON it
is valid and reversible.  Through decode (real octets, libdcbx's cleaning) and
through a daemon that itself is hostile.
"""
import json
import re
import tempfile
import unicodedata

from cli_tools import Checks, FakeDaemon, frame, run, sample

check = Checks()
HOSTILE = (b"\x1b]0;owned\x07\x1b[2J\x1b[31m\r\n\tx\0\x7f\x9b31m\xc2\x9b"
           b"\xe2\x80\xae\xe2\x80\x8b\xe2\x81\xa6\xff\xfe\xc0\xaf\"'\\\\x41"
           b"<script>%s%n\xc3\xa9\xed\xa0\x80\xf4\x90\x80\x80\xef\xbb\xbf")
NAMES = [HOSTILE, bytes(range(255)), bytes(range(1, 256)), b"\x1b" * 255,
         b"\xff" * 255, b"\\" * 255, b"\xe2\x80\xae" * 85, b"\n" * 100,
         "\U000e0041\u200d\ufeff".encode() * 20]


def harmless(text):
    """No control, format or unassigned character but line ends."""
    return all(c == "\n" or unicodedata.category(c)[0] != "C" for c in text)


def unescape(clean):
    """What the documents' text was: the inverse of dcbx_text_clean()."""
    out = b""
    for m in re.finditer(r"\\\\|\\x([0-9a-f]{2})|(.)", clean, re.S):
        out += b"\\" if m[0] == "\\\\" else \
            bytes.fromhex(m[1]) if m[1] else m[2].encode()
    return out


for name in NAMES:
    octets = frame(name, chassis=b"\7" + name[:254], port=b"\7" + name[:254],
                   tlvs=((4, name), (6, name), (127, b"\0\x12\x0f" + name)))
    for locale in ("C", "C.UTF-8"):
        for color in ("--color=never", "--color=auto"):
            p = run("decode", "-", color, stdin=octets.hex().encode(),
                    LC_ALL=locale)
            check(p.returncode == 0 and harmless(p.stdout), "decode, text",
                  repr(p.stdout))
            check(locale != "C" or p.stdout.isascii(), "ASCII in locale C",
                  repr(p.stdout))
    p = run("decode", "-", "--json", stdin=octets.hex().encode())
    check(p.stdout.isascii() and harmless(p.stdout), "decode, JSON",
          repr(p.stdout))
    peer = json.loads(p.stdout)["ports"][0]["peers"][0]
    for key, sent in (("system_name", name), ("port_description", name),
                      ("system_description", name), ("port_id", name[:254]),
                      ("chassis_id", name[:254])):
        check(unescape(peer[key]) == sent, "reversible " + key,
              (sent, peer[key]))

# A name of many octets a character is cut in a reason, never split.
with tempfile.NamedTemporaryFile("w", suffix=".conf") as conf:
    conf.write('port "x" { mode = negotiate pfc { willing = no } }')
    conf.flush()
    pfc = (127, b"\0\x80\xc2\x0b\x08\x08")
    for name in ("\xe9", "\u30b9", "\U0001f600", "\""):
        for before in range(4):
            octets = frame((b"abc"[:before] + (name * 60).encode())[:255],
                           tlvs=[pfc, pfc])
            p = run("decode", "-", "--json", "--negotiate", conf.name,
                    stdin=octets.hex().encode())
            check(p.returncode == 0 and
                  name in json.loads(p.stdout)["ports"][0]["pfc"]["reason"]
                  ["text"], "name in a reason", (name, before, p.stderr))

# A hostile daemon: any string, also where words are expected.
EVIL = "\x1b[2J\x1b]0;x\x07\u202e\u009b31m\"\\\n\ufeffz"


def poisoned(value):
    if isinstance(value, dict):
        return {k: poisoned(v) for k, v in value.items()}
    if isinstance(value, list):
        return [poisoned(v) for v in value]
    return EVIL if isinstance(value, str) else value


def poisoned_but(value, *keep):
    out = poisoned(value)
    for k in keep:
        out[k] = value[k]
    return out


events = [poisoned_but(e, "event") for e in sample("watch")]
events += [dict(e, event=EVIL) for e in events[:2]]
with FakeDaemon({"GetStatus": poisoned(sample("status")),
                 "GetPeers": poisoned(sample("peers")),
                 "GetTlvs": poisoned(sample("tlv")),
                 "GetCounters": poisoned(sample("counters")),
                 "GetConfig": poisoned(sample("config")),
                 "Reload": dict(poisoned(sample("reload")), errors=0),
                 "Watch": events + [None]}) as d:
    for words in (("status",), ("show", "x"), ("show", "x", "lldp"),
                  ("peers",), ("tlv", "x"), ("watch",), ("counters",),
                  ("config",), ("reload",)):
        for locale in ("C", "C.UTF-8"):
            p = run(*words, socket_path=d.path, LC_ALL=locale)
            check(harmless(p.stdout + p.stderr) and p.stdout, "text of %s" %
                  (words,), repr(p.stdout))
        p = run(*words, "--json", socket_path=d.path)
        check(p.stdout.isascii() and harmless(p.stdout),
              "JSON of %s" % (words,), repr(p.stdout))
error = json.dumps({"error": EVIL, "parameters": {}}).encode() + b"\0"
gone = json.dumps({"error": "org.dcbx.NoSuchPort",
                   "parameters": {"port": EVIL}}).encode() + b"\0"
bad = json.dumps({"error": "org.dcbx.BadValue", "parameters": {
    "key": EVIL, "found": EVIL, "allowed": EVIL}}).encode() + b"\0"
with FakeDaemon({"GetStatus": sample("status"), "Set": bad}) as d:
    p = run("set", "ens1f0", EVIL, EVIL, socket_path=d.path)
    check(p.returncode == 2 and harmless(p.stderr), "bad value", p)
    p = run("set", EVIL + "*", EVIL, socket_path=d.path)
    check(p.returncode == 2 and harmless(p.stderr), "glob", p)
with FakeDaemon({"GetStatus": error, "GetPeers": gone}) as d:
    for verb in ("status", "peers"):
        p = run(verb, socket_path=d.path)
        check(harmless(p.stderr) and p.stderr, "error", repr(p.stderr))
check(harmless(run("sho\x1b[2Jw", "\x1b[31m").stderr), "own words")
check.done()
