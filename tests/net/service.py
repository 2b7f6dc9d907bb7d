#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""What a service manager sees: notices, the watchdog, socket activation.

All notices come from the main process (NotifyAccess=main), whoever has
something to say; the watchdog is fed as long as an engine lives.
"""
import os
import signal
import socket
import struct

import lab
import lives

lab.enter()
check = lab.Checks()
A, B = lab.Net("a"), lab.Net("b")
lab.veth(A, "eth0", B, "eth0")
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind("/run/notify")
manager.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
manager.settimeout(lab.LIMIT)
senders, heard = set(), []


def notice(word):
    """The first notice with this word that was not asked for, or None."""
    try:
        while True:
            for text in heard:
                if word in text:
                    heard.remove(text)
                    return text
            data, extra, _, _ = manager.recvmsg(4096, 256)
            senders.update(struct.unpack("iII", c[2])[0] for c in extra)
            heard.append(data.decode())
    except TimeoutError:
        return None


env = dict(os.environ, NOTIFY_SOCKET="/run/notify", WATCHDOG_USEC="400000")
activated = socket.socket(socket.AF_UNIX)
activated.bind("/run/activated")
activated.listen(16)


class Service(lives.Daemon):
    """Started as systemd does, with the control socket in place."""

    def start(self, ports, more=(), env=None):
        self.state, self.path = self.dir + "/state", "/run/activated"
        with open(self.log, "a") as log:
            self.process = self.net.run(
                "bash", "-c", "export LISTEN_PID=$$ LISTEN_FDS=1 "
                "LISTEN_FDNAMES=control; exec \"$@\" 3<&%d" % activated.fileno(),
                "bash", os.path.abspath("dcbxd"), "-f", self.config, "-d",
                self.dir + "/none", "-S", self.state, *more, stdout=log,
                stderr=log, env=env or ENV, pass_fds=[activated.fileno()])
        self.client = None
        lab.wait_for(self.connected)
        for port in ports:
            if not lab.wait_for(lambda: self.port(port)):
                raise RuntimeError("no port %s: %s" % (port, self.text()))


ENV = env
a = Service(A, "a", lab.config("3"))
check("activated: answers on the socket it was given", a.port())
check("READY", notice("READY=1"))
check("STATUS", notice("STATUS=1 ports"))
check("WATCHDOG", notice("WATCHDOG=1"))
a.process.send_signal(signal.SIGHUP)
reloading = notice("RELOADING=1")
check("RELOADING with the time", reloading and
      "MONOTONIC_USEC=" in reloading, reloading)
check("READY again", notice("READY=1"))
heard.clear()
a.kill("engine")
check("an engine's death is not ours: READY", notice("READY=1"))
check("WATCHDOG goes on", notice("WATCHDOG=1"))
os.kill(a.child("engine"), signal.SIGSTOP)
manager.settimeout(1.5)
while notice("WATCHDOG=1"):
    pass
check("an engine that hangs feeds no watchdog", True)
os.kill(a.child("engine"), signal.SIGCONT)
manager.settimeout(lab.LIMIT)
check("stops", a.stop() == 0, a.text())
check("STOPPING", notice("STOPPING=1"))
check("only the main process spoke", senders == {a.process.pid},
      (senders, a.process.pid))
check("the manager's socket is left alone", os.path.exists("/run/activated"))
a.again()
check("activated again", a.port())
lab.end(check)
