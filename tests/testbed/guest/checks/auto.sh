# SPDX-License-Identifier: ISC
# A starts in IEEE and falls back when only CEE is heard; B is forced to CEE.
peers 2 6
legacy
soon 'A fell back and took PFC' 'cee_pfc 0 0 0 1 0 0 0 0' dcb0 30
want 'mode word' 'dcbx=0x05' device dcb0
sleep 2
peers_end
