# SPDX-License-Identifier: ISC
#
# Sourced by the tests of this room, with $src and their checks in $default: run
# these in the guest, with the programs of the build directory that we are in.
# Images and downloads are kept in $BUILD.
export BUILD=${BUILD:-$PWD/tests/kernel/guest}
export PEER=${PEER:-$PWD/tests/testbed/peer} # that of the network tests
export CHECKS=${CHECKS:-$default}

# What libtool made may be a script beside the program.
EXTRA=
for program in dcbxd dcbxctl; do
	file=$PWD/.libs/$program
	[ -e "$file" ] || file=$PWD/$program
	if [ ! -x "$file" ]; then
		echo "not ok $program is built"
		exit 1
	fi
	EXTRA="$EXTRA $file:sbin/$program"
done
export EXTRA EXTRA_LIBS=$PWD/.libs
exec "$src/tests/testbed/guest/guest.sh"
