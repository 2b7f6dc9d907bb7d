#!/bin/bash
# SPDX-License-Identifier: ISC
#
# ./demo as people run it: two at once, after one that was killed, and once more
# with --keep; and README.md shows what it prints.
#
# ./demo builds in build-demo/ of the source tree, so this is for a clone and
# not for `make distcheck`.  Its temporary files go to a directory of ours, so
# that demos of other people are not met.
src=$(cd "${srcdir:-.}" && pwd)
TMPDIR=$(mktemp -d) || exit 1
export TMPDIR
chmod 755 "$TMPDIR"
bad=0
[ -w "$src" ] || { echo "skip demos: the source tree is read-only"; exit 77; }
user=-Ur
[ "$(id -u)" -eq 0 ] && user=
if ! unshare $user -nm true 2>/dev/null; then
	echo "skip demos: neither root nor user namespaces here"
	exit 77
fi

ok() {
	local name=$1
	shift
	if "$@"; then
		echo "ok $name"
	else
		echo "not ok $name"
		bad=1
	fi
}

# fits SOCKET: what a data path answers, and conf/schema.json.
fits() {
	"$src/build-demo/dcbxctl" -s "$1" datapath --json >"$TMPDIR/document" &&
	    srcdir=$src PYTHONPATH=$src/tests/face /usr/bin/python3 -B -c '
import json, sys
from cli_tools import schema_errors
bad = schema_errors("datapath", json.load(open(sys.argv[1])))
print("\n".join(bad))
sys.exit(bool(bad))' "$TMPDIR/document"
}

end() {
	pkill -f -- " -s $TMPDIR/" 2>/dev/null
	rm -rf "$TMPDIR"
}
trap end EXIT

# settled: no daemon, no directory and no namespace of a demo is left.
settled() {
	local pid
	pgrep -f -- " -s $TMPDIR/" && return 1
	compgen -G "$TMPDIR/dcbx-demo.*" && return 1
	for pid in "$@"; do
		ip netns list | grep -E "dcbx-(left|right|switch)-$pid\b" &&
		    return 1
	done
	return 0
}

# Two at once.
begin=$SECONDS
"$src/demo" >"$TMPDIR/one" 2>&1 </dev/null & one=$!
"$src/demo" >"$TMPDIR/two" 2>&1 </dev/null & two=$!
ok "two demos at once: the first" wait $one
ok "two demos at once: the other" wait $two
echo "# two demos: $((SECONDS - begin)) s with the build"
ok "two demos at once: nothing is left" settled $one $two
ok "the demo shows all nine steps" grep -q '^--- 9[.]' "$TMPDIR/one"
ok "the demo shows the mismatch and its reason" \
    grep -q 'both-unwilling: neither end is willing' "$TMPDIR/one"
# arrived STEP: frames and losses that it says right heard meanwhile.
arrived() {
	sed -n "/^--- $1[.]/,/^--- /p" "$TMPDIR/three" | sed -n \
	    's/^right, in 2 s: \([0-9]*\) frames .*; \([0-9]*\) were lost$/\1 \2/p'
}

# lost STEP: those of all flows together, as each table of the step has it.
lost() {
	sed -n "/^--- $1[.]/,/^--- /p" "$TMPDIR/three" | awk '
	    /^HEARS/ { heard = 1; next } !heard { next }
	    /^..:..:/ { n += $5; next } { print n + 0; heard = n = 0 }'
}
ok "the demo fits 80 columns" bash -c "! grep -nE '^.{81}' '$TMPDIR/one'"

# One that is killed half-way, then another.
"$src/demo" --keep >"$TMPDIR/killed" 2>&1 </dev/null & killed=$!
for ((i = 0; i < 400; i++)); do
	grep -q '^--- 2' "$TMPDIR/killed" && break
	sleep 0.05
done
kill -KILL $killed
wait $killed 2>/dev/null
begin=$SECONDS
ok "a demo after a killed one" bash -c "'$src/demo' >'$TMPDIR/three' 2>&1"
ok "a demo takes less than 30 s" test $((SECONDS - begin)) -lt 30
ok "it has taken away what the killed one left" settled $killed

# That one had the machine for itself: what its second half says.
read -r frames losses < <(arrived 7)
ok "with PFC frames arrive" test "${frames:-0}" -gt 2000
ok "with PFC none is lost" test "$losses$(lost 7)" = 00
ok "with PFC the switch paused the sender" awk '/^switch\$ dcbxctl datapath/ {
	on = 1 } on && $1 == "left" && $4 == 3 { found = $9 > 0 && $10 == 0 }
	/^--- 8/ { on = 0 } END { exit !found }' "$TMPDIR/three"
read -r frames losses < <(arrived 8)
ok "without PFC more than 1 % is lost" test $((100 * ${losses:-0})) \
    -gt "${frames:-0}"
read -r frames losses < <(arrived 9)
ok "with PFC again none is lost" test "$losses" = 0
ok "... and the tables say so" test "$(lost 9 | sort -u | wc -l)" -eq 1

