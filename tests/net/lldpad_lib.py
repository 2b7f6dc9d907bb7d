# SPDX-License-Identifier: ISC
"""lldpad 1.1.1 at the other end of a test's cables.

enter() fetches it (tests/testbed/get-peer.sh; without a network, or where its
packages are no longer those, the test is skipped) and enters the laboratory.
Lldpad is a running one with the dcbnl of tests/testbed/dcbshim.so, whose log
says what it programmed.  Bed joins a dcbxd and an lldpad by a cable per case,
so that all cases go on at once.

A case is which ends are willing.  Ours wants priority 3 lossless and classes
50/50, the peer priority 4 and 40/60, unless the case is `alike`.  In CIN our
priorities have a class each, unless they are `shared`: lldpad forgets the
groups of a peer.
"""
import collections
import contextlib
import json
import os
import re
import signal
import subprocess
import time

import lab
import lives

PEER = os.path.abspath("tests/testbed/peer")
SHIM = os.path.abspath("tests/testbed/dcbshim.so")
VERSIONS = {"auto": 2, "cin": 5, "cee": 6}
OURS, THEIRS = 3, 4

Case = collections.namedtuple(
    "Case", "ours theirs alike higher dialect shared",
    defaults=(False, False, None, False))
EACH = """ets { willing = %s
    prio-tc = {0,1,2,3,4,5,6,7}  tc-bw = {50,50,0,0,0,0,0,0}
    tc-tsa = {ets,ets,ets,ets,ets,ets,ets,ets} }
"""


def enter(name):
    """As lab.enter(), with all there that it takes; or exit 77."""
    if "DCBX_LAB" not in os.environ:
        _, why = lab.fetch("get-peer.sh", PEER)
        if why is None and not os.path.exists(SHIM):
            why = "tests/testbed/dcbshim.so is not built (make check)"
        if why is not None:
            print("skip %s: %s" % (name, why))
            raise SystemExit(77)
    lab.enter()


def numbers(flags):
    """Which of the eight are set."""
    return [p for p, on in enumerate(flags) if on]


