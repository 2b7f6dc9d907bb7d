#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""Frames that lie, beside real traffic: nobody falls, nothing lossless is lost.

Two hosts send to a third, lossless and lossy; all the while frames that are
cut short or lie about themselves come from a fourth station, from beside the
senders and straight to the receiver, at least one in a thousand.  The second
sender and its link use AF_PACKET, all others what there is.  In the end
every frame that was sent has arrived or was counted as dropped.
"""
import itertools
import os
import struct
import time

import datapath_lab as dl
import lab

lab.enter()
check = lab.Checks()
SECONDS = 60 if os.environ.get("DCBX_LONG") else 8
ONE_IN = 1000
LONGEST = 3000  # of the fourth's link; AF_XDP has chunks of a page
TO = "to=%s,size=1024,start=4s,stop=%ds" % (dl.mac(3), 4 + SECONDS)
RECEIVER = bytes.fromhex("020000000003")
STRANGER = bytes.fromhex("0200000000aa")


# What is sent

def header(kind, tags=(), to=RECEIVER, source=STRANGER):
    return to + source + b"".join(tags) + struct.pack("!H", kind)


def vlan(prio, vid=0, kind=0x8100):
    return struct.pack("!HH", kind, prio << 13 | vid)


def ipv4(payload, proto=17, tos=0x6b, total=None, first=0x45, offset=0):
    total = 20 + len(payload) if total is None else total
    return struct.pack("!BBHHHBBH4s4s", first, tos, total, 1, offset, 64, proto,
                       0, b"\xc6\x12\0\xaa", b"\xc6\x12\0\3") + payload


def ipv6(payload, follows=17, length=None):
    length = len(payload) if length is None else length
    return struct.pack("!IHBB16s16s", 0x66b00000, length, follows, 64,
                       b"\xfd" + STRANGER.ljust(15), b"\xfd" * 16) + payload


def udp(payload, port=4791, length=None):
    length = 8 + len(payload) if length is None else length
    return struct.pack("!HHHH", 0xc000, port, length, 0) + payload


def bth(opcode, qp, rest):
    """Its ICRC is made up."""
    return struct.pack("!BBHII", opcode, 0x40, 0xffff, qp, 1) + rest


def cnp(qp):
    return udp(bth(0x81, qp, bytes(20)))


def stamp(qp):
    """The payload of a generator, of no run that there is."""
    return struct.pack("!IIIQQ", 0x44434247, 1 << 24 | qp, 7, 1 << 60, 1)


def pfc(length, enable=8, opcode=0x0101):
    whole = (bytes.fromhex("0180c2000001") + STRANGER +
             struct.pack("!HHH8H", 0x8808, opcode, enable, *[65535] * 8))
    return whole.ljust(60, b"\0")[:length]


def truncated():
    """Each header cut at each octet."""
    tags = {"plain": (), "vlan": (vlan(3),),
            "qinq": (vlan(3, 7, 0x88a8), vlan(3, 9))}
    for tag in tags.values():
        for whole in (
                header(0x0800, tag) + ipv4(udp(bth(7, 300, stamp(300)))),
                header(0x0800, tag) + ipv4(cnp(300)),
                header(0x86dd, tag) + ipv6(udp(bth(7, 300, stamp(300)))),
                header(0x86dd, tag) + ipv6(bytes([17, 200]) + cnp(300), 0)):
            for length in range(14, len(whole)):
                yield whole[:length]
    for length in range(14, 35):
        yield pfc(length)


def lying():
    for tag in ((), (vlan(3),), (vlan(0, 5), vlan(3, 6), vlan(3, 7))):
        for first in (0x40, 0x44, 0x46, 0x4f, 0x55, 0x05, 0xf5):
            yield header(0x0800, tag) + ipv4(udp(bytes(40)), first=first)
            yield header(0x86dd, tag) + ipv4(udp(bytes(40)), first=first)
        for total in (0, 19, 20, 27, 28, 40, 65535):
            yield header(0x0800, tag) + ipv4(cnp(300), total=total)
            yield header(0x86dd, tag) + ipv6(cnp(300), length=total)
            for port in (4791, 49151):
                yield header(0x0800, tag) + ipv4(udp(stamp(300), port, total))
        for offset in (1, 0x1fff, 0x2000, 0x4000):
            yield header(0x0800, tag) + ipv4(cnp(300), offset=offset)
        for follows in (0, 43, 44, 50, 51, 60, 135, 253):
            yield header(0x86dd, tag) + ipv6(
                bytes([follows, 255]) * 30, follows)
        for proto in (6, 17, 41, 132, 255):
            yield header(0x0800, tag) + ipv4(b"\xff" * 30, proto)
        for kind in (0, 1, 5, 0x5ff, 0x8100, 0x88a8, 0x8915, 0xffff):
            yield header(kind, tag) + b"\xff" * 50
        for qp in (0, 255, 0xffffff):
            yield header(0x0800, tag) + ipv4(cnp(qp))
    for source in (b"\xff" * 6, b"\1\0\x5e\0\0\1", bytes(6)):
        yield header(0x0800, source=source) + ipv4(cnp(256))
    for opcode, enable in ((0, 8), (1, 8), (0x0102, 8), (0xffff, 0xffff),
                           (0x0101, 0xff00), (0x0101, 0)):
        yield pfc(60, enable, opcode)
    yield header(0x8808, (vlan(3),), pfc(6)) + bytes(46)
    for to in ("0180c2000000", "0180c200000e", "0180c200000f", "000000000000"):
        yield header(0x88cc, to=bytes.fromhex(to)) + b"\xff" * 46


def giants():
    for length in (1519, 1523, 2048, LONGEST + 14):
        yield (header(0x0800, (vlan(3),)) +
               ipv4(udp(bytes(LONGEST))))[:length]


class Station:
    """A place from which frames are sent as they are."""

    def __init__(self, net, port):
        self.wire = lab.Wire(net, port, 0)
        self.sent = 0

    def send(self, frame):
        try:
            self.wire.send(frame)
            self.sent += 1
        except OSError:  # longer than that link's frames
            pass


def kinds():
    """One after the other, for ever."""
    return itertools.cycle([*truncated(), *lying(), *giants()])


# Where, and how many

def start():
    """Hosts 1 and 2 send to 3; where 4 would be is nothing of ours."""
    f = dl.Fabric("200M", hosts=4, packet=(2,))
    for net, port in ((f.nets[4], "eth0"), (f.switch_net, "p4")):
        net.ip("link set %s mtu %d" % (port, LONGEST))
    f.start_switch()
    f.start_host(3)
    for n in (1, 2):
        f.start_host(n, *[TO + more for more in (
            ",prio=3,kind=udp", ",prio=3,kind=roce", ",prio=0,kind=udp")])
    return f


def senders(prio=None):
    return [s for n in (1, 2) for s in fabric.hosts[n].document()["senders"]
            if prio in (None, s["prio"])]


def torment(stations):
    """Malformed frames as long as real ones are sent; at least all of them
    once, and one in a thousand."""
    frames, begun = kinds(), dl.total(senders(), "frames")
    before = None
    while True:
        for _ in range(len(stations) * 10):
            stations[0].send(next(frames))
            stations.append(stations.pop(0))
        sent, bad = dl.total(senders(), "frames"), sum(s.sent for s in stations)
        if sent == before:
            return sent - begun, bad
        before = sent
        time.sleep(0.05)


def lost_between():
    """By interfaces, of frames that generators sent."""
    ports = fabric.switch.document()["ports"] + [
        h.port() for h in fabric.hosts.values()]
    return {p["port"]: (p["lost_rx"], p["lost_tx"]) for p in ports
            if p["lost_rx"] or p["lost_tx"]}


def empty():
    return not any(dl.books(fabric.switch))


fabric = start()
daemons = dl.negotiate(fabric)
check("agreed end to end", dl.agreed(daemons, fabric, 3),
      [d.port("eth0" if n else "p1") for n, d in daemons.items()])
check("it flows", dl.flowing(fabric.hosts[3], 0, 3))
good, bad = torment([Station(fabric.nets[4], "eth0"),
                     Station(fabric.nets[1], "eth0"),
                     Station(fabric.nets[2], "eth0"),
                     Station(fabric.switch_net, "p3")])
print("  %d good, %d bad" % (good, bad), flush=True)
check("one in %d and more was malformed" % ONE_IN, bad * ONE_IN >= good,
      (bad, good))
check("queues run empty, and the books balance", lab.wait_for(empty),
      dl.books(fabric.switch))
rows = [r for r in fabric.hosts[3].document()["receivers"]
        if r["mac"] in (dl.mac(1), dl.mac(2))]
check("nothing lossless was lost", all(
    r["lost"] == 0 for r in rows if r["prio"] == 3), rows)
check("lossless: received is sent", dl.total(senders(3), "frames") ==
      sum(r["frames"] for r in rows if r["prio"] == 3), (senders(3), rows))
ports = fabric.switch.document()["ports"]
dropped = sum(sum(ports[n]["priorities"][0]["drops"].values())
              for n in (0, 1))
missing = (dl.total(senders(0), "frames") -
           sum(r["frames"] for r in rows if r["prio"] == 0))
check("lossy: what is missing was dropped and counted",
      0 <= dropped - missing <= bad and missing > 0,
      (missing, dropped, lost_between()))
check("lossless frames found room", all(
    p["priorities"][3]["drops"]["headroom"] == 0 for p in ports), ports)
check("malformed ones were counted", sum(
    p["rx_bad"] + p["rx_bad_pfc"] for p in ports) > 0 and
    fabric.hosts[3].document()["host"]["rx_damaged"] > 0, ports)
still = [d.port("eth0" if n else "p1")["pfc"]["oper"]["prio_pfc"]
         for n, d in daemons.items()]
check("agreed as before", all(p == lab.prios(3) for p in still), still)

dl.end(check)
lab.end(check)
