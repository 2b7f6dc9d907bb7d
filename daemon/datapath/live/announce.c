/* SPDX-License-Identifier: ISC */
/* One frame: who has the protocol address of this MAC address, mine? */
#include "announce.h"

#include <string.h>

void
announce_build(uint8_t frame[ANNOUNCE_LEN], const uint8_t mac[6])
{
	static const uint8_t head[] = {
		0x80, 0x35, /* reverse ARP */
		0, 1, 8, 0, /* Ethernet, IPv4 */
		6, 4,	    /* lengths of both addresses */
		0, 3,	    /* request reverse */
	};

	memset(frame, 0, ANNOUNCE_LEN);
	memset(frame, 0xff, 6);
	memcpy(frame + 6, mac, 6);
	memcpy(frame + 12, head, sizeof(head));
	memcpy(frame + 22, mac, 6); /* sender */
	memcpy(frame + 32, mac, 6); /* target */
}
