#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""What each of the three processes may do.

As root with a user _dcbxd (which this test makes up in its own mount
namespace) all three run as that user; without, as root; in a user namespace,
as its only user.  The engine has no capability in any set either way, and
what it would try with its identity fails.
"""
import grp
import os
import re
import subprocess
import sys

import lab
import lives

UID = 61234
lab.enter()
check = lab.Checks()
with open("/proc/self/uid_map") as f:
    REAL_ROOT = f.read().split() == ["0", "0", "4294967295"]
A, B = lab.Net("a"), lab.Net("b")
lab.veth(A, "eth0", B, "eth0")
CAPS = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")
ADMIN_RAW, SETPCAP = 1 << 12 | 1 << 13, 1 << 8

# Tried with the engine's identity; each line of output is something allowed.
TRY = r"""
import ctypes, os, signal, socket, sys
engine, apply, config = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
libc = ctypes.CDLL(None, use_errno=True)
def attempt(name, what):
    try:
        what()
        print(name)
    except OSError:
        pass
def ptrace(pid):
    if libc.ptrace(0x4206, pid, 0, 0) != 0:  # PTRACE_SEIZE
        raise OSError
def setns():
    if libc.setns(os.open("/proc/1/ns/net", os.O_RDONLY), 0x40000000) != 0:
        raise OSError
attempt("packet socket",
        lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0))
attempt("raw socket", lambda: socket.socket(
    socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP))
attempt("ip link", lambda: os.system("ip link set eth0 down 2>/dev/null")
        and (_ for _ in ()).throw(OSError()))
