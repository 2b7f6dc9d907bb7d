#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""A flood of LLDP on one of 64 ports; the other 63 must not notice.

Two senders call sendmmsg(2) on raw sockets, each frame from another neighbour
that exists nowhere.  Meanwhile every other port's neighbour sends a frame each
half second: each has to arrive.  Three seconds; with --full twenty, and then
it must have been 300,000 frames a second and more.
"""
import ctypes
import json
import os
import socket
import struct
import sys
import time

import lab

FULL = "--full" in sys.argv
SECONDS, RATE = (20, 300000) if FULL else (3, 0)
PORTS = 64
lab.enter()
check = lab.Checks()
A, B = lab.Net("a"), lab.Net("b")
NAMES = ["p%d" % i for i in range(PORTS)]
for name in NAMES:
    lab.veth(A, name, B, name)
a = lab.Daemon(A, "flooded", lab.config("3", port="p*"), NAMES)


class Iovec(ctypes.Structure):
    _fields_ = [("base", ctypes.c_char_p), ("len", ctypes.c_size_t)]


class Mmsghdr(ctypes.Structure):
    _fields_ = [("name", ctypes.c_void_p), ("namelen", ctypes.c_uint),
                ("iov", ctypes.POINTER(Iovec)), ("iovlen", ctypes.c_size_t),
                ("control", ctypes.c_void_p), ("controllen", ctypes.c_size_t),
                ("flags", ctypes.c_int), ("sent", ctypes.c_uint)]


def lldp(mac, ttl=2):
    def tlv(kind, body):
        return struct.pack("!H", kind << 9 | len(body)) + body
    return (lab.GROUP + mac + b"\x88\xcc" + tlv(1, b"\x04" + mac) +
            tlv(2, b"\x05eth0") + tlv(3, struct.pack("!H", ttl)) +
            tlv(0, b"")).ljust(60, b"\0")


def flood(port, seconds):
    """Send as fast as it goes; the count."""
    n = 1024
    frames = [lldp(struct.pack("!HI", 0x0200, 0xf1000000 + i))
              for i in range(n)]
    iovs = (Iovec * n)(*[Iovec(f, len(f)) for f in frames])
    msgs = (Mmsghdr * n)()
    for i in range(n):
        msgs[i].iov = ctypes.pointer(iovs[i])
        msgs[i].iovlen = 1
    with B.inside():
        s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        s.bind((port, 0))
    s.setsockopt(263, 20, 1)  # PACKET_QDISC_BYPASS
    sent, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        sent += max(0, lab.libc.sendmmsg(s.fileno(), msgs, n, 0))
    return sent


def tree(pid):
    """A process and those below it."""
    with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
        return [pid] + [p for c in f.read().split() for p in tree(int(c))]


def rss():
    """Of the daemon's processes, in KiB."""
    kb = 0
    for pid in tree(a.process.pid):
        with open("/proc/%d/status" % pid) as f:
            kb += sum(int(line.split()[1]) for line in f
                      if line.startswith("VmRSS:"))
    return kb


def sanitized():
    """A sanitizer's shadow takes terabytes of address space."""
    with open("/proc/%d/status" % tree(a.process.pid)[-1]) as f:
        return any(int(line.split()[1]) > 1 << 30 for line in f
                   if line.startswith("VmSize:"))


def counters():
    ports = a.client.call("GetCounters")["parameters"]["ports"]
    return {p["port"]: p for p in ports}


class Watch(lab.Client):
    """The events so far."""

    def __init__(self, path):
        super().__init__(path)
        self.socket.sendall(b'{"method":"org.dcbx.Watch","more":true}\0')
        self.socket.setblocking(False)
        self.events = []

    def read(self):
        try:
            while data := self.socket.recv(1 << 20):
                self.rest += data
        except BlockingIOError:
            pass
        *whole, self.rest = self.rest.split(b"\0")
        self.events += [json.loads(w)["parameters"] for w in whole]

    def named(self, name):
        self.read()
        return [e for e in self.events if e["event"] == name]


