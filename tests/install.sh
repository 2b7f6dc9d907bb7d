#!/bin/bash
# SPDX-License-Identifier: ISC
#
# What `make install` puts where, and whether somebody else could use it.
#
# Runs in a configured build directory, installs into a DESTDIR of its own, and
# builds the example of libdcbx(3) against what is there, with pkg-config, the
# shared and the static library.  libdcbx.so must export its door alone.
src=$(cd "${srcdir:-.}" && pwd)
dest=$(mktemp -d) || exit 1
trap 'rm -rf "$dest"' EXIT
bad=0

ok() {
	local name=$1
	shift
	if "$@" >"$dest/log" 2>&1; then
		echo "ok $name"
	else
		echo "not ok $name"
		sed 's/^/  /' "$dest/log" | tail -n 20
		bad=1
	fi
}

# A variable of the Makefile.
var() {
	make -s --no-print-directory -f - "print-$1" <<-'EOF'
	include Makefile
	print-%: ; @echo $($*)
	EOF
}

root=$dest/root data=$(var pkgdatadir)
ok "make install DESTDIR=..." make install DESTDIR="$root"
for file in "$(var sbindir)/dcbxd" "$(var bindir)/dcbxctl" \
    "$(var mandir)"/man7/dcbx.7 "$(var mandir)"/man8/dcbxctl.8 \
    "$(var mandir)"/man8/dcbxd.8 "$(var mandir)"/man5/dcbxd.conf.5 \
    "$(var sbindir)/dcbx-datapath" "$(var mandir)"/man8/dcbx-datapath.8 \
    "$data/dcbx-datapath.conf" \
    "$(var systemdsystemunitdir)/dcbx-datapath.service" \
    "$(var mandir)"/man3/libdcbx.3 "$(var sysconfdir)/dcbxd.conf" \
    "$data/schema.json" "$(var includedir)/dcbx/dcbx.h" \
    "$(var includedir)/dcbx/dcb.h" "$(var includedir)/dcbx/text.h" \
    "$(var pkgconfigdir)/libdcbx.pc" "$(var libdir)/libdcbx.a" \
    "$(var systemdsystemunitdir)/dcbxd.service" \
    "$(var systemdsystemunitdir)/dcbxd.socket" \
    "$(var sysusersdir)/dcbxd.conf" "$(var tmpfilesdir)/dcbxd.conf" \
    $(cd "$src/packaging" && printf "$data/%s\n" roce/*) \
    $(cd "$src/conf" && printf "$data/%s\n" scenarios/*.conf \
    profiles/*.conf); do
	ok "installed: $file" test -s "$root$file"
done
ok "nothing outside the prefix knows the DESTDIR" \
    bash -c "! grep -rlI '$root' '$root'"

lib=$root$(var libdir)
so=$lib/libdcbx.so
if [ -e "$so" ]; then
	ok "SONAME libdcbx.so.0" \
	    bash -c "readelf -d '$so' | grep -q 'SONAME.*libdcbx.so.0'"
	ok "libdcbx.so exports dcb_* and dcbx_* alone" \
	    bash -c "nm -D --defined-only '$so' | awk '{print \$NF}' |
	    sed 's/@.*//' | grep -vE '^(dcbx?_[a-z0-9_]+|LIBDCBX_0)\$' && exit 1
	    nm -D --defined-only '$so' | grep -q ' T dcbx_new'"
	ok "libdcbx.so needs libc alone" bash -c "readelf -d '$so' |
	    grep NEEDED | grep -vE '\[(libc|ld-linux[^]]*|libasan|libubsan)[.]so' &&
	    exit 1; true"
else
	echo "skip libdcbx.so: built with --disable-shared"
fi

# The example of the manual page.
awk '/^\.Bd -literal/ { p = 1; next } /^\.Ed/ { p = 0 }
    p { gsub(/\\e/, "\\"); print }' "$src/man/libdcbx.3" >"$dest/prog.c"
config() {
	PKG_CONFIG_PATH=$root$(var pkgconfigdir) \
	    PKG_CONFIG_SYSROOT_DIR=$root pkg-config "$@" libdcbx
}
cc=$(var CC)
flags="-Wall -Wextra -Werror $(var SAN_CFLAGS)"
ok "the example of libdcbx(3) builds by pkg-config" \
    $cc $flags $(config --cflags) -o "$dest/prog" "$dest/prog.c" \
    $(config --libs)
ok "it runs and both ends agree" bash -c "LD_LIBRARY_PATH='$lib' '$dest/prog' |
    tee /dev/stderr | grep -c '{3}' | grep -qx 2"
ok "it builds with the static library" $cc $flags $(config --cflags) \
    -o "$dest/static" "$dest/prog.c" "$lib/libdcbx.a"
ok "and runs" "$dest/static"
ok "the headers are C++ too" bash -c "command -v c++ >/dev/null || exit 0
    printf '#include <dcbx/dcbx.h>\n#include <dcbx/text.h>\n' |
    c++ $(config --cflags) -Wall -Werror -fsyntax-only -x c++ -"

ok "the installed dcbxd knows its version" bash -c "LD_LIBRARY_PATH='$lib' \
    '$root$(var sbindir)/dcbxd' --version | grep -q '^dcbxd [0-9]'"
ok "the installed dcbx-datapath knows its version" bash -c \
    "LD_LIBRARY_PATH='$lib' '$root$(var sbindir)/dcbx-datapath' --version |
    grep -q '^dcbx-datapath [0-9]'"
# A file is read, and refused, before --help is answered.
ok "the installed dcbx-datapath.conf is accepted" bash -c \
    "LD_LIBRARY_PATH='$lib' '$root$(var sbindir)/dcbx-datapath' \
    -f '$root$data/dcbx-datapath.conf' --help"
ok "the installed dcbxctl knows its version" bash -c "LD_LIBRARY_PATH='$lib' \
    '$root$(var bindir)/dcbxctl' --version | grep -q '^dcbxctl [0-9]'"
ok "the installed dcbxd.conf is accepted" bash -c "LD_LIBRARY_PATH='$lib' \
    '$root$(var sbindir)/dcbxd' -t -f '$root$(var sysconfdir)/dcbxd.conf' \
    -d '$dest/none'"
# What is not there, and would be said: the programs' places, and pages.
units=$(var systemdsystemunitdir)
if command -v systemd-analyze >/dev/null; then
	mkdir "$dest/units"
	for unit in "$root$units"/dcbx*; do
		sed "s,=/usr/sbin/,=$root$(var sbindir)/," "$unit" \
		    >"$dest/units/${unit##*/}"
	done
	for unit in "$dest"/units/*; do
		ok "systemd has nothing against ${unit##*/}" bash -c "
		    systemd-analyze verify --man=no --recursive-errors=no \
		    '$unit' 2>&1 | tee /dev/stderr | grep . && exit 1; true"
	done
else
	echo "skip systemd-analyze verify: not here"
fi
ok "make uninstall" make uninstall DESTDIR="$root"
ok "make uninstall leaves nothing" bash -c \
    "find '$root' ! -type d | grep . && exit 1; true"

# What a release has; in a clone alone, which knows what there is.
if (cd "$src" && git ls-files >"$dest/clone") 2>/dev/null &&
    [ -s "$dest/clone" ]; then
	ok "make distdir" make distdir distdir="$dest/dist"
	ok "a release has every file of the clone" bash -c "cd '$dest/dist' &&
	    while read -r file; do
		[ -e \"\$file\" ] || [ ! -e '$src'/\"\$file\" ] || echo \"\$file\"
	    done <'$dest/clone' | grep . && exit 1; true"
else
	echo "skip a release has every file: no clone, or no git here"
fi
exit $bad
