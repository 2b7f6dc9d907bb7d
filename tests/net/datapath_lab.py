# SPDX-License-Identifier: ISC
"""Hosts and a switch whose data paths are ours: what the datapath tests share.

A Datapath is a dcbx-datapath in a namespace and a client of its socket; a
Fabric is three hosts at a switch, all of whose links are emulated at one rate.
What a host sends comes from generators; what arrives is counted by sequence
number, per sender and queue pair.
"""
import contextlib
import glob
import os
import signal
import subprocess
import tempfile
import time

import lab

WIRE = 24  # octets of a frame on a link: preamble, FCS, gap
PRIOS = range(8)
LATE = 0.1  # of the time: so long may a process wait for a CPU
ATTEMPTS = 3


def mac(n):
    return "02:00:00:00:00:%02x" % n


class Datapath:
    """One process; its ports are known by their names."""

    started = []

    def __init__(self, net, role, *ports, more=()):
        self.dir = tempfile.mkdtemp(dir="/run", prefix="datapath")
        self.net, self.path = net, self.dir + "/sock"
        self.words = [os.path.abspath("dcbx-datapath"), "-s", self.path,
                      "--role=" + role, *["--port=" + p for p in ports], *more]
        self.log = self.dir + "/log"
        Datapath.started.append(self)
        self.start()

    def start(self):
        with open(self.log, "a") as log:
            self.process = self.net.run(*self.words, stdout=log,
                                        stderr=subprocess.STDOUT)
        self.client = None
        if not lab.wait_for(self.connected):
            raise RuntimeError("nobody at %s: %s" % (self.path, self.text()))

    def connected(self):
        if self.process.poll() is not None:
            raise RuntimeError("dcbx-datapath ended: " + self.text())
        with contextlib.suppress(OSError):
            self.client = lab.Client(self.path)
            return self.document()  # it answers when its ports are open

    def call(self, method, **parameters):
        return self.client.call("datapath." + method, **parameters)

    def configure(self, port, **config):
        reply = self.call("Configure", port=port, config=config)
        if "error" in reply:
            raise RuntimeError("Configure %s: %s" % (port, reply))

    def document(self):
        return self.call("GetCounters")["parameters"]

    def port(self, name="eth0"):
        return next(p for p in self.document()["ports"] if p["port"] == name)

    def text(self):
        with open(self.log, errors="replace") as f:
            return f.read()

    def stop(self, how=signal.SIGTERM):
        """Its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            return self.process.wait(lab.LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return "did not stop"


class Fabric:
    """Hosts 1 to n, each eth0 on a port pN of the switch; those of packet
    and their ports use AF_PACKET."""

    def __init__(self, rate, hosts=3, packet=(), first=1):
        self.rate, self.packet = rate, packet
        self.switch_net = lab.Net("switch")
        self.nets = {n: lab.Net("host%d" % n)
                     for n in range(first, first + hosts)}
        for n, net in self.nets.items():
            lab.veth(net, "eth0", self.switch_net, "p%d" % n, mac(n),
                     mac(0x10 + n))
        self.hosts, self.switch = {}, None

    def port(self, n, name):
        return "%s,io=%s,rate=%s" % (
            name, "af_packet" if n in self.packet else "auto", self.rate)

    def start_switch(self, *more):
        self.switch = Datapath(self.switch_net, "switch", *[
            self.port(n, "p%d" % n) for n in self.nets], more=more)
        return self.switch

    def start_host(self, n, *generators, more=()):
        self.hosts[n] = Datapath(self.nets[n], "host", self.port(n, "eth0"),
                                 *["gen," + g for g in generators], more=more)
        return self.hosts[n]


def end(check):
    """Stop every data path: each lived until now, and leaves cleanly."""
    for d in Datapath.started:
        alive = d.process.poll() is None
        code = d.stop()
        check("%s alive to the end and clean" % d.net.name.split("-")[1],
              alive and code == 0 and "runtime error" not in d.text(),
              (alive, code, d.text()[-1500:]))


# What is counted

def waited():
    """Seconds that each data path has waited for a CPU (proc(5))."""
    out = {}
    for d in Datapath.started:
        for path in glob.glob("/proc/%d/task/*/schedstat" % d.process.pid):
            with open(path) as f:
                out[path] = int(f.read().split()[1]) / 1e9
    return out


def late(before, took):
    """The part of the time that the one worst off has waited since."""
    return max(t - before.get(p, 0) for p, t in waited().items()) / took


def attempts(check, phase):
    """What phase() says of itself, as (what, good, detail) each; again where
    something was bad and the processes waited for a CPU meanwhile."""
    for left in reversed(range(ATTEMPTS)):
        before, begin = waited(), time.monotonic()
        said = phase()
        share = late(before, time.monotonic() - begin)
        if all(good for _, good, _ in said) or share < LATE or not left:
            break
        print("  once more: %.0f %% of the time without a CPU" % (100 * share),
              flush=True)
    for what, good, detail in said:
        check(what, good, detail)


def received(host, **wanted):
    """The receivers of a host that are as wanted."""
    return [r for r in host.document()["receivers"]
            if all(r[k] == v for k, v in wanted.items())]


def total(rows, field):
    return sum(r[field] for r in rows)


def over(seconds, look):
    """What look() counts more after so many seconds, and how long it was."""
    before, begin = look(), time.monotonic()
    time.sleep(seconds)
    after, end_ = look(), time.monotonic()
    return {k: after[k] - before.get(k, 0) for k in after}, end_ - begin


def by_prio(host):
    """Of all receivers: octets that the link carried, frames, losses; by
    (priority, what)."""
    out = {}
    for r in host.document()["receivers"]:
        for key, value in (("octets", r["bytes"] + WIRE * r["frames"]),
                           ("frames", r["frames"]), ("lost", r["lost"])):
            key = (r["prio"], key)
            out[key] = out.get(key, 0) + value
    return out


def flowing(host, *prios):
    """True as soon as frames of these arrive steadily."""
    begun = by_prio(host)
    return lab.wait_for(lambda: all(
        by_prio(host).get((p, "frames"), 0) >
        begun.get((p, "frames"), 0) + 2000 for p in prios))


def books(switch):
    """Of each priority, frames in and copied that are neither out nor
    dropped: those that are queued.  What a whole document says adds up."""
    left = [0] * len(PRIOS)
    for port in switch.document()["ports"]:
        for prio, p in enumerate(port["priorities"]):
            left[prio] += (p["rx_frames"] + p["copies"] - p["tx_frames"] -
                           p["up_frames"] - sum(p["drops"].values()))
    return left


def pfc_sum(port, way, field):
    return sum(p["pfc_" + way][field] for p in port["priorities"])


def drops(port, prio):
    """Of a priority, all reasons."""
    return sum(port["priorities"][prio]["drops"].values())


# Negotiation

SWITCH = """port "p*" { backends = {datapath}
    datapath { socket = "%s" }
    pfc { prio-pfc = {%s} willing = no }
    ets { willing = no prio-tc = {0,0,0,1,0,0,2,2} tc-bw = {%d,%d,0,0,0,0,0,0}
      tc-tsa = {ets,ets,strict,strict,strict,strict,strict,strict} }
    app "dgram-port:4791" { priority = 3 }
    ecn { enable = %s }
    %s }
