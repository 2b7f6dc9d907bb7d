#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""A receiver that never stops pausing: the switch's watchdog ends it.

One host sends to another, lossless as negotiated.  A pause that is shorter
than detect-ms is no storm.  One that is told anew all the time is: frames of
that priority are dropped and counted until it has been quiet for restore-ms,
dcbxd tells of both, other priorities notice nothing, and afterwards nothing
is lost again.  How long that takes is not looked at: on a busy machine a pause
may lapse, and then one storm becomes two.
"""
import struct

import datapath_lab as dl
import lab
import lives

lab.enter()
check = lab.Checks()
TO = "to=%s,kind=udp,size=1024,start=3s" % dl.mac(2)
PAUSE = (bytes.fromhex("0180c2000001020000000002880801010008") +
         struct.pack("!8H", 0, 0, 0, 65535, 0, 0, 0, 0)).ljust(60, b"\0")


def prio3():
    """Of the switch's port to the receiver."""
    return fabric.switch.port("p2")["priorities"][3]


def pausing(until):
    """Pause every 50 ms until that is so; a pause lasts 168 ms here."""
    def once():
        wire.send(PAUSE)
        return until()
    return lab.wait_for(once, every=0.05)


def told():
    """What dcbxd says of storms there."""
    return [(e["priority"], e["state"]) for e in events.kinds("storm")
            if e["port"] == "p2"]


def arrives(prio, frames=2000):
    """So many more frames of it do, pausing on."""
    begun = dl.by_prio(receiver).get((prio, "frames"), 0)
    return lambda: (dl.by_prio(receiver).get((prio, "frames"), 0) >
                    begun + frames)


fabric = dl.Fabric("200M", hosts=2)
fabric.start_switch()
receiver = fabric.start_host(2)
fabric.start_host(1, TO + ",prio=3,flows=2", TO + ",prio=0,rate=40M")
daemons = dl.negotiate(fabric, more="watchdog { detect-ms = 250 "
                       "restore-ms = 250 poll-ms = 50 }")
check("agreed end to end", dl.agreed(daemons, fabric, 3),
      [d.port("eth0" if n else "p1") for n, d in daemons.items()])
check("it flows", dl.flowing(receiver, 0, 3))
events = lives.Watch(daemons[0])
wire = lab.Wire(fabric.nets[2], "eth0")

# A pause
wire.send(PAUSE)
check("a pause is heard", lab.wait_for(lambda: prio3()["pfc_rx"]["xoff"] == 1))
check("it flows after a pause", dl.flowing(receiver, 0, 3))
check("which was no storm", prio3()["storms"] == 0 and told() == [] and
      prio3()["drops"]["watchdog"] == 0, prio3())
check("and cost nothing", dl.by_prio(receiver)[3, "lost"] == 0)

# Many
check("pauses without end are a storm",
      pausing(lambda: prio3()["stormed"]), prio3())
check("frames are dropped meanwhile",
      pausing(lambda: prio3()["drops"]["watchdog"] > 2000), prio3())
check("it is told of", pausing(lambda: told()[:1] == [(3, "on")]), told())
check("other priorities go on", pausing(arrives(0)),
      dl.by_prio(receiver))

# None any more
check("it is over with the pauses", lab.wait_for(
    lambda: not prio3()["stormed"]), prio3())
check("that is told, too", lab.wait_for(lambda: told()[-1:] == [(3, "over")]),
      told())
now = prio3()
check("each that began has ended", now["storms"] >= 1 and
      now["storms"] == now["storms_over"], now)
check("on and over take turns", [s for _, s in told()] ==
      ["on", "over"] * (len(told()) // 2), told())
check("dcbxd counts them as well", daemons[0].wait(
    lambda d: d["queues"]["priorities"][3]["storms"] == now["storms"] and
    d["queues"]["priorities"][3]["drops"]["watchdog"] ==
    now["drops"]["watchdog"], "p2"), (daemons[0].port("p2"), now))
# The sender was paused for as long: that may have been a storm there.
check("the sender sends again", lab.wait_for(lambda: not (
    fabric.hosts[1].port()["priorities"][3]["stormed"])))
check("it flows again", dl.flowing(receiver, 0, 3), prio3())
before = dl.by_prio(receiver)[3, "lost"], prio3()["drops"]
check("and goes on", dl.flowing(receiver, 3))
after = dl.by_prio(receiver)[3, "lost"], prio3()["drops"]
check("lossless as before", after == before and after[0] > 0, (before, after))

dl.end(check)
lab.end(check)
