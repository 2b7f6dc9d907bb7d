#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""Modes: off, observe, verify, negotiate, each beside a peer that negotiates.

B129: who only wants to look gets no frame sent and no value written.  B115:
nothing that the daemon does or suffers changes the administrator's files.  A
port that no section names is in observe, with and without a file; links that
are down, and ports that are, say so.
"""
import hashlib
import os
import signal
import subprocess

import lab
import lives

lab.enter()
check = lab.Checks()
MODES = "off", "observe", "verify", "negotiate"
OTHERS = "unnamed", "nolink", "shut"
NAMES = MODES + OTHERS
NEGOTIATES = "negotiate", "nolink", "shut"
FILE = "".join(lab.config("3", port=name) for name in NEGOTIATES)
DROP_IN = "".join(lab.config("3", port=name, more="mode = " + name)
                  for name in ("off", "observe", "verify"))
A, B = lab.Net("a"), lab.Net("b")
for name in NAMES:
    lab.veth(A, name, B, name)
B.ip("link set nolink down")
A.ip("link set shut down")
wires = {name: lab.Wire(B, name) for name in NAMES}


class Daemon(lives.Daemon):
    """With a drop-in directory; knows what its files looked like."""

    def start(self, ports, **how):
        os.makedirs(self.dir + "/none", exist_ok=True)
        if not os.listdir(self.dir + "/none"):
            with open(self.dir + "/none/50-modes.conf", "w") as f:
                f.write(DROP_IN)
            self.sum = self.files_sum()
        super().start(ports, **how)

    def files_sum(self):
        """Names, contents and times of what an administrator writes."""
        digest, top = hashlib.sha256(), self.dir + "/none"
        for path in [self.config, top] + sorted(
                os.path.join(top, name) for name in os.listdir(top)):
            s = os.stat(path)
            digest.update(repr((path, s.st_mode, s.st_ino,
                                s.st_mtime_ns)).encode())
            if os.path.isfile(path):
                with open(path, "rb") as f:
                    digest.update(hashlib.sha256(f.read()).digest())
        return digest.hexdigest()

    def untouched(self, after):
        check("the files are as they were after " + after,
              self.files_sum() == self.sum)


class Bare(lives.Daemon):
    """As it is found on a host where nobody has written a file."""

    def start(self, ports):
        self.state = self.dir + "/state"
        with open(self.log, "a") as log:
            self.process = self.net.run(
                os.path.abspath("dcbxd"), "-s", self.path, "-S", self.state,
                stdout=log, stderr=subprocess.STDOUT)
        self.client = None
        lab.wait_for(self.connected)
        for port in ports:
            lab.wait_for(lambda: self.port(port))


def default_file():
    """The file that dcbxd reads unless told otherwise."""
    make = subprocess.run(["make", "-s", "-f", "-", "where"], text=True,
                          input="include Makefile\nwhere:\n"
                          "\t@echo $(sysconfdir)\n", stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
    return make.stdout.strip() + "/dcbxd.conf"


def pfc_willing(frame):
    """The Willing bit of a frame's PFC TLV (802.1Q D.2.10), or None."""
    for kind, body in lab.tlvs(frame):
        if kind == 127 and body[:4] == b"\x00\x80\xc2\x0b":
            return body[4] >> 7
    return None


def frames(name):
    """What has come on B's side of a port.  That its link went down is
    told once, as an error."""
    out = []
    while True:
        try:
            frame = wires[name].frame(0)
        except OSError:
            continue
        if frame is None:
            return out
        out.append(frame)


def show(name):
    return subprocess.run(["./dcbxctl", "-s", a.path, "show", name],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True)


def peer_file(prios):
    return lab.config(prios, "no", port="*")


def silent(name):
    """Nothing sent, as B sees it, and nothing written."""
    doc = a.port(name)
    return not frames(name) and b.port(name)["peers"] == [] and \
        doc["lldp"]["tx_frames"] == 0 and \
        all(x["writes"] == 0 for x in doc["backends"])


def writes(name):
    return a.port(name)["backends"][0]["writes"]


b = lives.Daemon(B, "peer", peer_file("4"), NAMES)
a = Daemon(A, "modes", FILE, NAMES)
a.untouched("a start")
check("each port has its mode", {n: a.port(n)["mode"] for n in NAMES} ==
      dict({n: n for n in MODES}, unnamed="observe", nolink="negotiate",
           shut="negotiate"), [a.port(n)["mode"] for n in NAMES])

# Negotiate and verify: frames, and values
check("negotiate: takes the peer's", a.wait(
    lambda d: d["pfc"]["state"] == d["ets"]["state"] == "from-peer" and
    d["backends"][0]["in_force"]["prio_pfc"] == lab.prios(4), "negotiate"),
    a.port("negotiate"))
check("verify: reports the difference", a.wait(
    lambda d: d["state"] == d["pfc"]["state"] == "mismatch" and
    "{3}" in d["pfc"]["reason"]["text"] and
    "{4}" in d["pfc"]["reason"]["text"], "verify"), a.port("verify"))
check("verify: its own values are in force", a.wait(
    lambda d: d["pfc"]["oper"]["prio_pfc"] == lab.prios(3) and
    d["backends"][0]["state"] == "applied" and
    d["backends"][0]["in_force"]["prio_pfc"] == lab.prios(3), "verify"),
    a.port("verify"))
check("verify: its peer hears it", b.wait(lambda d: d["peers"][0]["dcbx"],
                                          "verify"), b.port("verify"))
