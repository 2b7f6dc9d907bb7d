/* SPDX-License-Identifier: ISC */
/*
 * qexit N - end QEMU from inside, through its isa-debug-exit device; QEMU
 * exits 2N + 1.
 */
#include <stdlib.h>
#include <sys/io.h>
#include <sys/reboot.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	sync();
	if (!ioperm(0xf4, 4, 1))
		outb(argc > 1 ? atoi(argv[1]) : 0, 0xf4);
	/* no such device: QEMU exits 0, which is not a pass */
	reboot(RB_AUTOBOOT);
	return 1;
}
