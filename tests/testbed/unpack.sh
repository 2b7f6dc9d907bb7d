# SPDX-License-Identifier: ISC
#
# What the get-*.sh share: fetch packages of Debian trixie and unpack them,
# installing nothing.  Sourced, with $dir set.
#
# apt, with state of its own in $dir, uses the archive that the system is
# configured with (MIRROR=URI overrides it) and verifies what it fetches.
# Everything that goes wrong is one line that says why, and exit status 77.
suite=trixie
keys=/usr/share/keyrings/debian-archive-keyring.gpg

give_up() {
	echo "$*" | cut -c1-200
	exit 77
}

# Make $dir, absolute from here on.
make_dir() {
	command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null ||
	    give_up "no apt here"
	[ -r $keys ] || give_up "no $keys"
	mkdir -p "$dir/apt/sources" "$dir/apt/lists/partial" \
	    "$dir/apt/cache/archives/partial" && dir=$(cd "$dir" && pwd) ||
	    give_up "cannot write to $dir"
	archives=$dir/apt/cache/archives
}

apt() {
	timeout 25 apt-get -q -o Dir::Etc::SourceList=/dev/null \
	    -o Dir::Etc::SourceParts="$dir/apt/sources" \
	    -o Dir::State="$dir/apt" -o Dir::State::status="$dir/apt/status" \
	    -o Dir::Cache="$dir/apt/cache" -o APT::Sandbox::User=root \
	    -o Acquire::Languages=none -o Acquire::Retries=0 \
	    -o Acquire::http::Timeout=8 -o Acquire::https::Timeout=8 \
	    -o APT::Update::Error-Mode=any "$@" >>"$dir/log" 2>&1
}

# apt_or_77 WORDS...
apt_or_77() {
	: >"$dir/log"
	apt "$@" ||
	    give_up "apt-get $1: $(grep -a '^[EW]:' "$dir/log" | head -n 1)"
}

# download PACKAGE[=VERSION]...: their files, in $archives.
download() {
	local uri=${MIRROR:-$(apt-get indextargets --format \
	    '$(ORIGIN) $(REPO_URI)' 'Identifier: Packages' 2>/dev/null |
	    awk '$1 == "Debian" && $2 !~ /security/ { print $2; exit }')}
	[ -n "$uri" ] || give_up "no Debian archive configured"
	cat >"$dir/apt/sources/$suite.sources" <<-END
	Types: deb
	URIs: $uri
	Suites: $suite
	Components: main
	Signed-By: $keys
	END
	: >"$dir/apt/status"
	apt_or_77 update
	cd "$archives" && apt_or_77 download "$@"
}

# unpack FILE.deb...: into $dir/root, whole or not at all.
unpack() {
	local deb
	rm -rf "$dir/root" "$dir/root.part"
	for deb; do
		dpkg-deb -x "$deb" "$dir/root.part" ||
		    give_up "cannot unpack $deb"
	done
	mv "$dir/root.part" "$dir/root"
}

# find_one WORDS...: the first file below $dir/root that find(1) finds.
find_one() {
	find "$dir/root" "$@" | head -n 1
}

# wrap NAME LIBRARIES PROGRAM: $dir/NAME runs it by the loader among the
# unpacked; PRELOAD=FILE in its environment loads a library into it.
wrap() {
	local loader
	loader=$(find_one -name 'ld-linux*.so.*')
	[ -x "$3" ] && [ -n "$loader" ] || give_up "no $1 in $suite"
	cat >"$dir/$1" <<-END
	#!/bin/sh
	exec "$loader" --library-path "$2" \\
	    \${PRELOAD:+--preload "\$PRELOAD"} "$3" "\$@"
	END
	chmod +x "$dir/$1"
}
