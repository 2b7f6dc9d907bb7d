# SPDX-License-Identifier: ISC
#
# Sourced by init: what every check may use.  A check is sourced too, by dash,
# with its argument as $1 and its whole name in $NAME.
OK=0 FAILED=0

now() {
	cut -d' ' -f1 /proc/uptime
}

ok() {
	OK=$((OK + 1))
	echo "ok $NAME: $*"
}

bad() {
	FAILED=$((FAILED + 1))
	echo "not ok $NAME: $*"
}

# want TEXT REGEX COMMAND...: its output must match.
want() {
	local text=$1 regex=$2 out
	shift 2
	out=$("$@" 2>&1)
	if echo "$out" | grep -Eq -e "$regex"; then
		ok "$text"
	else
		bad "$text"
		echo "$out" | sed 's/^/     /'
	fi
}

# until_true SECONDS COMMAND...: false when that was not enough.
until_true() {
	local up end
	read -r up end </proc/uptime
	end=$((${up%.*} + $1 + 1))
	shift
	while ! "$@" >/dev/null 2>&1; do
		read -r up _ </proc/uptime
		[ ${up%.*} -lt $end ] || return 1
		sleep 0.2
	done
}

# ---- the device: what it holds, asked without dcbnl --------------------------

device() {
	sed -n "/^$1 /,/txq_pkts/p" /proc/dcbsim
}

device_has() {
	device $1 | grep -Eq -e "$2"
}

