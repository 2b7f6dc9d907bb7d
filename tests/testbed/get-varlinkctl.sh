#!/bin/bash
# SPDX-License-Identifier: ISC
#
# get-varlinkctl.sh DIR - unpack Debian trixie's varlinkctl, and the libraries
# that it needs, into DIR, and leave a wrapper DIR/varlinkctl.
#
# Nothing is installed: apt, with state of its own in DIR, fetches and verifies
# the packages; their SHA-256 is printed, they are only unpacked, and run by
# the loader among them.  MIRROR=URI overrides the archive the system uses.
# Exit 77 and one line saying why when it cannot be had.
set -u
dir=${1:?usage: get-varlinkctl.sh DIR}
suite=trixie
keys=/usr/share/keyrings/debian-archive-keyring.gpg

give_up() {
	echo "$*" | cut -c1-200
	exit 77
}

command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null ||
    give_up "no apt here"
[ -r $keys ] || give_up "no $keys"
mkdir -p "$dir/apt/sources" "$dir/apt/lists/partial" \
    "$dir/apt/cache/archives/partial" "$dir/root" && dir=$(cd "$dir" && pwd) ||
    give_up "cannot write to $dir"
uri=${MIRROR:-$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' \
    'Identifier: Packages' 2>/dev/null |
    awk '$1 == "Debian" && $2 !~ /security/ { print $2; exit }')}
[ -n "$uri" ] || give_up "no Debian archive configured"

cat >"$dir/apt/sources/$suite.sources" <<END
Types: deb
URIs: $uri
Suites: $suite
Components: main
Signed-By: $keys
END
: >"$dir/apt/status"

apt() {
	timeout 25 apt-get -q -o Dir::Etc::SourceList=/dev/null \
	    -o Dir::Etc::SourceParts="$dir/apt/sources" \
	    -o Dir::State="$dir/apt" -o Dir::State::status="$dir/apt/status" \
	    -o Dir::Cache="$dir/apt/cache" -o APT::Sandbox::User=root \
	    -o Acquire::Languages=none -o Acquire::Retries=0 \
	    -o Acquire::http::Timeout=8 -o Acquire::https::Timeout=8 \
	    -o APT::Update::Error-Mode=any "$@" >>"$dir/log" 2>&1
}

failed() {
	give_up "apt-get $1: $(grep -a '^[EW]:' "$dir/log" | head -n 1)"
}

apt update || failed update
# What varlinkctl is linked with, and what libsystemd-shared opens.
cd "$dir/apt/cache/archives" &&
    apt download systemd libsystemd-shared libc6 libcap2 libmount1 libblkid1 \
	libselinux1 libpcre2-8-0 libcrypt1 libssl3t64 libseccomp2 libaudit1 \
	libcap-ng0 libacl1 libpam0g libzstd1 zlib1g libgcc-s1 ||
    failed download
sha256sum -- *.deb
for deb in *.deb; do
	dpkg-deb -x "$deb" "$dir/root" || give_up "cannot unpack $deb"
done

cd "$dir/root" || exit 1
program=$(find . -name varlinkctl -type f -perm -u+x | head -n 1)
loader=$(find . -name 'ld-linux*.so.*' | head -n 1)
[ -n "$program" ] && [ -n "$loader" ] || give_up "no varlinkctl in $suite"
shared=$(dirname "$(find . -name 'libsystemd-shared-*.so' | head -n 1)")
libraries=$(dirname "$(find . -name libc.so.6 | head -n 1)")
cat >"$dir/varlinkctl" <<END
#!/bin/sh
exec "$dir/root/$loader" --library-path \\
    "$dir/root/$shared:$dir/root/$libraries" "$dir/root/$program" "\$@"
END
chmod +x "$dir/varlinkctl"
"$dir/varlinkctl" --version | head -n 1
