#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""A peer that never makes up its mind, below the rate of a flood.

It is not willing and wants priority 3, then 4, then 3 ... some hundred times
a second.  Following it is right; but neither the port nor the log may wear
out, and the last word must be in force in the end.  Beside it, calls that
want no reply must cost the daemon nothing.
"""
import json
import socket
import time

import lab

lab.enter()
check = lab.Checks()
A, B = lab.Net("a"), lab.Net("b")
lab.veth(A, "eth0", B, "eth0")
a = lab.Daemon(A, "victim", "port \"eth0\" { backends = {none} }\n")
wire = lab.Wire(B, "eth0")
MAC = bytes.fromhex("0200000000bb")


def frame(prio):
    pfc = bytes.fromhex("fe060080c20b08%02x" % (1 << prio))
    return (lab.GROUP + MAC + b"\x88\xcc" + b"\x02\x07\x04" + MAC +
            b"\x04\x07\x03" + MAC + b"\x06\x02\x00\x78" + pfc +
            b"\0\0").ljust(60, b"\0")


def writes():
    return a.port()["backends"][0]["writes"] if a.port()["backends"] else 0


wire.send(frame(3))
check("the peer is followed", a.wait_states(pfc="from-peer"), a.port())
lab.wait_for(writes)
first, lines = writes(), a.text().count("\n")
begin, sent = time.monotonic(), 0
while time.monotonic() < begin + 3:
    sent += 1
    wire.send(frame(3 + sent % 2))
    time.sleep(0.002)
wire.send(frame(5))
check("the last word is in force", a.wait(
    lambda d: d["backends"][0]["in_force"]["prio_pfc"][5]), a.port())
took = time.monotonic() - begin
print("# %d frames in 3 s, %d writes, %d lines of log" % (
    sent, writes() - first, a.text().count("\n") - lines))
check("five writes and one a second", writes() - first <= 5 + took + 1,
      (writes(), first))
check("the log has its bound", a.text().count("\n") - lines <
      70 * (took + 2), a.text()[-500:])
check("what was left out is counted", " events" in a.text())

# What wants no reply is not computed: many such calls, and the next answer.
with socket.socket(socket.AF_UNIX) as s:
    s.connect(a.path)
    call = json.dumps({"method": "org.dcbx.GetStatus",
                       "oneway": True}).encode() + b"\0"
    s.sendall(call * 2000 + json.dumps(
        {"method": "org.dcbx.GetStatus"}).encode() + b"\0")
    s.settimeout(lab.LIMIT)
    reply = s.recv(65536)
check("calls without a reply get none", json.loads(
    reply.split(b"\0")[0])["parameters"]["ports"][0]["port"] == "eth0", reply)
lab.end(check)
