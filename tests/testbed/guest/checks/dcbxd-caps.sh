# SPDX-License-Identifier: ISC
# Devices whose firmware owns DCBX, that have no DCB, that have few classes.
. /checks/daemons.sh
ends
knob firmware 1
config_takes A
config_offers B
daemon B
daemon A
becomes 'firmware: A says so' A 20 '.backends[0] | .state == "firmware" and
    .reason.code == "firmware-agent"'
becomes 'firmware: so does the port' A 1 '.state == "firmware"'
exits 'firmware: a change' 6 ctl_port A set prio-pfc 4:on
exits 'firmware: it is not waited for' 5 \
    ctl_port A wait --state ok --timeout 20
for dev in dcb0 dcb1; do
	want "firmware: $dev is never written, nor tried to" '^0$' sh -c \
	    "grep -A 1 '^$dev ' /proc/dcbsim | grep -c 'calls.*=[1-9]'"
done
# Two speakers at one end: it is silent, so the other one hears none.
becomes 'firmware: it only looks on' A 20 '.mode == "observe"'
becomes 'firmware: its peer hears no DCBX' B 130 '[.peers[]? |
    select(.dcbx)] == []'
knob firmware 0
exits 'firmware: switched off, and told so' 0 ctl_port A reset
exits 'firmware: at the other end, too' 0 ctl_port B reset
becomes 'firmware: it negotiates again' A 20 '.mode == "negotiate" and
    .backends[0].state == "applied" and .pfc.state == "from-peer"'
daemon_end A
daemon_end B

# A pair that the kernel's veth driver makes has no dcbnl at all.
in_a ip link add veth0 type veth peer name veth1 netns B
in_a ip link set veth0 up
in_b ip link set veth1 up
config_takes A
config_offers B
sed -i 's/port "dcb0"/port "veth0"/' /run/A.conf
sed -i 's/port "dcb1"/port "veth1"/' /run/B.conf
daemon B
daemon A
becomes 'no dcbnl: it negotiates' A 20 '.pfc.state == "from-peer"' veth0
becomes 'no dcbnl: and computes' A 1 '.pfc.oper.prio_pfc[3] and
    .ets.oper.tc_bw[0:2] == [40, 60]' veth0
becomes 'no dcbnl: unsupported, and why' A 1 '.backends[0] |
    .state == "unsupported" and .reason.code == "no-dcbnl"' veth0
becomes 'no dcbnl: so is the port' A 1 '.state == "unsupported"' veth0
exits 'no dcbnl: a change is not applied' 5 ctl A set veth0 prio-pfc 4:on
exits 'no dcbnl: it is not waited for' 5 \
    ctl A wait veth0 --state ok --timeout 20
exits 'no dcbnl: nothing to write' 0 ctl A diff veth0
daemon_end A
daemon_end B
in_a ip link del veth0

# Four classes: never is more offered.
ends numtcs=4
config_takes A
config_offers B
daemon B
daemon A
becomes 'four classes: A follows' A 20 "$TAKEN"
becomes 'four classes: A offers no more' B 5 \
    '.ets.peer.config.ets_cap == 4 and .pfc.peer.pfc_cap == 4'
becomes 'four classes: A says so' A 1 \
    '.ets.admin.ets_cap == 4 and .pfc.admin.pfc_cap == 4'
want 'four classes: nothing refused' 'refused=0' device dcb0
daemon_end A
daemon_end B
