#!/bin/bash
# SPDX-License-Identifier: ISC
#
# dcbxd of this build directory in a guest with a kernel of its own: how often it
# writes to a device, counted there, and what it makes of writes by others.
src=${srcdir:-.}
default="dcbxd-writes dcbxd-drift"
. "$src/tests/kernel/guest.sh"
