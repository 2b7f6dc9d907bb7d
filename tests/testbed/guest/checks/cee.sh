# SPDX-License-Identifier: ISC
# lldpad against lldpad, both forced to CEE.
peers 6 6
legacy
soon 'A took PFC' 'cee_pfc 0 0 0 1 0 0 0 0' dcb0 30
soon 'A took groups' 'cee_pg_bw 40 60' dcb0 10
want 'mode word' 'dcbx=0x05' device dcb0
sleep 2
peers_end
