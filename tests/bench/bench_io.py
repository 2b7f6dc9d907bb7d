#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""What forwarding a frame costs from one interface to another: ours, others'.

    sender --veth-- [ a switch ] --veth-- sink

The switches take turns on the same pair of links, five rounds; each is flooded
with frames of 64 and of 1500 octets, of all eight priorities, by a sender that
is faster than any of them (bench_io.c).  Of a round's five short floods counts
the cheapest, which others disturbed least.  A ratio is the median of the
rounds' own: a machine that is shared, or changes its clock, does it to all.

ns      processor time of the switch, all its threads, a frame that arrived,
        while its input never runs dry: the sender has a processor, and goes
        before all others there.  The half of a frame's way that lies before
        the socket is the sender's time, for all of them
Mpps    frames that arrived a second, on a processor of its own as far as
        others leave it: all switches have the same highest nice value
ours    dcbx-datapath, two ports, plain: nothing is lossless, marked, or shared
 +dcb   the same with PFC on two priorities, ECN on all, and two ETS classes
testpmd DPDK's, mode io: it learns no addresses and looks at no frame.  Its
        rings are as it comes; longer ones only cost it time
ovs     Open vSwitch, datapath_type=netdev, with plain (system) interfaces, as
        it comes, and with interfaces of type afxdp
bridge  the kernel's: all is done in the sender's time; ns is what that has
        become longer by.  It does less per frame, and has no PFC at all

Then the time from before an XOFF is sent to a port, which sends a queue of 64
octets' frames at 200 Mb/s, one in 3.5 us, until the last frame of that priority
has arrived; 0 when that was earlier.

