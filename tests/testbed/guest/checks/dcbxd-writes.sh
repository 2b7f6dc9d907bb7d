# SPDX-License-Identifier: ISC
# Nothing is written but what differs, counted in the device.
. /checks/daemons.sh
ends
config_takes A
config_offers B
daemon B
daemon A
becomes 'A follows' A 20 "$TAKEN"
settled

writes 'refreshes' dcb0 '' sleep 10
writes 'refreshes, offering end' dcb1 '' true
writes 'reload' dcb0 '' daemon_reload A

# The other end changes one thing.
peer() {
	config_offers B "$@"
	daemon_reload B
}
writes 'one PFC priority more' dcb0 'setpfc+1' peer 3,4
want 'and it is in force' 'ieee_pfc en=0x18' device dcb0
writes 'other bandwidths' dcb0 'setets+1' peer 3,4 50,50
want 'and they are in force' 'ieee_tcbw 50 50' device dcb0

writes 'restart' dcb0 '' daemon_again A
becomes 'A follows' A 5 "$TAKEN"
writes 'killed, all of it' dcb0 '' daemon_again A KILL
becomes 'A follows' A 5 "$TAKEN"
writes 'restart of the offering end' dcb0 '' daemon_again B
writes 'restart of the offering end, itself' dcb1 '' daemon_again B
becomes 'A follows' A 5 "$TAKEN"
# It changed while nobody listened here.
writes 'restart, one PFC priority more since' dcb0 'setpfc+1' \
    daemon_again A USR1 peer 3,4,5 50,50
want 'and it is in force' 'ieee_pfc en=0x38' device dcb0

# What is in force stays while the link is down.
flap() {
	in_b ip link set dcb1 down
	sleep 1
	in_b ip link set dcb1 up
}
writes 'link flap' dcb0 '' flap
becomes 'A follows' A 15 "$TAKEN"
writes 'link flap, offering end' dcb1 '' flap
becomes 'A follows' A 15 "$TAKEN"

# on-exit = keep is the default; clear puts back what nobody has set up.
sed -i '1i on-exit = clear' /run/A.conf
daemon_reload A
settled
daemon_end A TERM
soon 'on-exit = clear: no PFC' 'ieee_pfc en=0x00' dcb0 3
daemon_end B
