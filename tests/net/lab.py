# SPDX-License-Identifier: ISC
"""The laboratory of the net tests: namespaces, veth pairs, daemons, clients.

enter() starts the test once more under unshare(1), in network, mount and
process namespaces of its own: as root, or in a user namespace as anybody.
When the test ends, however it ends, the kernel takes all of it away; nothing
of it is ever seen outside.  Tests run in the build directory, where dcbxd and
dcbxctl are; the sources are at $srcdir.  Each prints `ok NAME`, `not ok NAME`
or `skip NAME: reason` lines, and exits 0, 1, or 77 when all was skipped.
Nothing sleeps for a fixed time: everything waits for a condition.
"""
import contextlib
import ctypes
import glob
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

SRC = os.environ.get("srcdir", ".")
LLDP = 0x88CC
GROUP = bytes.fromhex("0180c200000e")
CLONE_NEWNET = 0x40000000
LIMIT = 20.0  # seconds that a condition may take on a busy machine
libc = ctypes.CDLL(None, use_errno=True)


def enter():
    """Come back inside namespaces of our own, or exit 77."""
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    if "DCBX_LAB" in os.environ:
        subprocess.run(["mount", "-t", "tmpfs", "none", "/run"], check=True)
        return
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    base = ["unshare", *user, "--net", "--mount"]
    own = ["--pid", "--fork", "--kill-child", "--mount-proc"]
    for command in (base + own, base):
        if subprocess.run([*command, "true"],
                          stderr=subprocess.DEVNULL).returncode == 0:
            os.environ["DCBX_LAB"] = str(os.getpid())
            os.execvp("unshare", [*command, sys.executable, "-B",
                                  *sys.argv])
    print("skip %s: neither root nor user namespaces here" %
          os.path.basename(sys.argv[0]))
    sys.exit(77)


def fetch(script, where):
    """What tests/testbed/SCRIPT printed, or None, and why not; before
    enter(), for the laboratory has no network."""
    try:
        p = subprocess.run([SRC + "/tests/testbed/" + script, where],
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, timeout=55)
        said, code = p.stdout.strip().splitlines(), p.returncode
    except (OSError, subprocess.TimeoutExpired) as e:
        said, code = [str(e)], 77
    if code == 0:
        return said, None
    return None, said[-1] if said else "status %d" % code


class Checks:
    """Counts what a test finds."""

    def __init__(self):
        self.bad = self.good = 0

    def __call__(self, name, true, detail=None):
        print("%sok %s" % ("" if true else "not ", name), flush=True)
        if true:
            self.good += 1
        else:
            self.bad += 1
            if detail is not None:
                print("  " + repr(detail)[:2000], flush=True)
        return bool(true)

    def skip(self, name, why):
        print("skip %s: %s" % (name, why), flush=True)

    def done(self):
        sys.exit(1 if self.bad else 0 if self.good else 77)


def wait_for(what, limit=LIMIT, every=0.01):
    """What what() returns as soon as it is true, else its last value."""
    end = time.monotonic() + limit
    while True:
        value = what()
        if value or time.monotonic() > end:
            return value
        time.sleep(every)


# Namespaces and links

class Net:
    """One network namespace."""

    def __init__(self, name):
        self.name = "dcbx-%s-%s" % (name, os.environ["DCBX_LAB"])
        subprocess.run(["ip", "netns", "add", self.name], check=True)
        with self.inside(), contextlib.suppress(OSError):
            for where in ("all", "default"):
                with open("/proc/sys/net/ipv6/conf/%s/disable_ipv6" % where,
                          "w") as f:
                    f.write("1")

    @contextlib.contextmanager
    def inside(self):
        """Sockets opened here belong to the namespace."""
        back = os.open("/proc/self/ns/net", os.O_RDONLY)
        there = os.open("/run/netns/" + self.name, os.O_RDONLY)
        try:
            if libc.setns(there, CLONE_NEWNET) != 0:
                raise OSError(ctypes.get_errno(), "setns")
            yield
        finally:
            libc.setns(back, CLONE_NEWNET)
            os.close(back)
            os.close(there)

    def ip(self, words, check=True):
        """`ip -n NAME WORDS`; True when it worked."""
        p = subprocess.run(["ip", "-n", self.name, *words.split()],
                           stderr=subprocess.PIPE, text=True)
        if check and p.returncode != 0:
            raise RuntimeError("ip %s: %s" % (words, p.stderr))
        return p.returncode == 0

    def start(self, words):
        """`ip -n NAME WORDS`, not waited for."""
        return subprocess.Popen(["ip", "-n", self.name, *words.split()])

    def show(self, port):
        """What `ip -j -d link show` says of a port."""
        return json.loads(subprocess.run(
            ["ip", "-n", self.name, "-j", "-d", "link", "show", port],
            check=True, stdout=subprocess.PIPE, text=True).stdout)[0]

    def run(self, *words, **how):
        return subprocess.Popen(["ip", "netns", "exec", self.name, *words],
                                **how)


