#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""Under load: told anew a hundred times a second, killed, begun again, its
links pulled.

Two hosts send to a third through a switch, 2:1, lossless as negotiated.
Whoever is killed takes what was in its memory with it, and what arrives while
nobody is there is lost; everything else arrives, or was counted as dropped.
It forwards as it was told before from its first frame on: no frame of a
lossless priority finds a queue full.
Afterwards all is lossless again, with nobody's help.  A ring that is full
because its process had no CPU counts what it loses; such losses are allowed.
"""
import json
import os
import signal
import subprocess
import time

import datapath_lab as dl
import lab
import lives

lab.enter()
check = lab.Checks()
SECONDS = 10 if os.environ.get("DCBX_LONG") else 3
FLAPS = 20 if os.environ.get("DCBX_LONG") else 5
OFTEN = 100  # changes a second
EVERY = 0.01  # seconds between two turns of all ports
SIZE = 1024
TO = "to=%s,kind=udp,size=%d,prio=3,flows=2,start=3s" % (dl.mac(3), SIZE)


# What is seen of it

def lost():
    """By sequence number, of both senders."""
    return dl.total(dl.received(fabric.hosts[3], prio=3), "lost")


def frames():
    """What has arrived, by sender."""
    return [dl.total(dl.received(fabric.hosts[3], mac=dl.mac(n)), "frames")
            for n in (1, 2)]


def arriving():
    """Both senders' frames do, and whatever was queued has, with its gaps."""
    begun = frames()
    queued = fabric.switch.document()["held"] // SIZE + 2000
    return lab.wait_for(lambda: sum(frames()) > sum(begun) + queued and all(
        now > then for now, then in zip(frames(), begun)))


def lossless(what):
    """Agreed, and from then on nothing is lost."""
    check(what + ": agreed", dl.agreed(daemons, fabric, 3),
          [fabric.switch.port("p%d" % n)["config"] for n in fabric.nets])
    check(what + ": it flows", arriving())
    before = counts()
    check(what + ": it goes on", arriving())
    nothing_since(before, what)


def ports():
    return fabric.switch.document()["ports"]


def drops():
    """By all data paths, for a reason."""
    return sum(dl.drops(p, 3) for d in (fabric.switch, *fabric.hosts.values())
               for p in d.document()["ports"])


def tails():
    """Of the switch, as a priority was not known to be lossless."""
    return sum(p["priorities"][3]["drops"]["tail"] for p in ports())


def reasons():
    """Of all drops, and storms: what a failed check shows."""
    out = {}
    for d in (fabric.switch, *fabric.hosts.values()):
        for p in d.document()["ports"]:
            prio = p["priorities"][3]
            out[d.net.name.split("-")[1], p["port"]] = dict(
                {k: n for k, n in prio["drops"].items() if n},
                storms=prio["storms"], stormed=prio["stormed"])
    return out


def rings():
    """Frames that interfaces lost, before they were read and after, or that
    were read when the link was known to be down."""
    everybody = ports() + [h.port() for h in fabric.hosts.values()]
    return sum(p["lost_rx"] + p["lost_tx"] + p["rx_bad"] for p in everybody)


def foreign():
    """Frames that were flooded, as nobody knew where their host is."""
    return sum(h.document()["host"]["foreign"]
               for h in fabric.hosts.values())


def memory(port):
    """Frames that may be held of what came in at a port."""
    t = port["thresholds"][3]
    return (t["xoff"] + t["headroom"]) // SIZE


def arrived(net):
    """Frames that the kernel has received."""
    links = json.loads(subprocess.run(
        ["ip", "-n", net.name, "-j", "-s", "link", "show"],
        check=True, stdout=subprocess.PIPE).stdout)
    return sum(link["stats64"]["rx"]["packets"] for link in links)


def counts():
    """Lost by number, dropped, lost by rings."""
    return lost(), drops(), rings()


def nothing_since(before, what):
    """No frame was lost that no ring has counted, none was dropped."""
    now = counts()
    check(what + ": nothing is lost", now[1] == before[1] and
          now[0] - before[0] <= now[2] - before[2],
          (before, now, reasons()))


# What is done

def reconfigure(configs):
    """The switch's ports get other thresholds and shares, in turn."""
    n, end = 0, time.monotonic() + SECONDS
    while (now := time.monotonic()) < end:
        for name in configs:
            c = dict(configs[name], alpha=(256, 2048)[n % 2],
                     tc_bw=[40 + n % 20, 60 - n % 20] + [0] * 6)
            fabric.switch.configure(name, **c)
        changes.read()
        n += 1
        time.sleep(max(0, now + EVERY - time.monotonic()))


def told_anew():
    """So often; each that changes something is an event."""
    configs = {p["port"]: p["config"] for p in ports()}
    begun = len(changes.kinds("config"))
    reconfigure(configs)
    n = len(changes.kinds("config")) - begun
    for name, c in configs.items():
        fabric.switch.configure(name, **c)
    print("  %d changes" % n, flush=True)
    return [("told anew: often", n >= OFTEN * SECONDS, n)]


