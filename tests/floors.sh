#!/bin/bash
# SPDX-License-Identifier: ISC
#
# The floors of the house: who may include whom, and what libdcbx may call.
#
#   libdcbx < daemon/common < daemon/backend < daemon
#   libdcbx < daemon/common < cli
#   daemon/datapath/: core < io, and core, daemon/common < door; both < live
#   only daemon/backend/datapath*.c knows DCBX and the data path's door
#
# Also what every file must have (a licence line, functions of at most 60
# lines) and must not have (paths of somebody's machine).  Runs in the build
# directory; the sources are at $srcdir.  Objects of a build with sanitizers
# call the sanitizer, so what they call and hold is looked at in others only.
src=${srcdir:-.}
build=$PWD
cd "$src" || exit 1
bad=0

# report NAME LINES: one verdict; lines say what is wrong.
report() {
	if [ -z "$2" ]; then
		echo "ok $1"
	else
		echo "not ok $1"
		sed 's/^/  /' <<<"$2"
		bad=1
	fi
}

# The tree's own text, whether a clone or an unpacked tarball.
files() {
	find "$@" -type f ! -path '*/.*' ! -path './build*' \
	    ! -path './autom4te.cache/*'
}

# room NAME ALLOWED...: quoted includes are the room's own, or from below.
room() {
	local room=$1 name at file
	shift
	report "floor of $room" "$(
	    grep -H '^ *# *include *"' "$room"/*.[ch] |
	    sed 's/: *# *include *"/ /; s/".*//' |
	    while read -r file name; do
		at=${name%/*}
		[ "$at" = "$name" ] && [ -e "$room/$name" ] && continue
		[ "$name" = config.h ] && [ "$room" != libdcbx ] && continue
		[[ " $room $* " == *" $at "* ]] && continue
		echo "$file includes $name"
	    done)"
}

room libdcbx
room daemon/common libdcbx
room daemon/backend libdcbx daemon/common daemon/datapath/core \
    daemon/datapath/door
report "daemon/datapath is known to the backend datapath alone" "$(
    grep -H '^ *# *include *"daemon/datapath/' libdcbx/*.[ch] \
    daemon/*.[ch] daemon/common/*.[ch] daemon/backend/*.[ch] |
    grep -vE '^daemon/backend/datapath[a-z_]*[.][ch]:' |
    grep -v '^daemon/backend/dcqcn_view[.]c:.*core/thresholds[.]h')"
room daemon libdcbx daemon/common daemon/backend
room daemon/datapath/core
room daemon/datapath/sim libdcbx daemon/datapath/core
room daemon/datapath/io daemon/datapath/core
room daemon/datapath/door daemon/common daemon/datapath/core
room daemon/datapath/live daemon/common daemon/datapath/core \
    daemon/datapath/io daemon/datapath/door
room cli libdcbx daemon/common daemon/datapath/core daemon/datapath/sim

# libdcbx and libc: text, numbers, and nothing that has a side effect.
report "headers of libdcbx" "$(grep -H '^ *# *include *<' libdcbx/*.[ch] |
    grep -vE '<(assert|stdint|stdbool|stddef|string|errno|endian)[.]h>' |
    grep -vE '^libdcbx/agent[.]c:.*<stdlib[.]h>' |
    grep -vE '^libdcbx/(lldp_tlv|report_queues)[.]c:.*<arpa/inet[.]h>' |
    grep -vE '^libdcbx/(agent|explain(_cee)?|port_state|words|text)[.]c:.*<stdio[.]h>' |
    grep -vE '^libdcbx/(report(_peers)?|(lldp|ieee)_tlv|cee_map|cee_subs)[.]c:.*<stdio[.]h>')"

# The data path's core: as pure, and no text either.
report "headers of daemon/datapath/core" "$(grep -H '^ *# *include *<' \
    daemon/datapath/core/*.[ch] |
    grep -vE '<(assert|stdint|stdbool|stddef|string|errno|endian)[.]h>' |
    grep -vE '^daemon/datapath/core/configure[.]c:.*<stdlib[.]h>')"

# pure ROOM CALLS ALLOCATES: what the objects of a room call and hold.
pure() {
	local room=$1 may=$2 allocates=$3 object source at own calls
	local objects=()
	for source in "$room"/*.c; do
		object=${source##*/}
		object=${object%.c}.o
		for at in "$build/$room/$object" "$build/$room/.libs/$object"; do
			[ -e "$at" ] && objects+=("$at") && break
		done
	done
	if [ ${#objects[@]} -eq 0 ]; then
		echo "skip calls of $room: not built here"
		return
	elif nm "${objects[@]}" | grep -qE '__(asan|ubsan|sanitizer)_'; then
		echo "skip calls of $room: a build with sanitizers"
		return
	fi
	own=$(nm --defined-only -f posix "${objects[@]}" | awk '{print $1}')
	calls=$(for o in "${objects[@]}"; do
		nm -u -f posix "$o" | awk -v o="${o##*/}" '{print o, $1}'
	done | grep -vxFf <(for o in "${objects[@]}"; do
		sed "s/^/${o##*/} /" <<<"$own"
	done) | grep -vE " (__)?($may)(_chk)?$" |
	    grep -vE ' (_GLOBAL_OFFSET_TABLE_|__stack_chk_fail)$' |
	    grep -vE "^($allocates)$")
	report "calls of $room" "$calls"
	report "no writable globals in $room" "$(nm -A -f sysv \
	    "${objects[@]}" | awk -F'|' '$7 ~ /^[.]t?(data|bss)|COM/ &&
	    $7 !~ /^[.]data[.]rel[.]ro/ && $1 !~ /:[.]/')"
}

memory='mem(cpy|cmp|set|move|chr)|__assert_fail'
text='str(len|nlen|cmp|ncmp|chr|rchr|cpy)|v?snprintf|inet_ntop'
pure libdcbx "$memory|$text|__errno_location" 'agent.o (calloc|free)'
pure daemon/datapath/core "$memory|strcmp" \
    'configure.o (aligned_alloc|calloc|free)'

# Every file.
rooms="cli conf daemon libdcbx man packaging tests"
texts=$(files $rooms | grep -vE '^tests/(conformance/cases|fuzz/corpus)/' |
    grep -E '[.](c|h|py|sh|[1-9]|inc|conf|service)$')
texts="$texts configure.ac Makefile.am check demo .ci/run"
report "a licence line in every file" "$(grep -L 'SPDX-License-Identifier: ISC' \
    $texts)"
report "no unfinished business" "$(grep -nE '\b(TODO|FIXME|XXX|HACK)\b' \
    $texts README.md | grep -v '^tests/floors.sh')"
report "no paths of a machine" "$(grep -nE \
    '(^|[^a-zA-Z0-9_.$}"])/(home|work|root)/|/tmp/(build|bash)' \
    $texts README.md | grep -v '^tests/floors.sh')"

# A function begins with { and ends with } in the first column.
report "functions of at most 60 lines" "$(files $rooms | grep '[.][ch]$' |
    xargs awk '/^\{/ { start = FNR } /^\}/ && start {
	if (FNR - start > 61) print FILENAME ":" start ": " FNR - start - 1
	start = 0 }')"
report "lines of at most 80 columns" "$(files $rooms | grep '[.][ch]$' |
    while read -r file; do
	expand "$file" | awk -v f="$file" 'length > 80 { print f ":" NR }'
    done)"
exit $bad
