# SPDX-License-Identifier: ISC
# The device refuses the first, second or third attribute of a change: that is
# reported, what was in force before is back, and later it is tried again.
. /checks/daemons.sh
ends
config_takes A
config_offers B
daemon B
daemon A
becomes 'A follows' A 20 "$TAKEN"
settled

# before: all that B offered at first
before() {
	device_has dcb0 'ieee_pfc en=0x08' && device_has dcb0 'ieee_tcbw 40 60' &&
	    in_a dcb -N app show dev dcb0 | grep -q '4791:3'
}

after() {
	device_has dcb0 'ieee_pfc en=0x18' && device_has dcb0 'ieee_tcbw 50 50' &&
	    in_a dcb -N app show dev dcb0 | grep -q '4791:4'
}

# refusal KNOB ATTRIBUTE
refusal() {
	local n
	knob $1 16
	n=$(calls dcb0 refused)
	config_offers B 3,4 50,50 4
	daemon_reload B
	becomes "$1: reported" A 10 '.backends[0] |
	    .state == "not-applied" and
	    .reason.code == "kernel-refused" and (.error | test("'$2'"; "i"))'
	if [ $(calls dcb0 refused) -gt $n ]; then
		ok "$1: the device refused"
	else
		bad "$1: the device refused"
	fi
	if until_true 5 before; then
		ok "$1: what was in force is back"
	else
		bad "$1: what was in force is back"
		device dcb0 | sed 's/^/     /'
		in_a dcb -N app show dev dcb0
	fi
	becomes "$1: negotiation goes on" A 1 '.pfc.state == "from-peer"'
	exits "$1: status says so" 1 sh -c \
	    'dcbxctl -s /run/A.sock wait dcb0 --state ok --timeout 1'
	knob $1 0
	if until_true 40 after; then
		ok "$1: tried again, all is there (at $(now) s)"
	else
		bad "$1: tried again"
		device dcb0 | sed 's/^/     /'
	fi
	becomes "$1: applied in the end" A 5 "$TAKEN"
	config_offers B
	daemon_reload B
	until_true 10 before || bad "$1: back to where it began"
}
refusal fail_ets ets
refusal fail_pfc pfc
refusal fail_app app
daemon_end A
daemon_end B