with B.inside():
    refresher = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
QUIET = NAMES[1:]
sent = dict.fromkeys(QUIET, 0)


def refresh():
    for i, name in enumerate(QUIET):
        refresher.sendto(lldp(struct.pack("!HI", 0x0200, 1000 + i)),
                         (name, 0))
        sent[name] += 1


# What grows once has grown before the flood: neighbours, their frames.
check("all links are up", a.wait(lambda d: d["link"] == "up", NAMES[-1]))
flood(NAMES[0], 0.05)
refresh()
lab.wait_for(lambda: all(
    c["lldp"]["rx_frames"] for n, c in counters().items() if n in QUIET))
check("it is quiet before", lab.wait_for(
    lambda: not counters()[NAMES[0]]["frames"]["muted"]))
watch = Watch(a.path)
lab.wait_for(lambda: watch.named("snapshot"))
before, rss_before = counters(), rss()
sent = dict.fromkeys(QUIET, 0)

pipes = [os.pipe() for _ in range(2)]
for r, w in pipes:
    if os.fork() == 0:
        os.write(w, b"%d" % flood(NAMES[0], SECONDS))
        os._exit(0)
    os.close(w)
end, slowest = time.monotonic() + SECONDS, 0
while time.monotonic() < end:
    refresh()
    start = time.monotonic()
    a.client.call("GetPeers", port=NAMES[5])
    slowest = max(slowest, time.monotonic() - start)
    watch.read()
    time.sleep(max(0, 0.5 - (time.monotonic() - start)))
refresh()
total = 0
for r, _ in pipes:
    with os.fdopen(r) as f:
        total += int(f.read())
    os.wait()
print("  %d frames in %d s, %d a second; slowest answer %.0f ms" %
      (total, SECONDS, total / SECONDS, slowest * 1000))
check("the flood was one", total / SECONDS >= RATE, total / SECONDS)


def missing():
    now = counters()
    return {n: before[n]["lldp"]["rx_frames"] + sent[n] -
            now[n]["lldp"]["rx_frames"] for n in QUIET
            if now[n]["lldp"]["rx_frames"] !=
            before[n]["lldp"]["rx_frames"] + sent[n]}


check("no other port missed a refresh",
      lab.wait_for(lambda: not missing(), 5) or not missing(), missing())
check("none lost its neighbour", not [
    e for e in watch.named("peer-lost") if e["port"] != NAMES[0]])
check("clients were answered", slowest < 1, slowest)
check("the flood's end is told", lab.wait_for(
    lambda: len(watch.named("flood")) >= 2))
check("one flood, told twice", [
    (e["port"], e["muted"]) for e in watch.named("flood")] ==
    [(NAMES[0], True), (NAMES[0], False)], watch.named("flood"))
after = counters()[NAMES[0]]
check("and counted once", after["frames"]["floods"] ==
      before[NAMES[0]]["frames"]["floods"] + 1, after["frames"])
check("most of it was never read", after["lldp"]["rx_frames"] -
      before[NAMES[0]]["lldp"]["rx_frames"] < 3000, after["lldp"])
check("no storm of events", len(watch.named("lost")) <= SECONDS + 1 and
      len(watch.named("bad-frame")) <= SECONDS + 1, len(watch.events))
if sanitized():
    check.skip("memory", "a sanitizer keeps what is freed")
else:
    print("  %d KiB before, %d after" % (rss_before, rss()))
    check("memory is flat to 1 MiB", rss() - rss_before <= 1024,
          (rss_before, rss()))
wire = lab.Wire(B, NAMES[0])
wire.send(lldp(bytes.fromhex("0200000000bb"), 120))
check("the port is heard again", a.wait(lambda d: any(
    p["mac"] == "02:00:00:00:00:bb" for p in d["peers"]) or
    d["lldp"]["drops"] > 0, NAMES[0]))
lab.end(check)
