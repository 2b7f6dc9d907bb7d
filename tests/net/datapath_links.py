#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""A data path whose interfaces change under it: another MTU, another speed,
one down for a while, one deleted and made again, a TAP deleted; an idle one
sleeps, unless it is to be busy, one that is told again what is in force does
nothing, and its sentences are whole."""
import contextlib
import fcntl
import json
import os
import signal
import socket
import struct
import subprocess
import time

import lab

lab.enter()
check = lab.Checks()
A, B = lab.Net("a"), lab.Net("b")
MAC = bytes.fromhex("0200000000")
TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454ca, 2, 0x1000
SO_RCVBUFFORCE = 33
for n in "eth0", "eth1", "eth2":
    lab.veth(A, n, B, n)
PFC3 = {"prio_pfc": lab.prios(3)}


class Datapath:
    def __init__(self, path, *words):
        self.path, self.log = path, path + ".log"
        with open(self.log, "w") as log:
            self.process = A.run(
                os.path.abspath("dcbx-datapath"), "-s", path, "--buffer",
                "4M", *words, stdout=log, stderr=subprocess.STDOUT)
        check("it runs", lab.wait_for(self.answers), self.text())

    def answers(self):
        with contextlib.suppress(OSError):
            return "ports" in self.ask("GetCounters")

    def text(self):
        with open(self.log) as f:
            return f.read()

    def connect(self):
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(lab.LIMIT)
        s.connect(self.path)
        return s

    def ask(self, method, s=None, **parameters):
        with s or self.connect() as s:
            say(s, method, parameters)
            return hear(s)

    def port(self, name):
        return self.ask("GetCounters", port=name)["ports"][0]

    def sleeps(self):
        """In half a second."""
        first = self.ask("GetCounters")["sleeps"]
        time.sleep(.5)
        return self.ask("GetCounters")["sleeps"] - first

    def cpu(self):
        """Share of a CPU, in half a second."""
        with open("/proc/%d/stat" % self.process.pid) as f:
            first = sum(map(int, f.read().split()[13:15]))
        time.sleep(.5)
        with open("/proc/%d/stat" % self.process.pid) as f:
            ticks = sum(map(int, f.read().split()[13:15])) - first
        return ticks / os.sysconf("SC_CLK_TCK") / .5

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(lab.LIMIT)


def say(s, method, parameters, more=False):
    s.sendall(json.dumps({"method": "org.dcbx.datapath." + method,
                          "parameters": parameters, "more": more}).encode() +
              b"\0")


def hear(s):
    data = b""
    while not data.endswith(b"\0"):
        part = s.recv(1)
        if not part:
            return "closed"
        data += part
    reply = json.loads(data[:-1])
    return reply.get("error") or reply["parameters"]


def raw(net, name):
    with net.inside():
        s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    s.bind((name, 0))
    s.settimeout(.2)
    return s


def passes(sender, receiver, length):
    """Whether a frame of that length gets through, within a while."""
    frame = (b"\xff" * 6 + MAC + b"\x01" + b"\x88\xb5").ljust(length, b"\x5a")

    def once():
        with contextlib.suppress(OSError):
            sender.send(frame)
            return receiver.recv(10000) == frame
    return lab.wait_for(once, 3)


def lets_go(s, limit=lab.LIMIT):
    """Whether a PFC frame with time 0 for priority 3 comes."""
    def once():
        with contextlib.suppress(OSError):
            frame = s.recv(100)
            return frame[12:18] == b"\x88\x08\x01\x01\0\x08" and \
                frame[24:26] == b"\0\0"
    return lab.wait_for(once, limit)


def stream(sender, receiver, frames):
    """How many of these frames came, while an MTU goes up and down."""
    mtus = subprocess.Popen(
        ["sh", "-c", "for i in 1 2 3 4 5; do for m in 1800 1700; do "
         "ip -n %s link set eth0 mtu $m; done; done" % A.name])
    seen = set()

    def hear():
        with contextlib.suppress(OSError):
            while frame := receiver.recv(2000):
                if frame[6:12] == MAC + b"\x02":
                    seen.add(frame[14:18])
    receiver.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 24)
    receiver.settimeout(.01)
    for i in range(frames):
        sender.send((b"\xff" * 6 + MAC + b"\x02\x88\xb5" +
                     struct.pack("!I", i)).ljust(200, b"\0"))
        if i % 50 == 0:
            hear()
            if i >= frames - 100 and mtus.poll() is None:
                mtus.wait()
    lab.wait_for(lambda: hear() or len(seen) == frames, 3)
    receiver.settimeout(.2)
    return len(seen)


def tap(net, name):
    with net.inside():
        fd = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(fd, TUNSETIFF, struct.pack(
            "16sH22x", name.encode(), IFF_TAP | IFF_NO_PI))
    return fd


def speed(net, name, mbps):
    with net.inside():
        return subprocess.run(
            ["ethtool", "-s", name, "speed", str(mbps), "duplex", "full"],
            stderr=subprocess.DEVNULL).returncode == 0


os.mkdir("/run/dp")
peer = raw(B, "eth1")
one = Datapath("/run/dp/s", "--role", "switch", "--port",
               "eth0,io=af_packet", "--port", "eth1,io=af_packet", "--port",
               "eth2")

# ---- rest, and what is in force already

check("an idle one sleeps", one.sleeps() <= 12)
with one.connect() as watch:
    say(watch, "Watch", {}, True)
    hear(watch)
    text = one.ask("Configure", port="eth0", config=PFC3)["text"]
    check("what is less than wanted is said whole",
          text.startswith("headroom holds") and text.endswith("all ports"),
          text)
    why = one.port("eth0")["why"]
    check("so it is in the document, after the I/O",
          why.startswith("AF_PACKET") and why.endswith("; " + text), why)
    check("an event says it", hear(watch)["event"] == "config")
    again = one.ask("Configure", port="eth0", config=PFC3)["text"]
    check("told again it answers the same", again == text, again)
    one.ask("Configure", port="eth1", config=PFC3)
    event = hear(watch)
    check("and has done nothing", event["event"] == "config" and
          event["port"] == "eth1", event)

# ---- what the peer may believe of before

check("a priority that becomes lossless is let go", lets_go(peer), PFC3)
check("only once", not lets_go(peer, .3))
A.ip("link set eth1 down")
check("a link goes down", lab.wait_for(lambda: not one.port("eth1")["up"]))
A.ip("link set eth1 up")
check("one that is up again says so, too", lets_go(peer))
peer.close()
check("a switch does not look at CNPs", one.port("eth1")["cnp_rx"] is None and
      one.port("eth1")["cnp_tx"] is None)

# ---- MTU

sender, receiver = raw(B, "eth0"), raw(B, "eth1")
check("a frame passes", passes(sender, receiver, 1500))
check("a longer one does not", not passes(sender, receiver, 1600))
for n in "eth0", "eth1":
    for net in A, B:
        net.ip("link set %s mtu 1700" % n)
check("with another MTU it does", passes(sender, receiver, 1600), one.text())
check("and the port says so", one.port("eth1")["max_frame"] == 1722)
got = stream(sender, receiver, 3000)
check("nothing on its way is lost by that", got == 3000, got)
for n in "eth0", "eth1":
    for net in A, B:
        net.ip("link set %s mtu 9000" % n)
check("an MTU for which there is no memory is said", lab.wait_for(
    lambda: "start again for an MTU of 9000" in one.text()), one.text())
check("what fits passes", passes(sender, receiver, 1600))

# ---- gone, and back

A.ip("link del eth2")
check("a deleted interface is told of", lab.wait_for(
    lambda: "eth2: the interface is gone" in one.text()))
check("the others forward", passes(sender, receiver, 1000))
check("and sleep", lab.wait_for(lambda: one.sleeps() <= 12))
lab.veth(A, "eth2", B, "eth2")
check("it is taken back", lab.wait_for(lambda: one.port("eth2")["up"]),
      one.text())
other = raw(B, "eth2")
check("and forwards", passes(sender, other, 1000))
A.ip("link del eth2")
check("deleted once more", lab.wait_for(
    lambda: one.text().count("eth2: the interface is gone") == 2))
lab.veth(A, "tmp", B, "eth2")
A.ip("addr add 192.0.2.1/24 dev tmp")
A.ip("link set tmp down")
A.ip("link set tmp name eth2")
A.ip("link set eth2 up")
check("one with an address is not taken", lab.wait_for(
    lambda: "not taken back: eth2 has an IP address" in one.text()),
    one.text())
A.ip("addr del 192.0.2.1/24 dev eth2")
check("without it, it is", lab.wait_for(lambda: one.port("eth2")["up"]),
      one.text())
check("it leaves cleanly", one.end() == 0, one.text())

# ---- a generator's frames

A.ip("link set eth1 mtu 1500")
for words, told in (
        ("size=1519", "gen0: frames of 1519 octets are too long for eth1: "
         "with its MTU of 1500 at most 1518, the header and the tag included"),
        ("tag=no,size=96/1515", "gen0: frames of 1515 octets are too long")):
    p = A.run(os.path.abspath("dcbx-datapath"), "-s", "/run/dp/s", "--role",
              "host", "--port", "eth1", "--port", "gen,to=02:00:00:00:00:01,"
              + words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
              text=True)
    said = p.communicate(timeout=lab.LIMIT)[0]
    check("too long a size is refused", p.returncode == 1 and told in said,
          said)
three = Datapath("/run/dp/s", "--role", "host", "--port", "eth1", "--port",
                 "gen,to=02:00:00:00:00:01,size=1518,rate=1M", "--port",
                 "gen,to=02:00:00:00:00:01,tag=no,size=1514,rate=1M")
check("what fits is sent", lab.wait_for(lambda: all(
    s["frames"] > 2 for s in three.ask("GetCounters")["senders"])))
check("a host counts CNPs", three.port("eth1")["cnp_rx"] == 0)
check("all of it", three.port("eth1")["lost_tx"] == 0 and three.end() == 0,
      three.text())

# ---- one that never sleeps

busy = Datapath("/run/dp/s", "--role", "switch", "--busy-poll", "--port",
                "eth0", "--port", "eth1")
check("it forwards, too", passes(sender, receiver, 1000))
check("it is busy", busy.ask("GetCounters")["mode"] == "busy")
check("and never sleeps", busy.sleeps() == 0)
check("it leaves as cleanly", busy.end() == 0, busy.text())

# ---- speed

try:
    wire = tap(A, "t0")
except OSError as e:
    check.skip("TAPs", str(e))
    check.done()
if speed(A, "t0", 1000):
    A.ip("link set t0 up")
    two = Datapath("/run/dp/s", "--role", "switch", "--port",
                   "t0,io=af_packet", "--port", "eth1")
    two.ask("Configure", port="t0", config=PFC3)
    before = two.port("t0")
    A.ip("link set t0 down")
    check("the link is down", lab.wait_for(
        lambda: not two.port("t0")["up"]))
    speed(A, "t0", 2500)
    A.ip("link set t0 up")
    check("the link is up", lab.wait_for(lambda: two.port("t0")["up"]))
    after = two.port("t0")
    check("another speed is seen", (before["rate_bps"], after["rate_bps"]) ==
          (1000000000, 2500000000), (before, after))
    check("it leaves cleanly, too", two.end() == 0, two.text())
    two = Datapath("/run/dp/s", "--role", "host", "--port",
                   "t0,io=af_packet", "--port",
                   "gen,to=02:00:00:00:00:01,rate=1M")
    may = [two.ask("GetCounters")["senders"][0]["current_mbps"]]
    A.ip("link set t0 down")
    check("a host's link is down", lab.wait_for(
        lambda: not two.port("t0")["up"]))
    speed(A, "t0", 1000)
    A.ip("link set t0 up")
    check("and up", lab.wait_for(lambda: two.port("t0")["up"]))
    may.append(two.ask("GetCounters")["senders"][0]["current_mbps"])
    check("its flows have the speed of the link", may == [2500, 1000], may)
    check("and it leaves cleanly", two.end() == 0, two.text())
else:
    check.skip("speed", "it cannot be set here")
os.close(wire)

# ---- a TAP that is deleted

host = Datapath("/run/dp/s", "--role", "host", "--port", "eth0,rate=20M",
                "--port", "dp0,io=tap")
A.ip("link set dp0 up")
host.ask("Configure", port="eth0", config={"dcqcn": lab.prios(3)})
why = host.port("eth0")["why"]
check("rates above the link's are cut, which is said",
      why.endswith("20 Mb/s of the link are cut to that"), why)
wire, stack = raw(B, "eth0"), raw(A, "dp0")


def reaches(last):
    """Whether a frame to 01-80-C2-00-00-LAST gets to the host's stack."""
    frame = (b"\x01\x80\xc2\0\0" + bytes([last]) + MAC +
             b"\x03\x88\xb5").ljust(100, b"\x5a")

    def once():
        with contextlib.suppress(OSError):
            wire.send(frame)
            return stack.recv(2000) == frame
    return lab.wait_for(once, 2)


check("a group of bridges beyond the link is the stack's", reaches(0x10))
check("one of the link is not given twice", not reaches(0x0f))
A.ip("link del dp0")
check("a deleted TAP is told of", lab.wait_for(
    lambda: "dp0: link down" in host.text()), host.text())
check("and costs nothing", host.cpu() < .5)
check("it leaves cleanly in the end", host.end() == 0, host.text())
check.done()
