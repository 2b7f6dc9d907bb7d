# SPDX-License-Identifier: ISC
# lldpad against lldpad, IEEE: B is not willing and offers, A is willing.
peers 2 2
in_a /peer/lldptool -L -i dcb0 adminStatus=rxtx >/dev/null
lldpad_offers_ieee
soon 'A took PFC' 'ieee_pfc en=0x08' dcb0 30
soon 'A took ETS' 'ieee_tcbw 40 60' dcb0 10
soon 'A: core map' 'prio_tc 0 0 0 1 0' dcb0 10
until_true 4 sh -c 'ip netns exec A dcb app show dev dcb0 | grep 4791'
want 'A: RoCE priority' 'port-prio 4791:3' in_a dcb app show dev dcb0
a=$(calls dcb0 setpfc)
sleep 3
echo "# setpfc calls on A in 3 quiet seconds: $(($(calls dcb0 setpfc) - a))"
on_queue dcb0 3 1 in_a
peers_end