"""
HOST = """port "eth0" { backends = {datapath}
    datapath { socket = "%s" }
    pfc { prio-pfc = {} }
    ecn { enable = %s }
    %s }
"""


def negotiate(fabric, prios="3", bw=50, ecn="auto", more="", daemons=None):
    """A dcbxd at the switch that knows what it wants, and willing ones at the
    hosts; or new words for those that are there.  The daemons."""
    text = {0: SWITCH % (fabric.switch.path, prios, bw, 100 - bw, ecn, more)}
    for n, host in fabric.hosts.items():
        text[n] = HOST % (host.path, ecn, more)
    if daemons is None:
        daemons = {}
        for n, words in text.items():
            net = fabric.nets[n] if n else fabric.switch_net
            ports = ["p%d" % i for i in fabric.nets] if n == 0 else ["eth0"]
            daemons[n] = lab.Daemon(net, "dcbxd%d" % n, words, ports)
        return daemons
    for n, words in text.items():
        with open(daemons[n].config, "w") as f:
            f.write(words)
        daemons[n].process.send_signal(signal.SIGHUP)
    return daemons


def agreed(daemons, fabric, *prios):
    """Every port between two of ours has those priorities in force, in its
    data path, too."""
    def there(n, port):
        d = daemons[n].port(port)
        path = fabric.hosts[n] if n else fabric.switch
        return (d["pfc"]["oper"]["prio_pfc"] == lab.prios(*prios) and
                [b["state"] for b in d["backends"]] == ["applied"] and
                (path.port(port)["config"] or {}).get("prio_pfc") ==
                lab.prios(*prios))
    return all([lab.wait_for(lambda: there(n, port)) for n, port in (
        [(0, "p%d" % i) for i in fabric.hosts] +
        [(n, "eth0") for n in fabric.hosts])])
