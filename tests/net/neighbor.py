#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""dcbxd with lldpd (Debian's) at the other end of the cable, then beside us.

lldpd speaks LLDP and no DCBX: each must see the other, dcbxd must say that
nobody there speaks DCBX, and lldpd is a witness that our frames are well
formed.  Beside a dcbxd it is a second speaker on one cable: its peer hears two
MSAPs, of which one has DCBX, and tolerates that unless it is to be strict.
"""
import contextlib
import json
import os
import shutil
import subprocess

import lab

lldpd = shutil.which("lldpd", path="/usr/sbin:/usr/bin")
if lldpd is None:
    print("skip neighbor: no lldpd here (apt-get install lldpd)")
    raise SystemExit(77)
if os.geteuid() != 0:
    print("skip neighbor: lldpd gives up root, which only root can")
    raise SystemExit(77)
lab.enter()
check = lab.Checks()
A, B = lab.Net("a"), lab.Net("b")
lab.veth(A, "eth0", B, "eth0", "02:00:00:00:00:0a", "02:00:00:00:00:0b")
a = lab.Daemon(A, "dcbxd", lab.config("3"))
# lldpd gives up root for _lldpd and a chroot; both are on /run, ours here.
os.makedirs("/run/lldpd", exist_ok=True)


def start_lldpd(net):
    return net.run(lldpd, "-d", "-u", "/run/lldpd.socket", "-C", "eth0", "-I",
                   "eth0", stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def lldpcli(*words):
    p = subprocess.run(["lldpcli", "-u", "/run/lldpd.socket", "-f", "json0",
                        *words], stdout=subprocess.PIPE,
                       stderr=subprocess.DEVNULL, text=True)
    with contextlib.suppress(ValueError):
        return json.loads(p.stdout)
    return {}


def seen():
    """What lldpd knows of us: one interface, or nothing."""
    with contextlib.suppress(KeyError, IndexError, TypeError):
        return lldpcli("show", "neighbors")["lldp"][0]["interface"][0]


neighbor = start_lldpd(B)
check("dcbxd sees lldpd", a.wait(
    lambda d: [p["mac"] for p in d["peers"]] == ["02:00:00:00:00:0b"]),
    (a.port(), neighbor.poll()))
check("dcbxd says that nobody speaks DCBX", a.wait(
    lambda d: d["pfc"]["state"] == "no-peer" and
    d["pfc"]["reason"]["code"] == "no-dcbx" and not d["peers"][0]["dcbx"]),
    a.port())
check("lldpd sees dcbxd", lab.wait_for(seen, every=0.1), lldpcli("show",
                                                                "neighbors"))
us = json.dumps(seen())
check("lldpd reads our chassis, port and TTL", "02:00:00:00:00:0a" in us and
      "eth0" in us and "121" in us, us)
counts = lldpcli("show", "statistics")
one = counts["lldp"][0]["interface"][0]
check("lldpd discards none of our frames",
      int(one["rx"][0]["rx"]) > 0 and
      int(one["rx_discarded_cnt"][0]["rx_discarded_cnt"]) == 0, one)
ours = a.port()["lldp"]
check("dcbxd counts no error", ours["rx_frames"] > 0 and not any(
    ours[count] for count in ("rx_discarded", "rx_errors", "tlvs_discarded",
                              "dup_tlv", "too_many_neighbors")), ours)
neighbor.terminate()
check("dcbxd sees lldpd leave", a.wait(lambda d: d["peers"] == []), a.port())
neighbor.wait(lab.LIMIT)

# Beside us: C has a dcbxd that leads and an lldpd, D a dcbxd that follows.
C, D = lab.Net("c"), lab.Net("d")
lab.veth(C, "eth0", D, "eth0", "02:00:00:00:00:0c", "02:00:00:00:00:0d")
c = lab.Daemon(C, "beside", lab.config("3", "no"))
d = lab.Daemon(D, "peer", lab.config("4"))
check("beside: one speaker is followed", d.wait_states(pfc="from-peer"),
      d.port())
beside = start_lldpd(C)


def two(doc):
    """A neighbour with DCBX, and one without."""
    return sorted(p["dcbx"] for p in doc["peers"]) == [False, True]


check("beside: the peer hears two", d.wait(two), d.port())
check("beside: and tolerates it", d.wait(
    lambda doc: two(doc) and doc["pfc"]["state"] == "from-peer" and
    doc["pfc"]["oper"]["prio_pfc"] == lab.prios(3)), d.port())
check("beside: who shares the port hears neither", c.port()["peers"] and all(
    p["mac"] == "02:00:00:00:00:0d" for p in c.port()["peers"]), c.port())


def reload(text):
    with open(d.config, "w") as f:
        f.write(text)
    d.client.call("Reload")


reload(lab.config("4", more="multi-peer = strict"))
check("beside: not if it is strict", d.wait(
    lambda doc: doc["state"] == "multi-peer" and
    doc["pfc"]["state"] == "multi-peer" and
    doc["pfc"]["reason"]["code"] == "two-speakers" and
    doc["pfc"]["oper"]["prio_pfc"] == lab.prios(4)), d.port())
beside.terminate()
beside.wait(lab.LIMIT)
check("beside: until one leaves", d.wait(
    lambda doc: len(doc["peers"]) == 1 and doc["pfc"]["state"] ==
    "from-peer" and doc["pfc"]["oper"]["prio_pfc"] == lab.prios(3)), d.port())
lab.end(check)
