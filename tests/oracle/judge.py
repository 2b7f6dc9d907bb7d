#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""tshark reads what our agent sends; we compare with what was meant.

generate.c makes the configurations, the frames and the meaning; tshark turns
the frames into PDML once; every field of every TLV is compared here, and the
order of the TLVs, their lengths, the padding.  Known faults of tshark 4.0 are
stepped round by comparing the raw octets: it calls APP selector 5 reserved
and shows the Max TCs field as it is, 0 for 8.

Environment: N (1200), SEED (random, printed), builddir.  Exit 77: no tshark.
"""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

N = int(os.environ.get("N", "1200"))
SEED = int(os.environ.get("SEED", random.randrange(1, 2**31)))
GENERATE = os.environ.get("GENERATE", "tests/oracle/generate")
ORDER = ["chassis", "port", "ttl", "port_desc", "sys_name", "sys_desc",
         "caps", "mgmt", "cn", "cfg", "rec", "pfc", "app", "cee", "end"]


def fields(tlv, name):
    """Raw octets of the fields whose name matches, in their order."""
    want = re.compile(name + "$")
    return [f.get("value") for f in tlv.iter("field")
            if want.match(f.get("name", ""))]


def one(tlv, name):
    got = fields(tlv, name)
    if len(got) != 1:
        raise ValueError(f"{len(got)} fields {name}")
    return got[0]


def number(tlv, name):
    return int(one(tlv, name), 16)


def row(tlv, name, count=8):
    got = [number(tlv, f"{name}{i}") for i in range(count)]
    return got


def bitmap(tlv, name):
    return sum(bit << i for i, bit in enumerate(row(tlv, name)))


def payload(tlv):
    return tlv.get("value")[4:]


def get_chassis(tlv):
    return {"chassis_subtype": number(tlv, "lldp.chassis.subtype"),
            "chassis_id": "".join(fields(
                tlv, r"lldp\.network_address\.subtype|lldp\.chassis\.id.*"))}


def get_port(tlv):
    if number(tlv, "lldp.port.subtype") != 5:
        raise ValueError("Port ID is not an interface name")
    return {"port_id": one(tlv, "lldp.port.id")}


def get_ttl(tlv):
    return {"ttl": number(tlv, "lldp.time_to_live")}


def text(key, name):
    def get(tlv):
        # tshark gives an empty string no octets
        got = fields(tlv, name)
        return {key: got[0] or ""}
    return get


def get_caps(tlv):
    return {"caps": number(tlv, "lldp.tlv.system_cap"),
            "caps_enabled": number(tlv, "lldp.tlv.enable_system_cap")}


def get_mgmt(tlv):
    addr = one(tlv, r"lldp\.mgn\.addr\.(ip4|ip6|hex)")
    if number(tlv, "lldp.mgn.address.len") != len(addr) // 2 + 1:
        raise ValueError("length of the address")
    if number(tlv, "lldp.mgn.interface.subtype") != 2:
        raise ValueError("interface numbering is not ifIndex")
    if number(tlv, "lldp.mgn.obj.len") != 0:
        raise ValueError("there is an OID")
    return {"mgmt": [{"family": number(tlv, "lldp.mgn.address.subtype"),
                      "addr": addr,
                      "ifindex": number(tlv, "lldp.mgn.interface.number")}]}


def table(tlv):
    return {"prio_tc": row(tlv, r"lldp\.dcbx\.feature\.pg\.pgid_prio"),
            "tc_bw": row(tlv, r"lldp\.dcbx\.feature\.pg\.per"),
            "tc_tsa": row(tlv, r"lldp\.dcbx\.ieee\.ets\.tsa")}


def get_cfg(tlv):
    return {"cfg": {**table(tlv),
                    "willing": number(tlv, "lldp.dcbx.ieee.willing"),
                    "cbs": number(tlv, "lldp.dcbx.ieee.ets.cbs"),
                    "max_tcs": number(tlv, "lldp.dcbx.ieee.ets.maxtcs")}}


def get_rec(tlv):
    if payload(tlv)[8:10] != "00":
        raise ValueError("reserved octet of the Recommendation")
    return {"rec": table(tlv)}


def get_pfc(tlv):
    return {"pfc": {"willing": number(tlv, "lldp.dcbx.ieee.willing"),
                    "mbc": number(tlv, "lldp.dcbx.ieee.pfc.mbc"),
                    "cap": number(tlv, "lldp.dcbx.ieee.pfc.numtcs"),
                    "prio_pfc": bitmap(tlv, r"lldp\.dcbx\.feature\.pfc\.prio")}}


def get_app(tlv):
    if number(tlv, "lldp.dcbx.ieee.app.reserved") != 0:
        raise ValueError("reserved octet of APP")
    entries = [f for f in tlv if f.get("name") == ""]
    if any(int(f.get("value")[:2], 16) & 0x18 for f in entries):
        raise ValueError("reserved bits of an APP entry")
    return {"app": [[number(f, "lldp.dcbx.ieee.app.prio"),
                     number(f, "lldp.dcbx.iee.app.sf"),
                     number(f, "lldp.dcbx.feature.app.proto")]
                    for f in entries]}


def get_cn(tlv):
    return {"cn": [bitmap(tlv, r"lldp\.ieee\.802_1qau\.cnpv\.prio"),
                   bitmap(tlv, r"lldp\.ieee\.802_1qau\.ready\.prio")]}


def get_cee_control(sub):
    return [number(sub, r"lldp\.dcbx\." + name) for name in (
        "version", "max_version", "control.seq", "control.ack")]


def get_cee_pg(sub):
    return {"prio_pg": row(sub, r"lldp\.dcbx\.feature\.pg\.pgid_prio"),
            "pg_bw": row(sub, r"lldp\.dcbx\.feature\.pg\.per"),
            "tcs": number(sub, "lldp.dcbx.feature.pg.numtcs")}


def get_cee_pfc(sub):
    return {"prios": bitmap(sub, r"lldp\.dcbx\.feature\.pfc\.prio"),
            "tcs": number(sub, "lldp.dcbx.feature.pfc.numtcs")}


def get_cee_app(sub):
    entries = [f for f in sub if f.get("name") == ""]
    if any(number(f, "lldp.dcbx.feature.app.oui") != 0x1b21 for f in entries):
        raise ValueError("OUI of an APP entry")
    return {"entries": [[number(f, "lldp.dcbx.feature.app.sf"),
                         number(f, "lldp.dcbx.feature.app.proto"),
                         number(f, "lldp.dcbx.feature.app.prio")]
                        for f in entries]}


CEE_READERS = {2: ("pg", get_cee_pg), 3: ("pfc", get_cee_pfc),
               4: ("app", get_cee_app)}


def get_cee_sub(sub):
    """One feature: its name, its head, its values."""
    if number(sub, "lldp.dcbx.feature.subtype") != 0:
        raise ValueError("Sub_type in CEE")
    name, reader = CEE_READERS[number(sub, "lldp.dcbx.type")]
    flags = [bool(number(sub, "lldp.dcbx.feature." + flag))
             for flag in ("enabled", "willing", "error")]
    return name, {"flags": flags, **reader(sub), "versions": [
        number(sub, "lldp.dcbx.version"),
        number(sub, "lldp.dcbx.max_version")]}


def get_cee(tlv):
    subs = [f for f in tlv if f.get("name") == ""]
    for sub in subs:
        if number(sub, "lldp.dcbx.len") != len(payload(sub)) // 2:
            raise ValueError("length of a sub-TLV")
    order = [number(sub, "lldp.dcbx.type") for sub in subs]
    if order != sorted(set(order)) or order[0] != 1:
        raise ValueError("sub-TLVs: %s" % order)
    return {"cee": {"control": get_cee_control(subs[0]),
                    **dict(get_cee_sub(sub) for sub in subs[1:])}}


READERS = {
    (1, None): ("chassis", get_chassis), (2, None): ("port", get_port),
    (3, None): ("ttl", get_ttl),
    (4, None): ("port_desc", text("port_desc", "lldp.port.desc")),
    (5, None): ("sys_name", text("sys_name", "lldp.tlv.system.name")),
    (6, None): ("sys_desc", text("sys_desc", "lldp.tlv.system.desc")),
    (7, None): ("caps", get_caps), (8, None): ("mgmt", get_mgmt),
    (127, 8): ("cn", get_cn), (127, 9): ("cfg", get_cfg),
    (127, 10): ("rec", get_rec), (127, 11): ("pfc", get_pfc),
    (127, 12): ("app", get_app), (127, "cee"): ("cee", get_cee),
    (0, None): ("end", lambda tlv: {}),
}


def read(packet):
    """What tshark says that a frame means."""
    said = {"mgmt": [], "cn": None, "cfg": None, "rec": None, "pfc": None,
            "app": None, "cee": None}
    seen = []
    eth = next(p for p in packet if p.get("name") == "eth")
    said["mac"] = one(eth, "eth.src")
    if one(eth, "eth.dst") != "0180c200000e":
        raise ValueError("destination")
    for tlv in next(p for p in packet if p.get("name") == "lldp"):
        kind = number(tlv, "lldp.tlv.type")
        sub = None
        if number(tlv, "lldp.tlv.len") != len(payload(tlv)) // 2:
            raise ValueError("length of TLV %d" % kind)
        if kind == 127:
            oui = one(tlv, "lldp.orgtlv.oui")
            if oui == "001b21" and number(tlv, "lldp.dcbx.proto") == 2:
                sub = "cee"
            elif oui == "0080c2":
                sub = number(tlv, r"lldp\.ieee\.802_1\.subtype")
            else:
                raise ValueError("OUI or subtype")
        name, reader = READERS[kind, sub]
        seen.append(name)
        for key, value in reader(tlv).items():
            said[key] = said["mgmt"] + value if key == "mgmt" else value
    if seen != sorted(seen, key=ORDER.index) or seen[-1] != "end":
        raise ValueError("order of TLVs: %s" % seen)
    if len(set(seen) - {"mgmt"}) != len([s for s in seen if s != "mgmt"]):
        raise ValueError("a TLV comes twice: %s" % seen)
    return said


def differences(said, meant):
    for key in sorted(set(said) | set(meant)):
        if said.get(key) != meant.get(key):
            yield f"{key}: sent {said.get(key)}, meant {meant.get(key)}"


def packets(pcap):
    # names of peers are octets to tshark 4.0: not always UTF-8 in its XML
    xml = subprocess.run(["tshark", "-n", "-r", pcap, "-T", "pdml"],
                         check=True, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL).stdout
    xml = xml.decode("utf-8", "replace")
    xml = re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]",
                 "?", xml)
    return ElementTree.fromstring(xml).findall("packet")


def main():
    if shutil.which("tshark") is None:
        print("SKIP: no tshark")
        return 77
    bad = compared = 0
    with tempfile.TemporaryDirectory() as tmp:
        pcap, meaning = f"{tmp}/sent.pcap", f"{tmp}/meant.ndjson"
        subprocess.run([GENERATE, str(N), str(SEED), pcap, meaning],
                       check=True)
        with open(meaning, encoding="utf-8") as lines:
            meant = [json.loads(line) for line in lines]
        for i, packet in enumerate(packets(pcap)):
            try:
                wrong = list(differences(read(packet), meant[i]))
            except (ValueError, KeyError, StopIteration) as error:
                wrong = [f"{type(error).__name__}: {error}"]
            compared += 1
            bad += bool(wrong)
            for line in wrong if bad <= 5 else []:
                print(f"frame {i + 1}: {line}")
    print(f"oracle: {compared} of {N} frames read by tshark, {bad} wrong, "
          f"seed {SEED}")
    return 1 if bad or compared != N else 0


if __name__ == "__main__":
    sys.exit(main())
