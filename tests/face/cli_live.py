#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""dcbxctl against two real daemons, each in a network namespace.

What they answer fits the schema and the tables fit 80 columns; a shutdown, a
hostile System Name and a port that goes away are seen as they happen.
"""
import json
import os
import shutil
import subprocess
import tempfile
import time

from cli_tools import (CTL, Checks, columns, frame, run, schema_errors, skip)

try:
    import jsonschema  # noqa: F401  (schema_errors needs it)
except ImportError:
    skip("python3-jsonschema is not installed")
if shutil.which("ip") is None:
    skip("no ip(8)")
NS = ["dcbxctl-%s%d" % (x, os.getpid()) for x in "ab"]
check = Checks()
tmp = tempfile.TemporaryDirectory(prefix="dcbxctl-test.")
started = []
CONF = """control { socket = "%s" }
state-dir = "%s"
port "eth0" {
  mode = negotiate  backends = {none}
  pfc { prio-pfc = {%d} willing = %s }
  ets { willing = %s
        prio-tc = {0,0,0,1,0,0,0,0} tc-bw = {%s,0,0,0,0,0,0}
        tc-tsa = {ets,ets,strict,strict,strict,strict,strict,strict} }
  app "dgram-port:4791" { priority = 3 }
}
port "off0" { mode = off }
"""


def ip(*words):
    return subprocess.run(["ip", *words], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE).returncode == 0


def drop_ins(i):
    return os.path.join(tmp.name, "conf%d.d" % i)


def daemon(i, *values):
    sock = os.path.join(tmp.name, "sock%d" % i)
    conf = os.path.join(tmp.name, "conf%d" % i)
    with open(conf, "w") as f:
        f.write(CONF % (sock, sock + ".state", *values))
    log = open(os.path.join(tmp.name, "log%d" % i), "w")
    started.append(subprocess.Popen(
        ["ip", "netns", "exec", NS[i], os.path.abspath("dcbxd"), "-f", conf,
         "-d", drop_ins(i)],
        stdout=log, stderr=log))
    return sock


def until(what, test, seconds=15):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if test():
            check(True, what)
            return
        time.sleep(0.05)
    check(False, what + " within %d s" % seconds)


def port(sock, name="eth0"):
    p = run("show", name, "--json", socket_path=sock)
    return json.loads(p.stdout)["ports"][0] if p.returncode == 0 else {}


def state(sock, feature):
    return port(sock).get(feature, {}).get("state")


def look(sock):
    """Every verb, as text and as JSON."""
    for verb, words in (("status", ()), ("show", ("eth0",)), ("peers", ()),
                        ("peers", ("eth0",)), ("tlv", ("eth0",)),
                        ("tlv", ("eth0", "--sent")), ("counters", ()),
                        ("counters", ("eth0",)), ("config", ()),
                        ("config", ("eth0",)), ("diff", ()),
                        ("diff", ("eth0",))):
        p = run(verb, *words, "--json", socket_path=sock)
        check(p.returncode == 0 and p.stderr == "", verb, p.stderr)
        errors = schema_errors(verb, json.loads(p.stdout or "null"))
        check(not errors, "schema of " + verb, errors)
        for locale in ("C", "C.UTF-8"):
            p = run(verb, *words, socket_path=sock, LC_ALL=locale)
            for line in p.stdout.splitlines():
                check(columns(line) <= 80, verb, line)
    for feature in ("pfc", "ets", "app", "cn", "lldp"):
        p = run("show", "eth0", feature, socket_path=sock)
        check(p.returncode == 0 and all(columns(x) <= 80 for x in
                                        p.stdout.splitlines()),
              "show " + feature, p.stdout)


def inject(octets):
    """A frame out of the second namespace, as any neighbour could send."""
    subprocess.run(["ip", "netns", "exec", NS[1], "/usr/bin/python3", "-c",
                    "import socket,sys; s = socket.socket(socket.AF_PACKET, "
                    "socket.SOCK_RAW); s.bind(('eth0', 0)); "
                    "s.send(bytes.fromhex(sys.argv[1]))", octets.hex()],
                   check=True)


def expect(code, sock, *words, said=""):
    p = run(*words, socket_path=sock)
    check(p.returncode == code and said in p.stdout + p.stderr,
          "%s: %d, %s" % (" ".join(words), code, said), p)
    return p


def change(a, b):
    """The verbs that wait and change: a leads, b follows."""
    expect(0, b, "wait", "eth0", "--state", "pfc=3", "--timeout", "10")
    expect(5, a, "wait", "eth0", "--state", "pfc=4", said="adopts no values")
    expect(1, b, "wait", "eth0", "--state", "pfc=7", "--timeout", "0.1")
    expect(7, a, "wait", "off0", "--state", "ok")
    expect(0, a, "set", "eth0", "prio-pfc", "all:off", "5:on", "prio-tc",
           "3:0", "5:1", said="eth0: applied")
    expect(0, b, "wait", "eth0", "--state", "pfc=5", "--timeout", "10")
    expect(0, a, "config", "eth0", said="prio-pfc = {5} ")
    expect(2, a, "set", "eth0", "mode", "verify", "tc-bw", "0:10",
           said="exactly 100")
    check(port(a)["mode"] == "negotiate", "all or nothing")
    expect(2, a, "set", "eth*", "mode", "verify", said="eth0; name one")
    expect(7, a, "set", "off0", "willing", "on")
    # What is saved outlasts a reload, what is not does not.
    expect(0, a, "set", "eth0", "prio-pfc", "3:on", "--save", "--dir",
           drop_ins(0), said="saved in")
    expect(0, a, "set", "eth0", "prio-pfc", "4:on")
    expect(0, a, "wait", "eth0", "--state", "pfc=345", "--timeout", "5")
    expect(0, a, "reload")
    check([i for i in range(8) if port(a)["pfc"]["oper"]["prio_pfc"][i]] ==
          [3, 5], "saved", port(a)["pfc"])
    expect(0, a, "config", "eth0", said="50-set-eth0.conf:4")
    with open(os.path.join(drop_ins(0), "99-bad.conf"), "w") as f:
        f.write("port eth0 { mode = nonsense }")
    expect(1, a, "reload", said="nothing has changed")
    check(port(a)["pfc"]["oper"]["prio_pfc"][5], "kept")
    p = expect(1, a, "reload", "--json")
    doc = json.loads(p.stdout)
    check(not schema_errors("reload", doc) and doc["messages"][0]["file"] ==
          os.path.join(drop_ins(0), "99-bad.conf"), "messages", doc)
    shutil.rmtree(drop_ins(0))
    expect(0, a, "reload", said="reloaded")
    expect(0, b, "reset", "eth0")
    expect(0, b, "wait", "eth0", "--state", "pfc=3", "--timeout", "10")
    # What was heard is recorded, and decode makes the same of it.
    path = os.path.join(tmp.name, "eth0.pcap")
    expect(0, b, "record", "eth0", path, said="frame")
    p = run("decode", path, "--json")
    check(json.loads(p.stdout)["ports"][0]["peers"] != [], "recorded", p)


def main():
    a = daemon(0, 3, "no", "no", "40,60")
    until("first daemon", lambda: port(a) != {})
    watch_path = os.path.join(tmp.name, "watch")
    with open(watch_path, "w") as out, open(watch_path + ".json", "w") as js:
        started.append(subprocess.Popen([CTL, "-s", a, "watch"], stdout=out))
        started.append(subprocess.Popen([CTL, "-s", a, "watch", "eth0",
                                         "--json"], stdout=js))
    until("a snapshot at once", lambda: os.path.getsize(watch_path) > 0 and
          os.path.getsize(watch_path + ".json") > 0)
    b = daemon(1, 4, "yes", "yes", "50,50")
    until("adopted", lambda: state(b, "pfc") == "from-peer" and
          state(a, "pfc") == "to-peer" and state(b, "ets") == "from-peer")
    look(a)
    look(b)
    out = run("show", "eth0", "pfc", socket_path=b).stdout
    check(["PFC", "prio-pfc", "....4...", "...3....", "...3....", "same",
           "from-peer"] in [x.split() for x in out.splitlines()], "show",
          out)
    for words, code in ((("show", "eth9"), 4), (("show", "off0"), 7),
                        (("diff", "eth9"), 4), (("diff", "off0"), 7),
                        (("peers", "off0"), 7), (("tlv", "off0"), 7),
                        (("watch", "off0"), 7), (("status",), 0)):
        p = run(*words, socket_path=a)
        check(p.returncode == code, "exit code of %s" % (words,), p)

    change(a, b)

    # B013 for real; and a second speaker without DCBX is only shown.
    inject(frame(b"\x1b[2J\x1b]0;owned\x07\xe2\x80\xae", chassis=b"\7evil"))
    until("a second neighbour", lambda: len(port(a)["peers"]) == 2)
    look(a)
    out = run("peers", socket_path=a).stdout
    check("\\x1b[2J" in out and "\x1b" not in out, "escaped", out)
    inject(frame(chassis=b"\7evil", ttl=0))
    until("and gone", lambda: len(port(a)["peers"]) == 1)

    ip("-n", NS[1], "link", "set", "eth0", "down")
    until("link down", lambda: port(a).get("link") == "down")
    look(a)
    time.sleep(0.2)
    with open(watch_path) as f:
        lines = f.read().splitlines()
    check(all(len(x.split()) >= 4 for x in lines), "watch: lines", lines)
    for event in ("snapshot", "peer-new", "feature", "peer-lost", "link"):
        check(any(x.split()[2] == event for x in lines), "watch: " + event,
              "\n".join(lines))
    with open(watch_path + ".json") as f:
        events = [json.loads(x) for x in f]
    check(events[0]["event"] == "snapshot" and
          {e["port"] for e in events[1:]} <= {"eth0", None},
          "watch --json eth0", [e["port"] for e in events])
    for e in events:
        check(not schema_errors("watch", e), "schema of an event",
              (e, schema_errors("watch", e)))
    started[0].terminate()
    until("watch ends with the daemon", lambda: started[1].poll() == 3)
    check(run("status", socket_path=a).returncode == 3, "no daemon")


if not (ip("netns", "add", NS[0]) and ip("netns", "add", NS[1])):
    ip("netns", "del", NS[0])
    skip("cannot make network namespaces (not root?)")
try:
    if not (ip("-n", NS[0], "link", "add", "eth0", "type", "veth", "peer",
               "name", "eth0", "netns", NS[1]) and
            ip("-n", NS[0], "link", "add", "off0", "type", "veth", "peer",
               "name", "off1")):
        skip("cannot make veth devices")
    for ns in NS:
        ip("-n", ns, "link", "set", "eth0", "up")
    main()
finally:
    for p in started:
        p.kill()
        p.wait()
    for ns in NS:
        ip("netns", "del", ns)
    if check.failed:
        for i in range(2):
            with open(os.path.join(tmp.name, "log%d" % i)) as f:
                print("log %d:\n%s" % (i, f.read()[-3000:]))
    tmp.cleanup()
check.done()
