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
		ip netns list | grep -E "dcbx-(left|right)-$pid\b" && return 1
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
ok "the demo shows all five steps" grep -q '^--- 5[.]' "$TMPDIR/one"
ok "the demo shows the mismatch and its reason" \
    grep -q 'both-unwilling: neither end is willing' "$TMPDIR/one"
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
ok "another demo leaves a kept one alone" test -e \
    "$TMPDIR/dcbx-demo.$kept/right.sock"
sed -n '/^To end it/,$s/^  //p' "$TMPDIR/kept" | bash
ok "what --keep prints ends it" bash -c \
    "for i in {1..100}; do pgrep -f -- ' -s $TMPDIR/' >/dev/null || break
    sleep 0.05; done" && ok "and nothing is left" settled $kept

# README.md shows what the demo prints: each block that begins with a prompt,
# line by line and in this order, but for addresses and ages.
plain() {
	sed -E 's/([0-9a-f]{2}:){5}[0-9a-f]{2}/MAC/g
	    s/heard [0-9]+ s ago, expires in [0-9]+ s/heard, expires/' "$1"
}
plain "$TMPDIR/one" >"$TMPDIR/one.plain"
plain "$src/README.md" | awk '/^```/ { p = 0 } p
    /^```console/ { p = 1 }' >"$TMPDIR/readme"
ok "README.md has a session" test -s "$TMPDIR/readme"
ok "README.md shows what the demo prints" diff <(awk 'NR == FNR {
	want[++n] = $0; next } n && at < n && $0 == want[at + 1] { at++; print }
    ' "$TMPDIR/readme" "$TMPDIR/one.plain") "$TMPDIR/readme"
exit $bad
