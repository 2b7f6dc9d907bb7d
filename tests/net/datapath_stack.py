#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""What a host's stack sends through the TAP of a host role, losslessly.

A socket that sends without a break overruns the TAP's ring, and is not told.
With a longer ring, and tbf in front of it at a little less than the uplink
gives, it is the socket that waits, and nothing is lost anywhere, though the
network pauses meanwhile: dcbx-datapath(8) gives that as a recipe.
"""
import json
import os
import socket
import struct
import subprocess

import datapath_lab as dl
import lab

lab.enter()
check = lab.Checks()
RATE = "100M"
SHAPE = "qdisc replace dev dp0 root tbf rate 90mbit burst 128k latency 50ms"
RING = 10000
FRAMES = 2 * RING
PAUSE = (bytes.fromhex("0180c2000001020000000002880801010001") +
         struct.pack("!8H", 65535, *[0] * 7)).ljust(60, b"\0")
if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
    check.skip("stack", "no /dev/net/tun here")
    check.done()


def tc(*words):
    return subprocess.run(["tc", "-n", A.name, *words],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)


def ring_lost():
    return host.document()["host"]["tap_rx_lost"]


def shaper_lost():
    return json.loads(tc("-s", "-j", "qdisc", "show", "dev",
                         "dp0").stdout)[0]["drops"]


def sent():
    return sum(p["tx_frames"] for p in host.port()["priorities"])


def blast(frames):
    """As fast as the socket takes them; a pause of 335 ms in between."""
    for i in range(frames):
        if i == frames // 2:
            wire.send(PAUSE)
        out.sendto(bytes(1000), ("198.18.0.2", 9))


def overrun():
    """True as soon as the ring has lost some; all others are sent."""
    begun = sent() + ring_lost()
    blast(FRAMES)
    return lab.wait_for(lambda: sent() + ring_lost() >= begun + FRAMES) and \
        ring_lost() > 0


def shaped():
    """The recipe."""
    before = ring_lost(), shaper_lost(), dl.drops(host.port(), 0)
    begun = sent()
    blast(FRAMES)
    arrived = lab.wait_for(lambda: sent() >= begun + FRAMES)
    after = ring_lost(), shaper_lost(), dl.drops(host.port(), 0)
    return [("shaped: nothing is lost", after == before, (before, after)),
            ("shaped: all of it is sent", arrived, sent() - begun)]


A, B = lab.Net("a"), lab.Net("b")
lab.veth(A, "eth0", B, "eth0")
host = dl.Datapath(A, "host", "eth0,rate=" + RATE, "dp0,io=tap")
host.configure("eth0", prio_pfc=lab.prios(0))
A.ip("link set dp0 up")
A.ip("addr add 198.18.0.1/24 dev dp0")
A.ip("neigh add 198.18.0.2 lladdr %s dev dp0" % dl.mac(2))
wire = lab.Wire(B, "eth0")
with A.inside():
    out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
check("a socket alone overruns the ring", lab.wait_for(overrun))
A.ip("link set dev dp0 txqueuelen %d" % RING)
if (said := tc(*SHAPE.split())).returncode == 0:
    dl.attempts(check, shaped)
    check("it was paused", host.port()["priorities"][0]["pfc_rx"]["xoff"] > 1,
          host.port())
else:
    check.skip("shaped", said.stdout.strip())
dl.end(check)
check.done()
