#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""The data path's socket before the real thing: who may configure, what a
second program may do to the first, systemd's socket, hostile clients, and what
is left when it has gone."""
import contextlib
import ctypes
import json
import os
import signal
import socket
import subprocess

import lab

lab.enter()
check = lab.Checks()
DATAPATH, DENIED = "org.dcbx.datapath.", \
    "org.varlink.service.PermissionDenied"
OWN, MEMBERS, OTHER = 64001, 64002, 64003
A, B = lab.Net("a"), lab.Net("b")
for n in "eth0", "eth1", "eth2", "eth3":
    lab.veth(A, n, B, n)
PATH = "/run/dp/sock"
os.mkdir("/run/dp")
os.chmod("/run/dp", 0o777)
os.chmod("/run", 0o755)
PFC3 = {"prio_pfc": lab.prios(3)}


class Datapath:
    def __init__(self, *words, path=PATH, before=(), **how):
        self.log = path + ".log"
        with open(self.log, "a") as log:
            self.process = A.run(
                *before, os.path.abspath("dcbx-datapath"), "-s", path,
                "--buffer", "4M", *words, stdout=log,
                stderr=subprocess.STDOUT, **how)

    def text(self):
        with open(self.log, errors="replace") as f:
            return f.read()

    def ready(self):
        return lab.wait_for(
            lambda: self.process.poll() is not None or answers())

    def end(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        return self.process.wait(lab.LIMIT)


def ask(method, path=PATH, **parameters):
    """The reply's parameters, or its error's name."""
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(lab.LIMIT)
        s.connect(path)
        return say(s, DATAPATH + method, parameters)


def answers():
    with contextlib.suppress(OSError):
        return "ports" in ask("GetCounters")


def say(s, method, parameters, more=False):
    s.sendall(json.dumps({"method": method, "parameters": parameters,
                          "more": more}).encode() + b"\0")
    return hear(s)


def hear(s):
    data = b""
    while not data.endswith(b"\0"):
        part = s.recv(65536)
        if not part:
            return "closed"
        data += part
    reply = json.loads(data.split(b"\0")[0])
    return reply.get("error") or reply["parameters"]


def as_user(uid, gid, groups, **parameters):
    """Configure's answer to a process of that user."""
    r, w = os.pipe()
    if os.fork() == 0:
        out = "failed"
        with contextlib.suppress(Exception):
            os.setgroups(groups)
            os.setresgid(gid, gid, gid)
            os.setresuid(uid, uid, uid)
            seen = ask("GetCounters")["ports"]
            out = ask("Configure", **parameters) if seen else "blind"
        os.write(w, json.dumps(out).encode())
        os._exit(0)
    os.close(w)
    with os.fdopen(r) as f:
        out = json.load(f)
    os.wait()
    return out


def config_of(port):
    return ask("GetCounters", port=port)["ports"][0]["config"]


# ---- what it is asked

first = Datapath("--role", "switch", "--port", "eth0", "--port", "eth1")
check("it answers", first.ready(), first.text())
seen = ask("GetCounters")
check("both ports are there, and nobody configured them",
      [(p["port"], p["config"]) for p in seen["ports"]] ==
      [("eth0", None), ("eth1", None)], seen)
check("a port is configured", "text" in ask(
    "Configure", port="eth0", config=PFC3))
check("and says so", config_of("eth0")["prio_pfc"] == lab.prios(3) and
      config_of("eth1") is None)
check("its thresholds are derived", [
    t is not None and t["xoff"] > 0 and t["headroom"] > 0
    for t in ask("GetCounters", port="eth0")["ports"][0]["thresholds"]] ==
      lab.prios(3))
for name, config, error in (
        ("a headroom that no buffer has", {**PFC3, "headroom": 1 << 29},
         "Refused"),
        ("a misspelt key", {"prio-pfc": []}, "BadValue"),
        ("classes that sum to 50", {
            "tc_tsa": ["ets"] * 8, "tc_bw": [50] + [0] * 7}, "BadValue")):
    before = config_of("eth0")
    check(name + " is refused", ask("Configure", port="eth0",
                                    config=config) == DATAPATH + error)
    check(name + " changes nothing", config_of("eth0") == before)
check("no port of that name", ask("Configure", port="eth9", config={}) ==
      DATAPATH + "NoSuchPort")

# ---- events

