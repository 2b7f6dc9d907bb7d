#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""kill -9 of a daemon's processes at random moments of a scripted life.

	lives_torture.py [KILLS [SEED]]

B asks for one set of priorities after another and A, which is willing and
would itself want {1}, follows; meanwhile one of A's processes is killed, again
and again.  Its state files are whole at any moment, what is in force is
always something that B has asked for, B never loses A, and in the end A has
what B wants.
"""
import os
import random
import signal
import sys
import time

import lab
import lives

lab.enter()
check = lab.Checks()
KILLS = int(sys.argv[1]) if len(sys.argv) > 1 else 40
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 32)
print("# %d kills, seed %d" % (KILLS, SEED), flush=True)
dice = random.Random(SEED)
A, B = lab.Net("a"), lab.Net("b")
lab.veth(A, "eth0", B, "eth0", "02:00:00:00:0a:01", "02:00:00:00:0b:01")
ASKED = ["3,4", "2", "5,6,7", "0,3", "4", ""]
WANTED = [lab.prios(*(int(p) for p in text.split(",") if p))
          for text in ASKED]


def of_b(turn):
    return "lldp { tx-interval = 5 }\n" + lab.config(
        ASKED[turn % len(ASKED)], "no")


a = lives.Daemon(A, "a", "lldp { tx-interval = 5 }\n" + lab.config("1"))
b = lives.Daemon(B, "b", of_b(0))
check("A follows B", a.wait_states(pfc="from-peer"), a.port())
lab.wait_for(lambda: a.files()["eth0"]["oper"])
watch, turn, broken, worse, seen = lives.Watch(b), 0, [], [], 0


def in_force():
    """What A's backend has in force, if it says anything at the moment."""
    try:
        return [x["in_force"]["prio_pfc"] for x in a.port()["backends"]
                if x.get("in_force")]
    except (OSError, ValueError, KeyError):
        return []


def look(moment):
    global seen
    try:
        a.files()
    except ValueError as e:
        broken.append((moment, str(e)))
    values = in_force()
    seen += len(values)
    worse.extend((moment, v) for v in values if v not in WANTED)


for kill in range(KILLS):
    if dice.random() < 0.4:
        turn += 1
        b.configure(of_b(turn))
        b.process.send_signal(signal.SIGHUP)
    end = time.monotonic() + dice.random() * 0.7
    while time.monotonic() < end:
        look(kill)
        time.sleep(0.02)
    who = dice.choices(["engine", "apply", "all"], [4, 3, 3])[0]
    if who == "all":
        a.again(signal.SIGKILL)
    else:
        a.kill(who)
    look(kill)
check("state files are whole", not broken, broken)
check("nothing worse was in force", not worse, worse)
check("A could be asked most of the time", seen > KILLS, seen)
check("B never lost A", not watch.kinds("peer-lost"),
      watch.kinds("peer-lost"))
check("A has what B wants", a.wait(
    lambda d: d["pfc"]["oper"]["prio_pfc"] == WANTED[turn % len(ASKED)] and
    d["backends"][0]["state"] == "applied"), (turn, a.port()))
check("no half-written file is left", not [
    n for n in os.listdir(a.state)
    if n.startswith(".") and n != ".port-eth0.new"], os.listdir(a.state))
lab.end(check)
