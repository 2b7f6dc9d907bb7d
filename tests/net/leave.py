#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""How dcbxd leaves, seen by a raw socket at the other end of the cable.

SIGTERM says goodbye with a TTL-0 frame and SIGUSR1 does not (802.1AB 9.1.2);
a second daemon on the same socket does not start; and B045: frames carry
SO_PRIORITY 7, without which some adapters drop them.
"""
import signal
import socket
import subprocess

import lab

lab.enter()
check = lab.Checks()
A, B = lab.Net("a"), lab.Net("b")
lab.veth(A, "eth0", B, "eth0")
b = lab.Daemon(B, "stays", lab.config("4"))


def leave(how):
    """Start a daemon, agree, stop it; frames that came after the signal."""
    a = lab.Daemon(A, "leaves-" + how.name, lab.config("3", "no"))
    lab.Daemon.started.remove(a)
    check("%s: agreed before" % how.name,
          b.wait_states(pfc="from-peer"), b.port())
    wire = lab.Wire(B, "eth0")
    code = a.stop(how)
    # The daemon is gone, so all it sent is here.  b's own frames too come to
    # a socket of this protocol only from outside.
    frames = []
    while (frame := wire.frame(0.2)) is not None:
        frames.append(frame)
    wire.close()
    check("%s: exit status 0" % how.name, code == 0, (code, a.text()))
    return frames


frames = leave(signal.SIGTERM)
check("SIGTERM: one TTL-0 frame, the last one",
      [lab.ttl(f) for f in frames].count(0) == 1 and
      lab.ttl(frames[-1]) == 0, frames)
check("SIGTERM: 60 octets, mandatory TLVs and End alone", frames and
      len(frames[-1]) == 60 and
      [k for k, _ in lab.tlvs(frames[-1])] == [1, 2, 3, 0], frames)
check("SIGTERM: the peer falls back to its own values", b.wait(
    lambda d: d["pfc"]["reason"]["code"] == "shutdown" and
    d["pfc"]["oper"]["prio_pfc"] == lab.prios(4) and d["peers"] == []),
    b.port())

frames = leave(signal.SIGINT)
check("SIGINT: says goodbye too", frames and lab.ttl(frames[-1]) == 0, frames)

frames = leave(signal.SIGUSR1)
check("SIGUSR1: no TTL-0 frame", all(lab.ttl(f) > 0 for f in frames), frames)
doc = b.port()
check("SIGUSR1: the peer keeps our values", len(doc["peers"]) == 1 and
      doc["pfc"]["oper"]["prio_pfc"] == lab.prios(3), doc)

# B045
a = lab.Daemon(A, "again", lab.config("3", "no"))
check("back again: agreed", a.wait_states(pfc="to-peer"), a.port())
mine = a.fd_of("socket")
if mine is None:
    check.skip("B045 SO_PRIORITY", "the daemon's socket cannot be looked at")
else:
    check("B045 SO_PRIORITY is 7", mine.getsockopt(
        socket.SOL_SOCKET, socket.SO_PRIORITY) == 7)
    mine.close()
bands = "root handle 1: prio bands 3 priomap 1 1 1 1 1 1 1 0 1 1 1 1 1 1 1 1"
if A.run("tc", "qdisc", "add", "dev", "eth0", *bands.split(),
         stderr=subprocess.DEVNULL).wait() == 0 and \
        A.run("tc", "qdisc", "add", "dev", "eth0", "parent", "1:2", "netem",
              "loss", "100%", stderr=subprocess.DEVNULL).wait() == 0:
    A.ip("link set eth0 down")
    b.wait(lambda d: d["link"] != "up")
    A.ip("link set eth0 up")
    check("B045 arrives where all but priority 7 is dropped",
          b.wait_states(pfc="from-peer"), b.port())
else:
    check.skip("B045 arrives where all but priority 7 is dropped",
               "this kernel has no prio and netem queues")

# A second daemon on the socket of a first
second = subprocess.run(
    ["ip", "netns", "exec", A.name, "./dcbxd", "-f", a.config, "-d",
     a.dir + "/none", "-s", a.path], stderr=subprocess.PIPE, text=True,
    timeout=lab.LIMIT)
check("a second daemon does not start and says why",
      second.returncode == 1 and a.path in second.stderr, second)
check("a second daemon: the first still answers", a.port() != {})
lab.end(check)
