#!/bin/bash
# SPDX-License-Identifier: ISC
#
# guest.sh [STAGE...] - the kernel's own dcbnl as a test bed: from nothing to a
# verdict, as root.
#
#   get     packages that are missing; the kernel image of the headers, a newer
#           lldpad and Open vSwitch, all three only unpacked
#   build   dcbsim.ko and four small programs
#   image   the initramfs
#   run     boot it, run the checks, collect $BUILD/out; exit with the verdict
#
# Without a stage: all four; what `get` and `build` left is used again.  Exit:
# 0 every check passed, 1..90 failed checks, 98 the guest ended without a
# verdict, 124 time-out, 77 something needed is not to be had.
#
#   BUILD=DIR       build directory (default ./build/guest)
#   PEER=DIR        where lldpad is unpacked (default BUILD/peer)
#   FLAVOUR=F       kernel flavour: cloud-amd64 (default) or amd64
#   CHECKS="A B:X"  checks to run, in this order, B with argument X
#   EXTRA="S:D .."  more files for the image: source:destination; a program
#                   brings its shared libraries along
#   EXTRA_LIBS=DIR  where libraries of EXTRA are that are not installed
#   LIMIT=SECONDS   for the whole guest (default 300)
#   MEM=MB          of the guest (default 320)
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../prepare.sh"
BUILD=${BUILD:-build/guest} FLAVOUR=${FLAVOUR:-cloud-amd64}
PEER=${PEER:-$BUILD/peer}
CHECKS=${CHECKS:-dcbnl cee-set qdisc ieee cee auto cin}
EXTRA=${EXTRA:-} EXTRA_LIBS=${EXTRA_LIBS:-} LIMIT=${LIMIT:-300}
guest_packages+=("linux-headers-$FLAVOUR")

# What the guest's kernel is given; those they need come along.
modules="veth dummy sch_ets sch_red sch_mqprio sch_prio sch_tbf sch_netem
    sch_ingress cls_flower cls_matchall act_skbedit 8021q bonding openvswitch
    team"

skip() {
	echo "skip guest: $*"
	exit 77
}

# ---- get -------------------------------------------------------------------

