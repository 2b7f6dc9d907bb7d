#!/bin/bash
# SPDX-License-Identifier: ISC
#
# dcbxd of this build directory in a guest with a kernel of its own: on ports of
# bonds and teams, VLANs and Open vSwitch.
src=${srcdir:-.}
default="dcbxd-bond:active-backup:packet dcbxd-bond:802.3ad:packet"
default="$default dcbxd-bond:team:packet dcbxd-bond:active-backup:pcap"
default="$default dcbxd-vlan dcbxd-ovs"
. "$src/tests/kernel/guest.sh"
