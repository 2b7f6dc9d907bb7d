# SPDX-License-Identifier: ISC
# A port under the kernel's Open vSwitch, which takes every frame that comes
# before a packet socket of one protocol sees it: io = pcap still does.  The
# switch has no flows and no vswitchd: what it takes, it drops.
. /checks/daemons.sh
ovs_port() {
	ends
	in_a ovs-dpctl add-dp dp0
	in_a ovs-dpctl add-if dp0 dcb0
	config_takes A "io = $1"
	config_offers B
	capture "$NAME-$1"
	daemon B
	daemon A
}

ovs_end() {
	daemon_end A
	daemon_end B
	capture_end
	in_a ovs-dpctl del-dp dp0
}

if [ -e /sbin/ovs-dpctl ]; then
	ovs_port pcap
	want 'dcb0 is a port of the switch' 'dcb0' in_a ovs-dpctl show
	becomes 'io = pcap: A follows' A 20 "$TAKEN"
	want 'io = pcap: the device too' 'ieee_pfc en=0x08' device dcb0
	becomes 'io = pcap: B hears A' B 5 '.pfc.state == "to-peer"'
	settled
	writes 'io = pcap: refreshes' dcb0 '' true
	ovs_end
	ovs_port packet
	becomes 'io = packet: B hears A' B 20 '.peers | length == 1'
	settled
	becomes 'io = packet: A hears nothing' A 1 '.pfc.state == "no-peer"'
	ovs_end
else
	echo "skip $NAME: no ovs-dpctl in the image"
fi