# The version that the headers have, and nothing of an older one.
get_kernel() {
	local headers version image
	headers=$(dpkg-query -Wf '${Depends}' "linux-headers-$FLAVOUR" |
	    grep -o 'linux-headers-[0-9][^ ,]*' | head -n 1)
	version=$(dpkg-query -Wf '${Version}' "$headers")
	image=linux-image-${headers#linux-headers-}
	[ "$FLAVOUR" = amd64 ] || image=$image-unsigned
	[ "$(cat "$BUILD/image" 2>/dev/null)" = "$image=$version" ] && return 0
	rm -rf "$BUILD/deb" "$BUILD/kernel" "$BUILD/dcbsim" "$BUILD/image"
	mkdir -p "$BUILD/deb" "$BUILD/kernel"
	(cd "$BUILD/deb" && apt-get -q -o APT::Sandbox::User=root download \
	    "$image=$version") >"$BUILD/get.log" 2>&1 || return 1
	dpkg-deb -x "$BUILD"/deb/linux-image-*.deb "$BUILD/kernel"
	echo "${headers#linux-headers-}" >"$BUILD/kver"
	echo "$image=$version" >"$BUILD/image"
}

# Only the programs that put a port under the kernel's Open vSwitch.  Without
# them the checks that need them are skipped.
get_ovs() {
	local deb dir=$BUILD/ovs
	[ ! -e "$dir/root" ] || return 0
	mkdir -p "$dir/archives/partial" "$dir/unpack"
	apt-get -q -o APT::Sandbox::User=root \
	    -o Dir::Cache::archives="$dir/archives" install -y --download-only \
	    --no-install-recommends openvswitch-switch >"$BUILD/ovs.log" 2>&1 ||
	    return 1
	for deb in "$dir"/archives/*.deb; do
		dpkg-deb -x "$deb" "$dir/unpack"
	done
	mv "$dir/unpack" "$dir/root"
}

get() {
	[ "$(id -u)" -eq 0 ] || skip "only root can make its image"
	[ "$(dpkg --print-architecture 2>/dev/null)" = amd64 ] ||
	    skip "only made for Debian on amd64"
	install_packages "$BUILD/packages.log" "${guest_packages[@]}" ||
	    skip "no packages"
	if ! get_kernel; then
		# the archive has a newer version by now
		apt "$BUILD/packages.log" update
		apt "$BUILD/packages.log" install -y --no-install-recommends \
		    "linux-headers-$FLAVOUR"
		get_kernel || skip "no kernel image"
	fi
	"$here/../get-peer.sh" "$PEER" >"$BUILD/peer.log" ||
	    skip "no lldpad: $(tail -n 1 "$BUILD/peer.log")"
	get_ovs || echo "guest.sh: no Open vSwitch, see $BUILD/ovs.log"
}

# ---- build -----------------------------------------------------------------

build() {
	local kver t
	kver=$(cat "$BUILD/kver")
	mkdir -p "$BUILD/dcbsim" "$BUILD/tools"
	cp -u "$here"/dcbsim/* "$BUILD/dcbsim/"
	make -s -C "/lib/modules/$kver/build" M="$BUILD/dcbsim" modules ||
	    return 1
	for t in qexit ceeset priosend lldpsend; do
		gcc -O2 -Wall -Wextra -static -s -o "$BUILD/tools/$t" \
		    "$here/tools/$t.c" || return 1
	done
}

# ---- image -----------------------------------------------------------------

# add SOURCE DESTINATION: a file, and when it is a dynamic program its
# libraries.  One that is not installed goes where the loader looks anyway.
add() {
	local src lib to
	src=$(readlink -f "$1")
	mkdir -p "$tree/$(dirname "$2")"
	cp -L "$src" "$tree/$2"
	file "$src" | grep -q 'ELF.*dynamic' || return 0
	for lib in $(LD_LIBRARY_PATH=$libs ldd "$src" | grep -o '/[^ ]*'); do
		to=$lib
		case $lib in
		/lib*|/usr/lib*)	;;
		*)			to=/lib/${lib##*/} ;;
		esac
		[ ! -e "$tree/$to" ] || continue
		mkdir -p "$tree/$(dirname "$to")"
		cp -L "$lib" "$tree/$to"
	done
}

# module NAME: with those it needs; $tree/mods/list has them in order.
module() {
	local file need
	! grep -qx "$1" "$tree/mods/list" || return 0
	file=$(find "$BUILD/kernel" -name "$1.ko" -o -name "${1//_/-}.ko" |
	    head -n 1)
	[ -n "$file" ] || return 0 # built in, or the check will tell
	for need in $(tr '\0' '\n' <"$file" | sed -n 's/^depends=//p' |
	    tr ',' ' '); do
		module "$need"
	done
	cp "$file" "$tree/mods/$1.ko"
	strip -g "$tree/mods/$1.ko"
	echo "$1" >>"$tree/mods/list"
}

# busybox for everything but what the checks need the real thing of; its own
# shell would prefer its own applets, so the shell is dash.
image_programs() {
	local x
	cp /bin/busybox "$tree/bin/busybox"
	for x in $(/bin/busybox --list); do
		case $x in
		sh|ash|init|linuxrc|ip|ip[a-z]*|tc|busybox)	;;
		*)	ln -s busybox "$tree/bin/$x" ;;
		esac
	done
	add /bin/dash bin/sh
	for x in ip tc dcb ethtool tcpdump jq; do
		add "$(command -v $x)" sbin/$x
	done
	for x in qexit ceeset priosend lldpsend; do
		add "$BUILD/tools/$x" bin/$x
	done
	[ ! -e "$BUILD/ovs/root" ] ||
	    add "$BUILD/ovs/root/usr/bin/ovs-dpctl" sbin/ovs-dpctl
}

