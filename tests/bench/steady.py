#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""What 64 ports cost while nothing happens: wake-ups, CPU time, memory.

The ports are veth; at their other ends a dcbxd speaks every 10 s.  dcbxd,
lldpd and lldpad take turns on this side.  Once all 64 ports have settled, ten
seconds are measured undisturbed (CPU time, voluntary context switches) and
then twenty under `strace -c` (system calls in which a process waits: each is
a wake-up), process by process; sockets of our own count the frames both ways
meanwhile.  Where strace cannot, the switches of those twenty are counted.

The goal is what is due: the frames sent, the frames received, and one for
each batch of them, a batch being frames less than 5 ms apart.  dcbxd and
lldpd send every 10 s here; lldpad's 30 s are compiled in, and it ticks once a
second.  On veth, which has no DCB, lldpd and lldpad speak LLDP alone.

Nothing here fails because of a number.  Exit 77: no namespaces.
"""
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "net"))
import lab  # noqa: E402
import lives  # noqa: E402

PORTS, INTERVAL, CALM, TRACED, BATCH = 64, 10, 10, 20, 0.005
NAMES = ["p%d" % i for i in range(PORTS)]
WAITS = {"epoll_wait", "epoll_pwait", "epoll_pwait2", "poll", "ppoll",
         "select", "pselect6", "rt_sigtimedwait", "rt_sigsuspend", "pause",
         "wait4", "waitid", "nanosleep", "clock_nanosleep"}
lab.enter()
A, B = lab.Net("a"), lab.Net("b")
for name in NAMES:
    lab.veth(A, name, B, name)
LLDP = "lldp { tx-interval = %d }\n" % INTERVAL


class Frames:
    """All LLDP that arrives in a namespace."""

    def __init__(self, net):
        with net.inside():
            self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                                        socket.htons(lab.LLDP))
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)

    def during(self, others, seconds):
        """[(when, port)] of all that comes, here and there, for so long."""
        out, end = [[] for _ in range(1 + len(others))], \
            time.monotonic() + seconds
        sockets = [self.socket] + [o.socket for o in others]
        while (left := end - time.monotonic()) > 0:
            for s in select.select(sockets, [], [], left)[0]:
                _, where = s.recvfrom(2048)
                out[sockets.index(s)].append((time.monotonic(), where[0]))
        return out


sent, received = Frames(B), Frames(A)


def batches(frames):
    times = sorted(t for t, _ in frames)
    return sum(1 for i, t in enumerate(times)
               if i == 0 or t - times[i - 1] > BATCH)


def settle(limit=60):
    """Every port has sent, and fast transmission, a frame a second, is
    over: for 2.5 s none has sent.  The ports that have."""
    seen, end = set(), time.monotonic() + limit
    while time.monotonic() < end:
        out, _ = sent.during([received], 2.5)
        seen |= {port for _, port in out}
        if len(seen) == PORTS and not out:
            break
    return seen


def cpu(pid):
    """Nanoseconds of CPU time of a process and its threads."""
    return time.clock_gettime_ns((~pid << 3) | 2)  # CPUCLOCK_SCHED


def ticks(pid):
    """The same in ms, as /proc has it, in ticks of 10 ms."""
    with open("/proc/%d/stat" % pid) as f:
        words = f.read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) * 1000 // os.sysconf("SC_CLK_TCK")


def status(pid, field):
    with open("/proc/%d/status" % pid) as f:
        return int(re.search(r"^%s:\s+(\d+)" % field, f.read(), re.M)[1])


class Trace:
    """strace -c on a process, or None where ptrace is not permitted."""

    def __init__(self, pid):
        self.file = tempfile.NamedTemporaryFile(mode="r", dir="/run")
        self.process = subprocess.Popen(
            ["strace", "-c", "-f", "-o", self.file.name, "-p", str(pid)],
            stderr=subprocess.PIPE, text=True)
        self.said = self.process.stderr.readline()
        self.works = "attached" in self.said

    def calls(self):
        """{call: count} since the start."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(lab.LIMIT)
        out = {}
        for line in self.file.read().splitlines():
            words = line.split()
            if len(words) >= 5 and words[3].isdigit() and \
                    words[-1] != "total":
                out[words[-1]] = int(words[3])
        return out


def line(who, what, got, goal, note=""):
    print("%-36s got %8.1f     goal %5d     ratio %5.2f  %s" %
          (who + ", " + what, got, goal, got / goal if goal else 0, note),
          flush=True)


def traced(pids):
    """strace's counts of each process, and the frames meanwhile."""
    traces = {}
    if shutil.which("strace"):
        traces = {name: Trace(pid) for name, pid in pids.items()}
    works = bool(traces) and all(t.works for t in traces.values())
    before = {n: status(p, "voluntary_ctxt_switches")
              for n, p in pids.items()}
    frames = sent.during([received], TRACED)
    if works:
        return {n: t.calls() for n, t in traces.items()}, frames, None
    why = "no strace" if not traces else "ptrace is not permitted"
    for t in traces.values():
        t.process.kill()
    return {n: {"poll": status(p, "voluntary_ctxt_switches") - before[n]}
            for n, p in pids.items()}, frames, why


