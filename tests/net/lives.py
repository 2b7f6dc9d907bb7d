# SPDX-License-Identifier: ISC
"""A daemon of three processes that keeps its state over several lives."""
import json
import os
import select
import signal
import socket
import subprocess
import time

import lab


def gone(pid):
    """It has ended, reaped or not: who has lost his parent is ours."""
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rsplit(")", 1)[1].split()[0] in "ZX"
    except OSError:
        return True


class Daemon(lab.Daemon):
    """With a state directory; says who its processes are."""

    def start(self, ports, more=(), env=None):
        self.state = self.dir + "/state"
        with open(self.log, "a") as log:
            self.process = self.net.run(
                os.path.abspath("dcbxd"), "-f", self.config, "-d",
                self.dir + "/none", "-s", self.path, "-S", self.state, "-v",
                *more, stdout=log, stderr=subprocess.STDOUT, env=env)
        self.client = None
        lab.wait_for(self.connected)
        for port in ports:
            if not lab.wait_for(lambda: self.port(port)):
                raise RuntimeError("no port %s: %s" % (port, self.text()))

    def stop(self, how=signal.SIGTERM):
        """All three have gone when this returns."""
        children = [self.find(name) for name in ("engine", "apply")]
        code = super().stop(how)
        for pid in filter(None, children):
            lab.wait_for(lambda: gone(pid))
        return code

    def configure(self, text):
        with open(self.config, "w") as f:
            f.write(text)

    def again(self, how=None, ports=("eth0",), **more):
        """One life ends by a signal, if any, and the next begins."""
        if how is not None:
            self.stop(how)
        self.start(ports, **more)

    def child(self, name, limit=lab.LIMIT):
        """The process `dcbxd: NAME`, or None."""
        return lab.wait_for(lambda: self.find(name), limit)

    def find(self, name):
        for pid in os.listdir("/proc"):
            if not pid.isdigit():
                continue
            try:
                with open("/proc/%s/stat" % pid) as f:
                    head, tail = f.read().rsplit(")", 1)
            except OSError:
                continue
            if head.split("(", 1)[1] == "dcbxd: " + name and \
                    int(tail.split()[1]) == self.process.pid and \
                    tail.split()[0] not in "ZX":
                return int(pid)
        return None

    def kill(self, name):
        """kill -9 of a child; its successor's process ID."""
        old = self.child(name)
        os.kill(old, signal.SIGKILL)
        new = lab.wait_for(lambda: self.find(name) not in (None, old) and
                           self.find(name))
        if name == "engine":
            self.client = None
            lab.wait_for(self.connected)
        return new

    def files(self):
        """Each port's state file, parsed; raises where one is damaged."""
        out = {}
        for name in os.listdir(self.state):
            if name.startswith("port-"):
                with open(self.state + "/" + name) as f:
                    out[name[5:]] = json.load(f)
        return out


class Watch:
    """The events of a daemon, or of a data path, from now on."""

    def __init__(self, daemon, room=""):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(daemon.path)
        self.socket.sendall(json.dumps(
            {"method": "org.dcbx." + room + "Watch",
             "more": True}).encode() + b"\0")
        self.rest, self.seen = b"", []
        while not self.seen:
            self.read(lab.LIMIT)
        self.seen = []

    def read(self, limit=0.0):
        """Take in what has come."""
        while select.select([self.socket], [], [], limit)[0]:
            data = self.socket.recv(65536)
            if not data:
                return
            *whole, self.rest = (self.rest + data).split(b"\0")
            self.seen += [json.loads(w)["parameters"] for w in whole]
            limit = 0.0

    def kinds(self, *wanted):
        """Those seen of these kinds."""
        self.read()
        return [e for e in self.seen if e["event"] in wanted]

    def during(self, seconds):
        """Take in all that comes for so long: to see that nothing does."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.read(left)
        return self.seen
