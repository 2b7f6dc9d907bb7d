#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""Hostile frames over a real socket.

Every malformed vector (tests/vectors/M*) is sent from the far end of a cable,
then a good frame: dcbxd must live, count, and still understand the good one.
What each vector means is the conformance runner's to judge; here it is the
packet socket, its filter and the documents that are tried.
"""
import glob
import json
import os
import struct

import lab

lab.enter()
check = lab.Checks()
A, B = lab.Net("a"), lab.Net("b")
lab.veth(A, "eth0", B, "eth0")
a = lab.Daemon(A, "victim", lab.config("3"))
wire = lab.Wire(B, "eth0")


def vector(path):
    """The frame of a file of hex."""
    with open(path) as f:
        return bytes.fromhex(f.read())


def tlv(kind, body):
    return struct.pack("!H", kind << 9 | len(body)) + body


def lldp(mac, *more, dst=lab.GROUP, ttl=120):
    """An LLDP frame of a neighbour that exists nowhere."""
    out = dst + mac + struct.pack("!H", lab.LLDP) + tlv(1, b"\x04" + mac) + \
        tlv(2, b"\x05eth0") + tlv(3, struct.pack("!H", ttl)) + \
        b"".join(more) + tlv(0, b"")
    return out.ljust(60, b"\0")


def heard():
    """Frames that the port counted, good or bad."""
    c = a.port()["lldp"]
    return c["rx_frames"] + c["rx_discarded"]


def knows(mac):
    return any(p["mac"] == mac.hex(":") for p in a.port()["peers"])


GOOD = bytes.fromhex("0200000000bb")
vectors = sorted(glob.glob(os.path.join(lab.SRC, "tests/vectors/M*.hex")))
check("there are vectors", len(vectors) > 0)
for path in vectors:
    name = os.path.basename(path).split("-")[0]
    frame = vector(path)
    # The filter takes the nearest bridge's group and our ethertype.
    ours = frame[:6] == lab.GROUP and frame[12:14] == b"\x88\xcc"
    before = heard()
    wire.send(frame)
    check("%s is counted" % name if ours else "%s is not for us" % name,
          lab.wait_for(lambda: heard() == before + ours), a.port()["lldp"])
    wire.send(lldp(frame[6:12], ttl=0))  # tidy up
    wire.send(lldp(GOOD))
    lively = lab.wait_for(lambda: knows(GOOD))
    wire.send(lldp(GOOD, ttl=0))
    check("%s: a good frame is understood after it" % name, lively and
          lab.wait_for(lambda: not knows(GOOD)), a.port())

# What a peer says reaches a terminal escaped, and JSON as valid UTF-8.
EVIL = bytes.fromhex("0200000000ee")
wire.send(lldp(EVIL, tlv(5, b"\x1b]0;pwned\x07\x1b[2J\xff\xfe\"\\\r\nx")))
check("an evil name is kept", lab.wait_for(lambda: knows(EVIL)), a.port())
for verb in ("status", "peers", "show eth0", "tlv eth0", "--json peers"):
    p = A.run("./dcbxctl", "-s", a.path, *verb.split(), stdout=-1, stderr=-1)
    out, err = p.communicate(timeout=lab.LIMIT)
    check("an evil name is escaped: %s" % verb, p.returncode == 0 and
          not set(out + err) & (set(range(32)) - {10} | {127}) and
          (out.decode() or True), (p.returncode, out, err))
check("the log is escaped", not set(a.text()) &
      {chr(c) for c in range(32) if c not in (9, 10)}, a.text()[-500:])

# Sizes that no cable should carry, and a tagged frame
for size in (14, 15, 59, 60, 1514):
    wire.send((lab.GROUP + EVIL + b"\x88\xcc").ljust(size, b"\xff"))
before = a.port()["lldp"]["rx_tagged"]
good = lldp(GOOD)
wire.send(good[:12] + b"\x81\x00\xe0\x09" + good[12:])
check("a tagged frame is counted and dropped", lab.wait_for(
    lambda: a.port()["lldp"]["rx_tagged"] == before + 1) and not knows(GOOD),
    a.port()["lldp"])
wire.send(lldp(GOOD, dst=bytes.fromhex("0180c2000003")))
wire.send(lldp(GOOD, dst=bytes.fromhex("ffffffffffff")))
wire.send(lldp(GOOD, dst=bytes.fromhex("0180c2000000")))
wire.send(lldp(bytes.fromhex("0200000000cc")))  # a mark: in order behind them
check("frames to other addresses are not for us", lab.wait_for(
    lambda: knows(bytes.fromhex("0200000000cc"))) and not knows(GOOD),
    a.port())

# More neighbours than there is room for
for i in range(40):
    wire.send(lldp(bytes.fromhex("02000000aa%02x" % i)))
doc = a.wait(lambda d: d["lldp"]["too_many_neighbors"]) and a.port()
check("too many neighbours: bounded and said", doc and
      len(doc["peers"]) <= 8 and doc["lldp"]["drops"] > 0, doc)
json.dumps(doc).encode()
lab.end(check)