# calls IF SETTER: how often it ran; without SETTER all of them, a line.
calls() {
	if [ $# -eq 1 ]; then
		device $1 | sed -n 's/^ *calls //p'
	else
		device $1 | sed -n "s/.* $2=\([0-9]*\).*/\1/p"
	fi
}

# rose BEFORE AFTER: "setpfc+1 refused+2" from two lines of calls; "" = none.
rose() {
	echo "$1 $2" | tr ' ' '\n' | awk -F= '
	$1 in old {
		if ($2 != old[$1])
			text = text " " $1 "+" $2 - old[$1]
	}
	{ old[$1] = $2 }
	END { print substr(text, 2) }'
}

# soon TEXT REGEX IF SECONDS: the device comes to match.
soon() {
	if until_true $4 device_has $3 "$2"; then
		ok "$1"
	else
		bad "$1"
		device $3 | sed 's/^/     /'
	fi
}

# refused TEXT IF COMMAND...: the device must have refused; the exit status of
# dcb(8) says nothing.
refused() {
	local text=$1 dev=$2 before after
	shift 2
	before=$(calls $dev refused)
	"$@" >/dev/null 2>&1
	after=$(calls $dev refused)
	if [ "$after" -gt "$before" ]; then
		ok "$text"
	else
		bad "$text: refused $before -> $after"
	fi
}

# on_queue IF PRIORITY QUEUE [PREFIX]: where frames of that priority leave.
on_queue() {
	local before after f=$(($3 + 2))
	before=$(device $1 | awk -v f=$f '/txq_pkts/ { print $f }')
	$4 priosend $1 $2 5
	after=$(device $1 | awk -v f=$f '/txq_pkts/ { print $f }')
	if [ $((after - before)) -ge 5 ]; then
		ok "priority $2 leaves on queue $3"
	else
		bad "priority $2 leaves on queue $3: $before -> $after"
	fi
}

# fresh [PARAMETER=VALUE...]: new devices, without any history.
fresh() {
	[ ! -d /sys/module/dcbsim ] || rmmod dcbsim || bad "rmmod dcbsim"
	insmod /mods/dcbsim.ko "$@" || bad "insmod dcbsim"
}

# knob NAME VALUE: firmware, fail_ets, fail_pfc, fail_app.
knob() {
	echo $2 >/sys/module/dcbsim/parameters/$1
}

# ---- two ends, each in its namespace: dcb0 in A, dcb1 in B -------------------

in_a() {
	ip netns exec A "$@"
}

in_b() {
	ip netns exec B "$@"
}

# A's address is the lower one.
ends() {
	fresh "$@"
	ip link set dcb0 address 02:00:00:00:0a:01 netns A
	ip link set dcb1 address 02:00:00:00:0b:01 netns B
	in_a ip link set dcb0 up
	in_b ip link set dcb1 up
}

capture() {
	in_a tcpdump -Z root -U -i dcb0 -w "/out/$1.pcap" \
	    ether proto 0x88cc 2>/dev/null &
	DUMP=$!
}

capture_end() {
	kill $DUMP
	wait $DUMP 2>/dev/null
}

# ---- lldpad ------------------------------------------------------------------

# lldpad NS VERSION: 2 IEEE with fall-back, 5 CIN, 6 CEE.
lldpad() {
	printf 'dcbx : { version = "1.0"; dcbx_version = %s; };\n' $2 \
	    >/run/lldpad-$1.conf
	ip netns exec $1 sh -c "mount -t tmpfs shm /dev/shm
	    exec /peer/lldpad -p -t -V 6 -f /run/lldpad-$1.conf" \
	    >"/out/$NAME-lldpad-$1.log" 2>&1 &
	eval LLDPAD_$1=$!
	until_true 10 ip netns exec $1 /peer/lldptool -p ||
	    bad "lldpad starts in $1"
}

lldpad_end() {
	eval "kill \$LLDPAD_$1; wait \$LLDPAD_$1" 2>/dev/null
}

# peers DIALECT_A DIALECT_B: two lldpads and a capture on A.
peers() {
	ends
	capture "$NAME"
	lldpad A $1
	lldpad B $2
}

peers_end() {
	lldpad_end A
	lldpad_end B
	sleep 0.5
	capture_end
}

# lldpad_offers_ieee: B, not willing: PFC 3, classes of 40 and 60 %, RoCE on 3.
lldpad_offers_ieee() {
	local ets='tsa=0:ets,1:ets,2:strict,3:strict,4:strict,5:strict'
	ets="$ets,6:strict,7:strict up2tc=0:0,1:0,2:0,3:1,4:0,5:0,6:0,7:0"
	ets="$ets tcbw=40,60,0,0,0,0,0,0"
	in_b /peer/lldptool -L -i dcb1 adminStatus=rxtx
	in_b /peer/lldptool -T -i dcb1 -V ETS-CFG willing=no enableTx=yes $ets
	in_b /peer/lldptool -T -i dcb1 -V ETS-REC enableTx=yes $ets
	in_b /peer/lldptool -T -i dcb1 -V PFC willing=no enableTx=yes enabled=3
	in_b /peer/lldptool -T -i dcb1 -V APP app=3,4,4791
	in_b /peer/lldptool -T -i dcb1 -V APP enableTx=yes
} >/dev/null

# bounce: what lldpad says in CEE and CIN is picked up at link up.
bounce() {
	in_a ip link set dcb0 down
	in_b ip link set dcb1 down
	sleep 1.5
	in_a ip link set dcb0 up
	in_b ip link set dcb1 up
}

# lldpad_offers_cee: B offers PFC 3, groups of 40 and 60 %, FCoE on 3.
lldpad_offers_cee() {
	in_b /peer/dcbtool sc dcb1 dcb on
	in_b /peer/dcbtool sc dcb1 pg e:1 a:1 w:0 pgid:00010000 \
	    pgpct:40,60,0,0,0,0,0,0
	in_b /peer/dcbtool sc dcb1 pfc e:1 a:1 w:0 pfcup:00010000
	in_b /peer/dcbtool sc dcb1 app:fcoe e:1 a:1 w:0 appcfg:08
} >/dev/null

# legacy: the same, and A is a willing lldpad.
legacy() {
	lldpad_offers_cee
	in_a /peer/dcbtool sc dcb0 dcb on
	in_a /peer/dcbtool sc dcb0 pfc e:1 a:1 w:1
	in_a /peer/dcbtool sc dcb0 pg e:1 a:1 w:1
	bounce
} >/dev/null
