#!/bin/bash
# SPDX-License-Identifier: ISC
#
# get-varlinkctl.sh DIR - unpack Debian trixie's varlinkctl, and the libraries
# that it needs, into DIR, and leave a wrapper DIR/varlinkctl.
#
# The SHA-256 of what was fetched is printed.  Exit 77 and one line saying why
# when it cannot be had; see unpack.sh.
set -u
dir=${1:?usage: get-varlinkctl.sh DIR}
. "$(dirname "$0")/unpack.sh"
make_dir
# What varlinkctl is linked with, and what libsystemd-shared opens.
download systemd libsystemd-shared libc6 libcap2 libmount1 libblkid1 \
    libselinux1 libpcre2-8-0 libcrypt1 libssl3t64 libseccomp2 libaudit1 \
    libcap-ng0 libacl1 libpam0g libzstd1 zlib1g libgcc-s1
sha256sum -- *.deb
unpack ./*.deb
shared=$(dirname "$(find_one -name 'libsystemd-shared-*.so')")
libraries=$(dirname "$(find_one -name libc.so.6)")
wrap varlinkctl "$shared:$libraries" \
    "$(find_one -name varlinkctl -type f -perm -u+x)"
"$dir/varlinkctl" --version | head -n 1
