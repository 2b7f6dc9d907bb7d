# SPDX-License-Identifier: ISC
# CEE through raw rtnetlink: dcb(8) has no verbs for it.
fresh
ceeset dcb0 >/out/ceeset.log
want 'mode set' '^SDCBX cee .*\[14\]=00' cat /out/ceeset.log
want 'device: pfc' 'cee_pfc 0 0 0 1 0 0 0 0' device dcb0
want 'device: groups' 'cee_pg_bw 40 60' device dcb0
want 'device: one SET_ALL' 'setall=1' device dcb0
want 'an IEEE set in CEE mode: error in attribute 13' \
    '^IEEE_SET inCEE .*\[13\]=ea' cat /out/ceeset.log
want 'both versions: refused in attribute 14' \
    '^SDCBX both .*\[14\]=01' cat /out/ceeset.log
