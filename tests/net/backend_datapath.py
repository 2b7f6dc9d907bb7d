#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""Backend datapath and the control socket of a dcbx-datapath.

The other end is a fake, which goes away and comes back, is slow, refuses and
talks nonsense; what it is told, how often, and what dcbxd says of it.
"""
import os
import signal
import subprocess
import time

import lab
import lives
from fake_datapath import FakeDatapath

lab.enter()
check = lab.Checks()
A, B = lab.Net("a"), lab.Net("b")
lab.veth(A, "eth0", B, "eth0")
SOCKET = "/run/datapath.sock"
fake = FakeDatapath(SOCKET)


def config(prios="3", more="", path=SOCKET):
    return """port "eth0" { backends = {datapath}
    datapath { socket = "%s" }
    pfc { prio-pfc = {%s} willing = no }
    ets { willing = no prio-tc = {0,0,0,1,0,0,0,0}
      tc-bw = {50,50,0,0,0,0,0,0}
      tc-tsa = {ets,ets,strict,strict,strict,strict,strict,strict} }
    app "dgram-port:4791" { priority = 3 }
    app "dscp:26" { priority = 3 }
    app "dscp:48" { priority = 6 }
    app "default" { priority = 1 }
    %s }
""" % (path, prios, more)


def backend(d):
    return d["backends"][0]


def is_applied(d):
    return backend(d)["state"] == "applied"


def failed(code, error):
    return lambda d: (backend(d)["state"] == "not-applied" and
                      backend(d)["reason"]["code"] == code and
                      error in (backend(d)["error"] or ""))


def ctl(*words):
    return subprocess.run([os.path.abspath("dcbxctl"), "-s", a.path, *words],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)


# Nobody is there; then somebody is.
b = lives.Daemon(B, "b", lab.config("3", "yes"))
a = lives.Daemon(A, "a", config())
check("it negotiates without", a.wait_states(pfc="to-peer"), a.port())
check("down: not applied, in one sentence", a.wait(failed(
    "no-datapath", "dcbx-datapath does not run: nobody is at " + SOCKET)),
    a.port())
check("down: nothing is counted", a.port()["queues"] is None)
started = time.monotonic()
fake.start()
check("up: applied by itself", a.wait(is_applied), a.port())
took = time.monotonic() - started
check("within a second or so", took < 3, took)
told = fake.config()
check("told once", fake.configured() == 1, fake.calls)
check("what was negotiated is what it has", told.get("prio_pfc") ==
      lab.prios(3) and told["prio_tc"][3] == 1 and told["tc_bw"][:2] ==
      [50, 50] and told["tc_tsa"][:3] == ["ets", "ets", "strict"], told)
check("with applications", sorted(
    (e["selector"], e["protocol"], e["priority"]) for e in told["app"]) == [
        ("default", 0, 1), ("dgram-port", 4791, 3), ("dscp", 26, 3),
        ("dscp", 48, 6)], told["app"])
check("and what follows from them", told["ecn"] == lab.prios(3) and
      told["dcqcn"] == lab.prios(3) and told["np"]["cnp_dscp"] == 48 and
      told["np"]["cnp_802p_prio"] == 6 and told["queue_other"] ==
      [0, 1, 1, 3, 2, 2, 6, 6] and told["watchdog"]["detect_ms"] == 200 and
      told["rp"]["variant"] == "connectx", told)
check("read back", a.wait(
    lambda d: backend(d)["in_force"]["prio_pfc"] == lab.prios(3) and
    len(backend(d)["in_force"]["app"]) == 4), a.port())

# What it counts.
queue = {"tx_frames": 5, "queue_bytes": 7, "queue_max": 9, "ecn_capable": 11,
         "ecn_marked": 3, "headroom_max": 4000, "drops": {"tail": 2},
         "pfc_tx": {"xoff": 6, "xon": 1, "paused_ns": 2500000}}
rest = [{} for _ in range(8)]
thresholds = [None] * 8
thresholds[3] = {"kmin": 1000, "kmax": 2000, "pmax_ppm": 500000,
                 "xoff": 3000, "xon": 1800, "headroom": 9000}
fake.count(priorities=rest[:3] + [queue] + rest[4:], thresholds=thresholds,
           cnp_tx=12, paused=lab.prios(3), flows=[[] for _ in range(3)] + [[
               {"version": 4, "protocol": 17, "src": "192.0.2.1",
                "sport": 4791, "dst": "192.0.2.2", "dport": 4791,
                "bytes": 99}]] + [[] for _ in range(4)])
check("counted", a.wait(
    lambda d: d["queues"]["priorities"][3]["tx_frames"] == 5), a.port())
seen = a.port()
q = seen["queues"]["priorities"][3]
check("of the queue", q["bytes"] == 7 and q["max_bytes"] == 9 and
      q["headroom_max_bytes"] == 4000 and q["drops"]["tail"] == 2 and
      q["ecn"] == {"capable_packets": 11, "marked_packets": 3} and
      q["pfc"]["tx"]["xoff"] == 6 and q["pfc"]["tx"]["pause_us"] == 2500 and
      q["paused"] and q["flows"][0]["src"] == "192.0.2.1", q)
check("of the port", seen["queues"]["cnp"] == {"rx": 0, "tx": 12} and
      seen["queues"]["rate_bps"] == 10**10 and
      seen["queues"]["io"] == "af_xdp", seen["queues"])
check("thresholds as they are there", seen["dcqcn"]["thresholds"][3] ==
      {"kmin": 1000, "kmax": 2000, "pmax_percent": 50, "xoff": 3000,
       "xon": 1800, "headroom": 9000} and seen["dcqcn"]["priorities"] == [3]
      and seen["dcqcn"]["thresholds"][0] is None and
      seen["dcqcn"]["nic_rp"]["rpg_ai_rate"] == 5, seen["dcqcn"])
shown = ctl("show", "eth0", "dcqcn")
check("dcbxctl shows it", shown.returncode == 0 and "9000 B" in shown.stdout
      and "rpg-ai-rate" in shown.stdout, shown.stdout)
counts = ctl("counters", "eth0")
check("dcbxctl counts it", "prio 3 ecn marked_packets" in counts.stdout and
      "prio 3 pfc tx xoff" in counts.stdout, counts.stdout)

# A switch does not look at CNPs; a long sentence comes whole.
why = "why " * 199
fake.count(cnp_rx=None, cnp_tx=None, why=why)
check("no CNPs is not none", a.wait(lambda d: d["queues"]["cnp"] is None),
      a.port())
check("the note is whole", a.port()["queues"]["note"] == why)
shown = ctl("show", "eth0", "dcqcn").stdout
check("dcbxctl says so", "CNPs not counted" in shown, shown)
counts = ctl("counters", "eth0").stdout
check("and counts none", "cnp" not in counts and
      "tx_frames" in counts, counts)

# Storms are told at once.
events = lives.Watch(a)
queue.update(stormed=True, storms=1)
fake.count(priorities=rest[:3] + [queue] + rest[4:])
fake.tell(event="storm", port="eth0", priority=3, state="on")
check("a storm begins", lab.wait_for(lambda: [
    (e["priority"], e["state"]) for e in events.kinds("storm")] ==
    [(3, "on")]), events.seen)
queue.update(stormed=False, storms=2)
fake.count(priorities=rest[:3] + [queue] + rest[4:])
check("two are over", lab.wait_for(lambda: [
    e["state"] for e in events.kinds("storm")] ==
    ["on", "over", "on", "over"]), events.seen)

# Somebody else configures it.
changed = dict(fake.config(), prio_pfc=lab.prios(4))
fake.count(config=changed)
fake.tell(event="config", port="eth0", text="")
check("drift is seen", a.wait(lambda d: backend(d)["state"] == "drift"),
      a.port())
fake.count(config=told)
fake.tell(event="config", port="eth0", text="")
check("and over", a.wait(is_applied), a.port())

# A restart of either.
before = fake.configured()
a.again(signal.SIGUSR1)
check("dcbxd is back", a.wait(is_applied) and
      a.wait(lambda d: d["queues"] is not None), a.port())
check("and has told nothing", fake.configured() == before, fake.calls)
a.kill("apply")
check("nor has a new apply process", a.wait(is_applied) and a.wait(
    lambda d: d["queues"] is not None) and fake.configured() == before,
    fake.calls)
fake.kill()
check("gone: not applied at once", a.wait(failed("no-datapath", "")),
      a.port())
check("gone: nothing is counted", a.wait(lambda d: d["queues"] is None))
fake.start()
check("back: told anew", a.wait(is_applied) and fake.config() == told and
      fake.configured() == before + 1, fake.config())

# It has something against it.
for mode, code, error in (
        ("refuse", "datapath-refused", "the buffer is \x1b[31mtoo small"),
        ("value", "datapath-refused", "the value of kmin"),
        ("forbid", "permission", "only root and group dcbx"),
        ("bend", "partial", "something else in force")):
    fake.mode = mode
    fake.kill()
    fake.start()
    check(mode + ": not applied", a.wait(failed(code, error)), a.port())
fake.mode = "note"
fake.kill()
fake.start()
check("a note: applied all the same", a.wait(
    lambda d: is_applied(d) and "less headroom" in backend(d)["error"]),
    a.port())

# It is no dcbx-datapath of ours, or not in its right mind.
for mode, error in (("slow", "did not answer within 1000 ms"),
                    ("endless", "no dcbx-datapath of ours"),
                    ("garbage", "no dcbx-datapath of ours"),
                    ("shapeless", "no dcbx-datapath of ours"),
                    ("half", "went away before it had answered")):
    fake.mode = mode
    fake.kill()
    fake.start()
    check(mode + ": not applied", a.wait(failed("no-datapath", error)),
          a.port())
    asked = time.monotonic()
    a.port()
    check(mode + ": dcbxd answers", time.monotonic() - asked < 1)
fake.mode = "well"
fake.kill()
fake.start()
check("well again", a.wait(is_applied), a.port())
fake.ports["other"] = fake.ports.pop("eth0")
fake.kill()
fake.start()
check("without the port", a.wait(failed("datapath-refused",
                                        "has no port eth0")), a.port())
fake.ports["eth0"] = fake.ports.pop("other")
fake.kill()
fake.start()

# What is to be in force changes; at the end nothing is.
a.configure("on-exit = clear\n" + config("3,4", "trust = dscp\n"
            "watchdog { action = alert } nic-rp { rpg-ai-rate = 7 }\n"
            "datapath { cnp-interval-us = 9 }"))
a.process.send_signal(signal.SIGHUP)
check("a reload is told", lab.wait_for(
    lambda: fake.config().get("prio_pfc") == lab.prios(3, 4)) and a.wait(
        is_applied), fake.config())
told = fake.config()
check("with its setup", told["trust"] == "dscp" and
      told["watchdog"]["action"] == "alert" and
      told["rp"]["rpg_ai_rate"] == 7 and told["np"]["cnp_interval"] == 9,
      told)
diff = a.client.call("Diff", port="eth0")["parameters"]["ports"][0]
check("nothing differs", diff["backends"][0]["writes"] == [], diff)

# Another socket: that one is told all of it, the old one nothing more.
old, fake = fake, FakeDatapath("/run/other.sock").start()
before = list(old.calls)
a.configure("on-exit = clear\n" + config("3,4", "trust = dscp\n"
            "watchdog { action = alert } nic-rp { rpg-ai-rate = 7 }\n"
            "datapath { cnp-interval-us = 9 }", fake.path))
a.process.send_signal(signal.SIGHUP)
check("another socket is told", lab.wait_for(
    lambda: fake.configured() == 1) and a.wait(is_applied), a.port())
check("the same", fake.config() == told, fake.config())
check("which is watched", lab.wait_for(lambda: len(fake.watchers) == 1))
check("the old one is not any more", lab.wait_for(
    lambda: not old.watchers) and old.calls == before, old.calls)
old.kill()
check("and may go", a.wait(is_applied) and a.wait(
    lambda d: d["queues"] is not None), a.port())
a.configure("on-exit = clear\n" + config("3,4", path=fake.path).replace(
    "strict} }", "vendor} }"))
a.process.send_signal(signal.SIGHUP)
check("a vendor's class is strict there: applied, with a note", a.wait(
    lambda d: is_applied(d) and "vendor's own" in (backend(d)["error"] or ""))
      and fake.config()["tc_tsa"][7] == "strict", a.port())
a.stop(signal.SIGTERM)
check("on-exit = clear", fake.config()["prio_pfc"] == lab.prios() and
      fake.config()["app"] == [], fake.config())
lab.end(check)
