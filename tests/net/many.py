#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""64 ports, and a reload touches one of them, or none.

A has 64 ports and is not willing, B follows on all of them; both send so
seldom that nothing is due meanwhile.  A's file then changes one key of one
port: the documents, the counters and the events of the 63 others, at both
ends, must not move.  A file that says the same moves nothing, and one with
five mistakes is refused as a whole, by `dcbxd -t` and by the daemon that runs.
"""
import os
import re
import signal
import subprocess

import lab
import lives

lab.enter()
check = lab.Checks()
PORTS, ONE = 64, "p7"
NAMES = ["p%d" % i for i in range(PORTS)]
SELDOM = "lldp { tx-interval = 3600 }\n"
# Five values, each wrong in its own way: (line, key, found, allowed)
WRONG = """lldp { tx-interval = 0 }
port "p*" {
  mode = negociate
  pfc { prio-pfc = {3,9}
        willing = perhaps }
  ets { tc-tsa = {ets,ets,strict,strict,strict,strict,strict,strict}
        tc-bw = {50,40,0,0,0,0,0,0} } }
"""
MISTAKES = [(1, "lldp tx-interval", "0", "5 to 32768"),
            (3, 'port "p*" mode', "negociate", "verify | negotiate"),
            (4, 'port "p*" pfc prio-pfc', "9", "0 to 7"),
            (5, 'port "p*" pfc willing', "perhaps", "yes | no"),
            (7, 'port "p*" ets tc-bw', "90 percent", "exactly 100")]
A, B = lab.Net("a"), lab.Net("b")
for name in NAMES:
    lab.veth(A, name, B, name)


def ours(one=""):
    """A's file; what it says of one port alone."""
    return SELDOM + lab.config("3", "no", port="p*") + (
        'port "%s" { pfc { prio-pfc = {%s} } }\n' % (ONE, one) if one else "")


a = lives.Daemon(A, "many", ours(), NAMES)
b = lives.Daemon(B, "peer", SELDOM + lab.config("4", port="p*"), NAMES)
BOTH = ("A", a), ("B", b)


def documents(daemon):
    """Every port's document, but for the time that passes."""
    ports = daemon.client.call("GetStatus")["parameters"]["ports"]
    for p in ports:
        for peer in p["peers"]:
            del peer["age_ms"], peer["expires_ms"]
    return {p["port"]: p for p in ports}


def counters(daemon):
    return {p["port"]: p for p in
            daemon.client.call("GetCounters")["parameters"]["ports"]}


def look():
    """All there is to see at both ends."""
    return [(documents(d), counters(d)) for _, d in BOTH]


def agreed():
    return all(p["pfc"]["state"] == p["ets"]["state"] == "from-peer" and
               p["backends"][0]["state"] == "applied"
               for p in documents(b).values()) and \
        all(p["pfc"]["state"] == p["ets"]["state"] == "to-peer"
            for p in documents(a).values())


def settled():
    """Fast transmission is over: for two seconds nothing has moved."""
    before = look()
    lives.Watch(a).during(2)
    return look() == before


def moved(before, after):
    """Ports of which anything differs, end by end."""
    return [sorted({n for was, now in zip(x, y) for n in NAMES
                    if was[n] != now[n]}) for x, y in zip(before, after)]


def reload(how):
    """SIGHUP, or the method, which answers; and the events since."""
    watch = lives.Watch(a)
    if how == "SIGHUP":
        os.kill(a.process.pid, signal.SIGHUP)
        return None, watch
    return a.client.call("Reload").get("parameters"), watch


def touches(how, one):
    """A reload that changes one key of one port."""
    before, peer = look(), lives.Watch(b)
    a.configure(ours(one))
    reply, watch = reload(how)
    prios = lab.prios(*(int(p) for p in (one or "3").split(",")))
    check("%s: the port has its new value, and its peer follows" % how,
          a.wait(lambda d: d["pfc"]["oper"]["prio_pfc"] == prios and
                 d["pfc"]["state"] == "to-peer", ONE) and
          b.wait(lambda d: d["backends"][0]["in_force"]["prio_pfc"] == prios,
                 ONE), (a.port(ONE), b.port(ONE)))
    check("%s: and is quiet again" % how, lab.wait_for(settled))
    after = look()
    check("%s: of %d others no document and no counter moves" %
          (how, PORTS - 1), moved(before, after) == [[ONE], [ONE]],
          moved(before, after))
    check("%s: one write at each end" % how, all(
        y[1][ONE]["backends"][0]["writes"] -
        x[1][ONE]["backends"][0]["writes"] == 1
        for x, y in zip(before, after)), [
            (x[1][ONE], y[1][ONE]) for x, y in zip(before, after)])
    for end, w in ("A", watch), ("B", peer):
        w.read()
        odd = [e for e in w.seen if e["port"] not in (ONE, None)]
        check("%s: %s has events of this port alone" % (how, end),
              not odd and any(e["event"] == "oper" for e in w.seen), odd)
    if reply is not None:
        check("%s: answers that nothing is wrong" % how,
              reply == {"errors": 0, "messages": []}, reply)