attempt("write the configuration", lambda: open(config, "a"))
attempt("write /etc", lambda: open("/etc/dcbxd-was-here", "w"))
attempt("trace apply", lambda: ptrace(apply))
attempt("memory of apply", lambda: open("/proc/%d/mem" % apply, "rb"))
attempt("kill root's", lambda: os.kill(os.getppid(), 0))
attempt("become root", lambda: os.setuid(0))
attempt("another network", setns)
attempt("chroot", lambda: os.chroot("/"))
attempt("mknod", lambda: os.mknod("/tmp/dcbxd-mknod", 0o20600, 0x103))
"""


def status(pid):
    with open("/proc/%d/status" % pid) as f:
        return dict(line.rstrip("\n").split(":\t", 1)
                    for line in f if ":\t" in line)


def caps(s):
    return {name: int(s[name], 16) for name in CAPS}


def sockets(pid):
    """Inodes of its sockets, and where its other descriptors point."""
    inodes, other = set(), []
    for fd in os.listdir("/proc/%d/fd" % pid):
        to = os.readlink("/proc/%d/fd/%s" % (pid, fd))
        m = re.fullmatch(r"socket:\[(\d+)\]", to)
        if m:
            inodes.add(int(m.group(1)))
        else:
            other.append(to)
    return inodes, other


def packet_sockets():
    p = A.run("cat", "/proc/net/packet", stdout=subprocess.PIPE, text=True)
    return {int(line.split()[8]) for line in
            p.communicate()[0].splitlines()[1:]}


def title(pid):
    with open("/proc/%d/cmdline" % pid) as f:
        return f.read().rstrip("\0")


def processes(name, daemon, uid):
    pids = {"supervisor": daemon.process.pid,
            "engine": daemon.child("engine"), "apply": daemon.child("apply")}
    check("%s: titles" % name, title(pids["engine"]) == "dcbxd: engine" and
          title(pids["apply"]) == "dcbxd: apply",
          (title(pids["engine"]), title(pids["apply"])))
    for who, pid in pids.items():
        s = status(pid)
        check("%s: user of %s" % (name, who),
              s["Uid"].split() == [str(uid)] * 4 and
              s["Gid"].split() == [str(uid)] * 4, (s["Uid"], s["Gid"]))
        check("%s: no new rights for %s" % (name, who),
              s["NoNewPrivs"] == "1")
        if uid != 0:
            check("%s: groups of %s" % (name, who),
                  s["Groups"].split() == [str(uid)], s["Groups"])
    have = {who: caps(status(pid)) for who, pid in pids.items()}
    check("%s: the engine has nothing" % name,
          not any(have["engine"].values()), have["engine"])
    check("%s: apply has two" % name,
          have["apply"] == {"CapInh": 0, "CapPrm": ADMIN_RAW,
                            "CapEff": ADMIN_RAW, "CapBnd": ADMIN_RAW,
                            "CapAmb": 0}, have["apply"])
    check("%s: the supervisor has three" % name,
          have["supervisor"]["CapEff"] == ADMIN_RAW | SETPCAP and
          have["supervisor"]["CapBnd"] == ADMIN_RAW | SETPCAP,
          have["supervisor"])
    return pids


def descriptors(name, daemon, pids):
    packet = packet_sockets()
    count = {who: len(sockets(pid)[0] & packet) for who, pid in pids.items()}
    check("%s: only the engine hears frames" % name,
          count == {"supervisor": 0, "engine": 1, "apply": 0}, count)
    plain = re.compile(r"/dev/null|pipe:.*|anon_inode:.*|" +
                       re.escape(daemon.state) + "|" +
                       re.escape(daemon.log))
    for who in ("engine", "apply"):
        other = [to for to in sockets(pids[who])[1]
                 if not plain.fullmatch(to)]
        check("%s: %s holds no file" % (name, who), not other, other)
    check("%s: apply has no state directory" % name,
          daemon.state not in sockets(pids["apply"])[1])


def attempts(name, daemon, pids):
    """As who the engine is: same user, no capability."""
    p = A.run(sys.executable, "-c", TRY, str(pids["engine"]),
              str(pids["apply"]), daemon.config, user=UID, group=UID,
              extra_groups=[UID], stdout=subprocess.PIPE, text=True) \
        if False else subprocess.Popen(
            ["nsenter", "--net=/run/netns/" + A.name, "setpriv",
             "--reuid=%d" % UID, "--regid=%d" % UID, "--clear-groups",
             "--inh-caps=-all", "--bounding-set=-all", "--no-new-privs",
             sys.executable, "-c", TRY, str(pids["engine"]),
             str(pids["apply"]), daemon.config], stdout=subprocess.PIPE,
            text=True)
    out = p.communicate()[0].split("\n")[:-1]
    check("%s: nothing that must fail works" % name,
          p.returncode == 0 and not out, (p.returncode, out))


b = lives.Daemon(B, "b", lab.config("3,4", "no"))
if REAL_ROOT:
    for path, line in (("/etc/passwd", "_dcbxd:x:%d:%d::/:/bin/false\n"),
                       ("/etc/group", "_dcbxd:x:%.0s%d:\n")):
        with open(path) as f:
            text = "".join(x for x in f if not x.startswith("_dcbxd:"))
        with open("/run" + path.replace("/", "-"), "w") as f:
            f.write(text + line % (UID, UID))
        subprocess.run(["mount", "--bind", "/run" + path.replace("/", "-"),
                        path], check=True)
    os.environ["ASAN_OPTIONS"] = "detect_leaks=0"  # it would have to trace
    check("the group is there", grp.getgrnam("_dcbxd").gr_gid == UID)
a = lives.Daemon(A, "a", lab.config("3"))
uid = UID if REAL_ROOT else 0
names = processes("start", a, uid)
check("it works", a.wait_states(pfc="from-peer"), a.port())
descriptors("start", a, names)
if REAL_ROOT:
    attempts("start", a, names)
    check("the state is the engine's",
          os.stat(a.state + "/port-eth0").st_uid == UID)
else:
    check.skip("what must fail", "this namespace has one user")
a.kill("engine")
a.kill("apply")
names = processes("after two deaths", a, uid)
check("it works after two deaths", a.wait_states(pfc="from-peer"), a.port())
lab.wait_for(lambda: a.port()["backends"])
descriptors("after two deaths", a, names)
check("stops", a.stop() == 0, a.text())
if REAL_ROOT:
    subprocess.run(["umount", "/etc/passwd"], check=True)
    os.rename(a.state, a.state + ".of-that-user")
    a.again()
    names = processes("without the user", a, 0)
    check("it works without the user", a.wait_states(pfc="from-peer"),
          a.port())
lab.end(check)