def veth(a, port_a, b, port_b, mac_a=None, mac_b=None, up=True):
    """A cable between two namespaces."""
    a.ip("link add %s type veth peer name %s netns %s" %
         (port_a, port_b, b.name))
    for net, port, mac in ((a, port_a, mac_a), (b, port_b, mac_b)):
        if mac is not None:
            net.ip("link set %s address %s" % (port, mac))
        if up:
            net.ip("link set %s up" % port)


class Wire:
    """A raw LLDP socket on a port: what a peer would see and send."""

    def __init__(self, net, port, protocol=LLDP):
        with net.inside():
            self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
            self.socket.bind((port, protocol))
            index = socket.if_nametoindex(port)
        # PACKET_ADD_MEMBERSHIP of the group
        self.socket.setsockopt(263, 1, struct.pack("iHH8s", index, 0, 6,
                                                   GROUP))

    def send(self, frame):
        self.socket.send(frame)

    def frame(self, limit=LIMIT):
        """The next frame, or None."""
        if select.select([self.socket], [], [], limit)[0]:
            return self.socket.recv(2048)
        return None

    def find(self, wanted, limit=LIMIT):
        """The next frame for which wanted(frame) is true, or None."""
        end = time.monotonic() + limit
        while (left := end - time.monotonic()) > 0:
            frame = self.frame(left)
            if frame is not None and wanted(frame):
                return frame
        return None

    def close(self):
        self.socket.close()


def tlvs(frame):
    """[(type, body)] of an LLDPDU."""
    at, out = 14, []
    while at + 2 <= len(frame):
        head, = struct.unpack_from("!H", frame, at)
        out.append((head >> 9, frame[at + 2:at + 2 + (head & 511)]))
        at += 2 + (head & 511)
        if head >> 9 == 0:
            break
    return out


def ttl(frame):
    """The TTL of a frame, or -1."""
    for kind, body in tlvs(frame):
        if kind == 3:
            return struct.unpack("!H", body[:2])[0]
    return -1


class Monitor:
    """Interface news of a namespace, from rtnetlink (rtnetlink(7))."""

    def __init__(self, net):
        with net.inside():
            self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
            self.socket.bind((0, 1))  # RTMGRP_LINK

    def drain(self):
        while select.select([self.socket], [], [], 0)[0]:
            self.socket.recv(65536)

    def next_flags(self, limit=LIMIT):
        """Flags of each RTM_NEWLINK in the next datagram."""
        if not select.select([self.socket], [], [], limit)[0]:
            return []
        data, at, flags = self.socket.recv(65536), 0, []
        while at + 16 <= len(data):
            size, kind = struct.unpack_from("=IH", data, at)
            if kind == 16:  # RTM_NEWLINK: nlmsghdr, then ifinfomsg
                flags.append(struct.unpack_from("=I", data, at + 24)[0])
            at += max(16, (size + 3) & ~3)
        return flags

    def wait_up(self, limit=LIMIT):
        """The time at which a link said IFF_LOWER_UP."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            if any(f & 0x10000 for f in self.next_flags(1)):
                return time.monotonic()
        raise TimeoutError("no link came up")


# Daemons

class Client:
    """One connection to a control socket."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(LIMIT)
        self.socket.connect(path)
        self.rest = b""

    def call(self, method, **parameters):
        self.socket.sendall(json.dumps(
            {"method": "org.dcbx." + method,
             "parameters": parameters}).encode() + b"\0")
        while b"\0" not in self.rest:
            data = self.socket.recv(65536)
            if not data:
                raise ConnectionError("dcbxd closed the connection")
            self.rest += data
        reply, self.rest = self.rest.split(b"\0", 1)
        return json.loads(reply)

    def port(self, name):
        """The document of one port; {} when there is none."""
        reply = self.call("GetStatus", port=name)
        ports = reply.get("parameters", {}).get("ports")
        return ports[0] if ports else {}


