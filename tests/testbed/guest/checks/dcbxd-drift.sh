# SPDX-License-Identifier: ISC
# Somebody else writes to the device: seen at once, corrected where asked for.
. /checks/daemons.sh
ends
config_takes A
config_offers B
daemon B
daemon A
becomes 'A follows' A 20 "$TAKEN"
settled
dcbxctl -s /run/A.sock --json watch dcb0 >/run/watch &
WATCH=$!
until_true 5 grep -q snapshot /run/watch

# event ATTRIBUTE: one of that drift was told
event() {
	jq -c "select(.event == \"drift\" and .name == \"dcbnl\" and
	    .want != .found and (.attribute | startswith(\"$1\")))" \
	    /run/watch | grep -q .
}

# seen TEXT ATTRIBUTE COMMAND...: at once
seen() {
	local text=$1 attribute=$2
	shift 2
	"$@"
	if until_true 1 event $attribute; then
		ok "$text: an event at once"
	else
		bad "$text: an event at once"
		grep -v snapshot /run/watch | sed 's/^/     /'
	fi
	becomes "$text is seen" A 1 '.state == "drift" and
	    (.backends[0] | .state == "drift" and .reason.code == "drifted")'
}

# drifts TEXT ATTRIBUTE CALLS COMMAND...: reported, left alone.
drifts() {
	local text=$1 attribute=$2 written=$3
	shift 3
	writes "$text is left alone" dcb0 "$written" \
	    seen "$text" $attribute "$@"
	exits "$text: diff finds it" 1 ctl_port A diff
}
drifts 'PFC by dcb' pfc setpfc+1 in_a dcb pfc set dev dcb0 prio-pfc 5:on
# That no refresh writes has been seen now.
WAIT=2
in_a dcb pfc set dev dcb0 prio-pfc 5:off
becomes 'put back by dcb: applied' A 3 '.backends[0].state == "applied"'
drifts 'ETS by dcb' ets setets+1 \
    in_a dcb ets set dev dcb0 tc-bw 0:30 1:70
in_a dcb ets set dev dcb0 tc-bw 0:40 1:60
becomes 'put back by dcb: applied' A 3 '.backends[0].state == "applied"'
drifts 'a lost application' app delapp+1 \
    in_a dcb app del dev dcb0 dgram-port-prio 4791:3
in_a dcb app add dev dcb0 dgram-port-prio 4791:3
becomes 'put back by dcb: applied' A 3 '.backends[0].state == "applied"'
writes 'an application of somebody else' dcb0 setapp+1 \
    in_a dcb app add dev dcb0 dscp-prio 46:6
becomes 'an application of somebody else is no drift' A 1 \
    '.backends[0].state == "applied"'
drifts 'an application with another priority' app 'setapp+1 delapp+1' \
    in_a dcb app replace dev dcb0 dgram-port-prio 4791:5
in_a dcb app replace dev dcb0 dgram-port-prio 4791:3
becomes 'put back by dcb: applied' A 3 '.backends[0].state == "applied"'
kill $WATCH

config_takes A 'on-drift = reapply'
daemon_reload A
settled
writes 'reapply: PFC' dcb0 setpfc+2 \
    in_a dcb pfc set dev dcb0 prio-pfc 5:on
want 'PFC is ours again' 'ieee_pfc en=0x08' device dcb0
writes 'reapply: ETS' dcb0 setets+2 \
    in_a dcb ets set dev dcb0 tc-bw 0:30 1:70
want 'ETS is ours again' 'ieee_tcbw 40 60' device dcb0
writes 'reapply: application' dcb0 'setapp+1 delapp+1' \
    in_a dcb app del dev dcb0 dgram-port-prio 4791:3
want 'it is there again' '4791:3' in_a dcb -N app show dev dcb0
want 'and that of somebody else still is' '46:6' in_a dcb -N app show dev dcb0
# The driver forgets ETS and PFC with a change of the mode.
in_a ceeset dcb0 >/dev/null
soon 'another mode: ours again' 'dcbx=0x09' dcb0 10
soon 'and PFC' 'ieee_pfc en=0x08' dcb0 10
soon 'and ETS' 'ieee_tcbw 40 60' dcb0 10
becomes 'applied' A 5 "$TAKEN"
WAIT=
daemon_end A
daemon_end B
