#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""io = pcap: tagged frames through a real socket.

V2 of the vectors is a switch's frame with the tag of VLAN 9.  A port with
native-vid 9 takes it; any other drops and counts it, whichever way it hears.
"""
import glob
import os

import lab

lab.enter()
check = lab.Checks()
A, B = lab.Net("a"), lab.Net("b")
CASES = (("eth0", "", False), ("eth1", "io = pcap", False),
         ("eth2", "io = pcap native-vid = 9", True),
         ("eth3", "io = pcap native-vid = 10", False))
for name, _, _ in CASES:
    lab.veth(A, name, B, name)
a = lab.Daemon(A, "pcap", "".join(
    lab.config("3", port=name, more=more) for name, more, _ in CASES),
    [name for name, _, _ in CASES])
path, = glob.glob(os.path.join(lab.SRC, "tests/vectors/V2-*.hex"))
with open(path) as f:
    tagged = bytes.fromhex(f.read())
assert tagged[12:14] == b"\x81\x00" and tagged[15] == 9
untagged = tagged[:12] + tagged[16:]
priority = tagged[:14] + b"\xe0\x00" + tagged[16:]
double = tagged[:12] + b"\x81\x00\x00\x09" + tagged[12:]


def rx(name):
    return a.port(name)["lldp"]["rx_frames"]


def dropped(name):
    return a.port(name)["lldp"]["rx_tagged"]


for name, more, takes in CASES:
    wire = lab.Wire(B, name)
    what = more or "the default"
    lab.wait_for(lambda: a.port(name)["link"] == "up")
    before, counted = rx(name), dropped(name)
    wire.send(tagged)
    check("%s %s VID 9" % (what, "takes" if takes else "drops"),
          lab.wait_for(lambda: (rx(name), dropped(name)) ==
                       ((before + 1, counted) if takes else
                        (before, counted + 1))), a.port(name)["lldp"])
    before = rx(name)
    wire.send(untagged)
    wire.send(priority)
    check("%s takes no tag and VID 0" % what, lab.wait_for(
        lambda: rx(name) == before + 2), a.port(name)["lldp"])
    wire.send(double)
    wire.send(tagged[:12] + b"\x81\x00\x00\x09\x08\x00" + b"\0" * 60)
    wire.send(untagged[:5] + b"\x03" + untagged[6:])
    wire.send(untagged)
    check("%s: a double tag is no frame for us" % what, lab.wait_for(
        lambda: rx(name) == before + 3), a.port(name)["lldp"])
    frames = a.client.call("Record", port=name)["parameters"]["frames"]
    check("%s: its own frames do not come back" % what, not any(
        f["direction"] == "in" and f["hex"][12:24] ==
        a.port(name)["mac"].replace(":", "") for f in frames), frames)
    if takes:
        check("the recorder has the tag", any(
            f["hex"] == tagged.hex() for f in frames), frames)
    check("%s sends" % what, wire.frame() is not None)

# A flood mutes that socket, and is told as one of the shared one is; what of
# it waits in the socket may be a flood once more.
wire = lab.Wire(B, "eth1")


def frames():
    return a.client.call("GetCounters", port="eth1")["parameters"]["ports"][
        0]["frames"]


def flood():
    for _ in range(4000):
        wire.send(untagged)
    return frames()["floods"] == 1


check("a flood is muted", lab.wait_for(flood), frames())
before = rx("eth1")
check("and ends", lab.wait_for(lambda: not frames()["muted"]), frames())


def heard():
    wire.send(untagged)
    return rx("eth1") > before and not frames()["muted"]


check("the port is heard again", lab.wait_for(heard, every=0.1), frames())
check("it was told", a.text().count("flood: muted yes") ==
      a.text().count("flood: muted no") == frames()["floods"], a.text())

# By a reload the way changes; the port hears on.
with open(a.config, "w") as f:
    f.write("".join(lab.config("3", port=name, more=dict(
        eth0="io = pcap native-vid = 9").get(name, ""))
        for name, _, _ in CASES))
check("reload", a.client.call("Reload")["parameters"]["errors"] == 0)
for name, takes in (("eth0", True), ("eth2", False)):
    wire = lab.Wire(B, name)
    before = rx(name)
    wire.send(tagged)
    wire.send(untagged)
    check("after a reload %s %s VID 9" % (name, "takes" if takes else
                                          "drops"),
          lab.wait_for(lambda: rx(name) == before + 1 + takes),
          a.port(name)["lldp"])
lab.end(check)
