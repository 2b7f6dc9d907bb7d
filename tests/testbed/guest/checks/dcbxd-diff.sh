# SPDX-License-Identifier: ISC
# What --dry-run and diff say would be written is what then is written.
. /checks/daemons.sh

# planned NS: what diff says, in the words of rose.
planned() {
	ctl $1 --json diff $(port_of $1) | jq -r '
	def setter: if .what == "ets" then "setets"
	    elif .what == "tc-maxrate" then "setmaxrate"
	    elif .what == "dcbx-mode" then "setdcbx"
	    elif (.what | startswith("pfc")) then "setpfc"
	    elif (.what | startswith("app")) and .to == "-" then "delapp"
	    elif (.what | startswith("app")) then "setapp"
	    else .what end;
	["setets", "setpfc", "setapp", "delapp", "setmaxrate", "setdcbx"] as
	    $order |
	[.ports[0].backends[].writes[] | setter] | group_by(.) |
	map({key: .[0], n: length}) |
	sort_by(.key as $k | $order | index($k)) |
	map("\(.key)+\(.n)") | join(" ")'
}

ends
config A <<END
port "dcb0" {
	dialect = ieee
	ets { tc-maxrate = {0,5G} }
}
END
config_offers B
daemon B
daemon A --dry-run
becomes 'dry run: A follows' A 20 '.pfc.state == "from-peer" and
    .ets.state == "from-peer"'
becomes 'dry run: not applied, and why' A 5 '.backends[0] |
    .state == "not-applied" and .reason.code == "dry-run"'
settled
want 'dry run: the device is as it was' '^([a-z]*=0 ?)*$' calls dcb0
for what in ets pfc 'app dgram-port 4791' 'app dscp 26' tc-maxrate; do
	want "dry run: the log has $what" \
	    "dcb0: dry run: dcbnl would write $what:? " \
	    cat "/out/$NAME-A.log"
done
want 'dry run: all of it is planned' \
    '^setets\+1 setpfc\+1 setapp\+2 setmaxrate\+1$' planned A
want 'nobody knows whether this driver resets its link' '^true$' sh -c \
    'dcbxctl -s /run/A.sock --json diff dcb0 |
	jq "[.ports[0].backends[].writes[].resets_link] | all(. == null)"'
exits 'dry run: diff' 1 ctl_port A diff
plan=$(planned A)
daemon_end A USR1
writes 'the real run does what was said' dcb0 "$plan" daemon A
becomes 'and it is applied' A 5 "$TAKEN"
exits 'then diff has nothing' 0 ctl_port A diff

# Somebody changes a bit of everything.
in_a dcb pfc set dev dcb0 prio-pfc 5:on
in_a dcb ets set dev dcb0 tc-bw 0:30 1:70
in_a dcb app del dev dcb0 dgram-port-prio 4791:3
settled
plan=$(planned A)
want 'diff has PFC, ETS and the entry' '^setets\+1 setpfc\+1 setapp\+1$' \
    echo "$plan"
want 'diff says it in a table, too' 'pfc.*3.*3,?5|prio-pfc' ctl_port A diff
sed -i 's/dialect = ieee/& on-drift = reapply/' /run/A.conf
writes 'a reload that corrects it does what was said' dcb0 "$plan" \
    daemon_reload A
exits 'then diff has nothing' 0 ctl_port A diff
daemon_end A
daemon_end B
