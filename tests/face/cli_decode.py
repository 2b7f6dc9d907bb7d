#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""dcbxctl decode: every kind of input, every verdict, our own end."""
import json
import os
import struct
import tempfile

from cli_tools import Checks, columns, frame, run, source

check = Checks()
tmp = tempfile.TemporaryDirectory(prefix="dcbxctl-test.")
T0 = 1790000000
PFC3 = (127, b"\0\x80\xc2\x0b\x08\x08")  # not willing, cap 8, {3}
PFC3_WILLING = (127, b"\0\x80\xc2\x0b\x88\x08")
GOOD = frame(tlvs=[PFC3])


def write(name, data):
    path = os.path.join(tmp.name, name)
    with open(path, "wb") as f:
        f.write(data)
    return path


def pcap(frames, order="<", nano=False, snap=None, link=1):
    """A savefile; frames are (seconds, octets)."""
    out = struct.pack(order + "IHHiIII", 0xa1b23c4d if nano else 0xa1b2c3d4,
                      2, 4, 0, 0, 65535, link)
    for t, data in frames:
        part = round(t % 1 * (1e9 if nano else 1e6))
        kept = data[:snap]
        out += struct.pack(order + "IIII", int(t), part, len(kept),
                           len(data)) + kept
    return out


def block(kind, body):
    body += b"\0" * (-len(body) % 4)
    n = len(body) + 12
    return struct.pack("<II", kind, n) + body + struct.pack("<I", n)


def pcapng(frames):
    out = block(0x0a0d0d0a, struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1))
    out += block(1, struct.pack("<HHI", 1, 0, 65535))
    for t, data in frames:
        us = round(t * 1e6)
        out += block(6, struct.pack("<IIIII", 0, us >> 32, us & 0xffffffff,
                                    len(data), len(data)) + data)
    return out


def decode(*words, code=0, stdin=b""):
    p = run("decode", *words, "--json", stdin=stdin)
    check(p.returncode == code, "exit %d of %s" % (code, words),
          (p.returncode, p.stderr))
    text = run("decode", *words, stdin=stdin)
    check(text.returncode == code, "exit of text")
    for line in text.stdout.splitlines():
        check(columns(line) <= 80, "80 columns", line)
    return json.loads(p.stdout) if p.stdout else None


def verdicts(doc):
    return [f["verdict"] for f in doc["frames"]]


# ---- kinds of input: one frame, the same document -----------------------
hexed = GOOD.hex()
lines = "\n".join(hexed[i:i + 64] for i in range(0, len(hexed), 64)) + "\n"
one = [(T0 + 0.25, GOOD)]
inputs = {
    "usec": (pcap(one),), "nsec": (pcap(one, nano=True),),
    "big": (pcap(one, ">"),), "ng": (pcapng(one),),
    "hex": (lines.encode(),), "upper": (hexed.upper().encode(),),
}
docs = {}
for name, (data,) in inputs.items():
    path = write(name + ".x", data)
    docs[name] = decode(path)
    piped = decode("-", stdin=data)
    check(docs[name]["ports"][0]["port"] == name, "port is the file's name")
    check(piped["ports"][0]["port"] == "stdin", "port of stdin")
    docs[name]["ports"][0]["port"] = piped["ports"][0]["port"] = "x"
    check(piped == docs[name], "stdin equals file: " + name)
docs["argument"] = decode(hexed)
docs["spaced"] = decode(" ".join(hexed[i:i + 2] for i in
                                 range(0, len(hexed), 2)))
for name, doc in docs.items():
    f = doc["frames"][0]
    timed = name in ("usec", "nsec", "big", "ng")
    check(f["time"] == ("2026-09-21T14:13:20.250000Z" if timed else None),
          "time of " + name, f["time"])
    check(len(doc["frames"]) == 1 and f["verdict"] == "accepted" and
          f["number"] == 1 and f["length"] == len(GOOD) and
          f["mac"] == "02:00:00:00:00:aa" and
          f["destination"] == "01:80:c2:00:00:0e", "frame of " + name, f)
    check([t["type"] for t in f["tlvs"]] == [1, 2, 3, 5, 127],
          "TLVs of " + name)
    port = doc["ports"][0]
    check(port["pfc"]["peer"]["prio_pfc"] ==
          [False] * 3 + [True] + [False] * 4, "PFC of " + name)
    check(port["mode"] == "observe" and
          [p["system_name"] for p in port["peers"]] == ["peer"],
          "peer of " + name)

# ---- verdicts ------------------------------------------------------------
tagged = GOOD[:12] + b"\x81\0\0\x64" + GOOD[12:]
priority = GOOD[:12] + b"\x81\0\xe0\0" + GOOD[12:]
other = bytes.fromhex("0180c2000003") + GOOD[6:]
late_ttl = frame()[:14] + b"\4\2\7p" + frame()[14:]
crowd = [(T0, frame(chassis=b"\7c%d" % i)) for i in range(33)]
doc = decode(write("v.pcap", pcap([
    (T0, GOOD), (T0, late_ttl), (T0, tagged), (T0, priority), (T0, other),
    (T0, b"\2" * 12 + b"\x08\0" + bytes(46)), (T0, b"\1\2\3"),
    (T0, frame(ttl=0))])))
