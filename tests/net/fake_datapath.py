# SPDX-License-Identifier: ISC
"""A dcbx-datapath that forwards nothing: its control socket, and what one
wants it to say there.  It takes what it is told as it comes, so that a test
sees every octet of it, and can be slow, refuse, lie, or go away."""
import contextlib
import copy
import json
import os
import socket
import threading
import time

INTERFACE = "org.dcbx.datapath."


def state(port, config, **more):
    """Of a port, as GetCounters tells it; what is left out is 0."""
    return {"port": port, "io": "af_xdp", "why": "fake", "config": config,
            "up": True, "rate_bps": 10**10, **more}


class FakeDatapath:
    def __init__(self, path, ports=("eth0",)):
        self.path = path
        self.mode = "well"
        self.lock = threading.Lock()
        self.calls = []  # (method, parameters), GetCounters not among them
        self.asked = 0   # times GetCounters was
        self.ports = {port: state(port, None) for port in ports}
        self.socket, self.clients, self.watchers = None, set(), []

    # ---- its life

    def start(self):
        """Anew: it knows nothing of before."""
        for port in self.ports:
            self.ports[port] = state(port, None)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path)
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(self.path)
        self.socket.listen(64)
        threading.Thread(target=self.accept, args=(self.socket,),
                         daemon=True).start()
        return self

    def kill(self):
        """As by SIGKILL: the file stays."""
        # an accept() that waits keeps the socket open otherwise
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        with self.lock:
            clients, self.clients = self.clients, set()
            self.watchers = []
        for c in clients:
            with contextlib.suppress(OSError):
                c.shutdown(socket.SHUT_RDWR)

    def accept(self, listening):
        while True:
            try:
                client, _ = listening.accept()
            except OSError:
                return
            with self.lock:
                self.clients.add(client)
            threading.Thread(target=self.serve, args=(client,),
                             daemon=True).start()

    # ---- its words

    def serve(self, client):
        rest = b""
        with contextlib.suppress(OSError):
            while data := client.recv(65536):
                *whole, rest = (rest + data).split(b"\0")
                for text in whole:
                    self.answer(client, json.loads(text))
        with self.lock:
            self.clients.discard(client)
            if client in self.watchers:
                self.watchers.remove(client)
        client.close()

    def say(self, client, message):
        client.sendall(json.dumps(message).encode() + b"\0")

    def answer(self, client, call):
        method = call["method"].removeprefix(INTERFACE)
        parameters = call.get("parameters", {})
        with self.lock:
            if method == "GetCounters":
                self.asked += 1
            else:
                self.calls.append((method, parameters))
        if method == "Watch":
            self.watch(client)
        elif self.mode == "slow":
            time.sleep(3)
        elif self.mode == "endless":
            while True:
                client.sendall(b"x" * 65536)
        elif self.mode == "garbage":
            client.sendall(b'{"parameters": [1, "\xff\0')
        elif self.mode == "shapeless":
            self.say(client, {"parameters": {"ports": [
                {"port": "eth0", "priorities": "none"}]}})
        elif self.mode == "half":
            client.sendall(b'{"parameters":')
            client.shutdown(socket.SHUT_RDWR)
        else:
            self.say(client, getattr(self, method)(**parameters))

    def watch(self, client):
        with self.lock:
            self.watchers.append(client)
        ports = [dict(p, filler="x" * 9000) for p in self.ports.values()]
        self.say(client, {"parameters": {"event": "snapshot", "port": None,
                                         "ports": ports}, "continues": True})

    def tell(self, **event):
        with self.lock:
            watchers = list(self.watchers)
        for w in watchers:
            self.say(w, {"parameters": event, "continues": True})

    def GetCounters(self, port=None):
        with self.lock:
            if port is not None and port not in self.ports:
                return {"error": INTERFACE + "NoSuchPort",
                        "parameters": {"port": port}}
            return {"parameters": {"schema": 1, "ports": copy.deepcopy(
                [p for n, p in self.ports.items() if port in (None, n)])}}

    def Configure(self, port, config):
        if self.mode == "refuse":
            return {"error": INTERFACE + "Refused", "parameters": {
                "port": port, "text": "the buffer is \x1b[31mtoo small"}}
        if self.mode == "value":
            return {"error": INTERFACE + "BadValue",
                    "parameters": {"key": "kmin"}}
        if self.mode == "forbid":
            return {"error": "org.varlink.service.PermissionDenied"}
        with self.lock:
            self.ports[port]["config"] = config
            if self.mode == "bend":
                self.ports[port]["config"] = dict(config, cable_m=77)
        return {"parameters": {"text": "" if self.mode == "well" else
                               "less headroom than the reaction needs"}}

    # ---- what a test asks

    def config(self, port="eth0"):
        with self.lock:
            return copy.deepcopy(self.ports[port]["config"]) or {}

    def count(self, port="eth0", **more):
        """Something else is to be seen of a port."""
        with self.lock:
            self.ports[port].update(more)

    def configured(self):
        with self.lock:
            return sum(m == "Configure" for m, _ in self.calls)
