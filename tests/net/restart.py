#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""A daemon ends and begins again, and the link does not notice.

B asks for {3,4} and is not willing, A follows; both send every 30 s.  After
SIGUSR1 or a kill -9 of any of A's processes B sees nothing at all and nobody
writes; after SIGTERM B is on its own values at once.  State files that are
damaged or not of this port are named and left alone.  The dialect outlives a
restart, but no link reset that nobody saw.
"""
import os
import signal
import time

import lab
import lives

lab.enter()
check = lab.Checks()
MAC_A, MAC_B = "02:00:00:00:0a:01", "02:00:00:00:0b:01"
A, B = lab.Net("a"), lab.Net("b")
A.ip("link add first type veth peer name other")
lab.veth(A, "eth0", B, "eth0", MAC_A, MAC_B)
OURS = lab.config("3", "yes")
a = lives.Daemon(A, "a", OURS)
b = lives.Daemon(B, "b", lab.config("3,4", "no"))
QUIET = ("peer-new", "peer-changed", "peer-lost", "oper", "feature",
         "backend", "dialect")


def follows(d):
    return d["pfc"]["oper"]["prio_pfc"] == lab.prios(3, 4) and \
        d["pfc"]["state"] == "from-peer" and d["ets"]["oper"] and \
        d["backends"][0]["state"] == "applied"


def writes(daemon):
    return daemon.port()["backends"][0]["writes"]


def steady(name, step, fresh=True, quiet=QUIET):
    """The step changes nothing that B, or a backend, could notice."""
    before, written = a.port(), writes(b)
    watch = lives.Watch(b)
    step()
    check(name + ": A is where it was", a.wait(
        lambda d: follows(d) and d["peers"] and
        [d[f]["oper"] for f in ("pfc", "ets", "app")] ==
        [before[f]["oper"] for f in ("pfc", "ets", "app")]), a.port())
    seen = [e for e in watch.during(1.5) if e["event"] in quiet]
    check(name + ": B sees nothing", not seen, seen)
    check(name + ": A writes nothing",
          writes(a) == (0 if fresh else before["backends"][0]["writes"]),
          a.port()["backends"])
    check(name + ": B writes nothing", writes(b) == written)


check("A follows B", a.wait(follows), a.port())
check("B leads", b.wait_states(pfc="to-peer"), b.port())
lab.wait_for(lambda: a.files()["eth0"]["peer"] and a.files()["eth0"]["oper"])
time.sleep(6)  # the fast frames of a new neighbour end

steady("SIGUSR1", lambda: check("SIGUSR1: clean",
                                a.stop(signal.SIGUSR1) == 0) and a.again())
steady("kill -9 of the engine", lambda: a.kill("engine"), fresh=False)
steady("kill -9 of apply", lambda: a.kill("apply"), fresh=True)
steady("kill -9 of all", lambda: a.again(signal.SIGKILL))
check("the successors are not alike", a.child("engine") != a.child("apply"))

# The chassis ID is no longer that of a port that is there.
own = b.port()["peers"][0]["chassis_id"]
first = [A.show(name)["address"] for name in ("first", "other")]
check("the first port's address is the chassis ID", own in first,
      (own, first))


def other_first():
    a.stop(signal.SIGUSR1)
    A.ip("link del first")
    a.again()


# The management address of a host without any is the first port's own.
steady("another first port", other_first,
       quiet=[q for q in QUIET if q != "peer-changed"])
check("the chassis ID is kept", b.port()["peers"][0]["chassis_id"] == own)

# A value that changes while A is away is taken when it is heard.
watch = lives.Watch(a)
b.configure(lab.config("3,4,5", "no"))
b.process.send_signal(signal.SIGHUP)
check("reload at B reaches A", a.wait(
    lambda d: d["pfc"]["oper"]["prio_pfc"] == lab.prios(3, 4, 5)), a.port())
b.configure(lab.config("3,4", "no"))
b.process.send_signal(signal.SIGHUP)
check("and back", a.wait(follows), a.port())

# SIGHUP of A: a bad file changes nothing, and is told.
watch = lives.Watch(a)
a.configure('port "eth0" { mode = maybe }\nport "eth1" { dialect = x }\n')
a.process.send_signal(signal.SIGHUP)
lab.wait_for(lambda: watch.kinds("config"))
events = watch.kinds("config")
check("a bad file is told", len(events) == 1 and
      len(events[0]["errors"]) == 2, events)
check("and changes nothing", follows(a.port()) and not watch.kinds("oper"))
a.configure(OURS)
a.process.send_signal(signal.SIGHUP)

# Goodbye.
began = time.monotonic()
check("SIGTERM: clean", a.stop(signal.SIGTERM) == 0)
check("SIGTERM: B has lost A", b.wait_states(pfc="no-peer"), b.port())
check("SIGTERM: within 2 s", time.monotonic() - began < 2)
check("SIGTERM: no peer is remembered, what is in force is",
      a.files()["eth0"]["peer"] is None and
      a.files()["eth0"]["oper"]["prio_pfc"] == 0x18, a.files())
a.again()
check("A follows again", a.wait(follows), a.port())
check("A need not write for it", writes(a) == 0, a.port()["backends"])


# Files that are not to be believed.  A begins anew: it has yet to hear B.
lab.wait_for(lambda: a.files()["eth0"]["peer"])
with open(a.state + "/port-eth0") as f:
    GOOD = f.read()


def restore():
    path = a.state + "/port-eth0"
    if os.path.isdir(path):
        os.rmdir(path)
    elif os.path.lexists(path):
        os.unlink(path)
    put(GOOD)(path)


def spoil(name, said, how):
    a.stop(signal.SIGKILL)
    restore()
    how(a.state + "/port-eth0")
    open(a.log, "w").close()
    a.again()
    check("%s: named" % name, lab.wait_for(
        lambda: "port-eth0: " + said in a.text()), a.text())
    check("%s: ignored" % name, all(p["age_ms"] < 3000
                                    for p in a.port()["peers"]), a.port())


def put(text):
    def how(path):
        with open(path, "w") as f:
            f.write(text)
    return how


def change(old, new):
    def how(path):
        with open(path) as f:
            text = f.read()
        with open(path, "w") as f:
            f.write(text.replace(old, new))
    return how


def link(path):
    os.unlink(path)
    put("precious")(a.dir + "/precious")
    os.symlink(a.dir + "/precious", path)


spoil("garbage", "damaged", put("\x7fELF"))
spoil("empty", "damaged", put(""))
spoil("half", "damaged", lambda p: os.truncate(p, 100))
spoil("huge", "too long", put("[" * 100000))
spoil("a later version", "damaged", change('"version":3', '"version":4'))
spoil("a directory", "not a plain file",
      lambda p: (os.unlink(p), os.mkdir(p)))
spoil("a link", "a symbolic link", link)
with open(a.dir + "/precious") as f:
    check("a link: not followed", f.read() == "precious")
spoil("another address", "of another MAC",
      change('"mac":"020000000a01"', '"mac":"020000000a02"'))
spoil("another interface", "of interface 9999", change(
    '"ifindex":%d' % a.port()["ifindex"], '"ifindex":9999'))
with open("/proc/sys/kernel/random/boot_id") as f:
    boot = f.read().strip()
spoil("another boot", "of an earlier boot", change(boot, boot[::-1]))

a.stop(signal.SIGKILL)
restore()
a.again()
check("what was good is believed", a.wait(follows, limit=5), a.port())

# The dialect: A is led to CEE, and stays there while the link does.
b.configure(lab.config("3,4", "no", more="dialect = cee"))
b.process.send_signal(signal.SIGHUP)


def in_cee(d):
    return d["dialect"]["active"] == "cee" and follows(d)


check("dialect: A follows B to CEE", a.wait(in_cee), a.port())
changes = a.port()["dialect"]["changes"]
check("dialect: SIGTERM", a.stop(signal.SIGTERM) == 0)
check("dialect: kept, and whose it is",
      a.files()["eth0"]["dialect"]["active"] == "cee" and
      len(a.files()["eth0"]["dialect"]["msap"]) > 20, a.files())
a.again()
check("dialect: A is still in CEE", a.port()["dialect"]["active"] == "cee",
      a.port()["dialect"])
check("dialect: A follows again", a.wait(in_cee), a.port())
check("dialect: it did not change",
      a.port()["dialect"]["changes"] == changes, a.port()["dialect"])
downs = a.files()["eth0"]["downs"]
a.stop(signal.SIGUSR1)
B.ip("link set eth0 down")
B.ip("link set eth0 up")
lab.wait_for(lambda: A.show("eth0")["operstate"] == "UP")
a.again()
dialect = a.port()["dialect"]
check("dialect: a link reset starts at IEEE", dialect["active"] == "ieee" or
      dialect["history"][-1]["age_ms"] < 10000, dialect)
check("dialect: A follows once more", a.wait(in_cee), a.port())
check("dialect: and each change is known",
      a.port()["dialect"]["changes"] == changes + 2 and
      [h["reason"] for h in a.port()["dialect"]["history"][-2:]] ==
      ["link-down", "not-offered"], a.port()["dialect"])
check("dialect: the reset is known", lab.wait_for(
    lambda: a.files()["eth0"]["downs"] > downs), a.files())
b.configure(lab.config("3,4", "no", more="dialect = ieee"))
b.process.send_signal(signal.SIGHUP)
check("dialect: back in IEEE", a.wait(
    lambda d: d["dialect"]["active"] == "ieee" and follows(d)), a.port())

# on-exit = clear: the backend is told, and nothing is remembered as in force.
a.stop(signal.SIGUSR1)
a.configure("on-exit = clear\n" + OURS)
a.again()
check("on-exit: A follows", a.wait(follows), a.port())
check("on-exit: clean", a.stop(signal.SIGUSR1) == 0, a.text())
check("on-exit: nothing is left", a.files()["eth0"]["oper"] is None)
a.again()
check("on-exit: written anew",
      a.wait(lambda d: follows(d) and d["backends"][0]["writes"] == 1),
      a.port())

# The interface goes, and its file.
A.ip("link del eth0")
check("no port, no file", lab.wait_for(lambda: "eth0" not in a.files()))
lab.end(check)