for name, bit in ("verify", 0), ("negotiate", 1):
    seen = []
    lab.wait_for(lambda: seen.extend(frames(name)) or len(seen) > 2)
    check("%s: sends with Willing %d" % (name, bit), len(seen) > 2 and
          {pfc_willing(f) for f in seen} == {bit},
          [pfc_willing(f) for f in seen])

# The peer wants something else: one follows, the others do not
was = {name: writes(name) for name in ("verify", "negotiate")}
b.configure(peer_file("5,6"))
check("the peer reloads", b.client.call("Reload")["parameters"]["errors"] == 0)
check("negotiate: follows", a.wait(
    lambda d: d["backends"][0]["in_force"]["prio_pfc"] == lab.prios(5, 6),
    "negotiate"), a.port("negotiate"))
check("negotiate: by one write", writes("negotiate") ==
      was["negotiate"] + 1, (was, writes("negotiate")))
check("verify: sees it, and writes nothing", a.wait(
    lambda d: d["pfc"]["peer"]["prio_pfc"] == lab.prios(5, 6), "verify") and
    writes("verify") == was["verify"] == 1 and
    a.port("verify")["pfc"]["oper"]["prio_pfc"] == lab.prios(3),
    (was, a.port("verify")))

# Observe: by its section, or by none
for name in "observe", "unnamed":
    check(name + ": shows the peer", a.wait(
        lambda d: d["state"] == "ok" and d["peers"][0]["dcbx"] and
        d["lldp"]["rx_frames"] > 2 and
        d["pfc"]["peer"]["prio_pfc"] == lab.prios(5, 6), name), a.port(name))
    doc = a.port(name)
    check(name + ": and why it does nothing", all(
        doc[f]["state"] == "disabled" and
        doc[f]["reason"]["code"] == "observing" for f in ("pfc", "ets")), doc)
    check(name + ": no frame, no write", silent(name), doc)
    check(name + ": dcbxctl shows it", show(name).returncode == 0)

# Off
doc = a.port("off")
check("off: disabled, and nobody's neighbour", doc["state"] == "disabled" and
      doc["peers"] == [] and doc["lldp"]["rx_frames"] == 0, doc)
check("off: no frame, no write", silent("off"), doc)
p = show("off")
check("off: dcbxctl show exits 7", p.returncode == 7 and p.stdout == "" and
      "not managed" in p.stderr, p)

# Links
check("no carrier: link-down", a.wait(
    lambda d: d["state"] == "link-down" and d["link"] == "down", "nolink"),
    a.port("nolink"))
check("set down: disabled", a.wait(
    lambda d: d["state"] == "disabled" and d["link"] == "admin-down", "shut"),
    a.port("shut"))
B.ip("link set nolink up")
A.ip("link set shut up")
for name in "nolink", "shut":
    check(name + ": up, and it negotiates", a.wait(
        lambda d: d["pfc"]["state"] == "from-peer", name), a.port(name))
A.ip("link set shut down")
check("set down again: disabled", a.wait(
    lambda d: d["state"] == "disabled", "shut"), a.port("shut"))
B.ip("link set nolink down")
check("no carrier again: link-down", a.wait(
    lambda d: d["state"] == "link-down", "nolink"), a.port("nolink"))

# The administrator's files
check("a value is set", a.client.call(
    "Set", port="verify", words=["prio-pfc", "7:on"])["parameters"] == {} and
    a.port("verify")["pfc"]["admin"]["prio_pfc"] == lab.prios(3, 7),
    a.port("verify"))
a.untouched("a set")
os.kill(a.process.pid, signal.SIGHUP)
check("and dropped by SIGHUP", a.wait(
    lambda d: d["pfc"]["admin"]["prio_pfc"] == lab.prios(3), "verify"))
a.untouched("SIGHUP")
a.client.call("Reload")
a.untouched("a reload")
for name in "engine", "apply":
    a.kill(name)
    check("%s is back after kill -9" % name, a.wait(
        lambda d: d["pfc"]["state"] == "from-peer" and
        d["backends"][0]["state"] == "applied", "negotiate"))
    a.untouched("kill -9 of " + name)
a.again(signal.SIGKILL, NAMES)
a.untouched("kill -9 and a start")
a.again(signal.SIGUSR1, NAMES)
a.untouched("a quiet stop and a start")
check("off, observe and unnamed: silent still", all(
    silent(name) for name in ("off", "observe", "unnamed")))
A.ip("link del negotiate")
check("a port is deleted", lab.wait_for(lambda: not a.port("negotiate")))
a.untouched("the end of a port")
a.stop()
a.untouched("a stop")

# Without a file
lab.Daemon.started.remove(a)
LEFT = [name for name in NAMES if name != "negotiate"]
for name in LEFT:
    frames(name)  # what was sent before
HEARD = "off", "observe", "verify", "unnamed"
if os.path.exists(default_file()):
    check.skip("no file", default_file() + " exists")
    lab.end(check)
a = Bare(A, "bare", "", LEFT)
check("no file: every port observes", all(
    a.port(n)["mode"] == "observe" for n in LEFT), a.text())
check("no file: peers are shown", all(a.wait(
    lambda d: d["state"] == "ok" and d["peers"][0]["dcbx"], n)
    for n in HEARD), [a.port(n) for n in HEARD])
check("no file: no frame, no write", all(
    a.port(n)["lldp"]["tx_frames"] == 0 and not frames(n) and
    all(x["writes"] == 0 for x in a.port(n)["backends"]) for n in LEFT))
lab.end(check)
