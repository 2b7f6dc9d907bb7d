# SPDX-License-Identifier: ISC
# A driver that has CEE alone: programmed by that, whatever is negotiated.
. /checks/daemons.sh
ends cee_only=1
config_takes A
config B <<END
port "dcb1" {
	dialect = ieee
	pfc { willing = no prio-pfc = {3} }
	ets {
		willing = no
		prio-tc = {0,0,0,1,0,0,0,0}
		tc-bw = {40,60,0,0,0,0,0,0}
		tc-tsa = {ets,ets,strict,strict,strict,strict,strict,strict}
	}
	app "dgram-port:4791" { priority = 3 }
}
END
daemon A
sleep 2
want 'alone: not switched on' 'setall=0 setstate=0' device dcb0
daemon B
becomes 'A follows' A 20 "$TAKEN"
for dev in dcb0 dcb1; do
	want "$dev: on" 'cee_state 1 pfc_state 1' device $dev
	want "$dev: PFC" 'cee_pfc 0 0 0 1 0 0 0 0' device $dev
	want "$dev: groups" 'cee_pg_bw 40 60 0' device $dev
	want "$dev: classes" 'cee_tc_upmap 247 8 0' device $dev
	want "$dev: strict" 'cee_tc_strict 0 0 2 2' device $dev
	want "$dev: core map" 'num_tc=. prio_tc 0 0 0 1 0' device $dev
	want "$dev: nothing refused" 'refused=0' device $dev
	device $dev | sed 's/^/     /'
done
becomes 'the document says what is in force' A 1 '.backends[0].in_force |
    .prio_pfc[3] and .tc_bw[0:2] == [40, 60] and .prio_tc[3] == 1 and
    (.app == [{"selector": "dgram-port", "protocol": 4791, "priority": 3}])'
exits 'diff: none' 0 ctl_port A diff
settled
writes 'restart' dcb0 '' daemon_again A
becomes 'A follows' A 5 "$TAKEN"
ctl_port B set prio-pfc 4:on >/dev/null
soon 'one more' 'cee_pfc 0 0 0 1 1 0 0 0' dcb0 10
want 'committed' 'setall=2' device dcb0
ctl A show dcb0
daemon_end A
daemon_end B
