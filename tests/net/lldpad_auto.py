#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""dcbxd and lldpad 1.1.1, both choosing the dialect: it is IEEE in the end.

Started in either order, and each of them stopped and started again, by itself
or killed.  lldpad forced to CEE or CIN, with us choosing, is a case of
lldpad_cee.py and lldpad_cin.py.
"""
import signal

import lab
import lldpad_lib
from lldpad_lib import OURS, THEIRS, Case

lldpad_lib.enter("lldpad_auto")
check = lab.Checks()
CASES = {"we": Case(True, False), "they": Case(False, True),
         "both": Case(True, True)}
WANT = {"we": THEIRS, "they": OURS, "both": THEIRS}


def view_of(bed):
    def ours(port):
        shown = bed.shown(port)
        return shown["dialect"], shown["prio"]

    def theirs(port):
        return (bed.lldpad.tlv(port, "IEEE 8021QAZ PFC").get("PFC enabled"),
                bed.lldpad.tlv(port, "IEEE 8021QAZ PFC", True).get(
                    "PFC enabled"), bed.lldpad.in_device(port, "SDCBX", None))

    def view(port):
        prio = WANT[port]
        return [("dcbxd", lambda: ours(port), ("ieee", [prio])),
                ("lldpad", lambda: theirs(port),
                 (str(prio), str(prio), "0x09"))]
    return view


BEDS = [lldpad_lib.Bed(name, CASES, "auto", check)
        for name in ("they-first", "we-first")]
BEDS[0].start_lldpad()
BEDS[1].start_dcbxd()
lab.wait_for(lambda: all(BEDS[0].lldpad.frames(port)[0] > 1 and
                         BEDS[1].dcbxd.port(port)["lldp"]["tx_frames"] > 1
                         for port in CASES))
BEDS[0].start_dcbxd()
BEDS[1].start_lldpad()


def settle(when):
    for bed in BEDS:
        bed.settle(view_of(bed), bed.name + " " + when)


settle("first")
for how in signal.SIGTERM, signal.SIGUSR1, signal.SIGKILL:
    for bed in BEDS:
        bed.dcbxd.again(how, list(CASES))
    settle("dcbxd after " + how.name)
for how in signal.SIGTERM, signal.SIGKILL:
    for bed in BEDS:
        bed.lldpad_again(how)
    settle("lldpad after " + how.name)
# Both at once
for bed in BEDS:
    bed.dcbxd.stop(signal.SIGKILL)
    bed.lldpad.stop(signal.SIGKILL)
    bed.lldpad.start()
    bed.dcbxd.again(None, list(CASES))
settle("both killed")
for bed in BEDS:
    for port in CASES:
        check("%s: never another dialect, %s" % (bed.name, port),
              bed.dcbxd.port(port)["dialect"]["changes"] == 0 and
              not bed.lldpad.wrote(port, "SDCBX 0x05"))
    bed.lldpad.stop()
lab.end(check)