# Ended by hand.
"$src/demo" >"$TMPDIR/ended" 2>&1 </dev/null & ended=$!
for ((i = 0; i < 400; i++)); do
	grep -q '^--- 2' "$TMPDIR/ended" && break
	sleep 0.05
done
kill -TERM $ended
wait $ended 2>/dev/null
ok "a demo that is ended takes everything away" settled $ended

# --keep, and how to end it.
"$src/demo" --keep >"$TMPDIR/kept" 2>&1 </dev/null & kept=$!
ok "--keep" wait $kept
ok "--keep leaves it running" bash -c "'$src/build-demo/dcbxctl' \
    -s '$TMPDIR/dcbx-demo.$kept/right.sock' | grep -q '1 port: 1 ok'"
"$src/demo" >/dev/null 2>&1 </dev/null
if /usr/bin/python3 -c 'import jsonschema' 2>/dev/null; then
	for host in left right switch; do
		ok "the data path's document fits the schema: $host" \
		    fits "$TMPDIR/dcbx-demo.$kept/$host.path"
	done
fi
ok "another demo leaves a kept one alone" test -e \
    "$TMPDIR/dcbx-demo.$kept/right.sock"
sed -n '/^To end it/,$s/^  //p' "$TMPDIR/kept" | bash
ok "what --keep prints ends it" bash -c \
    "for i in {1..100}; do pgrep -f -- ' -s $TMPDIR/' >/dev/null || break
    sleep 0.05; done" && ok "and nothing is left" settled $kept

# README.md shows what the demo prints: each block that begins with a prompt,
# line by line and in this order, but for addresses, ages and what was counted,
# of which only 0 is the same each time.
plain() {
	sed -E 's/([0-9a-f]{2}:){5}[0-9a-f]{2}/MAC/g
	    s/heard [0-9]+ s ago, expires in [0-9]+ s/heard, expires/
	    s/af_(xdp|packet)/af_IO/
	    s/[0-9.]+ K?B of/N of/
	    /^(PORT  IO|HEARS FROM)/,/^$/ { s/ +/ /g; s/ [1-9][0-9]*/ N/g }
	    /^right, in /s/ [1-9][0-9]*/ N/g' "$1"
}
plain "$TMPDIR/three" >"$TMPDIR/three.plain"
plain "$src/README.md" | awk '/^```/ { p = 0 } p
    /^```console/ { p = 1 }' >"$TMPDIR/readme"
ok "README.md has a session" test -s "$TMPDIR/readme"
ok "README.md shows what the demo prints" diff <(awk 'NR == FNR {
	want[++n] = $0; next } n && at < n && $0 == want[at + 1] { at++; print }
    ' "$TMPDIR/readme" "$TMPDIR/three.plain") "$TMPDIR/readme"

# Its laboratory, in namespaces and a /run of its own; profiles are not installed
# here.  Whatever it started goes with the namespace of processes.
lab() {
	unshare $user -nmpf --kill-child --mount-proc bash -c '
		mount -t tmpfs none /run || exit
		cp "$0"/build-demo/dcbx{d,ctl,-datapath} /run || exit
		PATH=/run:$PATH
		sed -n "/^\`\`\`sh$/,/^\`\`\`$/p" "$0/README.md" |
		    sed "/^\`\`\`/d; s,-d /run/none,-d $0/conf/profiles," >/run/lab
		. /run/lab >/run/log 2>&1
		for i in {1..40}; do
			sleep 0.5
			dcbxctl -s /run/h2.path datapath 2>/dev/null |
			    grep -c ":.*:.*:.* 3 " | grep -qx 4 && break
		done
		sleep 3
		dcbxctl -s /run/h2.path datapath
		dcbxctl -s /run/h1.path datapath
		dcbxctl -s /run/sw.path datapath
		dcbxctl -s /run/sw.sock
		tail -n 20 /run/log' "$src" >"$TMPDIR/lab" 2>&1
}
lab
ok "README.md's laboratory: four flows arrive, marked" awk '
	/^..:..:/ && $3 == 3 && $4 > 1000 && $8 > 0 { n++ }
	END { exit n != 4 }' "$TMPDIR/lab"
# At this rate a machine that is busy elsewhere may let a ring run over.
ok "README.md's laboratory: none is lost, or it is said where" awk '
	/^..:..:/ { lost += $5 } /outside of its queues/ { said += $5 }
	/^h1 .* 3 / { said += $10 } END { exit lost > said }' "$TMPDIR/lab"
ok "README.md's laboratory: CNPs slow them down" awk '
	$2 == 3 && $5 == "on" && $6 > 0 { n++ } END { exit n < 2 }' "$TMPDIR/lab"
ok "README.md's laboratory: DCBX agrees" grep -q '2 ports: 2 ok' "$TMPDIR/lab"
[ $bad -eq 0 ] || sed 's/^/  /' "$TMPDIR/lab"
exit $bad
