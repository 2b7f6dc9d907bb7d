#!/bin/bash
# SPDX-License-Identifier: ISC
#
# The guest with a kernel of its own as such, without dcbxd: the kernel's dcbnl,
# dcb, tc, and lldpad against lldpad.  What is learnt here is what the others
# build on.
src=${srcdir:-.}
default="dcbnl cee-set qdisc ieee cee auto cin"
. "$src/tests/kernel/guest.sh"
