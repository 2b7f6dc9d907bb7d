#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""dcbxctl record: the frames of the daemon's recorder as a whole pcap."""
import json
import os
import stat
import struct
import subprocess
import tempfile

from cli_tools import CTL, Checks, FakeDaemon, frame, run, sample

check = Checks()
status = sample("status")
PORT = status["ports"][0]["port"]
FRAMES = [frame(b"a"), frame(b"b" * 200), frame(b"c")]
RECORD = {"schema": 1, "port": PORT, "frames": [
    {"time": "2026-11-29T20:00:0%d.250Z" % i, "mono_ms": 1000 * i,
     "direction": "in", "hex": f.hex()} for i, f in enumerate(FRAMES)]}


def read_pcap(data):
    magic, _, _, _, _, _, link = struct.unpack("=IHHiIII", data[:24])
    check(magic == 0xa1b2c3d4 and link == 1, "head of the pcap", data[:24])
    at, out = 24, []
    while at < len(data):
        s, us, n, wire = struct.unpack("=IIII", data[at:at + 16])
        check(n == wire, "whole frames", (n, wire))
        out.append((s, us, data[at + 16:at + 16 + n]))
        at += 16 + n
    return out


with tempfile.TemporaryDirectory(prefix="dcbxctl-test.") as tmp, \
        FakeDaemon({"GetStatus": status, "Record": RECORD}) as d:
    path = os.path.join(tmp, "x.pcap")
    p = run("record", PORT, path, socket_path=d.path)
    check(p.returncode == 0 and p.stdout == path + ": 3 frames\n", "record",
          p)
    with open(path, "rb") as f:
        got = read_pcap(f.read())
    check([x[2] for x in got] == FRAMES, "the frames", got)
    check([x[:2] for x in got] == [(1795982400 + i, 250000)
                                   for i in range(3)], "their times", got)
    check(os.listdir(tmp) == ["x.pcap"], "nothing else", os.listdir(tmp))
    check(stat.S_IMODE(os.stat(path).st_mode) & 0o600 == 0o600, "mode")
    p = run("decode", path, "--json")
    check(json.loads(p.stdout)["ports"][0]["peers"][0]["system_name"] == "c",
          "decode reads it", p)
    out = subprocess.run([CTL, "-s", d.path, "record", PORT, "-"],
                         stdout=subprocess.PIPE, timeout=60)
    check(out.returncode == 0 and read_pcap(out.stdout) == got, "to stdout")
    p = run("record", PORT, path, "--json", socket_path=d.path)
    check(json.loads(p.stdout) == {"schema": 1, "port": PORT, "file": path,
                                   "frames": 3}, "JSON", p)
    p = run("record", PORT, os.path.join(tmp, "no/x"), socket_path=d.path)
    check(p.returncode == 1 and "No such file" in p.stderr, "no place", p)
    # What is no file stays what it is: a pipe here, a device likewise.
    pipe = os.path.join(tmp, "pipe")
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    p = run("record", PORT, pipe, socket_path=d.path)
    check(p.returncode == 0 and read_pcap(os.read(reader, 65536)) == got and
          stat.S_ISFIFO(os.lstat(pipe).st_mode), "into a pipe", p)
    os.close(reader)
    link = os.path.join(tmp, "link")
    os.symlink("x.pcap", link)
    p = run("record", PORT, link, socket_path=d.path)
    check(p.returncode == 0 and os.path.islink(link), "through a link", p)
    p = run("record", PORT, "/dev/full", socket_path=d.path)
    check(p.returncode == 1 and stat.S_ISCHR(os.stat("/dev/full").st_mode),
          "to a device", p)
    with open("/dev/full", "wb") as full:
        p = subprocess.run([CTL, "-s", d.path, "record", PORT, "-"],
                           stdout=full, stderr=subprocess.PIPE, timeout=60)
    check(p.returncode == 1 and b"-: " in p.stderr, "full disk", p)

# Frames that are none are left out; the time may be missing.
ODD = {"frames": [{"hex": "zz"}, {"hex": "0"}, {"hex": ""}, {}, 5, None,
                  {"hex": "00" * 70000, "mono_ms": 1500},
                  {"hex": "ab" * 60, "mono_ms": 2500, "time": "x"}]}
with FakeDaemon({"GetStatus": status, "Record": ODD}) as d:
    out = subprocess.run([CTL, "-s", d.path, "record", PORT, "-"],
                         stdout=subprocess.PIPE, timeout=60).stdout
    got = read_pcap(out)
    check([(x[0], x[1], len(x[2])) for x in got] ==
          [(1, 500000, 65535), (2, 500000, 60)], "odd frames",
          [(x[0], x[1], len(x[2])) for x in got])
for empty in ({"frames": []}, {}, {"frames": None}):
    with FakeDaemon({"GetStatus": status, "Record": empty}) as d:
        out = subprocess.run([CTL, "-s", d.path, "record", PORT, "-"],
                             stdout=subprocess.PIPE, timeout=60).stdout
        check(read_pcap(out) == [], "no frames", empty)
check.done()