def begin_again(path, how):
    """A data path ends as it is told to and is started."""
    path.stop(how)
    path.start()


def switch_anew(what, how, wanted):
    """The switch; what is lost for it has a reason."""
    held, before = sum(memory(p) for p in ports()), lost()
    gone = arrived(fabric.switch_net)
    check(what + ": it ends", fabric.switch.stop(how) == wanted)
    fabric.switch.start()
    unseen = arrived(fabric.switch_net) - gone
    lossless(what)
    check(what + ": lossless from the first frame on", tails() == 0,
          reasons())
    missing, dropped = lost() - before, sum(dl.drops(p, 3) for p in ports())
    print("  %d lost: %d came meanwhile, %d were dropped" %
          (missing, unseen, dropped), flush=True)
    check(what + ": what is lost was in its memory, came meanwhile or was "
          "counted", missing <= held + unseen + dropped + rings(),
          (missing, held, unseen, dropped, rings()))


def switch_alone(what, how):
    """The switch while nobody can tell it anything, for longer than its memory
    would last if it let everything in."""
    daemons[0].stop(signal.SIGKILL)
    fabric.switch.stop(how)
    fabric.switch.start()
    enough = sum(frames()) + 2 * fabric.switch.document()["buffer"] // SIZE
    check(what + ": it flows", lab.wait_for(lambda: sum(frames()) > enough))
    check(what + ": it is as lossless as before", tails() == 0 and
          dl.pfc_sum(fabric.switch.port("p1"), "tx", "xoff") > 0, reasons())
    daemons[0].start(["p1", "p2", "p3"])
    lossless(what)


def daemon_anew(what, n, how):
    """A dcbxd; traffic does not notice."""
    before = counts()
    daemons[n].stop(how)
    check(what + ": traffic goes on without it", arriving())
    daemons[n].start(["eth0"] if n else ["p1", "p2", "p3"])
    lossless(what)
    nothing_since(before, what + " in all")


def flap(n):
    """Down and up, at the switch."""
    for state in ("down", "up"):
        fabric.switch_net.ip("link set p%d %s" % (n, state))
        check_up = state == "up"
        lab.wait_for(lambda: fabric.switch.port("p%d" % n)["up"] == check_up)


fabric = dl.Fabric("100M")
fabric.start_switch()
for n in (3, 1, 2):
    fabric.start_host(n, *[TO] * (n != 3))
sender = fabric.hosts[1]
# An XOFF of somebody who was killed lasts 335 ms here: no storm.
daemons = dl.negotiate(fabric, more="watchdog { enable = no }")
lossless("at first")

before = counts()
changes = lives.Watch(fabric.switch, "datapath.")
dl.attempts(check, told_anew)
lossless("told anew")
nothing_since(before, "told anew in all")

daemon_anew("dcbxd restarted", 0, signal.SIGUSR1)
daemon_anew("dcbxd killed", 0, signal.SIGKILL)
daemon_anew("a host's dcbxd killed", 1, signal.SIGKILL)

switch_anew("switch restarted", signal.SIGTERM, 0)
switch_anew("switch killed", signal.SIGKILL, -signal.SIGKILL)
switch_alone("switch restarted without dcbxd", signal.SIGTERM)
switch_alone("switch killed without dcbxd", signal.SIGKILL)

del fabric.hosts[1]  # whose counters begin anew
before = counts()
fabric.hosts[1] = sender
begin_again(sender, signal.SIGKILL)
lossless("sender killed")
nothing_since(before, "sender killed in all")
gone = arrived(fabric.nets[3])
begin_again(fabric.hosts[3], signal.SIGKILL)
unseen = arrived(fabric.nets[3]) - gone
lossless("receiver killed")
check("receiver killed: what is lost came when it was not ready",
      lost() <= unseen, (lost(), unseen))

before = *counts(), foreign()
for i in range(FLAPS):
    flap(1 + i % 3)
lossless("links pulled")
missing, dropped, interfaces, elsewhere = (
    now - then for now, then in zip((*counts(), foreign()), before))
print("  %d lost: %d were dropped, %d by interfaces, %d went elsewhere" %
      (missing, dropped, interfaces, elsewhere), flush=True)
check("links pulled: it was counted", dropped > 0, (missing, dropped))
check("links pulled: what is lost was counted",
      missing <= dropped + interfaces + elsewhere,
      (missing, dropped, interfaces, elsewhere))

for n in (1, 2):
    check("sender %d leaves cleanly" % n, fabric.hosts[n].stop() == 0)
check("queues run empty, and the books balance",
      lab.wait_for(lambda: not any(dl.books(fabric.switch))),
      dl.books(fabric.switch))

dl.Datapath.started = [fabric.switch, fabric.hosts[3]]
dl.end(check)
lab.end(check)
