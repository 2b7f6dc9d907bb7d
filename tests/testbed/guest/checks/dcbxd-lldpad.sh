# SPDX-License-Identifier: ISC
# dcbxd and a real lldpad, each programs its own device; $1 is the dialect.
# First dcbxd takes what lldpad offers, then the other way round.
. /checks/daemons.sh
DIALECT=$1
CLASSES='0 0 0 1 0' OWN= # what both ends have in common, what dcbxd starts with
case $DIALECT in
ieee)	version=2 ;;
cin)	version=5 CLASSES='0 1 2 3 4 5 6 7' ;; # see below
cee)	version=6 OWN='app "ethtype:0x8906" { priority = 4 }' ;;
esac
# In CIN lldpad makes each priority a group of its own and takes no other map.
# In CEE it reports an error for APP to those who name no FCoE.

# taken TEXT ieee|cee: what was offered is in force in dcb0, and the device is
# in this mode.  dcbxd programs a device that can do both in IEEE terms,
# whatever the dialect.
taken() {
	case $2 in
	ieee)
		soon "$1: PFC" 'ieee_pfc en=0x08' dcb0 40
		soon "$1: bandwidth" 'ieee_tcbw 40 60' dcb0 10
		soon "$1: classes" "prio_tc $CLASSES" dcb0 10
		want "$1: mode word" 'dcbx=0x09' device dcb0
		;;
	cee)
		soon "$1: PFC" 'cee_pfc 0 0 0 1 0 0 0 0' dcb0 40
		soon "$1: groups" 'cee_pg_bw 40 60' dcb0 10
		want "$1: mode word" 'dcbx=0x05' device dcb0
		;;
	esac
}

# app ENTRY: is in the kernel's table of dcb0, soon
app() {
	if until_true 5 sh -c \
	    "ip netns exec A dcb -N app show dev dcb0 | grep -q '$1'"; then
		ok "application $1"
	else
		bad "application $1"
		in_a dcb -N app show dev dcb0
	fi
}

# config_offers_groups NS: as config_offers, a class for each priority.
config_offers_groups() {
	config $1 <<-END
	port "$(port_of $1)" {
	    dialect = cin
	    pfc { willing = no prio-pfc = {3} }
	    ets {
	        willing = no
	        prio-tc = {0,1,2,3,4,5,6,7}
	        tc-bw = {40,60,0,0,0,0,0,0}
	        tc-tsa = {ets,ets,ets,ets,ets,ets,ets,ets}
	    }
	    app "ethtype:0x8906" { priority = 3 }
	}
	END
}

ends
capture "$NAME-takes"
config_takes A "app-adopt = always $OWN"
lldpad B $version
daemon A
if [ $DIALECT = ieee ]; then
	lldpad_offers_ieee
else
	lldpad_offers_cee
	bounce
fi
taken 'dcbxd took from lldpad' ieee
case $DIALECT in
ieee)	app 'port-prio 4791:3' ;;
*)	app 'ethtype-prio 8906:3' ;;
esac
becomes 'dcbxd says so' A 10 "$TAKEN and .dialect.active == \"$DIALECT\""
settled
writes 'lldpad repeats itself' dcb0 '' true
writes 'restart beside lldpad' dcb0 '' daemon_again A
becomes 'dcbxd is where it was' A 10 "$TAKEN"
daemon_end A
lldpad_end B
capture_end

ends
capture "$NAME-offers"
if [ $DIALECT = cin ]; then
	config_offers_groups B
else
	config_offers B
fi
lldpad A $version
if [ $DIALECT = ieee ]; then
	in_a /peer/lldptool -L -i dcb0 adminStatus=rxtx >/dev/null
	in_a /peer/lldptool -T -i dcb0 -V PFC willing=yes enableTx=yes >/dev/null
	in_a /peer/lldptool -T -i dcb0 -V ETS-CFG willing=yes enableTx=yes \
	    >/dev/null
else
	{
		in_a /peer/dcbtool sc dcb0 dcb on
		in_a /peer/dcbtool sc dcb0 pfc e:1 a:1 w:1
		in_a /peer/dcbtool sc dcb0 pg e:1 a:1 w:1
	} >/dev/null
fi
daemon B
[ $DIALECT = ieee ] || bounce
case $DIALECT in
ieee)	taken 'lldpad took from dcbxd' ieee
	app 'dgram-port-prio 4791:3' ;;
*)	taken 'lldpad took from dcbxd' cee ;;
esac
becomes 'dcbxd leads' B 15 '.pfc.state == "to-peer" and
    .backends[0].state == "applied"'
want 'dcbxd has its own' 'ieee_pfc en=0x08' device dcb1
settled
writes 'lldpad writes, dcbxd does not' dcb1 '' true
daemon_end B
lldpad_end A
capture_end
DIALECT=
