#!/bin/bash
# SPDX-License-Identifier: ISC
#
# dcbxd of this build directory in a guest with a kernel of its own, and a real
# lldpad at the other end: each programs its own device, in each dialect.
src=${srcdir:-.}
default="dcbxd-lldpad:ieee dcbxd-lldpad:cee dcbxd-lldpad:cin"
. "$src/tests/kernel/guest.sh"
