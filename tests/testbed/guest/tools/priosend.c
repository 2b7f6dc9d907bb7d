/* SPDX-License-Identifier: ISC */
/* priosend IF PRIO N - send N frames of socket priority PRIO out of IF. */
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

int
main(int argc, char **argv)
{
	unsigned char frame[64] = { 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88,
		0xb5 };
	struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_halen = 6 };
	int fd, prio, n;

	if (argc != 4)
		return fprintf(stderr, "usage: priosend IF PRIO N\n"), 2;
	fd = socket(AF_PACKET, SOCK_RAW, 0);
	to.sll_ifindex = if_nametoindex(argv[1]);
	prio = atoi(argv[2]);
	if (fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_PRIORITY, &prio, sizeof(prio)))
		return perror("socket"), 1;
	for (n = atoi(argv[3]); n > 0; n--)
		if (sendto(fd, frame, sizeof(frame), 0, (void *)&to,
			sizeof(to)) < 0)
			return perror("sendto"), 1;
	return 0;
}
