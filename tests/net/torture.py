#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""B125: a port that goes up, down and away while its peer floods it.

A process sends LLDP as fast as it can from the far end.  Meanwhile the near
end is set down and up, deleted and made again, 200 rounds ($ROUNDS); dcbxd
must live, answer, and in the end agree with a real peer.  Best in a build with
sanitizers.
"""
import contextlib
import os
import signal
import socket
import time

import lab

ROUNDS = int(os.environ.get("ROUNDS", "200"))
lab.enter()
check = lab.Checks()
A, B = lab.Net("a"), lab.Net("b")
lab.veth(A, "eth0", B, "eth0")
a = lab.Daemon(A, "victim", lab.config("4"))
other = lab.Wire(B, "eth0")
a.wait(lambda d: d["lldp"]["tx_frames"] > 0)
A.ip("link set eth0 down")
A.ip("link set eth0 up")
frame = other.frame()  # a real frame of its own, made the peer's
check("a frame to flood with", frame is not None)
other.close()


def flood():
    """Send until we are ended: ten peers, odd values, a TTL-0 at times."""
    frames = []
    for i in range(10):
        f = bytearray(frame)
        f[11] = f[22] = i
        f[-8:-4] = os.urandom(4)
        frames.append(bytes(f))
    short = [f[:14 + i * 7] for i, f in enumerate(frames)]
    # One socket for all of them: to close one waits for the kernel.
    with B.inside():
        wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    while True:
        for f in frames + short:
            with contextlib.suppress(OSError):
                wire.sendto(f, ("eth0", lab.LLDP))
        time.sleep(0.005)


child = os.fork()
if child == 0:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    flood()
begin = time.monotonic()
deaf = heard = 0
for i in range(ROUNDS):
    if i % 20 == 1:  # the port was made anew two rounds ago
        asked = time.monotonic()
        doc = a.port()
        deaf = max(deaf, time.monotonic() - asked)
        heard += doc["lldp"]["rx_frames"] if doc else 0
    A.ip("link set eth0 down", check=False)
    A.ip("link set eth0 up", check=False)
    if i % 2:
        (A, B)[i // 2 % 2].ip("link del eth0", check=False)
        lab.veth(A, "eth0", B, "eth0")
    if a.process.poll() is not None:
        break
check("B125 lives through %d rounds under a flood" % ROUNDS,
      a.process.poll() is None, a.text()[-2000:])
check("B125 the flood was heard", heard > 0)
print("# torture: %.1f s, %d frames heard when asked, slowest answer %.0f ms" %
      (time.monotonic() - begin, heard, deaf * 1000))
os.kill(child, signal.SIGKILL)
os.waitpid(child, 0)

A.ip("link del eth0", check=False)
lab.wait_for(lambda: not a.port())
lab.veth(A, "eth0", B, "eth0")
b = lab.Daemon(B, "peer", lab.config("3", "no"))
check("B125 agrees with a real peer afterwards", a.wait_states(
    pfc="from-peer", ets="from-peer"), a.port())
lab.end(check)
