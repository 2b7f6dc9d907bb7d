#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""Events in the journal: the test is the journal.

It listens where journald would, in a /run of its own, and tells dcbxd, as
systemd does, that standard error ends there.  What arrives is journald's
native protocol: NAME=value lines, or NAME, a length and any octets.
"""
import os
import re
import select
import socket
import struct

import lab

lab.enter()
check = lab.Checks()
os.makedirs("/run/systemd/journal")
os.chmod("/run", 0o755)
journal = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
journal.bind("/run/systemd/journal/socket")
os.chmod("/run/systemd/journal/socket", 0o666)
A, B = lab.Net("a"), lab.Net("b")
lab.veth(A, "eth0", B, "eth0")
a = lab.Daemon(A, "journal", lab.config("3", willing="no"))
a.stop()
st = os.stat(a.log)
os.environ["JOURNAL_STREAM"] = "%d:%d" % (st.st_dev, st.st_ino)
a.start(("eth0",))
del os.environ["JOURNAL_STREAM"]


def entry(data):
    out = {}
    while data:
        name, _, data = data.partition(b"\n")
        if b"=" in name:
            name, _, value = name.partition(b"=")
        else:
            size, = struct.unpack_from("<Q", data)
            value, data = data[8:8 + size], data[9 + size:]
        assert name not in out, (name, out)
        out[name.decode()] = value.decode()
    return out


entries = []


def find(**fields):
    while select.select([journal], [], [], 0)[0]:
        entries.append(entry(journal.recv(1 << 20)))
    return [e for e in entries
            if all(e.get(k) == v for k, v in fields.items())]


def tlv(kind, body):
    return struct.pack("!H", kind << 9 | len(body)) + body


MAC = bytes.fromhex("0200000000bb")
PFC = tlv(127, b"\x00\x80\xc2\x0b" + bytes([0x08, 0x10]))  # unwilling, {4}
lab.Wire(B, "eth0").send((
    lab.GROUP + MAC + b"\x88\xcc" + tlv(1, b"\x07evil\nPRIORITY=0\x1b[2J") +
    tlv(2, b"\x05eth0") + tlv(3, b"\x00\x78") + PFC +
    tlv(0, b"")).ljust(60, b"\0"))
got = lab.wait_for(lambda: find(DCBX_EVENT="peer-new"))
check("a peer is there", len(got) == 1 and
      got[0]["DCBX_PORT"] == got[0]["INTERFACE"] == "eth0" and
      "evil" in got[0]["DCBX_PEER_CHASSIS"], entries)
got = lab.wait_for(lambda: find(DCBX_EVENT="feature", DCBX_FEATURE="pfc",
                                DCBX_NEW="mismatch"))
check("a mismatch has its fields", got and got[0]["DCBX_OLD"] and
      got[0]["DCBX_REASON"] == "both-unwilling" and
      got[0]["PRIORITY"] == "5" and
      got[0]["MESSAGE"].startswith("eth0: feature: pfc "), entries)
check("each kind has its id", all(
    re.fullmatch("[0-9a-f]{32}", e["MESSAGE_ID"]) for e in entries) and
    len({e["MESSAGE_ID"] for e in entries}) ==
    len({e["DCBX_EVENT"] for e in entries}), entries)
check("text of a peer is escaped", not any(
    ord(c) < 32 for e in entries for v in e.values() for c in v), entries)
check("nothing is said twice", "mismatch" not in a.text(), a.text())
lab.end(check)
