# SPDX-License-Identifier: ISC
# A VLAN device on a port: DCBX is the port's; what the VLAN sends with a
# priority leaves on the queue of its class.
. /checks/daemons.sh
ends
in_a ip link add link dcb0 name dcb0.100 type vlan id 100 egress 3:3
in_a ip link set dcb0.100 up
in_b ip link add link dcb1 name dcb1.100 type vlan id 100
in_b ip link set dcb1.100 up
config A <<END
port "*" {
	dialect = ieee
}
END
config_offers B
daemon B
daemon A
becomes 'the port follows' A 20 "$TAKEN"
exits 'the VLAN device is no port' 4 ctl A show dcb0.100
# queue N: frames that left dcb0 on it
queue() {
	device dcb0 | awk -v f=$(($1 + 2)) '/txq_pkts/ { print $f }'
}
n=$(queue 1)
in_a priosend dcb0.100 3 5
if [ $(($(queue 1) - n)) -ge 5 ]; then
	ok 'a priority of the VLAN has its queue on the port'
else
	bad "a priority of the VLAN has its queue on the port: $n, $(queue 1)"
fi
settled
vlan_goes() {
	in_a ip link del dcb0.100
}
writes 'the VLAN device goes' dcb0 '' vlan_goes
becomes 'the port follows' A 1 "$TAKEN"
daemon_end A
daemon_end B