with socket.socket(socket.AF_UNIX) as s:
    s.settimeout(lab.LIMIT)
    s.connect(PATH)
    snapshot = say(s, DATAPATH + "Watch", {"port": "eth1"}, True)
    check("a snapshot first", snapshot["event"] == "snapshot" and
          [p["port"] for p in snapshot["ports"]] == ["eth1"], snapshot)
    for word in "down", "up":
        B.ip("link set eth1 " + word)
        event = hear(s)
        check("then the link, " + word, (event["event"], event["port"],
              event["up"]) == ("link", "eth1", word == "up"), event)

# ---- a second one

second = Datapath("--role", "switch", "--port", "eth2", "--port", "eth3")
check("a second one on that socket does not start",
      second.process.wait(lab.LIMIT) == 1)
check("it says why", "running already" in second.text(), second.text())
check("the first one lives, and has what it was told",
      config_of("eth0")["prio_pfc"] == lab.prios(3))

# ---- hostile clients

for name, octets in (("garbage", b"\xff\xfe\0"), ("an array", b"[]\0"),
                     ("no end", b"x" * 70000),
                     ("depth", b"[" * 60000 + b"\0")):
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(lab.LIMIT)
        s.connect(PATH)
        left = b""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            s.sendall(octets)
            left = s.recv(1)
        check(name + " closes that client", left == b"")
        check(name + " closes no other", "ports" in ask("GetCounters"))
crowd = []
with contextlib.suppress(OSError):
    for _ in range(200):
        c = socket.socket(socket.AF_UNIX)
        c.settimeout(0.5)
        c.connect(PATH)
        crowd.append(c)
for c in crowd:
    c.close()
check("a crowd does no harm", lab.wait_for(answers))
deaf = socket.socket(socket.AF_UNIX)
deaf.connect(PATH)
deaf.settimeout(1)
call = json.dumps({"method": DATAPATH + "GetCounters"}).encode() + b"\0"
with contextlib.suppress(OSError):
    for _ in range(5000):
        deaf.sendall(call)
with open("/proc/%d/status" % first.process.pid) as f:
    rss = next(int(line.split()[1]) for line in f
               if line.startswith("VmRSS"))
check("who asks and does not read costs little", rss < 200000, rss)
check("it left cleanly", first.end() == 0, first.text())
deaf.close()
check("and took its socket and journal with it, and nothing else",
      sorted(os.listdir("/run/dp")) == ["sock.log", "sock.ports"],
      os.listdir("/run/dp"))

# ---- signals, and what systemd is told

manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind("/run/dp/notify")
manager.settimeout(lab.LIMIT)


def notices(*words):
    """What systemd is told until each of these words was, or nothing more."""
    heard = ""
    with contextlib.suppress(TimeoutError):
        while not all(word in heard for word in words):
            heard += manager.recv(4096).decode() + "\n"
    return heard


def manager_hears():
    with contextlib.suppress(TimeoutError):
        return manager.recv(4096)


def ptrace(request, thread):
    """Stops, or lets go on, one thread of a process; may we?"""
    return ctypes.CDLL(None).ptrace(
        ctypes.c_long(request), ctypes.c_long(thread), None, None) == 0


PTRACE_ATTACH, PTRACE_DETACH, WALL = 16, 17, 0x40000000
d = Datapath("--role", "switch", "--port", "eth0,io=af_packet", "--port",
             "eth1,io=af_packet", env=dict(
                 os.environ, NOTIFY_SOCKET="/run/dp/notify",
                 WATCHDOG_USEC="400000"))
got = notices("READY=1", "WATCHDOG=1")
check("systemd knows the ports, and that frames are forwarded",
      "STATUS=switch: eth0 af_packet, eth1 af_packet\n" in got and
      "READY=1\n" in got and "WATCHDOG=1\n" in got, got)
forwarding = next(t for t in map(int, os.listdir(
    "/proc/%d/task" % d.process.pid)) if t != d.process.pid)
held = ptrace(PTRACE_ATTACH, forwarding)
if held:
    os.waitpid(forwarding, WALL)
    manager.settimeout(1)
    got = [manager_hears() for _ in range(3)]  # one may be under way
    check("a forwarding thread that hangs feeds no watchdog",
          got[-1] is None and d.process.poll() is None, got)
    manager.settimeout(lab.LIMIT)
    ptrace(PTRACE_DETACH, forwarding)
    check("until it goes on", "WATCHDOG=1\n" in notices("WATCHDOG=1"))
else:
    check.skip("a forwarding thread that hangs", "no ptrace here")
