# SPDX-License-Identifier: ISC
# dcbxd against dcbxd, IEEE: A takes, B offers, each programs its device.
. /checks/daemons.sh
ends
config_takes A
config_offers B
capture "$NAME"
daemon B
daemon A
becomes 'A follows' A 20 "$TAKEN"
becomes 'A: auto is dcbnl' A 1 '.backends | map(.name) == ["dcbnl"]'
becomes 'B leads' B 5 '.pfc.state == "to-peer" and .ets.state == "to-peer" and
    .backends[0].state == "applied"'
for dev in dcb0 dcb1; do
	want "$dev: PFC" 'ieee_pfc en=0x08' device $dev
	want "$dev: bandwidth" 'ieee_tcbw 40 60 0' device $dev
	want "$dev: algorithm" 'ieee_tsa 2 2 0 0' device $dev
	want "$dev: classes" 'ieee_prio_tc 0 0 0 1 0 0 0 0' device $dev
	want "$dev: core map" 'num_tc=2 prio_tc 0 0 0 1 0' device $dev
	want "$dev: mode word" 'dcbx=0x09' device $dev
	want "$dev: nothing refused" 'refused=0' device $dev
done
want 'dcb: PFC' '3:on 4:off' in_a dcb pfc show dev dcb0 prio-pfc
want 'dcb: bandwidth' 'tc-bw 0:40 1:60 2:0' in_a dcb ets show dev dcb0 tc-bw
want 'dcb: classes' '2:0 3:1 4:0' in_a dcb ets show dev dcb0 prio-tc
want 'dcb: RoCE' 'dgram-port-prio 4791:3' in_a dcb -N app show dev dcb0
want 'dcb: DSCP' 'dscp-prio 26:3' in_a dcb -N app show dev dcb0
becomes 'the document says what is in force' A 1 '.backends[0].in_force |
    .prio_pfc[3] and .tc_bw[0:2] == [40, 60] and .prio_tc[3] == 1 and
    (.app | map(select(.protocol == 4791)) ==
	[{"selector": "dgram-port", "protocol": 4791, "priority": 3}])'
on_queue dcb0 3 1 in_a
on_queue dcb0 0 0 in_a
exits 'diff: none' 0 ctl_port A diff

# Neither end is willing: each keeps its own, and no device is touched.
config_offers A 4 50,50 4
settled
daemon_reload A
soon 'A is unwilling: its own PFC' 'ieee_pfc en=0x10' dcb0 10
soon 'and its own classes' 'ieee_tcbw 50 50' dcb0 5
becomes 'a mismatch' A 20 '.pfc.state == "mismatch" and
    .pfc.reason.code == "both-unwilling"'
want 'B keeps its own' 'ieee_pfc en=0x08' device dcb1

# Gone with a good-bye: A's own values; B's device stays as it is.
config_takes A
daemon_reload A
becomes 'A follows again' A 15 "$TAKEN"
writes 'B ends and leaves its device' dcb1 '' daemon_end B TERM
becomes 'A is alone' A 5 '.pfc.state == "no-peer"'
soon 'A: no PFC' 'ieee_pfc en=0x00' dcb0 5
want 'A: no application of the peer' '^0$' \
    sh -c 'ip netns exec A dcb -N app show dev dcb0 | grep -c 4791'
daemon_end A
capture_end
