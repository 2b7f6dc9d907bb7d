# SPDX-License-Identifier: ISC
# Two ports of a bond of mode $1, or of a team: each has its own neighbour, its
# own address on the wire and its own values; the bond has none of it, nor has
# the VLAN device on top of it.  What comes in by a member is handed up as the
# bond's, but for members that are idle; io = $2 has to tell, and each frame
# counts once.
. /checks/daemons.sh
fresh pairs=2
for dev in dcb1 dcb3; do
	ip link set $dev netns B
	in_b ip link set $dev up
done
case $1 in
active-backup)	is='bond mode active-backup miimon 100 primary dcb0' ;;
802.3ad)	is='bond mode 802.3ad miimon 100 lacp_rate fast' ;;
team)		is=team ;;
esac
ip link set dcb0 netns A
ip link set dcb2 netns A
first=$(in_a ethtool -P dcb0 | sed 's/.*: //')
second=$(in_a ethtool -P dcb2 | sed 's/.*: //')
in_a ip link add bond0 type $is
for dev in dcb0 dcb2; do
	in_a ip link set $dev down
	in_a ip link set $dev master bond0
done
in_a ip link set bond0 up
in_a ip link add link bond0 name bond0.100 type vlan id 100
in_a ip link set bond0.100 up
# without a teamd, a team leaves them their own
[ $1 = team ] || want 'both members have the address of the bond' '^2$' sh -c \
    'ip -n A -br link show master bond0 |
	grep -c "$(ip netns exec A cat /sys/class/net/bond0/address)"'
for dev in dcb1 dcb3; do
	in_b ip link add link $dev name $dev.100 type vlan id 100
	in_b ip link add link $dev name $dev.200 type vlan id 200
	in_b ip link set $dev.100 up
	in_b ip link set $dev.200 up
done

# heard PORT PEER: frames taken by A that B's daemon did not send, and tagged
heard() {
	local sent rx
	while sent=$(json B show .lldp.tx_frames $2)
		rx=$(json A show '"\(.lldp.rx_frames) \(.lldp.rx_tagged)"' $1 |
		    tr -d '"')
		[ "$(json B show .lldp.tx_frames $2)" != "$sent" ]
	do
		:
	done
	echo $((${rx% *} - sent)) ${rx#* }
}
is_heard() {
	[ "$(heard $1 $2)" = "$3" ]
}
# hears TEXT PORT TAGGED VID...: seven frames without a tag, once each, and of
# seven frames with each VID as many as are told as TAGGED.
hears() {
	local text=$1 port=$2 tagged=$3 peer=dcb$((${2#dcb} + 1)) before vid
	shift 3
	before=$(heard $port $peer)
	in_b lldpsend $peer 7
	for vid; do
		in_b lldpsend $peer.$vid 7
	done
	sleep 0.5
	set -- $((${before% *} + 7)) $((${before#* } + tagged))
	if until_true 5 is_heard $port $peer "$*"; then
		ok "$text"
	else
		bad "$text: $before, then $(heard $port $peer), not $*"
	fi
}
muted() {
	[ "$(json A counters .frames.muted $1)" = true ]
}
calm() {
	! muted $1
}
floods() {
	in_b lldpsend $1 1500
	muted $2
}

config A <<END
port "*" {
	dialect = ieee
	io = $2
}
END
config B <<END
port "dcb1" {
	dialect = ieee
	pfc { willing = no prio-pfc = {3} }
}
port "dcb3" {
	dialect = ieee
	pfc { willing = no prio-pfc = {4} }
}
END
in_b tcpdump -Z root -U -i any -w "/out/$NAME.pcap" ether proto 0x88cc \
    2>/dev/null &
DUMP=$!
daemon B
daemon A
FOLLOWS='.pfc.state == "from-peer" and (.peers | length == 1) and
    .backends[0].state == "applied"'
becomes 'the first member follows' A 20 "$FOLLOWS" dcb0
becomes 'the second member follows' A 20 "$FOLLOWS" dcb2
soon 'the first has PFC of its neighbour' 'ieee_pfc en=0x08' dcb0 5
soon 'the second has PFC of its own' 'ieee_pfc en=0x10' dcb2 5
becomes 'the first sends from its permanent address' B 1 \
    "(.peers | length == 1) and .peers[0].mac == \"$first\"" dcb1
becomes 'the second sends from its own' B 1 \
    "(.peers | length == 1) and .peers[0].mac == \"$second\"" dcb3
exits 'the bond is no port' 4 ctl A show bond0
exits 'nor is the VLAN device' 4 ctl A show bond0.100
settled
# A tag is seen where its VLAN has no device, and else is none of the port.
# A capture of its own puts tags back, and has checks of its own.
if [ $2 = packet ]; then
	in_a ip link add link dcb0 name dcb0.200 type vlan id 200
	in_a ip link set dcb0.200 up
	hears 'each frame counts once on the first' dcb0 0 200
	hears 'and on the second' dcb2 7 200
	in_a ip link del dcb0.200
fi
if [ $1 = active-backup ]; then
	writes 'fail-over' dcb0 '' in_a ip link set bond0 type bond \
	    active_slave dcb2
	becomes 'after it: one neighbour still' A 5 "$FOLLOWS" dcb0
	becomes 'after it: one neighbour still, second' A 5 "$FOLLOWS" dcb2
	if [ $2 = packet ]; then
		hears 'after it each frame counts once on the first' dcb0 7 200
		hears 'and on the second' dcb2 7 100 200
	fi
fi
if [ $1 = team ]; then # both members are in use
	if until_true 20 floods dcb1 dcb0 && calm dcb2; then
		ok 'a flood mutes the member it is on, alone'
	else
		bad 'a flood mutes the member it is on, alone'
		json A counters .frames dcb0
		json A counters .frames dcb2
	fi
	until_true 10 calm dcb0 || bad 'it ends'
	hears 'after it each frame counts once' dcb0 0 100
fi
writes 'a member leaves the bond' dcb2 '' in_a ip link set dcb2 nomaster
in_a ip link set dcb2 up
becomes 'and is a port as before' A 20 "$FOLLOWS" dcb2
if [ $1:$2 = active-backup:packet ]; then
	hears 'each frame counts once on it' dcb2 7 200
	in_a ip link set dcb2 down
	in_a ip link set dcb2 master bond0
	becomes 'it joins again' A 20 "$FOLLOWS" dcb2
	hears 'again each frame counts once' dcb2 7 200
	in_a ip link del bond0
	for dev in dcb0 dcb2; do
		in_a ip link set $dev up
		becomes "without the bond $dev is a port" A 20 "$FOLLOWS" $dev
		hears 'and each frame counts once' $dev 7 200
	done
fi
daemon_end A
daemon_end B
kill $DUMP
wait $DUMP 2>/dev/null
in_a ip link del bond0 2>/dev/null
