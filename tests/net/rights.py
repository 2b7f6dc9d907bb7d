#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""Three users at the control socket, and what each may do.

Root, somebody who has the group as a supplementary one, and somebody else:
all may read, the first two may change.  Groups of a process are the kernel's
word, so this needs real users: it is skipped where there is only one.
"""
import grp
import json
import os
import socket

import lab

lab.enter()
check = lab.Checks()
with open("/proc/self/uid_map") as f:
    if f.read().split() != ["0", "0", "4294967295"]:
        print("skip rights: only one user here")
        raise SystemExit(77)
GROUP = next(g for g in grp.getgrall() if g.gr_gid not in (0, 65534))
NOBODY = 65534
A, B = lab.Net("a"), lab.Net("b")
lab.veth(A, "eth0", B, "eth0")
daemon = lab.Daemon(
    A, "rights", 'control { group = "%s" }\n' % GROUP.gr_name +
    lab.config("3"))
os.chmod("/run", 0o755)
os.chmod(daemon.dir, 0o755)
READ = (("GetStatus", {}), ("GetPeers", {}), ("GetTlvs", {"port": "eth0"}),
        ("GetCounters", {}), ("GetConfig", {}), ("Record", {"port": "eth0"}),
        ("Diff", {}), ("Watch", {}))
CHANGE = (("Set", {"port": "eth0", "words": ["willing", "off"]}),
          ("Reset", {"port": "eth0"}), ("Reload", {}))
USERS = (("root", 0, 0, []),
         ("root without the group", 0, NOBODY, [NOBODY]),
         ("a member by a supplementary group", NOBODY, NOBODY,
          [NOBODY, 60001, GROUP.gr_gid, 60002]),
         ("a member by the first group", NOBODY, GROUP.gr_gid, []),
         ("a member of too many groups", NOBODY, NOBODY,
          list(range(50000, 50000 + 200)) + [GROUP.gr_gid]),
         ("somebody else", NOBODY, NOBODY, [60001, 60002]),
         ("somebody of group 0", NOBODY, 0, [0]))


def call(s, method, parameters):
    s.sendall(json.dumps({"method": "org.dcbx." + method, "more": True,
                          "parameters": parameters}).encode() + b"\0")
    data = b""
    while b"\0" not in data:
        part = s.recv(65536)
        if not part:
            return {"error": "closed"}
        data += part
    return json.loads(data.split(b"\0")[0])


def as_user(uid, gid, groups):
    """{method: its error or None}, asked by a process of that user."""
    r, w = os.pipe()
    if os.fork() == 0:
        os.setgroups(groups)
        os.setresgid(gid, gid, gid)
        os.setresuid(uid, uid, uid)
        out = {}
        try:
            for method, parameters in READ + CHANGE:
                with socket.socket(socket.AF_UNIX) as s:
                    s.settimeout(lab.LIMIT)
                    s.connect(daemon.path)
                    out[method] = call(s, method, parameters).get("error")
        except OSError as e:
            out["failed"] = str(e)
        os.write(w, json.dumps(out).encode())
        os._exit(0)
    os.close(w)
    with os.fdopen(r) as f:
        out = json.load(f)
    os.wait()
    return out


DENIED = "org.varlink.service.PermissionDenied"
for name, uid, gid, groups in USERS:
    may = uid == 0 or GROUP.gr_gid in [gid, *groups]
    got = as_user(uid, gid, groups)
    check("%s may read" % name,
          all(got.get(m, "none") is None for m, _ in READ), got)
    check("%s may%s change" % (name, "" if may else " not"),
          all(got.get(m, "none") == (None if may else DENIED)
              for m, _ in CHANGE), got)

# Rights are those of who connected, not of who holds the socket later.
with socket.socket(socket.AF_UNIX) as s:
    s.settimeout(lab.LIMIT)
    back = os.geteuid()
    os.setegid(NOBODY)
    os.seteuid(NOBODY)
    s.connect(daemon.path)
    os.seteuid(back)
    os.setegid(0)
    check("who connected counts",
          call(s, "Reload", {}).get("error") == DENIED)

# A group that is not there is nobody's.
stray = lab.Daemon(B, "stray", 'control { group = "no-such-group" }\n' +
                   lab.config("3"))
os.chmod(stray.dir, 0o755)
daemon = stray
check("without the group root may", not any(as_user(0, 0, []).values()))
got = as_user(NOBODY, NOBODY, [GROUP.gr_gid])
check("and nobody else", all(got[m] == DENIED for m, _ in CHANGE), got)
lab.end(check)
