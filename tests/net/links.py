#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""Interfaces that come, go, flap and change under a running dcbxd.

B061: each member of a bond is a port of its own.  B063: a bridge port hears
LLDP without promiscuous mode.  B065: a port that appears or is renamed.
"""
import lab

lab.enter()
check = lab.Checks()
A, B = lab.Net("a"), lab.Net("b")
LEAD, FOLLOW = lab.config("3", "no", port="*"), lab.config("4", port="*")


def agreed(one, two, a="eth0", b="eth0"):
    """Has `two` taken what `one` leads with, and does `one` know?"""
    return one.wait_states(a, pfc="to-peer", ets="to-peer") and \
        two.wait_states(b, pfc="from-peer", ets="from-peer")


lab.veth(A, "eth0", B, "eth0", "02:00:00:00:00:0a", "02:00:00:00:00:0b")
a, b = lab.Daemon(A, "lead", LEAD), lab.Daemon(B, "follow", FOLLOW)
check("two ends agree", agreed(a, b), (a.port(), b.port()))

# Flap
for i in range(3):
    A.ip("link set eth0 down")
    check("flap %d: the link is down at both ends" % i,
          b.wait(lambda d: d["state"] == "link-down") and
          a.wait(lambda d: d["state"] == "disabled"), (a.port(), b.port()))
    A.ip("link set eth0 up")
    check("flap %d: agreed again" % i, agreed(a, b), b.port())

# Rename while up: the same neighbour, nothing negotiated anew
before = b.port()
if A.ip("link set eth0 name lan0", check=False):
    check("rename while up: the port has its new name",
          a.wait(lambda d: d["port"] == "lan0", "lan0") and
          not a.port("eth0"), a.port("lan0"))
    check("rename while up: the same neighbour, no new one",
          a.port("lan0")["peers"][0]["mac"] == "02:00:00:00:00:0b" and
          a.port("lan0")["pfc"]["state"] == "to-peer", a.port("lan0"))
    check("rename while up: the peer saw nothing",
          b.port()["lldp"]["inserts"] == before["lldp"]["inserts"] and
          b.port()["lldp"]["deletes"] == before["lldp"]["deletes"], b.port())
else:
    check.skip("rename while up", "this kernel renames only what is down")
    A.ip("link set eth0 down")
    A.ip("link set eth0 name lan0")
    A.ip("link set lan0 up")

# Rename while down: the Port ID is the new name when it is up again
A.ip("link set lan0 down")
A.ip("link set lan0 name wan0")
A.ip("link set wan0 up")
check("rename while down: agreed under the new name",
      agreed(a, b, a="wan0"), a.port("wan0"))
check("rename while down: the peer knows the new name",
      b.wait(lambda d: [p["port_id"] for p in d["peers"]] == ["wan0"]),
      b.port())

# A new MAC address: goodbye under the old one, then a new neighbour
wire = lab.Wire(B, "eth0")
A.ip("link set wan0 address 02:00:00:00:00:1a")
bye = wire.find(lambda f: lab.ttl(f) == 0)
check("new MAC: TTL 0 under the old one",
      bye and bye[6:12].hex(":") == "02:00:00:00:00:0a", bye)
new = wire.find(lambda f: lab.ttl(f) > 0)
check("new MAC: then frames under the new one",
      new and new[6:12].hex(":") == "02:00:00:00:00:1a", new)
check("new MAC: the peer knows the new one alone", b.wait(
    lambda d: [p["mac"] for p in d["peers"]] == ["02:00:00:00:00:1a"]) and
    agreed(a, b, a="wan0"), b.port())
wire.close()

# Removed, and added with the same name
A.ip("link del wan0")
check("removed: both daemons forget it", lab.wait_for(
    lambda: not a.port("wan0") and not b.port("eth0")), a.port("wan0"))
lab.veth(A, "wan0", B, "eth0")
check("added again: agreed", agreed(a, b, a="wan0"), a.port("wan0"))
doc = b.port()
check("added again: nothing is left of the old one",
      len(doc["peers"]) == 1 and doc["lldp"]["inserts"] == 1, doc)

# A port that comes after the start; one that only one end has is harmless
lab.veth(A, "late0", B, "late0")
check("added after start: agreed", agreed(a, b, "late0", "late0"),
      a.port("late0"))
A.ip("link add dummy0 type dummy", check=False)
check("added after start: the first port is untouched",
      a.port("wan0")["pfc"]["state"] == "to-peer", a.port("wan0"))

# B063
check("B063 not promiscuous", B.show("eth0")["promiscuity"] == 0,
      B.show("eth0"))
if B.ip("link add br0 type bridge", check=False):
    B.ip("link set br0 up")
    B.ip("link set eth0 master br0")
    promiscuity = B.show("eth0")["promiscuity"]
    A.ip("link set wan0 down")
    b.wait(lambda d: d["link"] != "up")
    A.ip("link set wan0 up")
    check("B063 in a bridge: agreed", agreed(a, b, a="wan0"), b.port())
    check("B063 in a bridge: promiscuity is the bridge's alone",
          B.show("eth0")["promiscuity"] == promiscuity, B.show("eth0"))
    check("B063 the bridge is no port", not b.port("br0"), b.port("br0"))
    c = lab.Daemon(B, "inside", FOLLOW.replace('"*"', '"none0"'))
    check("B063 a daemon started on a bridge port hears", c.wait(
        lambda d: d["peers"][0]["dcbx"]), c.port())
    B.ip("link set eth0 nomaster")
    check("B063 out of the bridge: not promiscuous",
          B.show("eth0")["promiscuity"] == 0, B.show("eth0"))
else:
    check.skip("B063 in a bridge", "this kernel has no bridges")

# B061
if B.ip("link add bond0 type bond mode active-backup", check=False):
    lab.veth(A, "m0", B, "m0", up=False)
    lab.veth(A, "m1", B, "m1", up=False)
    for m in ("m0", "m1"):
        B.ip("link set %s master bond0" % m)
        B.ip("link set %s up" % m)
        A.ip("link set %s up" % m)
    B.ip("link set bond0 up")
    check("B061 each member of a bond negotiates", all(
        agreed(a, b, m, m) and len(b.port(m)["peers"]) == 1 and
        b.port(m)["peers"][0]["port_id"] == m for m in ("m0", "m1")),
        b.port("m0"))
    check("B061 the bond is no port", not b.port("bond0"), b.port("bond0"))
else:
    check.skip("B061 members of a bond", "this kernel has no bonding")
lab.end(check)