check("there is something to restore", os.path.exists(PATH + ".journal"))
d.process.send_signal(signal.SIGHUP)
check("a hang-up reads nothing anew, and says so", lab.wait_for(
    lambda: "read at the start only" in d.text()) and answers(), d.text())
check("SIGUSR1 is a clean end", d.end(signal.SIGUSR1) == 0, d.text())
check("and restores all", not os.path.exists(PATH + ".journal"))
check("STOPPING", "STOPPING=1\n" in notices("STOPPING=1"))
manager.close()
os.unlink("/run/dp/notify")

# ---- what it remembers

PORTS = PATH + ".ports"
HUGE = {"prio_pfc": lab.prios(3), "headroom": 3 << 20}


def again(*words):
    """Another life: the ports' configurations from its first reply on, its
    log's new lines, how it ended."""
    d = Datapath("--role", "switch", *words)
    begun = len(d.text())
    d.ready()
    configs = {p["port"]: p["config"] for p in ask("GetCounters")["ports"]}
    return configs, d.end(), d.text()[begun:]


def lossless_of(configs):
    return {k: c and c["prio_pfc"] for k, c in configs.items()}


def remembers(port, config, how):
    """A life that is told and ends at once."""
    d = Datapath("--role", "switch", "--port", "eth0", "--port", "eth1")
    d.ready()
    reply = ask("Configure", port=port, config=config)
    if how == signal.SIGKILL:
        lab.wait_for(lambda: remembered()[port]["prio_pfc"] ==
                     config["prio_pfc"])
    d.end(how)
    return reply


def remembered():
    with open(PORTS) as f:
        return json.load(f)


def put(text, mode=0o600):
    with contextlib.suppress(FileNotFoundError):
        os.unlink(PORTS)
    with open(PORTS, "w") as f:
        f.write(text)
    os.chmod(PORTS, mode)


TWO = "--port", "eth0", "--port", "eth1"
check("it is for the owner alone", os.stat(PORTS).st_mode & 0o777 == 0o600)
got = again(*TWO)
check("a restart remembers what was configured", lossless_of(got[0]) ==
      {"eth0": lab.prios(3), "eth1": None} and got[1] == 0, got)
check("and says so", "eth0: configured as it was before" in got[2], got)
got = again("--port", "eth1", "--port", "eth2")
check("a port that is not among ours is left out", lossless_of(got[0]) ==
      {"eth1": None, "eth2": None} and "before" not in got[2], got)
check("what is told last is remembered when it ends at once", "text" in
      remembers("eth1", {"prio_pfc": lab.prios(4)}, signal.SIGTERM) and
      sorted(remembered()) == ["eth0", "eth1"])
check("and soon enough for a kill", "text" in
      remembers("eth0", {"prio_pfc": lab.prios(5)}, signal.SIGKILL))
got = again(*TWO)
check("both are", lossless_of(got[0]) ==
      {"eth0": lab.prios(5), "eth1": lab.prios(4)}, got)
remembers("eth1", HUGE, signal.SIGTERM)
got = again(*TWO, "--buffer", "1M")
check("what does not fit any more is dropped, all else is not",
      got[0]["eth1"] is None and got[0]["eth0"] is not None and got[1] == 0 and
      "eth1: not configured as it was before: the headroom" in got[2], got)
whole = json.dumps(remembered())
for name, text, mode in (
        ("garbage", "\0\xff{", 0o600), ("half of it", whole[:-9], 0o600),
        ("nothing", "", 0o600), ("an array", "[]", 0o600),
        ("one bad value", whole[:-1] + ', "eth7": {"prio_tc": [9]}}', 0o600),
        ("too much", whole + " " * (1 << 20), 0o600),
        ("what others may write", whole, 0o666)):
    put(text, mode)
    got = again(*TWO)
    check(name + " is not used, and no harm", lossless_of(got[0]) ==
          {"eth0": None, "eth1": None} and got[1] == 0 and
          got[2].count(PORTS + ": not used: ") == 1, got)
put(whole)
os.rename(PORTS, PORTS + ".there")
os.symlink(PORTS + ".there", PORTS)
got = again(*TWO)
check("a link is not followed", lossless_of(got[0]) ==
      {"eth0": None, "eth1": None} and "not a plain file" in got[2], got)
remembers("eth0", PFC3, signal.SIGTERM)
with open(PORTS + ".there") as f:
    check("nor written through", f.read() == whole and
          not os.path.islink(PORTS) and list(remembered()) == ["eth0"])