Nothing here fails because of a number, or of a switch that does not run here:
it is skipped, and says why.  Exit 77: no root, or one processor.
"""
import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "net"))
import lab  # noqa: E402

WIRES = os.path.abspath(os.environ.get("BENCH_IO", "tests/bench/bench_io"))
OURS = os.path.abspath("dcbx-datapath")
SIZES, ROUNDS, REACTIONS = (64, 1500), 5, 200
FLOODS, MS = 5, 160  # of a size; the kernel lets others run after a second
SENDER, SWITCH = "0", "1"  # processors
FIRST = ("nice", "-n", "-20")
DCB = {"trust": "dscp", "prio_pfc": lab.prios(3, 4), "ecn": [True] * 8,
       "prio_tc": [0, 0, 0, 1, 1, 0, 2, 2], "tc_bw": [50, 50] + [0] * 6,
       "tc_tsa": ["ets"] * 2 + ["strict"] * 6}


class Unable(Exception):
    """Why a switch does not run here."""


FAILURES = Unable, subprocess.CalledProcessError, OSError


def needs(package, *programs):
    for program in programs:
        if shutil.which(program) is None:
            raise Unable("no %s: apt-get install %s" % (program, package))


class Place(contextlib.ExitStack):
    """A namespace with p0 and p1, at whose other ends are the wires; what
    is started in it ends with it."""

    number = 0

    def __init__(self):
        super().__init__()
        Place.number += 1
        self.net = lab.Net("switch%d" % Place.number)
        self.callback(subprocess.run, ["ip", "netns", "del", self.net.name])
        one = "numtxqueues 1 numrxqueues 1"
        for out, port in (("s0", "p0"), ("k0", "p1")):
            OUTSIDE.ip("link add %s %s type veth peer name %s netns %s %s" %
                       (out, one, port, self.net.name, one))
            self.callback(OUTSIDE.ip, "link del " + out)
            OUTSIDE.ip("link set %s up" % out)
            self.net.ip("link set %s up" % port)

    def directory(self):
        return self.enter_context(tempfile.TemporaryDirectory(dir="/run"))

    def start(self, *words, **how):
        log = self.enter_context(tempfile.TemporaryFile(dir="/run"))
        p = self.net.run(*words, stdout=log, stderr=log, **how)
        p.log = log
        self.callback(self.end, p)
        return p

    @staticmethod
    def end(p):
        p.terminate()
        try:
            p.wait(lab.LIMIT)
        except subprocess.TimeoutExpired:
            p.kill()
            p.wait()


def said(p):
    p.log.seek(0)
    lines = p.log.read().decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else "it ended"


def wires(*words):
    """One run of bench_io outside; {} and why when it failed."""
    p = subprocess.run(["ip", "netns", "exec", OUTSIDE.name, "taskset", "-c",
                        SENDER, WIRES, *map(str, words)], text=True,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if p.returncode != 0:
        raise Unable(p.stderr.strip())
    return json.loads(p.stdout)


# Switches: each is started in a place; its process, or None

def dcbx(place, kind, config=None, more="", words=()):
    path = place.directory() + "/sock"
    ports = ["--port=%s,io=%s%s" % (p, kind, more) for p in ("p0", "p1")]
    p = place.start(*FIRST, "taskset", "-c", SWITCH, OURS, "-s", path,
                    "--role=switch", *ports, *words)
    lab.wait_for(lambda: os.path.exists(path) or p.poll() is not None)
    if config and p.poll() is None:
        for port in ("p0", "p1"):
            reply = lab.Client(path).call("datapath.Configure", port=port,
                                          config=config)
            if "error" in reply:
                raise Unable("Configure: %s" % reply)
    return p


def testpmd(place, driver):
    needs("dpdk-dev", "dpdk-testpmd")
    ports = ["--vdev=net_%s%d,iface=p%d" % (driver, i, i) for i in (0, 1)]
    return place.start(
        *FIRST, "dpdk-testpmd", "-l", SENDER + "," + SWITCH, "--no-huge", "-m",
        "512", "--no-pci", "--no-telemetry", "--no-shconf", *ports, "--",
        "--forward-mode=io", "--auto-start", "--burst=64",
        "--total-num-mbufs=32768", stdin=subprocess.PIPE)


def ovs(place, kind):
    needs("openvswitch-switch", "ovs-vswitchd", "ovsdb-server", "ovsdb-tool",
          "ovs-vsctl")
    home = place.directory()
    db = "unix:%s/db.sock" % home
    env = {**os.environ, "OVS_RUNDIR": home, "OVS_LOGDIR": home,
           "OVS_DBDIR": home}
    subprocess.run(["ovsdb-tool", "create", home + "/conf.db",
                    "/usr/share/openvswitch/vswitch.ovsschema"], check=True)
    place.start("ovsdb-server", home + "/conf.db", "--remote=p" + db,
                "--unixctl=%s/db.ctl" % home, env=env)
    lab.wait_for(lambda: os.path.exists(home + "/db.sock"))
    p = place.start(*FIRST, "taskset", "-c", SWITCH, "ovs-vswitchd", db,
                    "--unixctl=%s/vs.ctl" % home, env=env)
    words = ["add-br", "br0", "--", "set", "bridge", "br0",
             "datapath_type=netdev"]
    for port in ("p0", "p1"):
        words += ["--", "add-port", "br0", port, "--", "set", "interface",
                  port, "type=" + kind]
    subprocess.run(["ovs-vsctl", "--db=" + db, "--timeout=10", *words],
                   check=True, env=env, stderr=subprocess.DEVNULL)
    return p


def bridge(place):
    place.net.ip("link add name br0 type bridge")
    place.net.ip("link set br0 up")
    for port in ("p0", "p1"):
        place.net.ip("link set %s master br0" % port)


ROWS = {
    "ours, af_xdp": (dcbx, "af_xdp"),
    "ours, af_xdp, +dcb": (dcbx, "af_xdp", DCB),
    "testpmd, net_af_xdp": (testpmd, "af_xdp"),
    "ours, af_packet": (dcbx, "af_packet"),
    "ours, af_packet, +dcb": (dcbx, "af_packet", DCB),
    "testpmd, net_af_packet": (testpmd, "af_packet"),
    "ovs, system": (ovs, "system"),
    "ovs, afxdp": (ovs, "afxdp"),
    "bridge": (bridge,),
}
GOALS = [  # a ratio of two rows' ns, and what it should be at least
    ("testpmd, net_af_xdp", "ours, af_xdp", 0.95),
    ("ovs, system", "ours, af_xdp", 3),
    ("testpmd, net_af_packet", "ours, af_packet", 0.95),
    ("ours, af_xdp", "ours, af_xdp, +dcb", 1 / 1.05),
    ("ours, af_packet", "ours, af_packet, +dcb", 1 / 1.05),
    ("ovs, afxdp", "ours, af_xdp", None),
    ("bridge", "ours, af_xdp", None),
]


def spent(p):
    """Processor time of a process and its threads, ns."""
    total = 0
    for task in os.listdir("/proc/%d/task" % p.pid):
        with open("/proc/%d/task/%s/schedstat" % (p.pid, task)) as f:
            total += int(f.read().split()[0])
    return total


@contextlib.contextmanager
def running(start, *options):
    """A switch that forwards."""
    with Place() as place:
        p = start(place, *options)
        try:
            wires("ready", "s0", "k0")
        except Unable as e:
            raise Unable(said(p) if p and p.poll() is not None else e)
        yield p


def bare():
    """Sender's ns a frame that nobody forwards."""
    with Place():
        return {size: min(did["cpu_ns"] / did["sent"] for did in (
            wires("flood", "s0", "k0", size, MS) for _ in range(FLOODS)))
                for size in SIZES}


