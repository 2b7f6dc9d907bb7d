#!/bin/bash
# SPDX-License-Identifier: ISC
#
# get-peer.sh DIR - unpack lldpad 1.1.1, and the libraries it needs, into DIR,
# and leave the wrappers DIR/lldpad, DIR/lldptool and DIR/dcbtool.
#
# Debian 12's own lldpad sends neither CEE nor CIN, so the peer of our tests is
# trixie's.  peer.sha256 pins its packages, by version and SHA-256; DIR keeps
# them, and they are not fetched again.  Exit 77 and one line saying why when
# they cannot be had, or are no longer those; see unpack.sh.
set -u
dir=${1:?usage: get-peer.sh DIR}
here=$(cd "$(dirname "$0")" && pwd)
sums=$here/peer.sha256
. "$here/unpack.sh"

# The packages of peer.sha256, as words for apt.
pinned() {
	sed -n 's/^[0-9a-f]\{64\}  \([^_]*\)_\([^_]*\)_amd64\.deb$/\1=\2/p' \
	    "$sums"
}

intact() {
	(cd "$archives" && sha256sum --status --strict -c "$sums" 2>/dev/null)
}

[ "$(dpkg --print-architecture 2>/dev/null)" = amd64 ] ||
    give_up "peer.sha256 has packages of amd64 alone"
make_dir
exec 9<"$dir" && flock 9
if ! intact; then
	rm -f "$archives"/*.deb
	# shellcheck disable=SC2046 # one word a package
	download $(pinned)
	intact || give_up "the archive's packages are not those of peer.sha256"
	rm -rf "$dir/root"
fi
if [ ! -d "$dir/root" ]; then
	cd "$archives" || exit 1
	# shellcheck disable=SC2046 # one word a package
	unpack $(sed 's/.* //' "$sums")
fi
libraries=$(dirname "$(find_one -name libc.so.6)")
for program in lldpad lldptool dcbtool; do
	wrap $program "$libraries" "$dir/root/usr/sbin/$program"
done
dpkg-deb -f "$archives"/lldpad_*.deb Version
