# SPDX-License-Identifier: ISC
#
# What ./demo and ./check both do first: packages, configure.  Sourced by them.
# Debian 12's names; elsewhere we say what is needed and go on.

# What it takes to build, and to run the demo.
build_packages=(gcc libc6-dev make autoconf automake libtool pkgconf
    libevent-dev libpcap-dev libconfuse-dev libmnl-dev libjansson-dev
    libsmartcols-dev libsystemd-dev libnftnl-dev libxdp-dev libbpf-dev
    iproute2 util-linux procps python3)

# What the test bed with a kernel of its own takes (tests/testbed/guest), but
# for the headers of that kernel; it runs on amd64 alone.
guest_packages=(qemu-system-x86 busybox-static dash cpio tcpdump ethtool jq
    file binutils gcc make libc6-dev iproute2)

# Where a user's PATH does not lead on Debian.
PATH=$PATH:/usr/sbin:/sbin

say() {
	printf '%s\n' "$*"
}

# missing PACKAGE...: those that are not installed.
missing() {
	local p
	for p; do
		dpkg-query -W -f '${db:Status-Abbrev}' "$p" 2>/dev/null |
		    grep -q '^ii' || printf '%s ' "$p"
	done
}

# How to become root: nothing, sudo, or not at all.
become_root() {
	if [ "$(id -u)" -eq 0 ]; then
		return 0
	elif command -v sudo >/dev/null &&
	    { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
		sudo=sudo
	else
		return 1
	fi
}

# apt LOG WORDS...: quietly, and no service that is installed is started.
apt() {
	local log=$1 policy=/usr/sbin/policy-rc.d made= rc
	shift
	if [ ! -e $policy ]; then
		made=yes
		printf '#!/bin/sh\nexit 101\n' | $sudo tee $policy >/dev/null
		$sudo chmod 755 $policy
	fi
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get -q "$@" \
	    >>"$log" 2>&1 </dev/null
	rc=$?
	[ -z "$made" ] || $sudo rm -f $policy
	return $rc
}

# install_packages LOG PACKAGE...: false when some are still missing.
install_packages() {
	local log=$1 sudo= need
	shift
	if ! command -v dpkg-query >/dev/null; then
		say "This is no Debian. It takes: $*"
		return 1
	fi
	need=$(missing "$@")
	[ -z "$need" ] && return 0
	if ! become_root; then
		say "Missing packages, and neither root nor sudo to install them:"
		say "  apt-get install $need"
		return 1
	fi
	say "Installing: $need" | fold -s -w 80 | sed 's/ *$//'
	apt "$log" update
	# shellcheck disable=SC2086 # one word a package
	apt "$log" install -y --no-install-recommends $need || {
		# One that is not to be had must not keep the others away.
		for p in $need; do
			apt "$log" install -y --no-install-recommends "$p"
		done
	}
	# A neighbour for the tests is no service for this host.
	for p in lldpd lldpad; do
		if [[ " $need " == *" $p "* ]] && [ -d /run/systemd/system ]; then
			$sudo systemctl disable $p.service >>"$log" 2>&1
			$sudo systemctl disable $p.socket >>"$log" 2>&1
		fi
	done
	need=$(missing "$@")
	[ -z "$need" ] && return 0
	say "Could not install: $need(see $log)"
	return 1
}

# prepare_configure SRC LOG: a configure script that is there; one at a time.
prepare_configure() {
	(
	exec 9<"$1" && flock 9 && cd "$1" &&
	    { [ -x configure ] || autoreconf -fi >>"$2" 2>&1; }
	)
}