check(verdicts(doc) == ["accepted", "discarded", "tagged", "accepted",
                        "other-group", "not-lldp", "not-lldp", "shutdown"],
      "verdicts", verdicts(doc))
check("expected 1" in doc["frames"][1]["reason"], "why discarded",
      doc["frames"][1])
check(doc["ports"][0]["peers"] == [] and
      doc["ports"][0]["lldp"]["deletes"] == 1, "shutdown deletes")
doc = decode(write("crowd.pcap", pcap(crowd)))
check(verdicts(doc) == ["accepted"] * 32 + ["no-room"], "no room",
      verdicts(doc)[-3:])
check(len(doc["frames"][32]["tlvs"]) > 0, "TLVs also without room")

# A repeated frame has its TLVs again; two neighbours are told apart.
doc = decode(write("r.pcap", pcap([(T0, GOOD), (T0 + 1, frame(
    chassis=b"\7other")), (T0 + 2, GOOD)])))
check([f["tlvs"][0]["text"] for f in doc["frames"]] ==
      ["mac 02:00:00:00:00:aa", "local other", "mac 02:00:00:00:00:aa"],
      "TLVs of each frame", doc["frames"])

# ---- the clock of the capture -------------------------------------------
doc = decode(write("t.pcap", pcap([(T0, frame(ttl=10)), (T0 + 9.5, other)])))
p = doc["ports"][0]["peers"]
check(len(p) == 1 and p[0]["age_ms"] == 9500 and p[0]["expires_ms"] == 500,
      "age and TTL by the capture", p)
doc = decode(write("t.pcap", pcap([(T0, frame(ttl=10)), (T0 + 11, other)])))
check(doc["ports"][0]["peers"] == [] and
      doc["ports"][0]["lldp"]["ageouts"] == 1, "TTL ran out")
doc = decode(write("t.pcap", pcap([(T0, GOOD), (T0 - 500, GOOD),
                                   (2**32 - 1, GOOD)])))
check(verdicts(doc) == ["accepted"] * 3, "a clock that jumps")

# ---- broken input --------------------------------------------------------
doc = decode(write("s.pcap", pcap([(T0, GOOD), (T0, GOOD)], snap=40)),
             code=1)
check(verdicts(doc) == ["truncated"] * 2 and doc["ports"][0]["peers"] == [],
      "snaplen", verdicts(doc))
doc = decode(write("c.pcap", pcap([(T0, GOOD), (T0, GOOD)])[:-7]), code=1)
check(verdicts(doc) == ["accepted"], "cut savefile", verdicts(doc))
decode(write("g.pcap", pcap([]) + b"\xff" * 64), code=1)
decode(write("l.pcap", pcap(one, link=113)), code=1)
decode(write("e.pcap", b""), code=1)
decode(write("o.hex", b"abc"), code=1)
decode(write("empty.pcap", pcap([])))
decode(tmp.name, code=1)

# ---- our end -------------------------------------------------------------
CONF = """port "eth7" {
  mode = %s
  pfc { prio-pfc = {%s} willing = %s }
}
"""


def outcome(frames, mode="negotiate", prio=4, willing="yes", words=(),
            code=0):
    conf = write("x.conf", (CONF % (mode, prio, willing)).encode())
    doc = decode(write("n.pcap", pcap(frames)), "--negotiate", conf, *words,
                 code=code)
    return doc and doc["ports"][0]


def prios(table):
    return [i for i in range(8) if table["prio_pfc"][i]]


port = outcome(one)
check(port["port"] == "eth7" and port["mode"] == "negotiate" and
      port["mac"] == "02:00:00:00:00:01", "the only port of the file", port)
check(port["pfc"]["state"] == "from-peer" and
      prios(port["pfc"]["oper"]) == [3], "we adopt", port["pfc"])
port = outcome(one, willing="no")
check(port["pfc"]["state"] == "mismatch" and port["state"] == "mismatch" and
      port["pfc"]["reason"]["code"] == "both-unwilling" and
      prios(port["pfc"]["oper"]) == [4], "neither adopts", port["pfc"])
port = outcome(one, prio=3, willing="no")
check(port["pfc"]["state"] == "ok", "both agree", port["pfc"])
both = [(T0, frame(tlvs=[PFC3_WILLING]))]
port = outcome(both)
check(prios(port["pfc"]["oper"]) == [4], "tie-break, our MAC is lower")
port = outcome(both, words=("--mac", "02:00:00:00:00:ff"))
check(prios(port["pfc"]["oper"]) == [3] and
      port["mac"] == "02:00:00:00:00:ff", "tie-break, our MAC is higher")
port = outcome(one, words=("--port", "eth1"))
check(port["port"] == "eth1" and port["mode"] == "observe",
      "a port that the file does not name")
