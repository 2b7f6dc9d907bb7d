#!/bin/bash
# SPDX-License-Identifier: ISC
#
# The manual pages: clean for mandoc, and dcbx(7) knows every reason and state
# that libdcbx/explain.c can print.  Keys and verbs are compared with their
# pages by conf_keys.py and cli_verbs.py.
cd "${srcdir:-.}" || exit 1
bad=0

verdict() {
	if [ -z "$2" ]; then
		echo "ok $1"
	else
		echo "not ok $1"
		sed 's/^/  /' <<<"$2"
		bad=1
	fi
}

for page in man/*.[1-9]; do
	if command -v mandoc >/dev/null; then
		# What it refers to need not be installed; ours: see below.
		verdict "mandoc -Tlint ${page##*/}" "$(mandoc -Tlint "$page" |
		    grep -v 'referenced manual not found')"
	else
		echo "skip mandoc -Tlint ${page##*/}: no mandoc here"
	fi
	verdict "pages that ${page##*/} refers to are here" "$(
	    sed -n 's/^\.Xr \([^ ]*\) \([1-9]\).*/\1.\2/p' "$page" | sort -u |
	    grep '^\(lib\)\?dcbx' |
	    while read -r other; do
		[ -e "man/$other" ] || echo "$other"
	    done)"
done

# words ARRAY: the first string of each row of an array in explain.c.
words() {
	sed -n "/ $1\[[A-Z_]*\] = {/,/^};/p" libdcbx/explain.c | tr '\n' ' ' |
	    grep -oE '\] = (\{ )?"[a-z-]+"' | grep -oE '[a-z-]+"$' | tr -d '"'
}
reasons=$(words reason_rows)
verdict "explain.c has reasons" "$([ "$(wc -w <<<"$reasons")" -gt 30 ] ||
    echo "found: $reasons")"
verdict "dcbx(7) has every reason" "$(for word in $reasons; do
	grep -qE "^\.It Cm .*$word( |,|\$)" man/dcbx.7 || echo "$word"
done)"
verdict "dcbx(7) has no reason of its own" "$(sed -n \
    '/^\.Sh REASONS/,/^\.Sh SEE/s/^\.It Cm //p' man/dcbx.7 | tr -d ',' |
    tr ' ' '\n' | while read -r word; do
	grep -qx -- "$word" <<<"$reasons" || echo "$word"
done)"
drivers=$(grep -oE '\.driver = "[^"]+"' daemon/backend/quirks.c | cut -d'"' -f2)
verdict "quirks.c has drivers" "$([ -n "$drivers" ] || echo none)"
verdict "dcbxd.conf(5) has every driver of quirks.c" "$(for word in $drivers; do
	grep -q "^\.It $word Ta " man/dcbxd.conf.5 || echo "$word"
done)"
# The data path: what may be configured, and the keys of its generator.
keys=$(grep -ohE '^[[:space:]]+\{ "[a-z0-9_]+", &field' \
    daemon/datapath/door/door_config.c | cut -d'"' -f2)
verdict "door_config.c has keys" "$([ "$(wc -w <<<"$keys")" -gt 25 ] ||
    echo "found: $keys")"
verdict "dcbx-datapath(8) has every key of Configure" "$(for key in $keys; do
	grep -qE "^\.(It )?Va (.* )?$key( |\$)" man/dcbx-datapath.8 || echo "$key"
done)"
keys=$(sed -n '/^static const struct key keys\[\] = {/,/^};/p' \
    daemon/datapath/live/gen.c | grep -oE '\{ "[a-z]+"' | cut -d'"' -f2)
verdict "gen.c has keys" "$([ "$(wc -w <<<"$keys")" -gt 10 ] ||
    echo "found: $keys")"
verdict "dcbx-datapath(8) has every key of the generator" "$(
    for key in $keys; do
	grep -qE "^\.It Cm (.* )?$key=" man/dcbx-datapath.8 || echo "$key"
done)"
exit $bad
