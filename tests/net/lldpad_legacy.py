# SPDX-License-Identifier: ISC
"""dcbxd and lldpad 1.1.1 in a dialect before IEEE; see lldpad_cee.py.

Who is alone in being willing follows; who is as willing as the other compares
(wire.md D10): alike is well, and PFC and APP that differ are an Error at both
ends, with PFC off.  Groups that differ are none in CEE, and one in CIN.  There
lldpad takes every priority for a group of its own, whatever we say, and so
refuses shares of a group, which PFC and APP survive.
"""
import lab
import lldpad_lib
from lldpad_lib import OURS, THEIRS, Case

BW = {OURS: 50, THEIRS: 40}
EQUAL = 13  # percent of the first of eight: lldpad, with no groups in operation
CASES = {"we": Case(True, False), "they": Case(False, True),
         "both": Case(True, True), "none": Case(False, False),
         "alike": Case(True, True, alike=True),
         "stiff": Case(False, False, alike=True),
         "auto": Case(True, False, dialect="auto"),
         "shared": Case(False, True, shared=True)}
# Our state of PFC; whose PFC is in force at both ends, None: nobody's, for it
# is in Error.
WANT = {"we": ("from-peer", THEIRS), "they": ("to-peer", OURS),
        "both": ("mismatch", None), "none": ("mismatch", None),
        "alike": ("ok", OURS), "stiff": ("ok", OURS),
        "auto": ("from-peer", THEIRS), "shared": ("to-peer", OURS)}


class Test:
    def __init__(self, dialect):
        name = "lldpad_" + dialect
        lldpad_lib.enter(name)
        self.dialect = dialect
        self.check = lab.Checks()
        self.bed = lldpad_lib.Bed(dialect, CASES, dialect, self.check)
        # CIN has a sub-TLV, and a machine, per protocol.
        self.app = "app" if dialect == "cee" else "app_fcoe"

    def ours(self, port):
        shown = self.bed.shown(port)
        # After a quiet restart a peer's Error has us wait for up to 30 s
        # before we tell a backend what it was told before.
        if CASES[port].shared and shown["in force"] is None:
            shown["in force"] = shown["prio"]
        return [shown[word] for word in ("pfc", "prio", "bw", "in force",
                                         "dialect")]

    def bits(self, port):
        """Error and OperMode of PFC and APP; that the peer has
        acknowledged what we say, and we what it says."""
        cee = self.bed.dcbxd.port(port)["cee"]
        control, features = cee["control"], cee["features"]
        return [(features[f]["error"], features[f]["oper_mode"],
                 features[f]["syncd"]) for f in ("pfc", self.app)] + [
                     control["seq_no"] == control["peer_ack_no"],
                     control["ack_no"] == control["peer_seq_no"]]

    def theirs(self, port):
        """As dcbtool has them: OperMode of PFC, FCoE and the groups, the
        errors of PFC, and what it heard of PFC."""
        pfc, app, pg = (self.bed.lldpad.dcbtool("go", port, feature)
                        for feature in ("pfc", "app:0", "pg"))
        peer = self.bed.lldpad.dcbtool("gp", port, "pfc")
        return ([oper.get("Oper Mode") for oper in (pfc, app, pg)],
                pfc.get("Errors", "")[:4], peer.get("pfcup"),
                peer.get("Error"))

    def device(self, port):
        device = self.bed.lldpad.in_device
        bw = device(port, "PGTX_SCFG", "bw")
        return (device(port, "PFC_SCFG", "prio"),
                device(port, "PFC_SSTATE", None),
                int(bw[:2], 16) if bw else EQUAL,  # as it was
                device(port, "SDCBX", None))

    def view(self, port):
        state, whose = WANT[port]
        prio = [] if whose is None else [whose]
        on = whose is not None
        flags, word = (not on, on, True), ("false", "true")
        return [
            ("dcbxd", lambda: self.ours(port),
             [state, prio, BW[whose or OURS], prio, self.dialect]),
            ("dcbxd's machines", lambda: self.bits(port),
             [flags, flags, True, True]),
            ("lldpad", lambda: self.theirs(port),
             ([word[on], word[on], word[self.groups(port) != EQUAL]],
              "0x00" if on else "0x09", only(OURS, "0", "1", " "),
              word[not on])),
            ("lldpad's device", lambda: self.device(port),
             (only(whose, "00", "01"), "1" if on else "0",
              self.groups(port), "0x05")),
        ]

    def groups(self, port):
        """The first group's share in lldpad's device."""
        whose = WANT[port][1]
        if self.dialect == "cin" and (whose is None or CASES[port].shared):
            return EQUAL
        return BW[whose or THEIRS]

    def alone(self, port):
        """It has no PFC and no groups."""
        return [("lldpad's device", lambda: self.device(port),
                 (only(None, "00", "01"), "0", EQUAL, "0x05"))]

    def apps(self, port):
        """The priority of FCoE at both ends."""
        return ([e["priority"] for e in
                 self.bed.dcbxd.port(port)["app"]["oper"]
                 if (e["selector"], e["protocol"]) == ("ethtype", 0x8906)],
                self.bed.lldpad.in_device(port, "SAPP idtype=0 id=0x8906",
                                          "prios"))

    def run(self):
        bed = self.bed
        bed.start_dcbxd()
        bed.start_lldpad()
        bed.bounce()
        bed.settle(self.view, "first")
        for port in CASES:
            whose = WANT[port][1]
            want = ([whose or OURS], "0x%02x" % (1 << (whose or THEIRS)))
            self.check("%s: FCoE" % port, self.apps(port) == want,
                       (self.apps(port), want))
        bed.calm("agreed")
        bed.lives(self.view, self.alone)
        bed.end()


def only(prio, off, on, between=""):
    """Eight words, of which one is on."""
    return between.join(on if p == prio else off for p in range(8))
