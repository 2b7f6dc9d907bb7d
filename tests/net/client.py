#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""The control socket, by a client that has nothing of ours.

A socket, json and a NUL octet are all that varlink takes; ask() is the whole
client.  Every method that the interface description names is called, and what
the limits promise is tried.
"""
import json
import re
import socket

import lab

lab.enter()
check = lab.Checks()
A, B = lab.Net("a"), lab.Net("b")
lab.veth(A, "eth0", B, "eth0")
daemon = lab.Daemon(A, "client", lab.config("3"))
other = lab.Daemon(B, "other", lab.config("3"))
PATH = daemon.path


def ask(method, more=False, **parameters):
    """The first reply to one call; None where the daemon hangs up."""
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(lab.LIMIT)
        s.connect(PATH)
        s.sendall(json.dumps({"method": method, "more": more,
                              "parameters": parameters}).encode() + b"\0")
        data = b""
        while b"\0" not in data:
            try:
                part = s.recv(65536)
            except ConnectionResetError:
                return None
            if not part:
                return None
            data += part
        return json.loads(data.split(b"\0")[0])


def error(reply):
    return (reply or {}).get("error")


# Introspection, and each method that it names
info = ask("org.varlink.service.GetInfo")["parameters"]
check("GetInfo", "org.dcbx" in info["interfaces"], info)
text = ask("org.varlink.service.GetInterfaceDescription",
           interface="org.dcbx")["parameters"]["description"]
methods = set(re.findall(r"^method (\w+)", text, re.M))
check("the description names the methods", methods == {
    "GetStatus", "GetPeers", "GetTlvs", "GetCounters", "GetConfig", "Record",
    "Diff", "Set", "Reset", "Reload", "Watch"} and all(
    "error " + e in text for e in ("NoSuchPort", "BadValue", "Busy")), text)
check("an unknown interface", error(ask(
    "org.varlink.service.GetInterfaceDescription", interface="org.x")) ==
    "org.varlink.service.InterfaceNotFound")

check("both ends talk", daemon.wait(
    lambda d: d["pfc"]["state"] in ("ok", "from-peer", "to-peer")))
for method in ("GetStatus", "GetPeers", "GetCounters", "GetTlvs", "Diff"):
    p = ask("org.dcbx." + method, port="eth0").get("parameters", {})
    check(method, p.get("schema") == 1 and
          [x["port"] for x in p["ports"]] == ["eth0"], p)
c = ask("org.dcbx.GetCounters")["parameters"]["ports"][0]
check("counters", c["lldp"]["rx_frames"] > 0 and
      set(c["tlv"]) == {"pfc", "ets", "app"} and
      set(c["tlv"]["pfc"]) == {"malformed", "duplicate", "reserved",
                               "peer_error"} and
      [b["name"] for b in c["backends"]] == ["none"] and
      c["frames"] == {"lost": 0, "floods": 0, "muted": False}, c)
config = ask("org.dcbx.GetConfig")["parameters"]
check("GetConfig", config["schema"] == 1 and "eth0" in
      [p["port"] for p in config["ports"]], config)

# The recorder: what was sent and heard, once each, and again when it changes
record = ask("org.dcbx.Record", port="eth0")["parameters"]
ways = [f["direction"] for f in record["frames"]]
check("Record", record["port"] == "eth0" and "in" in ways and "out" in ways
      and all(bytes.fromhex(f["hex"])[12:14] == b"\x88\xcc" and
              re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z",
                           f["time"]) for f in record["frames"]), record)
bodies = [f["hex"] for f in record["frames"] if f["direction"] == "in"]
check("no frame of a sender twice in a row", all(
    a != b for a, b in zip(bodies, bodies[1:])), bodies)

# Set, what it refuses, Reset, Reload
check("Set", error(ask("org.dcbx.Set", port="eth0", words=[
    "prio-pfc", "all:off", "5:on", "willing", "off"])) is None)
check("the value is set", daemon.wait(
    lambda d: d["pfc"]["admin"]["prio_pfc"] == lab.prios(5)), daemon.port())
PATH = other.path
ask("org.dcbx.Set", port="eth0", words=["willing", "off"])
PATH = daemon.path
check("a mismatch", daemon.wait_states(pfc="mismatch"), daemon.port())
frames = ask("org.dcbx.Record", port="eth0")["parameters"]["frames"]
check("keeps the frames that led to it", sum(f["pinned"] for f in frames) ==
      min(8, len(frames)) and frames[-1]["pinned"], frames)
bad = ask("org.dcbx.Set", port="eth0", words=["prio-pfc", "9:on"])
check("BadValue", error(bad) == "org.dcbx.BadValue" and
      set(bad["parameters"]) == {"key", "found", "allowed"}, bad)
check("Reset", error(ask("org.dcbx.Reset", port="eth0")) is None)
check("Reload", ask("org.dcbx.Reload").get("parameters") ==
      {"errors": 0, "messages": []})
check("a reload drops what was set", daemon.wait(
    lambda d: d["pfc"]["admin"]["prio_pfc"] == lab.prios(3)), daemon.port())
first = ask("org.dcbx.Watch", more=True, port="eth0")
check("Watch", first["continues"] and
      first["parameters"]["event"] == "snapshot", first)

# What is wrong is said, by its name
for method, parameters, wanted in (
        ("org.dcbx.Nothing", {}, "org.varlink.service.MethodNotFound"),
        ("org.dcbx.Watch", {}, "org.varlink.service.ExpectedMore"),
        ("org.dcbx.Record", {}, "org.varlink.service.InvalidParameter"),
        ("org.dcbx.Record", {"port": 3},
         "org.varlink.service.InvalidParameter"),
        ("org.dcbx.Set", {"port": "eth0", "words": []},
         "org.varlink.service.InvalidParameter"),
        ("org.dcbx.Set", {"port": "eth0", "words": [1]},
         "org.varlink.service.InvalidParameter"),
        ("org.dcbx.Set", {"port": "eth0", "words": ["willing"], "x": 1},
         "org.varlink.service.InvalidParameter"),
        ("org.dcbx.Reset", {"port": "eth9"}, "org.dcbx.NoSuchPort"),
        ("org.dcbx.Set", {"port": "eth9", "words": ["willing", "on"]},
         "org.dcbx.NoSuchPort")):
    check("%s %s" % (method, parameters),
          error(ask(method, **parameters)) == wanted)


# Limits: a request, the replies that are not read, the clients
def closed(data):
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(lab.LIMIT)
        s.connect(PATH)
        try:
            s.sendall(data)
            return s.recv(65536) == b""
        except (BrokenPipeError, ConnectionResetError):
            return True


fill = json.dumps({"method": "org.dcbx.GetPeers", "x": ""}).encode()
largest = fill[:-2] + b"a" * (65536 - len(fill)) + fill[-2:]
check("64 KiB are taken", not closed(largest + b"\0"))
check("one more is not", closed(b" " + largest + b"\0"))
check("nor without an end", closed(b" " * 70000))
check("nor what is no object", closed(b"[]\0") and closed(b"{}\0") and
      closed(b'{"method":1}\0'))

# Who does not read a stream is dropped, and the others hear of it.
WATCH = b'{"method":"org.dcbx.Watch","more":true}\0'
slow, fast = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
for s in slow, fast:
    s.connect(PATH)
    s.sendall(WATCH)
slow.recv(1)
fast.setblocking(False)
daemon.client.call("Set", port="eth0", words=["willing", "off"])
lost, sets = b"", 0
while b'"lost"' not in lost and sets < 60000:
    for prio in 3, 4:
        daemon.client.call("Set", port="eth0", words=[
            "prio-pfc", "5:on" if prio == 3 else "5:off", "dgram-port-prio",
            *("%d:%d" % (10000 + i, prio) for i in range(80))])
        sets += 1
    try:
        while data := fast.recv(65536):
            lost = lost[-300:] + data
    except BlockingIOError:
        pass
print("  dropped after %d changes" % sets)
check("a slow reader is dropped", b'"what":"clients"' in lost, lost[-300:])
fast.close()
slow.close()
ask("org.dcbx.Reload")

clients = [socket.socket(socket.AF_UNIX) for _ in range(80)]
for s in clients:
    s.connect(PATH)
    s.settimeout(lab.LIMIT)
answers = 0
for s in clients:
    try:
        s.sendall(b'{"method":"org.varlink.service.GetInfo"}\0')
        answers += s.recv(100) != b""
    except OSError:
        pass
check("64 clients are served", 60 <= answers <= 64, answers)
for s in clients:
    s.close()
check("and others when those have left", lab.wait_for(
    lambda: ask("org.dcbx.GetPeers")))
lab.end(check)