class Lldpad:
    """One in a namespace, with a configuration that outlives it.

    Its control socket is abstract, one per network namespace; its state in
    /dev/shm is a directory of its own, which outlives it too.
    """

    def __init__(self, net, dialect):
        self.net, self.dir = net, "/run/lldpad-" + net.name
        os.makedirs(self.dir + "/shm")
        self.log, self.named = self.dir + "/dcbnl.log", False
        with open(self.dir + "/conf", "w") as f:
            f.write('dcbx : { version = "1.0"; dcbx_version = %d; };\n' %
                    VERSIONS[dialect])
        self.start()

    def start(self):
        # Its output, kilobytes a second of it, is of no use to us.
        self.process = self.net.run(
            "sh", "-c", 'mount --bind "$1/shm" /dev/shm && '
            'PRELOAD=$2 DCBSHIM_LOG=$1/dcbnl.log exec "$3/lldpad" -p -t -V 4 '
            '-f "$1/conf"', "sh", self.dir, SHIM, PEER,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if not lab.wait_for(lambda: self.run("lldptool", "-p")[0] == 0,
                            every=0.1):
            raise RuntimeError("lldpad does not answer: %s" %
                               self.process.poll())

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait(lab.LIMIT)

    def run(self, tool, *words):
        """Exit status and text of one of its tools."""
        p = subprocess.run(
            ["ip", "netns", "exec", self.net.name, PEER + "/" + tool, *words],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, timeout=lab.LIMIT)
        return p.returncode, p.stdout

    def lldptool(self, *words):
        status, text = self.run("lldptool", *words)
        if status != 0:
            raise RuntimeError("lldptool %s: %s" % (" ".join(words), text))
        return text

    def dcbtool(self, *words):
        """Its `Name: value` lines."""
        _, text = self.run("dcbtool", *words)
        return dict((name.strip(), " ".join(value.split()))
                    for name, _, value in (line.partition(":")
                                           for line in text.splitlines()))

    # What it wants

    def want_ieee(self, port, willing, prio):
        w = "willing=%s" % ("yes" if willing else "no")
        ets = ["tsa=0:ets,1:ets," + ",".join("%d:strict" % t
                                             for t in range(2, 8)),
               "up2tc=" + ",".join("%d:%d" % (p, p == prio)
                                   for p in range(8)),
               "tcbw=%s,0,0,0,0,0,0" % ("50,50" if prio == OURS else "40,60")]
        self.lldptool("-L", "-i", port, "adminStatus=rxtx")
        for words in (["ETS-CFG", w, "enableTx=yes", *ets],
                      ["ETS-REC", "enableTx=yes", *ets],
                      ["PFC", w, "enableTx=yes", "enabled=%d" % prio],
                      ["APP", "app=%d,3,4791" % prio],
                      ["APP", "enableTx=yes"]):
            self.lldptool("-T", "-i", port, "-V", *words)

    def want_legacy(self, port, willing, prio):
        mask = "".join("01"[p == prio] for p in range(8))
        head = ["e:1", "a:1", "w:%d" % willing]
        self.lldptool("-L", "-i", port, "adminStatus=rxtx")
        for words in (["dcb", "on"],
                      ["pg", *head, "pgid:" + mask, "pgpct:%s,0,0,0,0,0,0" %
                       ("50,50" if prio == OURS else "40,60")],
                      ["pfc", *head, "pfcup:" + mask],
                      ["app:fcoe", *head, "appcfg:%02x" % (1 << prio)]):
            said = self.dcbtool("sc", port, *words)
            if said.get("Status") != "Successful":
                raise RuntimeError("dcbtool sc %s %s: %s" %
                                   (port, words, said))

    # What it says and does

    def tlv(self, port, name, neighbor=False):
        """Its view of a TLV: {field: text} of ours, or of the neighbor's."""
        out, inside = {}, False
        for line in self.lldptool("-t", *(["-n"] if neighbor else []), "-i",
                                  port).splitlines():
            if not line.startswith(("\t", " ")):
                inside = line.startswith(name + " TLV")
            elif inside and ":" in line:
                field, _, text = line.strip().partition(":")
                out[field] = text.strip()
        return out

    def frames(self, port):
        """Frames that it sent, and took in, none of them with an error."""
        text = self.lldptool("-S", "-i", port)
        n = {name.strip(): int(value) for name, value in
             re.findall(r"^(.*?)\s+= (\d+)$", text, re.M)}
        if n["Total Discarded Frames Received"] or \
                n["Total Error Frames Received"] or n["Total Discarded TLVs"]:
            raise RuntimeError("%s: lldpad counted errors: %s" % (port, n))
        return n["Total Frames Transmitted"], n["Total Frames Received"]

    def refresh(self, ports):
        """Have it send frames that say nothing new of DCBX."""
        self.named = not self.named
        for port in ports:
            self.lldptool("-T", "-i", port, "-V", "sysName",
                          "enableTx=" + ("yes" if self.named else "no"))

    def wrote(self, port, what=""):
        """What it wrote to the port's device: [line without its time]."""
        try:
            with open(self.log) as f:
                lines = [line.split(" ", 2)[1:] for line in
                         f.read().splitlines()]
        except FileNotFoundError:
            return []
        return [text for name, text in lines
                if name == port and text.startswith(what)]

    def changes(self, port):
        """The writes that changed something."""
        return [w for w in self.wrote(port) if not w.endswith(" same")]

    def in_device(self, port, what, field):
        """The value of field=VALUE, or VALUE, in the last write of a kind."""
        lines = self.wrote(port, what + " ")
        if not lines:
            return None
        words = lines[-1][len(what) + 1:].split()
        return dict(w.partition("=")[::2] for w in words)[field] if field \
            else words[0]


class Bed:
    """A dcbxd and an lldpad, and a cable per case between them.

    A test says how each port is to end: view(port) is a list of
    (who, probe, wanted), and probe() becomes wanted.  alone(port) is the same
    for an lldpad that nobody speaks to.
    """

    def __init__(self, name, cases, dialect, check):
        self.name, self.cases, self.dialect = name, cases, dialect
        self.check = check
        self.a, self.b = lab.Net(name + "a"), lab.Net(name + "b")
        for i, (port, case) in enumerate(cases.items()):
            macs = ["02:00:00:00:%s:%02x" % (end, i) for end in ("0a", "0b")]
            if case.higher:
                macs.reverse()
            lab.veth(self.a, port, self.b, port, *macs)

    def config(self):
        """Many refreshes, to count writes by."""
        return "lldp { tx-interval = 5 tx-fast-init = 8 }\n" + "".join(
            self.port_config(port, case) for port, case in self.cases.items())

    def port_config(self, port, case):
        willing = "yes" if case.ours else "no"
        each = self.dialect == "cin" and not case.shared
        return ('port "%s" { backends = {none} dialect = %s\n'
                '  pfc { prio-pfc = {%d} willing = %s }\n  %s'
                '  app "ethtype:0x8906" { priority = %d } }\n' %
                (port, case.dialect or self.dialect, OURS, willing,
                 EACH % willing if each else lab.ETS % (willing, 50, 50),
                 OURS))

    def start_dcbxd(self):
        self.dcbxd = lives.Daemon(self.a, self.name, self.config(),
                                  list(self.cases))

    def start_lldpad(self):
        legacy = self.dialect in ("cee", "cin")
        self.lldpad = Lldpad(self.b, self.dialect if legacy else "auto")
        want = self.lldpad.want_legacy if legacy else self.lldpad.want_ieee
        for port, case in self.cases.items():
            want(port, case.theirs, OURS if case.alike else THEIRS)

    def bounce(self):
        """Links down and up, which both ends notice: what makes lldpad take
        up CEE or CIN."""
        for port in self.cases:
            self.b.ip("link set %s down" % port)
        for port in self.cases:
            self.dcbxd.wait(lambda d: d["link"] != "up", port)
            lab.wait_for(lambda: self.lldpad.dcbtool("go", port, "pfc").get(
                "Status") != "Successful", every=0.1)
            self.b.ip("link set %s up" % port)
            self.dcbxd.wait(lambda d: d["link"] == "up", port)

    def shown(self, port):
        """What `dcbxctl --json show` says of a port: its states, the
        priorities that are lossless, the first class's share, what the
        backend has, the dialect."""
        p = subprocess.run(["./dcbxctl", "-s", self.dcbxd.path, "--json",
                            "show", port], stdout=subprocess.PIPE, text=True,
                           stdin=subprocess.DEVNULL, timeout=lab.LIMIT)
        d = json.loads(p.stdout)["ports"][0]
        force = (d["backends"] or [{}])[0].get("in_force")
        return {"pfc": d["pfc"]["state"], "ets": d["ets"]["state"],
                "app": d["app"]["state"],
                "prio": numbers(d["pfc"]["oper"]["prio_pfc"]),
                "bw": d["ets"]["oper"]["tc_bw"][0],
                "in force": force and numbers(force["prio_pfc"]),
                "dialect": d["dialect"]["active"]}

    def settle(self, view, when):
        """Every port of both ends comes to where it is to end.  What a
        probe does not find yet is as good as a wrong value."""
        got, end = None, time.monotonic() + lab.LIMIT

        def arrived():
            nonlocal got
            got = None
            with contextlib.suppress(LookupError, TypeError, ValueError):
                got = probe()
            return got == wanted

        for port in self.cases:
            for who, probe, wanted in view(port):
                self.check("%s, %s: %s" % (port, when, who), lab.wait_for(
                    arrived, end - time.monotonic(), 0.05), (got, wanted))

    def heard(self, port):
        """Frames that dcbxd took in."""
        return self.dcbxd.port(port)["lldp"]["rx_frames"]

    def counts(self):
        """Per port: changes at either end, frames at either end, and all
        that lldpad wrote."""
        return {port: ((len(self.lldpad.changes(port)),
                        self.dcbxd.port(port)["backends"][0]["writes"]),
                       (self.lldpad.frames(port)[1], self.heard(port)),
                       len(self.lldpad.wrote(port)))
                for port in self.cases}

    def calm(self, when):
        """Frames that say nothing new make nobody write what changes
        something."""
        before = self.counts()
        self.lldpad.refresh(self.cases)
        heard = lab.wait_for(lambda: all(
            now[1][0] >= then[1][0] + 2 and now[1][1] > then[1][1]
            for now, then in zip(self.counts().values(), before.values())),
            every=0.2)
        after = self.counts()
        self.check(when + ": frames go on both ways", heard, (before, after))
        for port in self.cases:
            self.check("%s, %s: and change nothing at either end" %
                       (port, when), before[port][0] == after[port][0],
                       self.lldpad.changes(port)[-5:])
        return before, after

    def lldpad_again(self, how):
        """It stops and starts, and has been heard since."""
        self.lldpad.stop(how)
        before = {port: self.heard(port) for port in self.cases}
        self.lldpad.start()
        lab.wait_for(lambda: all(self.heard(port) >= n + 2
                                 for port, n in before.items()))

    def lives(self, view, alone):
        """Either end stops and starts; each port ends where it was."""
        ports = list(self.cases)
        before = {port: self.lldpad.changes(port) for port in ports}
        self.dcbxd.again(signal.SIGUSR1, ports)
        self.lldpad.refresh(ports)
        frames = {port: self.lldpad.frames(port)[1] for port in ports}
        self.settle(view, "dcbxd left quietly")
        self.check("dcbxd speaks again", lab.wait_for(lambda: all(
            self.lldpad.frames(port)[1] > frames[port] for port in ports),
            every=0.2))
        self.check("and lldpad noticed nothing", before == {
            port: self.lldpad.changes(port) for port in ports})
        self.dcbxd.stop(signal.SIGTERM)
        self.settle(alone, "dcbxd is gone")
        self.dcbxd.again(None, ports)
        self.settle(view, "dcbxd said goodbye")
        for how in signal.SIGTERM, signal.SIGKILL:
            self.lldpad_again(how)
            self.settle(view, "lldpad after " + how.name)
        self.calm("at last")

    def end(self):
        self.lldpad.stop()
        lab.end(self.check)
