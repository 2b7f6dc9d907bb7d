# SPDX-License-Identifier: ISC
# Every IEEE verb of dcb(8) against the device, and the device's refusals.
fresh
ip link set dcb0 up
ip link set dcb1 up
soon 'carrier' 'carrier=1' dcb0 4
want 'speed' 'Speed: 10000Mb/s' ethtool dcb0
want 'mode: host, IEEE' 'host ieee' dcb dcbx show dev dcb0

dcb ets set dev dcb0 willing on tc-tsa all:strict 0:ets 1:ets 2:ets \
    tc-bw all:0 0:20 1:30 2:50 prio-tc all:0 3:1 4:2 \
    reco-tc-tsa all:strict 0:ets 1:ets reco-tc-bw all:0 0:40 1:60 \
    reco-prio-tc all:0 3:1
want 'ets show' 'tc-bw 0:20 1:30 2:50' dcb ets show dev dcb0
want 'device: tsa' 'ieee_tsa 2 2 2 0' device dcb0
want 'device: priority to class' 'ieee_prio_tc 0 0 0 1 2 0 0 0' device dcb0
want 'core: three classes' 'num_tc=3 prio_tc 0 0 0 1 2 0 0 0' device dcb0
on_queue dcb0 3 1
if dcb ets set dev dcb0 tc-bw 0:21 2>/dev/null; then
	bad 'dcb(8) itself refuses a sum of 101'
else
	ok 'dcb(8) itself refuses a sum of 101'
fi
refused 'the device refuses a credit-based class' dcb0 \
    dcb ets set dev dcb0 tc-tsa 5:cbs
want 'and nothing changed' 'ieee_tcbw 20 30 50' device dcb0

dcb pfc set dev dcb0 prio-pfc all:off 3:on 4:on delay 32 macsec-bypass on
want 'device: pfc' 'ieee_pfc en=0x18 mbc=1 delay=32' device dcb0

dcb app add dev dcb0 dscp-prio 26:3 48:6 \
    ethtype-prio 8906:3 port-prio 4791:3 default-prio 0
want 'app show' 'port-prio 4791:3' dcb app show dev dcb0
dcb app replace dev dcb0 dscp-prio 26:4
want 'app replace' '26:4' dcb app show dev dcb0 dscp-prio
dcb app del dev dcb0 dscp-prio 26:4
want 'app del' '^0$' sh -c 'dcb app show dev dcb0 | grep -c 26:'

dcb maxrate set dev dcb0 tc-maxrate all:10Gbit 0:1Gbit
want 'maxrate' '0:1Gbit' dcb maxrate show dev dcb0
dcb buffer set dev dcb0 prio-buffer all:0 3:1 4:2 \
    buffer-size all:0 0:100000 1:50000
want 'buffer' '3:1 4:2' dcb buffer show dev dcb0

dcb dcbx set dev dcb0 host cee
want 'mode word: CEE' 'dcbx=0x05' device dcb0
want 'the change of mode cleared ETS' 'ieee_tcbw 0 0 0' device dcb0
want 'and PFC' 'ieee_pfc en=0x00' device dcb0
refused 'IEEE is refused in CEE mode' dcb0 dcb ets set dev dcb0 willing off
refused 'both versions are refused' dcb0 dcb dcbx set dev dcb0 host cee ieee
dcb dcbx set dev dcb0 host ieee

knob firmware 1
want 'mode: firmware' 'lld-managed' dcb dcbx show dev dcb0
refused 'firmware mode refuses' dcb0 dcb pfc set dev dcb0 prio-pfc 3:on
want 'pfc still off' 'ieee_pfc en=0x00' device dcb0
knob firmware 0
knob fail_ets 16
refused 'injected EBUSY' dcb0 dcb ets set dev dcb0 willing off
knob fail_ets 0

ip link add v0 type veth peer name v1
want 'veth has no dcbnl' 'not supported' dcb ets show dev v0
ip link del v0
