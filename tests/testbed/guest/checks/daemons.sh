# SPDX-License-Identifier: ISC
#
# dcbxd in the two namespaces, for the checks dcbxd-*: NS is A, whose port is
# dcb0, or B, whose port is dcb1.  A usually takes what B offers.

port_of() {
	case $1 in
	A)	echo dcb0 ;;
	B)	echo dcb1 ;;
	esac
}

# config NS: from standard input.  Refreshes are frequent, to see many.
config() {
	{
		echo 'lldp { tx-interval = 5 }'
		cat
	} >/run/$1.conf
}

# config_takes NS [TEXT]: willing, and nothing of its own; TEXT goes into the
# port's section.
config_takes() {
	config $1 <<END
port "$(port_of $1)" {
	dialect = ${DIALECT:-ieee}
	$2
}
END
}

# config_offers NS [PRIOS [PERCENTS [PRIO]]]: not willing.  By default PFC {3},
# 40 and 60 %, RoCE on priority 3; priority 3 has the second class.
config_offers() {
	config $1 <<END
port "$(port_of $1)" {
	dialect = ${DIALECT:-ieee}
	pfc { willing = no prio-pfc = {${2:-3}} }
	ets {
		willing = no
		prio-tc = {0,0,0,1,0,0,0,0}
		tc-bw = {${3:-40,60},0,0,0,0,0,0}
		tc-tsa = {ets,ets,strict,strict,strict,strict,strict,strict}
	}
	app "dgram-port:4791" { priority = ${4:-3} }
	app "dscp:26" { priority = ${4:-3} }
}
END
}

ctl() {
	local ns=$1
	shift
	dcbxctl -s /run/$ns.sock "$@"
}

# ctl_port NS VERB [ARGS...]: of the port there.
ctl_port() {
	local ns=$1 verb=$2
	shift 2
	ctl $ns $verb $(port_of $ns) "$@"
}

# json NS VERB FILTER [PORT]: what a document says of the port.
json() {
	ctl $1 --json $2 ${4:-$(port_of $1)} | jq -c ".ports[0] | $3"
}

# shown NS FILTER [PORT]: it holds for the port.  jq exits 0 for no input, too.
shown() {
	json $1 show "$2" $3 2>/dev/null | grep -qx true
}

# becomes TEXT NS SECONDS FILTER [PORT]
becomes() {
	if until_true $3 shown $2 "$4" $5; then
		ok "$1"
	else
		bad "$1"
		ctl $2 show ${5:-$(port_of $2)} | sed 's/^/     /'
		json $2 show '.backends' $5 | sed 's/^/     /'
	fi
}

# exits TEXT STATUS COMMAND...
exits() {
	local text=$1 status=$2 rc=0 out
	shift 2
	out=$("$@" 2>&1) || rc=$?
	if [ $rc -eq $status ]; then
		ok "$text"
	else
		bad "$text: exit $rc, not $status"
		echo "$out" | sed 's/^/     /'
	fi
}

# daemon NS [OPTION...]: returns when it answers.
daemon() {
	local ns=$1
	shift
	ip netns exec $ns dcbxd -f /run/$ns.conf -d /run/none -s /run/$ns.sock \
	    -S /var/lib/dcbxd/$ns -v "$@" >>"/out/$NAME-$ns.log" 2>&1 &
	eval DAEMON_$ns=$!
	until_true 10 ctl $ns status || bad "dcbxd answers in $ns"
}

# daemon_stop NS SIGNAL: returns when it is gone.
daemon_stop() {
	local pid rc=0
	eval "pid=\$DAEMON_$1"
	kill -$2 $pid
	wait $pid 2>/dev/null || rc=$?
	[ $rc -eq 0 ] || [ $2 = KILL ] || bad "dcbxd in $1 ends with $rc"
}

# daemon_end NS [SIGNAL]: and what it was told to remember with it.
daemon_end() {
	daemon_stop $1 ${2:-TERM}
	rm -rf /var/lib/dcbxd/$1
}

# daemon_again NS [SIGNAL [COMMAND...]]: a restart, as a service does it; the
# command runs while there is no daemon.
daemon_again() {
	local ns=$1
	daemon_stop $ns ${2:-USR1}
	shift
	[ $# -eq 0 ] || shift
	"$@"
	daemon $ns
}

daemon_reload() {
	eval "kill -HUP \$DAEMON_$1"
}

# takes: A has all of what B offers by default.
TAKEN='.pfc.state == "from-peer" and .ets.state == "from-peer" and
    (.peers | length == 1) and .backends[0].state == "applied"'

# settled: the fast frames of new neighbours have ended, state files are
# written.
settled() {
	sleep 6
}

# writes TEXT IF WANT COMMAND...: the setters that ran on the device by what
# the command does, and within $WAIT seconds after it: by default a refresh of
# both ends is in them.
writes() {
	local text=$1 dev=$2 expected=$3 before found
	shift 3
	before=$(calls $dev)
	"$@"
	sleep ${WAIT:-6}
	found=$(rose "$before" "$(calls $dev)")
	if [ "$found" = "$expected" ]; then
		ok "$text: ${found:-no write}"
	else
		bad "$text: ${found:-no write}, not ${expected:-none}"
	fi
}