class Daemon:
    """A dcbxd in a namespace, and a client of it."""

    started = []

    def __init__(self, net, name, config, ports=("eth0",)):
        self.dir = tempfile.mkdtemp(dir="/run", prefix=name)
        self.net, self.config = net, self.dir + "/dcbxd.conf"
        self.path, self.log = self.dir + "/sock", self.dir + "/log"
        with open(self.config, "w") as f:
            f.write(config)
        self.start(ports)
        Daemon.started.append(self)

    def start(self, ports):
        with open(self.log, "a") as log:
            self.process = self.net.run(
                os.path.abspath("dcbxd"), "-f", self.config, "-d",
                self.dir + "/none", "-s", self.path, "-S",
                self.dir + "/state", stdout=log, stderr=subprocess.STDOUT)
        self.client = None
        wait_for(self.connected)
        for port in ports:
            if not wait_for(lambda: self.port(port)):
                raise RuntimeError("no port %s: %s" % (port, self.text()))

    def connected(self):
        if self.process.poll() is not None:
            raise RuntimeError("dcbxd ended: " + self.text())
        with contextlib.suppress(OSError):
            self.client = Client(self.path)
        return self.client

    def port(self, name="eth0"):
        return self.client.port(name)

    def wait(self, wanted, name="eth0", limit=LIMIT):
        """True as soon as wanted(document) is; a field that is not there
        makes it false."""
        def look():
            with contextlib.suppress(KeyError, IndexError, TypeError):
                return wanted(self.port(name))
        return wait_for(look, limit)

    def wait_states(self, name="eth0", **states):
        return self.wait(lambda d: all(d[f]["state"] == s
                                       for f, s in states.items()), name)

    def text(self):
        with open(self.log, errors="replace") as f:
            return f.read()

    def engine(self):
        """The process that speaks LLDP, a child of the one we started."""
        pid = self.process.pid
        with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
            for child in f.read().split():
                with open("/proc/%s/cmdline" % child) as g:
                    if "engine" in g.read():
                        return int(child)
        raise RuntimeError("no engine: " + self.text())

    def fd_of(self, wanted):
        """A copy of the engine's first descriptor whose link text has
        wanted in it and is an AF_PACKET socket."""
        pid = self.engine()
        pidfd = os.pidfd_open(pid)
        for link in glob.glob("/proc/%d/fd/*" % pid):
            if wanted not in os.readlink(link):
                continue
            fd = libc.syscall(438, pidfd, int(os.path.basename(link)), 0)
            if fd < 0:
                raise OSError(ctypes.get_errno(), "pidfd_getfd")
            s = socket.socket(fileno=fd)
            if s.family == socket.AF_PACKET:
                return s
            s.close()
        return None

    def stop(self, how=signal.SIGTERM):
        """Its exit status; 0 also says that no sanitizer complained."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            return self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return "did not stop"


def end(check):
    """Stop every daemon; each must have lived until now and leave cleanly."""
    for d in Daemon.started:
        alive = d.process.poll() is None
        code = d.stop() if alive else d.process.returncode
        check("%s alive to the end and clean" % os.path.basename(d.dir)[:-8],
              (alive or code == 0) and code == 0 and
              "runtime error" not in d.text(), (alive, code, d.text()[-1500:]))
    check.done()


# Values that the tests share

ETS = """ets { willing = %s
    prio-tc = {0,0,0,1,0,0,0,0}  tc-bw = {%d,%d,0,0,0,0,0,0}
    tc-tsa = {ets,ets,strict,strict,strict,strict,strict,strict} }
"""


def config(prios="3", willing="yes", bw=50, port="eth0", more=""):
    """A configuration of one port: backends {none}."""
    return ('port "%s" { backends = {none} %s\n'
            '  pfc { prio-pfc = {%s} willing = %s }\n  %s}\n' %
            (port, more, prios, willing, ETS % (willing, bw, 100 - bw)))


def prios(*wanted):
    """prio_pfc as the documents have it."""
    return [p in wanted for p in range(8)]
