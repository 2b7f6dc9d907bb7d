#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""Three hosts at a switch, negotiated end to end: nothing lossless is lost.

Two hosts send to the third as fast as their links allow; all links are
emulated at the same rate.  With PFC none of it is lost, the bottleneck is full
and other priorities keep their share, over AF_PACKET as well; without, more
than 1 % is lost.  10 s a phase; 60 with DCBX_LONG=1.  A queue pair has the
same priority in every phase, as what the receiver counts is kept by queue
pair.
"""
import os
import struct
import time

import datapath_lab as dl
import lab

lab.enter()
check = lab.Checks()
SECONDS = 60 if os.environ.get("DCBX_LONG") else 10
BRIEF = 60 if os.environ.get("DCBX_LONG") else 4
RATE = 200e6
TO = "to=%s,kind=udp,size=1024,start=3s" % dl.mac(3)
PAUSE = (bytes.fromhex("0180c2000001020000000003880801010008") +
         struct.pack("!8H", 0, 0, 0, 65535, 0, 0, 0, 0)).ljust(60, b"\0")


def senders(fabric, *generators):
    """Hosts 1 and 2 anew, with these."""
    for n in (1, 2):
        old = fabric.hosts.get(n)
        if old:
            check("host %d left cleanly" % n, old.stop() == 0, old.text())
            old.words = [w for w in old.words if "=gen," not in w] + [
                "--port=gen," + g for g in generators]
            old.start()
        else:
            fabric.start_host(n, *generators)


def by_prio():
    return dl.by_prio(fabric.hosts[3])


def lost():
    return by_prio().get((3, "lost"), 0)


def flowing(*prios):
    return dl.flowing(fabric.hosts[3], *prios)


fabric = dl.Fabric("200M")
fabric.start_switch()
fabric.start_host(3)
senders(fabric)
daemons = dl.negotiate(fabric)
check("agreed end to end", dl.agreed(daemons, fabric, 3),
      [d.port("eth0" if n else "p1") for n, d in daemons.items()])

def incast(seconds=SECONDS):
    """2:1, and nothing else."""
    senders(fabric, TO + ",prio=3,flows=2")
    agreed, before = dl.agreed(daemons, fabric, 3), lost()
    flows = flowing(3)
    ports = {n: fabric.switch.port("p%d" % n) for n in (1, 2, 3)}
    dropped = sum(dl.drops(p, 3) for p in ports.values())
    got, took = dl.over(seconds, by_prio)
    share = got[3, "octets"] * 8 / took / RATE
    ports = {n: fabric.switch.port("p%d" % n) for n in (1, 2, 3)}
    return [
        ("incast: again after a restart", agreed, ports),
        ("incast: it flows", flows, ports),
        ("incast: nothing was lost", lost() == before, by_prio()),
        ("incast: the bottleneck is full", share >= 0.95, share),
        ("incast: it took pauses", all(dl.pfc_sum(ports[n], "tx", "xoff") > 0
                                       for n in (1, 2)), ports),
        ("incast: no drops", sum(dl.drops(p, 3) for p in ports.values()) ==
         dropped, ports)]


def mix():
    """With others beside it."""
    senders(fabric, TO + ",prio=3,flows=2", TO + ",prio=0")
    agreed, before = dl.agreed(daemons, fabric, 3), lost()
    flows = flowing(0, 3)
    got, took = dl.over(SECONDS, by_prio)
    carried = got[0, "octets"] + got[3, "octets"]
    return [
        ("mix: agreed", agreed, got),
        ("mix: it flows", flows, got),
        ("mix: nothing lossless was lost", lost() == before, by_prio()),
        ("mix: the lossy priority has 95 % of its share",
         got[0, "octets"] * 8 / took >= 0.95 * RATE / 2, (got, took)),
        ("mix: ETS within 2 %", carried and
         abs(got[3, "octets"] / carried - 0.5) <= 0.02, got)]


def pause(seconds):
    """Priority 3, for that long."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        wire.send(PAUSE)
        time.sleep(0.05)


def paused():
    """One priority, by the receiver; the other is not."""
    start, flows = lost(), flowing(0, 3)
    got, took = dl.over(3, by_prio)
    before = got[0, "octets"] / took
    pause(1)  # until its queue is what it is told
    first, begin = by_prio(), time.monotonic()
    pause(3)
    last, took = by_prio(), time.monotonic() - begin
    during = (last[0, "octets"] - first[0, "octets"]) / took
    return [
        ("paused: it flows before", flows, first),
        ("paused: priority 3 is quiet",
         last[3, "frames"] == first[3, "frames"], (first, last)),
        ("paused: priority 0 goes on as before",
         abs(during / before - 1) <= 0.05, (before, during)),
        ("paused: nothing was lost", last[3, "lost"] == start, last)]


dl.attempts(check, incast)
dl.attempts(check, mix)

# A pause of one priority
senders(fabric, TO + ",prio=3,flows=2", TO + ",prio=0,rate=40M")
wire = lab.Wire(fabric.nets[3], "eth0")
check("agreed for the pause", dl.agreed(daemons, fabric, 3))
dl.attempts(check, paused)

# Without PFC and ECN
dl.negotiate(fabric, prios="", ecn="no", daemons=daemons)
check("agreed on nothing", dl.agreed(daemons, fabric))
senders(fabric, TO + ",prio=3,flows=2")
check("agreed on nothing once more", dl.agreed(daemons, fabric))
check("it flows without", flowing(3))
got, _ = dl.over(5, by_prio)
check("without PFC and ECN more than 1 % is lost", got[3, "lost"] >
      0.01 * (got[3, "lost"] + got[3, "frames"]), got)

# With both, over AF_PACKET
for path in fabric.switch, *fabric.hosts.values():
    check("%s left cleanly" % path.net.name, path.stop() == 0, path.text())
    path.words = [w.replace("io=auto", "io=af_packet") for w in path.words]
    path.start()
wires = [*fabric.switch.document()["ports"],
         *[h.port() for h in fabric.hosts.values()]]
check("AF_PACKET everywhere", all(p["io"] == "af_packet" for p in wires),
      wires)
dl.negotiate(fabric, daemons=daemons)
check("agreed over AF_PACKET", dl.agreed(daemons, fabric, 3))
dl.attempts(check, lambda: [("AF_PACKET: " + what, good, detail)
                            for what, good, detail in incast(BRIEF)])

dl.end(check)
lab.end(check)