os.unlink(PORTS + ".there")
with open("/run/dp/preset", "w") as f:
    f.write('role = switch\nport "eth0" { prio-pfc = {6} }\n'
            'port "eth1" { prio-pfc = {6} }\n')
d = Datapath("-f", "/run/dp/preset")
d.ready()
enabled = {p["port"]: [t is not None and t["headroom"] > 0
                       for t in p["thresholds"]]
           for p in ask("GetCounters")["ports"]}
check("it goes before a preset", enabled == {
    "eth0": lab.prios(3), "eth1": lab.prios(6)} and d.end() == 0, enabled)
os.unlink("/run/dp/preset")
os.mkdir(PORTS + ".new")
d = Datapath("--role", "switch", *TWO)
d.ready()
begun = len(d.text())
for prio in 1, 2:
    ask("Configure", port="eth0", config={"prio_pfc": lab.prios(prio)})
    lab.wait_for(lambda: "restart will not know" in d.text()[begun:])
check("that it cannot be written is said once, and harms nothing",
      d.end() == 0 and d.text()[begun:].count("restart will not know") == 1,
      d.text()[begun:])
os.rmdir(PORTS + ".new")
os.unlink(PORTS)

# ---- systemd's socket

listening = socket.socket(socket.AF_UNIX)
listening.bind(PATH)
os.chmod(PATH, 0o666)
listening.listen(8)


def pass_socket():
    if listening.fileno() == 3:
        os.set_inheritable(3, True)
    else:
        os.dup2(listening.fileno(), 3, True)
    os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1",
                      LISTEN_FDNAMES="datapath")


with A.inside():
    pid = os.fork()
    if pid == 0:
        pass_socket()
        os.execv("./dcbx-datapath", [
            "dcbx-datapath", "-s", "/run/dp/unused", "--buffer", "4M",
            "--role", "switch", "--port", "eth0", "--port", "eth1"])
check("it takes systemd's socket", "ports" in ask("GetCounters"))
os.kill(pid, signal.SIGTERM)
check("and leaves cleanly", os.waitpid(pid, 0)[1] == 0)
check("and leaves that socket", os.path.exists(PATH))
listening.close()
os.unlink(PATH)

# ---- the example

example = Datapath("-f", lab.SRC + "/conf/dcbx-datapath.conf")
check("the shipped example runs", example.ready() and
      example.process.poll() is None, example.text())
lossless = {p["port"]: [t is not None and t["headroom"] > 0
                        for t in p["thresholds"]]
            for p in ask("GetCounters")["ports"]}
check("and does what it says", lossless == {
    "eth1": lab.prios(), "eth2": lab.prios(), "eth3": lab.prios(3)}, lossless)
check("it leaves cleanly", example.end() == 0, example.text())

# ---- rights

with open("/proc/self/uid_map") as f:
    all_users = f.read().split() == ["0", "0", "4294967295"]
if not all_users:
    check.skip("rights", "only one user here")
    check.done()
with open("/etc/group") as f:
    groups = [line for line in f if not line.startswith("dcbx:")]
with open("/run/group", "w") as f:
    f.write("".join(groups) + "dcbx:x:%d:\n" % MEMBERS)
os.chmod("/run/group", 0o644)
subprocess.run(["mount", "--bind", "/run/group", "/etc/group"], check=True)
caps = "+net_admin,+net_raw,+bpf,+ipc_lock"
third = Datapath(
    "--role", "switch", "--port", "eth0", "--port", "eth1",
    before=("setpriv", "--reuid", str(OWN), "--regid", str(OWN),
            "--clear-groups", "--inh-caps", caps, "--ambient-caps", caps))
check("it runs as a user of its own", third.ready() and
      third.process.poll() is None, third.text())
for name, uid, gid, groups, may in (
        ("root", 0, 0, [], True),
        ("its own user", OWN, OTHER, [], True),
        ("the group dcbx", OTHER, MEMBERS, [], True),
        ("a supplementary group dcbx", OTHER, OTHER, [MEMBERS], True),
        ("its own group", OTHER, OWN, [OWN], False),
        ("somebody else", OTHER, OTHER, [OTHER, 0], False)):
    got = as_user(uid, gid, groups, port="eth1", config=PFC3)
    check("%s may%s configure" % (name, "" if may else " not"),
          got == DENIED if not may else isinstance(got, dict), got)
check("it left cleanly, too", third.end() == 0, third.text())
check.done()
