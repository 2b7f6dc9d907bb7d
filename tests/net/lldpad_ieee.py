#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""dcbxd and lldpad 1.1.1, in IEEE, each end willing or not.

Both willing: lldpad's higher MAC address keeps its own, ours is the lower
that does; whichever end has which, both end with one PFC (wire.md C2).  Of
ETS each then takes what the other recommends.  Nobody willing: each keeps its
own, and dcbxd says so.
"""
import lab
import lldpad_lib

lldpad_lib.enter("lldpad_ieee")
check = lab.Checks()
Case, OURS, THEIRS = lldpad_lib.Case, lldpad_lib.OURS, lldpad_lib.THEIRS
BW = {OURS: 50, THEIRS: 40}
CASES = {"we": Case(True, False), "they": Case(False, True),
         "low": Case(True, True), "high": Case(True, True, higher=True),
         "none": Case(False, False), "alike": Case(False, False, alike=True)}
# Our states of PFC and ETS; then whose PFC, and whose ETS, each end runs.
WANT = {"we": ("from-peer", "from-peer", THEIRS, THEIRS, THEIRS, THEIRS),
        "they": ("to-peer", "to-peer", OURS, OURS, OURS, OURS),
        "low": ("from-peer", "from-peer", THEIRS, THEIRS, THEIRS, OURS),
        "high": ("from-peer", "from-peer", OURS, THEIRS, OURS, OURS),
        "none": ("mismatch", "mismatch", OURS, OURS, THEIRS, THEIRS),
        "alike": ("ok", "ok", OURS, OURS, OURS, OURS)}
bed = lldpad_lib.Bed("ieee", CASES, "ieee", check)


def ours(port):
    shown = bed.shown(port)
    return [shown[word] for word in ("pfc", "ets", "prio", "bw", "in force",
                                     "dialect")]


def theirs(port, neighbor=False):
    """PFC and bandwidth, as lldptool has them."""
    pfc = bed.lldpad.tlv(port, "IEEE 8021QAZ PFC", neighbor)
    ets = bed.lldpad.tlv(port, "IEEE 8021QAZ ETS Configuration", neighbor)
    return (pfc.get("PFC enabled"),
            ets.get("TC Bandwidth", "").partition("%")[0])


def device(port):
    """What lldpad programmed: PFC, bandwidth and our FCoE, which it takes
    without being willing."""
    bw = bed.lldpad.in_device(port, "IEEE_SET ETS", "bw")
    return (bed.lldpad.in_device(port, "IEEE_SET PFC", "en"),
            bw and int(bw[:2], 16),
            bed.lldpad.in_device(port, "SDCBX", None))


def view(port):
    pfc, ets, prio, bw, their_prio, their_bw = WANT[port]
    return [
        ("dcbxd", lambda: ours(port),
         [pfc, ets, [prio], BW[bw], [prio], "ieee"]),
        ("lldpad", lambda: theirs(port), (str(their_prio),
                                          str(BW[their_bw]))),
        ("what lldpad hears", lambda: theirs(port, True),
         (str(prio), str(BW[bw]))),
        ("lldpad's device", lambda: device(port),
         ("0x%02x" % (1 << their_prio), BW[their_bw], "0x09")),
    ]


def alone(port):
    prio = OURS if CASES[port].alike else THEIRS
    return [("lldpad's device", lambda: device(port),
             ("0x%02x" % (1 << prio), BW[prio], "0x09"))]


def apps(port):
    return [(e["selector"], e["protocol"], e["priority"])
            for e in bed.dcbxd.port(port)["app"]["oper"]]


bed.start_dcbxd()
bed.start_lldpad()
bed.settle(view, "first")
for port in CASES:
    want = [("ethtype", 0x8906, OURS)]
    if CASES[port].ours:
        want.append(("dgram-port", 4791, THEIRS))
    check("%s: APP in force at dcbxd" % port, sorted(apps(port)) ==
          sorted(want), apps(port))
    check("%s: lldpad took our FCoE" % port, bed.lldpad.wrote(
        port, "IEEE_SET APP sel=1 proto=%d prio=%d" % (0x8906, OURS)),
        bed.lldpad.wrote(port))
before, after = bed.calm("agreed")
check("lldpad writes what it has anew, so that the log counts", all(
    after[port][2] > before[port][2] for port in CASES), (before, after))
bed.lives(view, alone)
bed.end()
