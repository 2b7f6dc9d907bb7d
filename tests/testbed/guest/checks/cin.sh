# SPDX-License-Identifier: ISC
# lldpad against lldpad, both forced to CIN.
peers 5 5
legacy
soon 'A took PFC' 'cee_pfc 0 0 0 1 0 0 0 0' dcb0 30
want 'mode word' 'dcbx=0x05' device dcb0
sleep 2
peers_end