outcome(one, mode="off", code=7)
outcome(one, mode="sideways", code=1)
outcome(one, words=("--mac", "02:00:00:00:01"), code=2)
outcome(one, words=("--mac", "01:80:c2:00:00:0e"), code=2)
outcome(one, words=("--port", "sixteen-letters-"), code=2)

# ---- the three dialects --------------------------------------------------
def vector(name):
    with open(source("tests/vectors/%s.hex" % name)) as f:
        return bytes.fromhex(f.read())


def spoken(doc, number):
    """Names and texts of the TLVs of a frame that are DCBX."""
    return {t["name"]: t["text"] for t in doc["frames"][number]["tlvs"]
            if t["type"] == 127 and t["text"]}


V1, V4, V13 = (vector(n) for n in (
    "V1-ieee-juniper-qfx3500", "V4-cee-chelsio-error-bit",
    "V13-cin-openlldp-no-peer"))
path = write("three.pcap", pcap([(T0, V1), (T0 + 1, V4), (T0 + 2, V13)]))
doc = decode(path)
text = run("decode", path).stdout
IEEE = {
    "ETS Configuration": "willing no, cbs no, max-tcs 3, "
    "0/0/0/0/0/0/0/100 77777777 ets,ets,ets,ets,ets,ets,ets,ets",
    "ETS Recommendation": "0/0/0/0/0/0/0/100 77777777 "
    "ets,ets,ets,ets,ets,ets,ets,ets",
    "PFC": "willing no, macsec-bypass no, pfc-cap 8, prio-pfc {}",
    "Application Priority": "port:50001=1 port:50000=2",
}
CEE = {"CEE DCBX": "control seq 3 ack 2; pg en willing 25/75 0000111(15) 8 "
       "tcs; pfc en willing {3} 8 tcs; app en willing error ethtype 0x8906 "
       "{3}, port 3260 {3}, ethtype 0x8914 {3}"}
CIN = {"CIN DCBX": "control seq 0 ack 0; pg en willing "
       "13/13/13/13/12/12/12/12 01234567 prios "
       "100/100/100/100/100/100/100/100; pfc en willing {3}; app_fcoe en "
       "willing {3}; llink_fcoe en willing down"}
for i, want in enumerate((IEEE, CEE, CIN)):
    check(spoken(doc, i) == want, "what frame %d says" % (i + 1),
          spoken(doc, i))
    for name, value in want.items():
        check(name in text and value in " ".join(text.split()),
              "in text: " + name)
check([p["dialects"] for p in doc["ports"][0]["peers"]] ==
      [["ieee"], ["cee"], ["cin"]], "three speakers")
# Each alone is read in its own dialect, also by a port that only listens.
for data, dialect, bw in ((V1, "ieee", [0] * 7 + [100]),
                          (V4, "cee", [25, 75] + [0] * 6),
                          (V13, "cin", [13] * 4 + [12] * 4)):
    port = decode(write("d.pcap", pcap([(T0, data)])))["ports"][0]
    check(port["dialect"]["active"] == dialect and
          port["dialect"]["peer"] == [dialect], dialect + " is active")
    check(port["ets"]["peer"]["config"]["tc_bw"] == bw and
          prios(port["pfc"]["peer"]) == ([] if dialect == "ieee" else [3]),
          "values of the peer in " + dialect, port["ets"]["peer"])
    check((port["cee"] is None) == (dialect == "ieee"), "member cee")
check(port["cee"]["control"]["peer_seq_no"] == 0 and
      port["cee"]["features"]["llink_fcoe"]["peer"] ==
      {"enable": True, "willing": True, "error": False}, "what CIN shows",
      port["cee"])
# Our end in CEE: followed once it is acknowledged.
CONTROL = (b"\0\x1b\x21\2\2\x0a\0\0" + bytes(3) + b"\5" + bytes(3))
for ack, state in ((0, "pending"), (1, "from-peer")):
    conf = write("c.conf", b'port "eth7" { mode = negotiate dialect = cee '
                 b'pfc { prio-pfc = {4} } }\n')
    doc = decode(write("c.pcap", pcap([(T0, frame(tlvs=[
        (127, CONTROL + bytes([ack]) + b"\6\6\0\0\x80\0\x08\x08")]))])),
        "--negotiate", conf)
    port = doc["ports"][0]
    check(port["pfc"]["state"] == state and
          port["cee"]["control"]["peer_seq_no"] == 5 and
          prios(port["pfc"]["oper"]) == ([3] if ack else [4]),
          "CEE with AckNo %d" % ack, port["pfc"])

# A capture at a host has our own frames too.
mine = GOOD[:6] + bytes.fromhex("020000000001") + GOOD[12:]
conf = write("x.conf", (CONF % ("negotiate", 4, "yes")).encode())
path = write("both.pcap", pcap([(T0, mine), (T0, GOOD)]))
doc = decode(path, "--negotiate", conf)
check(verdicts(doc) == ["own", "accepted"] and
      doc["ports"][0]["pfc"]["state"] == "from-peer", "own frames",
      doc["ports"][0]["pfc"])
tmp.cleanup()
check.done()
