/* SPDX-License-Identifier: ISC */
/*
 * A member of a bond or team, heard through a socket of its own.
 *
 * What comes in by a member that is in use, the kernel gives to the bond and
 * to a socket of every port as a frame of the bond: the shared socket cannot
 * tell by which member.  An idle member's stays its own, and that of a team
 * may go to nobody who did not ask for that port.  Only a socket that is bound
 * to the port is given all of these, each once, and its port is known.
 *
 * The other way, a second shared socket with PACKET_ORIGDEV, was tried and is
 * worse: a filter sees the bond and not the member, so that a flood on one
 * link would have to mute them all, and those frames of a team are not given
 * to it.  The ethertype is 88CC here, too, so no data packet runs a filter.
 *
 * A bound socket is also given what has gone to a VLAN device, on the port or
 * on the bond, without its tag.  The filter knows it by that device's ifindex.
 */
#include <config.h>

#include <errno.h>
#include <linux/if_ether.h>
#include <stdlib.h>
#include <string.h>

#include "frames_own_room.h"

/* ld ifindex; jeq PORT, base; jeq MASTER, base, drop; base ...; drop: ret 0 */
void
frames_member_filter(const struct frames_own_port *port,
    struct sock_filter out[FRAMES_MEMBER_LEN])
{
	const struct sock_filter whose[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    (uint32_t)(SKF_AD_OFF + SKF_AD_IFINDEX)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)port->ifindex,
		    1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)port->master, 0,
		    FRAMES_FILTER_LEN - 1),
	};

	memcpy(out, whose, sizeof(whose));
	memcpy(out + sizeof(whose) / sizeof(*whose), frames_filter,
	    sizeof(frames_filter));
}

static int
member_filter(struct frames_own *f)
{
	f->code = calloc(FRAMES_MEMBER_LEN, sizeof(*f->code));
	if (f->code == NULL)
		return -ENOMEM;
	f->n_code = FRAMES_MEMBER_LEN;
	frames_member_filter(&f->port, f->code);
	return 0;
}

static void
member_take(struct frames_own *f, struct msghdr *msg, size_t len)
{
	frames_hand(f->ops, f->arg, f->port.ifindex, msg,
	    f->frame + FRAMES_TAG_LEN, len);
}

const struct frames_own_kind frames_member = {
	.protocol = ETH_P_LLDP,
	.filter = member_filter,
	.take = member_take,
};
