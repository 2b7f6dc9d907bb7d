#!/usr/bin/python3 -B
# SPDX-License-Identifier: ISC
"""Two dcbxd at the ends of a cable agree, or say why they do not.

One end willing, both, none; an end that only observes; an end that verifies.
What the documents say is compared with what the two configurations ask for.
"""
import lab

lab.enter()
check = lab.Checks()


def pair(name, left, right):
    """Two namespaces, a cable, a dcbxd in each, then the link comes up."""
    a, b = lab.Net(name + "a"), lab.Net(name + "b")
    lab.veth(a, "eth0", b, "eth0", "02:00:00:00:00:0a", "02:00:00:00:00:0b",
             up=False)
    ends = (lab.Daemon(a, name + "-a", left), lab.Daemon(b, name + "-b",
                                                         right))
    a.ip("link set eth0 up")
    b.ip("link set eth0 up")
    return ends


# One end willing
one, two = pair("one", lab.config("3", "no", 60), lab.config("4", "yes", 50))
check("one willing: it follows", two.wait_states(pfc="from-peer",
                                                 ets="from-peer"), two.port())
check("one willing: the other leads", one.wait_states(
    pfc="to-peer", ets="to-peer"), one.port())
doc = two.port()
check("one willing: values in force", doc["pfc"]["oper"]["prio_pfc"] ==
      lab.prios(3) and doc["ets"]["oper"]["tc_bw"][:2] == [60, 40] and
      doc["state"] == "ok", doc)
check("one willing: the backend has them", two.wait(
    lambda d: d["backends"][0]["in_force"]["prio_pfc"] == lab.prios(3)),
    two.port())
check("one willing: each knows the other", doc["peers"][0]["mac"] ==
      "02:00:00:00:00:0a" and doc["peers"][0]["port_id"] == "eth0" and
      doc["peers"][0]["dcbx"], doc["peers"])

# Both willing: the lower MAC address keeps its own
one, two = pair("both", lab.config("3"), lab.config("4"))
check("both willing: one value", one.wait(
    lambda d: d["pfc"]["oper"]["prio_pfc"] == lab.prios(3)) and two.wait(
    lambda d: d["pfc"]["oper"]["prio_pfc"] == lab.prios(3)),
    (one.port(), two.port()))
check("both willing: said why", two.wait(
    lambda d: d["pfc"]["reason"]["code"] == "tie-break"), two.port())

# Neither willing
one, two = pair("none", lab.config("3", "no"), lab.config("4", "no"))
for side, end in (("left", one), ("right", two)):
    check("neither willing: mismatch and reason, %s end" % side, end.wait(
        lambda d: d["state"] == "mismatch" and
        d["pfc"]["reason"]["code"] == "both-unwilling"), end.port())
check("neither willing: ETS alike is no mismatch",
      one.port()["ets"]["state"] == "ok", one.port())

# A port that no section names observes: it hears and sends nothing
one, two = pair("observe", lab.config("3", "no"), "")
check("observe: hears its peer", two.wait(
    lambda d: d["mode"] == "observe" and d["state"] == "ok" and
    d["peers"][0]["dcbx"]), two.port())
check("observe: sends nothing", two.port()["lldp"]["tx_frames"] == 0 and
      one.port()["peers"] == [], one.port())

# Verify sends with Willing off and adopts nothing
one, two = pair("verify", lab.config("3", "yes"),
                lab.config("4", "yes", more="mode = verify"))
check("verify: its peer follows", one.wait_states(pfc="from-peer"),
      one.port())
check("verify: keeps its own", two.port()["pfc"]["oper"]["prio_pfc"] ==
      lab.prios(4), two.port())
lab.end(check)
