#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""Backend datapath and a dcbx-datapath: two hosts that negotiate with a switch
which forwards in it, and what becomes of that when either is killed."""
import os
import signal
import subprocess

import lab
import lives

lab.enter()
check = lab.Checks()
A, S, B = lab.Net("a"), lab.Net("s"), lab.Net("b")
lab.veth(A, "eth0", S, "sa")
lab.veth(B, "eth0", S, "sb")
SOCKET = "/run/datapath.sock"
LOG = "/run/datapath.log"
PORTS = ("sa", "sb")
CONFIG = """port "s*" { backends = {datapath}
    datapath { socket = "%s" }
    pfc { prio-pfc = {3} willing = no }
    %s
    app "dgram-port:4791" { priority = 3 }
    app "dscp:26" { priority = 3 }
    app "dscp:48" { priority = 6 } }
""" % (SOCKET, lab.ETS % ("no", 50, 50))


def start():
    """A dcbx-datapath, itself and not `ip`: it is killed by its number."""
    with S.inside(), open(LOG, "a") as log:
        return subprocess.Popen(
            [os.path.abspath("dcbx-datapath"), "-s", SOCKET, "--role",
             "switch", "--port", "sa,rate=1G", "--port", "sb,rate=1G"],
            stdout=log, stderr=subprocess.STDOUT)


def log():
    with open(LOG) as f:
        return f.read()[-2000:]


def backend(d):
    return d["backends"][0]


def applied():
    return all(s.wait(lambda d: backend(d)["state"] == "applied", port)
               for port in PORTS)


datapath = start()
a = lives.Daemon(A, "a", lab.config("3", "yes"))
b = lives.Daemon(B, "b", lab.config("4", "yes"))
s = lives.Daemon(S, "s", CONFIG, ports=PORTS)
check("applied", applied(), (s.port("sa"), log()))
check("both hosts follow", a.wait_states(pfc="from-peer") and
      b.wait_states(pfc="from-peer"), (a.port(), b.port()))
check("in force as negotiated", s.wait(
    lambda d: backend(d)["in_force"]["prio_pfc"] == lab.prios(3) and
    backend(d)["in_force"]["tc_bw"][:2] == [50, 50] and
    len(backend(d)["in_force"]["app"]) == 3, "sa"), s.port("sa"))
check("its counters and thresholds", s.wait(
    lambda d: d["queues"]["rate_bps"] == 10**9 and
    0 < d["dcqcn"]["thresholds"][3]["kmin"] <
    d["dcqcn"]["thresholds"][3]["kmax"] <
    d["dcqcn"]["thresholds"][3]["xoff"] and
    d["dcqcn"]["thresholds"][0] is None, "sa"), s.port("sa"))
diff = s.client.call("Diff", port="sa")["parameters"]["ports"][0]
check("nothing is left to write", diff["backends"][0]["writes"] == [], diff)

s.again(signal.SIGUSR1, ports=PORTS)
check("a restart of dcbxd writes nothing", applied() and all(
    backend(s.port(p))["writes"] == 0 for p in PORTS), s.port("sa"))
s.kill("engine")
s.kill("apply")
check("nor does its kill -9", applied() and all(
    backend(s.port(p))["writes"] == 0 for p in PORTS), s.port("sa"))

os.kill(datapath.pid, signal.SIGKILL)
datapath.wait()
check("killed: not applied, and why", all(s.wait(
    lambda d: backend(d)["state"] == "not-applied" and
    backend(d)["reason"]["code"] == "no-datapath" and
    d["queues"] is None, p) for p in PORTS), s.port("sa"))
datapath = start()
check("started: in force", applied() and s.wait(
    lambda d: backend(d)["in_force"]["prio_pfc"] == lab.prios(3), "sb"),
    (s.port("sb"), log()))
check("which was remembered: nothing is written", all(
    backend(s.port(p))["writes"] == 0 for p in PORTS) and
    log().count("configured as it was before") == len(PORTS),
    (s.port("sa"), log()))

datapath.terminate()
check("it ends cleanly once", datapath.wait(lab.LIMIT) == 0, log())
os.unlink(SOCKET + ".ports")
datapath = start()
check("started without a memory: told anew", all(s.wait(
    lambda d: backend(d)["state"] == "applied" and
    backend(d)["writes"] > 0 and
    backend(d)["in_force"]["prio_pfc"] == lab.prios(3), p) for p in PORTS),
    (s.port("sa"), log()))
datapath.terminate()
check("it ends cleanly", datapath.wait(lab.LIMIT) == 0, log())
lab.end(check)