def flood(p, size, alone):
    """(ns, Mpps, was it outrun) of one flood."""
    begun = spent(p) if p else 0
    did = wires("flood", "s0", "k0", size, MS)
    if did["arrived"] == 0:
        return (float("inf"), 0, True)
    ns = ((spent(p) - begun) / did["arrived"] if p else
          did["cpu_ns"] / did["sent"] - alone[size])
    return (ns, did["arrived"] * 1e3 / did["ns"],
            did["arrived"] < did["sent"])


def measure(row, alone):
    """{size: (ns, Mpps, was it outrun)} of one run of a switch."""
    with running(*ROWS[row]) as p:
        return {size: min(flood(p, size, alone) for _ in range(FLOODS))
                for size in SIZES}


def rounds():
    """{row: [{size: (ns, Mpps, was it outrun)}]}, and why of those that
    do not run."""
    got, unable = {row: [] for row in ROWS}, {}
    for _ in range(ROUNDS):
        alone = bare()
        for row in ROWS:
            if row in unable:
                continue
            try:
                got[row].append(measure(row, alone))
            except FAILURES as e:
                unable[row] = str(e)
    return got, unable


def table(got, unable):
    for size in SIZES:
        print("\n%d octets%19s%8s" % (size, "ns", "Mpps"))
        for row, runs in got.items():
            if row in unable:
                print("  %-24s  skip: %s" % (row, unable[row]))
                continue
            ns, rate = (statistics.median(r[size][i] for r in runs)
                        for i in (0, 1))
            outrun = row == "bridge" or all(r[size][2] for r in runs)
            print("  %-24s%8.0f%8.2f%s" % (
                row, ns, rate, "" if outrun else
                "   not outrun: ns has idle polling in it"))


def verdicts(got, unable):
    print("\n%-48s%7s%7s%8s" % ("ns of one by ns of the other", "octets",
                                "goal", "got"))
    for other, ours, goal in GOALS:
        if other in unable or ours in unable:
            print("%-48s  skip" % (other + " / " + ours))
            continue
        for size in SIZES:
            ratio = statistics.median(
                a[size][0] / b[size][0]
                for a, b in zip(got[other], got[ours]))
            print("%-48s%7d%7s%8.2f  %s" % (
                other + " / " + ours, size, "%.2f" % goal if goal else "",
                ratio, "" if goal is None else
                "met" if ratio >= goal else "NOT MET"))


def reactions():
    """XOFF to quiet, ours alone: nobody else obeys."""
    print("\n%-30s%8s%9s%9s%9s%8s" % ("XOFF to quiet, us", "goal", "p50",
                                      "p99", "max", "pauses"))
    for kind in ("af_xdp", "af_packet"):
        for mode, words, goal in (("busy", ("--busy-poll",), 10),
                                  ("blocking", (), 200)):
            name = "ours, %s, %s" % (kind, mode)
            try:
                with running(dcbx, kind, DCB, ",rate=200M", words):
                    did = wires("react", "s0", "k0", REACTIONS)
            except FAILURES as e:
                print("  %-28s  skip: %s" % (name, e))
                continue
            p50, p99, most = (did[k] / 1e3
                              for k in ("p50_ns", "p99_ns", "max_ns"))
            print("  %-28s%8d%9.1f%9.1f%9.1f%8d  %s" % (
                name, goal, p50, p99, most, did["rounds"],
                "met" if did["rounds"] and p50 <= goal else "NOT MET"))


lab.enter()
with open("/proc/self/uid_map") as uids:
    if uids.read().split() != ["0", "0", "4294967295"]:
        print("SKIP: takes root, and not in a user namespace alone")
        sys.exit(77)
if len(os.sched_getaffinity(0)) < 2:
    print("SKIP: takes two processors")
    sys.exit(77)
OUTSIDE = lab.Net("wires")
RESULT = rounds()
table(*RESULT)
verdicts(*RESULT)
reactions()