def measure(who, processes):
    """The lines of one daemon; processes() is {name: process ID}."""
    seen = settle()
    if len(seen) < PORTS:
        print("skip %s: %d of %d ports have sent" % (who, len(seen), PORTS))
        return
    pids = processes()
    begun = {n: (cpu(p), ticks(p), status(p, "voluntary_ctxt_switches"))
             for n, p in pids.items()}
    out, _ = sent.during([received], CALM)
    calm = {n: (cpu(p) - begun[n][0], ticks(p) - begun[n][1],
                status(p, "voluntary_ctxt_switches") - begun[n][2])
            for n, p in pids.items()}
    calls, (out, got), why = traced(pids)
    due = len(out) + len(got) + batches(out + got)
    total = 0
    for n in pids:
        waits = sum(c for call, c in calls[n].items() if call in WAITS)
        total += waits
        print("# %-8s %-10s %5d wake-ups, %6s system calls in %d s; "
              "in %d s calm %7.2f ms CPU (%d ms by ticks), "
              "%4d switches; RSS %6d KiB" %
              (who, n, waits, "?" if why else sum(calls[n].values()), TRACED,
               CALM, calm[n][0] / 1e6, calm[n][1], calm[n][2],
               status(pids[n], "VmRSS")), flush=True)
    line(who, "wake-ups, %d ports, %d s" % (PORTS, TRACED), total, due,
         "%d sent, %d received, %d batches%s" %
         (len(out), len(got), batches(out + got),
          "; by context switches: " + why if why else ""))


def is_root():
    """Of the host, and not in a user namespace alone."""
    with open("/proc/self/uid_map") as f:
        return f.read().split() == ["0", "0", "4294967295"]


def children(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
        return [int(word) for word in f.read().split()]


def dcbxd():
    a = lives.Daemon(A, "steady", LLDP + lab.config("3", "no", port="p*"),
                     NAMES)
    measure("dcbxd", lambda: {"supervisor": a.process.pid,
                              "engine": a.child("engine"),
                              "apply": a.child("apply")})
    a.stop()


def other(who, command, names, setup):
    """One that is not ours; names of its processes, parent first."""
    program = shutil.which(who, path="/usr/sbin:/usr/bin")
    if program is None or not is_root():
        print("skip %s: %s" % (who, "takes root" if program else
                               "not installed"))
        return
    with open("/run/%s.log" % who, "w") as log:
        p = A.run(program, *command, stdout=log, stderr=log)
    problem = setup()
    if problem or p.poll() is not None:
        with open("/run/%s.log" % who) as f:
            print("skip %s: %s" % (who, problem or f.read()[-200:]))
    else:
        measure(who, lambda: dict(zip(names, [p.pid] + children(p.pid))))
    p.terminate()
    p.wait(lab.LIMIT)


def run(*words):
    return subprocess.run(["ip", "netns", "exec", A.name, *words],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)


def works(*words, said=""):
    """Try a command until it works and says what it should, for ten
    seconds: what it said instead, or None."""
    p = None

    def try_it():
        nonlocal p
        p = run(*words)
        return p.returncode == 0 and said in p.stdout
    return None if lab.wait_for(try_it, 10, 0.2) else p.stdout[-200:]


def lldpd_setup():
    """Until it has read its own files it forgets what it is told."""
    ctl = ["lldpcli", "-u", "/run/lldpd.socket"]
    lab.wait_for(lambda: run(*ctl, "configure", "lldp", "tx-interval",
                             str(INTERVAL)).returncode == 0 and "delay: %d" %
                 INTERVAL in run(*ctl, "show", "configuration").stdout,
                 10, 0.2)
    return works(*ctl, "show", "configuration",
                 said="Transmit delay: %d" % INTERVAL)


def lldpad_setup():
    problem = works("lldptool", "ping")
    for name in () if problem else NAMES:
        problem = problem or works("lldptool", "-L", "-i", name,
                                   "adminStatus=rxtx")
    return problem


b = lives.Daemon(B, "peer", LLDP + lab.config("3", port="p*"), NAMES)
dcbxd()
os.makedirs("/run/lldpd", exist_ok=True)
other("lldpd", ["-d", "-u", "/run/lldpd.socket", "-I", "p*", "-C", "p*"],
      ["monitor", "daemon"], lldpd_setup)
subprocess.run(["mount", "-t", "tmpfs", "none", "/dev/shm"], check=False)
other("lldpad", ["-p", "-t", "-V", "3", "-f", "/run/lldpad.conf"], ["lldpad"],
      lldpad_setup)
b.stop()
