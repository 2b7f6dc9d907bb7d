#!/bin/bash
# SPDX-License-Identifier: ISC
#
# boot.sh KERNEL INITRAMFS [WORD...] - boot a guest without KVM; the WORDs go
# to its command line.
#
# The console is stdout; the second serial port is written to $OUT.  Exit: what
# the guest passed to qexit; 98 when it ended any other way (a panic reboots,
# and QEMU then exits 0); 124 after $LIMIT seconds; 77 without QEMU.
set -u
kernel=$1 initramfs=$2
shift 2
command -v qemu-system-x86_64 >/dev/null || exit 77
words="console=ttyS0 panic=-1 reboot=t quiet loglevel=4 mitigations=off nokaslr"
words="$words audit=0 random.trust_cpu=on no_timer_check nowatchdog $*"
timeout --foreground "${LIMIT:-300}" qemu-system-x86_64 -M pc -cpu max -smp 1 \
    -accel tcg,thread=multi,tb-size=256 -m "${MEM:-320}" \
    -nodefaults -no-user-config -display none -monitor none -no-reboot \
    -serial stdio -serial "file:${OUT:-/dev/null}" \
    -device isa-debug-exit,iobase=0xf4,iosize=0x04 \
    -kernel "$kernel" -initrd "$initramfs" -append "$words" </dev/null
rc=$?
[ $rc = 124 ] && exit 124
[ $((rc % 2)) = 1 ] && exit $((rc / 2))
exit 98