def nothing(how, more):
    """A reload of a file that says the same.  Each value is a line further
    down than it was if there is more: GetConfig shows who has read it."""
    before, peer = look(), lives.Watch(b)
    config = a.client.call("GetConfig")
    a.configure(more + ours())
    _, watch = reload(how)
    check("%s: the file is read" % how, lab.wait_for(
        lambda: (a.client.call("GetConfig") != config) == bool(more)))
    watch.during(1)
    check("%s of the same values moves nothing" % how,
          moved(before, look()) == [[], []], moved(before, look()))
    peer.read()
    check("%s of the same values is no event of a port" % how,
          not peer.seen and all(e["event"] == "config" and not e["errors"]
                                for e in watch.seen), watch.seen)


def messages(text):
    """[(file, line, rest)] of what dcbxd -t or the method said."""
    return re.findall(r"^(\S+?):(\d+): (.*)$", text, re.M)


def named(said):
    """Is each mistake said once, in order, with all that belongs to it?"""
    return [(file, int(line), all(x in rest for x in (
        key + ": ", found, "allowed: ", allowed)))
        for (file, line, rest), (_, key, found, allowed)
        in zip(said, MISTAKES)] == [
            (a.config, line, True) for line, *_ in MISTAKES] and \
        len(said) == len(MISTAKES)


def refused(how):
    """A file with five mistakes: the running daemon goes on as it was."""
    before, peer = look(), lives.Watch(b)
    config = a.client.call("GetConfig")
    a.configure(WRONG)
    reply, watch = reload(how)
    lab.wait_for(lambda: watch.kinds("config"))
    watch.during(1)
    peer.read()
    check("%s of five mistakes: the configuration stays" % how,
          a.client.call("GetConfig") == config)
    check("%s of five mistakes: nothing moves, nothing is sent" % how,
          moved(before, look()) == [[], []] and not peer.seen,
          (moved(before, look()), peer.seen))
    check("%s of five mistakes: one config event has them" % how,
          [e["event"] for e in watch.seen] == ["config"] and
          len(watch.seen[0]["errors"]) == len(MISTAKES), watch.seen)
    if reply is not None:
        check("%s of five mistakes: five messages" % how,
              reply["errors"] == len(MISTAKES) == len(reply["messages"]),
              reply)
    a.configure(ours())


def memory(end, daemon):
    """One line a process."""
    pids = [("supervisor", daemon.process.pid)] + [
        (name, daemon.child(name)) for name in ("engine", "apply")]
    for name, pid in pids:
        with open("/proc/%d/status" % pid) as f:
            field = dict(line.split(":", 1) for line in f)
        rss, size = (int(field[x].split()[0]) for x in ("VmRSS", "VmSize"))
        # A sanitizer's shadow takes terabytes of address space.
        print("# %s, %d ports, %-10s RSS %6d KiB%s" %
              (end, PORTS, name, rss, " with a sanitizer" if size > 1 << 30
               else ""), flush=True)


check("all %d ports agree" % PORTS, lab.wait_for(agreed))
for end, daemon in BOTH:
    memory(end, daemon)
check("and are quiet", lab.wait_for(settled))
touches("SIGHUP", "3,5")
touches("Reload", "")
nothing("Reload", "")
nothing("SIGHUP", "\n")

with open(a.config, "w") as f:
    f.write(WRONG)
p = subprocess.run(["./dcbxd", "-t", "-f", a.config, "-d", a.dir + "/none"],
                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
check("dcbxd -t exits 2", p.returncode == 2, p)
check("dcbxd -t names five mistakes", named(messages(p.stderr)) and
      p.stdout == "", p.stderr)
refused("SIGHUP")
refused("Reload")
for end, daemon in BOTH:
    memory(end + " after", daemon)
lab.end(check)
