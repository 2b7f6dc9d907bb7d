# SPDX-License-Identifier: ISC
# The qdiscs of a host with DCB; one kind cannot replace another: delete first.
fresh
ip link set dcb0 up
ip link set dcb1 up
q() {
	if tc qdisc replace dev dcb1 "$@"; then
		ok "tc $*"
	else
		bad "tc $*"
	fi
}
map='map 0 0 0 1 2 0 0 0 0 0 0 0 0 0 0 0 queues 1@0 1@1 1@2'
q root handle 1: ets bands 8 strict 2 quanta 3000 4000 \
    priomap 7 6 5 4 3 2 1 0
q parent 1:3 handle 30: red limit 400000 min 30000 max 90000 avpkt 1500 \
    burst 40 bandwidth 10gbit probability 0.1 ecn
tc qdisc del dev dcb1 root
q root handle 1: mqprio num_tc 3 $map hw 0
tc qdisc del dev dcb1 root
q root handle 1: mqprio num_tc 3 $map hw 1
tc qdisc del dev dcb1 root