# The unpacked lldpad with its own loader and libraries.
image_peer() {
	local x to=$tree/peer loader
	mkdir -p "$to"
	(cd "$PEER/root" &&
	    find usr/sbin usr/lib64 lib64 usr/lib/*-linux-gnu* -maxdepth 1 \
		\( -name 'lldp*' -o -name dcbtool -o -name '*.so*' \) \
		2>/dev/null | cpio -pdmL --quiet "$to")
	loader=$(cd "$to" && find . -name 'ld-linux*.so.*' | head -n 1)
	for x in lldpad lldptool dcbtool; do
		cat >"$to/$x" <<-END
		#!/bin/sh
		exec /peer/$loader --library-path \
		    "\$(echo /peer/usr/lib/*-linux-gnu*)" /peer/usr/sbin/$x "\$@"
		END
		chmod +x "$to/$x"
	done
	tail -n 1 "$BUILD/peer.log" >"$to/version"
}

image() {
	local m x
	tree=$BUILD/tree
	libs=$EXTRA_LIBS:$(find "$BUILD/ovs/root" -name '*.so.*' -printf '%h\n' \
	    2>/dev/null | sort -u | tr '\n' ':')
	rm -rf "$tree"
	mkdir -p "$tree"/{bin,sbin,lib,dev,proc,sys,run,out,mods,checks,etc} \
	    "$tree"/var/{run/netns,lib/lldpad,lib/dcbxd}
	mknod "$tree/dev/console" c 5 1
	mknod "$tree/dev/null" c 1 3
	image_programs
	image_peer
	: >"$tree/mods/list"
	for m in $modules; do
		module "$m"
	done
	cp "$BUILD/dcbsim/dcbsim.ko" "$tree/mods/"
	strip -g "$tree/mods/dcbsim.ko"
	printf '%s\n' root:x:0:0:root:/:/bin/sh _dcbxd:x:900:900::/:/bin/false \
	    >"$tree/etc/passwd"
	printf '%s\n' root:x:0: _dcbxd:x:900: dcbx:x:901: >"$tree/etc/group"
	cp "$here"/checks/* "$tree/checks/"
	for x in $EXTRA; do
		add "${x%%:*}" "${x#*:}"
	done
	install -m 755 "$here/init" "$tree/init"
	(cd "$tree" && find . | LC_ALL=C sort | cpio -o -H newc --quiet) \
	    >"$BUILD/initramfs.cpio"
	echo "initramfs: $(($(stat -c %s "$BUILD/initramfs.cpio") >> 10)) KiB"
}

# ---- run -------------------------------------------------------------------

run() {
	local rc
	rm -rf "$BUILD/out" "$BUILD/out.tar"
	mkdir -p "$BUILD/out"
	LIMIT=$LIMIT OUT=$BUILD/out.tar "$here/boot.sh" \
	    "$BUILD/kernel/boot/vmlinuz-$(cat "$BUILD/kver")" \
	    "$BUILD/initramfs.cpio" "checks=${CHECKS// /,}" 2>&1 |
	    tr -d '\r' | tee "$BUILD/console.log"
	rc=${PIPESTATUS[0]}
	tar -C "$BUILD/out" -xf "$BUILD/out.tar" 2>/dev/null ||
	    echo "guest.sh: no results came out"
	# the code alone is not enough: the guest must also have said so
	[ $rc -ne 0 ] ||
	    grep -q '^verdict: [1-9][0-9]* ok, 0 failed' "$BUILD/console.log" ||
	    rc=98
	echo "guest.sh: verdict $rc"
	return $rc
}

# ---- what is asked for -----------------------------------------------------

# One at a time in a build directory.
main() {
	local stage begin rc
	mkdir -p "$BUILD" && BUILD=$(cd "$BUILD" && pwd) && exec 9<"$BUILD"
	flock 9
	[ $# -gt 0 ] || set -- get build image run
	for stage; do
		case $stage in
		get|build|image|run)	;;
		*)	echo "guest.sh: no stage $stage" >&2; exit 2 ;;
		esac
		begin=$SECONDS rc=0
		$stage || rc=$?
		echo "guest.sh: $stage took $((SECONDS - begin)) s"
		[ $rc -eq 0 ] || exit $rc
	done
	exit 0
}

main "$@"
