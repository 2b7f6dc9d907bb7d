#!/bin/bash
# SPDX-License-Identifier: ISC
#
# dcbxd of this build directory in a guest with a kernel of its own: what it
# programs, what it says it would, what the device refuses or cannot do, and a
# device that has CEE alone.
# CHECKS="dcbxd-caps" runs less; see tests/testbed/guest/README.md.
src=${srcdir:-.}
default="dcbxd-ieee dcbxd-refused dcbxd-caps dcbxd-diff dcbxd-ceeonly"
default="$default dcbxd-beside"
. "$src/tests/kernel/guest.sh"
