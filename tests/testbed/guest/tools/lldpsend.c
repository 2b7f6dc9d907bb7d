/* SPDX-License-Identifier: ISC */
/* lldpsend IF N - send N LLDP frames of a stranger who says goodbye out of IF:
 * they count, and make no neighbour. */
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

int
main(int argc, char **argv)
{
	static const unsigned char frame[60] = { 1, 0x80, 0xc2, 0, 0, 0xe, 2,
		0, 0, 0, 0, 0x99, 0x88, 0xcc, 2, 2, 7, 's', 4, 2, 7, 's', 6, 2,
		0, 0 };
	struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_halen = 6 };
	int fd, n;

	if (argc != 3)
		return fprintf(stderr, "usage: lldpsend IF N\n"), 2;
	fd = socket(AF_PACKET, SOCK_RAW, 0);
	to.sll_ifindex = if_nametoindex(argv[1]);
	if (fd < 0)
		return perror("socket"), 1;
	for (n = atoi(argv[2]); n > 0; n--)
		if (sendto(fd, frame, sizeof(frame), 0, (void *)&to,
			sizeof(to)) < 0)
			return perror("sendto"), 1;
	return 0;
}
