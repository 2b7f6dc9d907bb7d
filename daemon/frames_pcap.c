/* SPDX-License-Identifier: ISC */
/*
 * `io = pcap`: a socket of ETH_P_ALL with a filter compiled by libpcap.
 *
 * A port that Open vSwitch owns gives LLDP to nobody who asks for 88CC alone,
 * and a VLAN tag is to be seen only where all frames are.  It costs each data
 * packet of the port a run of the filter: only for who asks for it.
 *
 * libpcap opens its own socket, which needs a capability at that moment, and
 * cannot adopt one; the engine has no capability and is given a socket.  So
 * the compiler is libpcap's and the socket is ours.
 *
 * The kernel takes the outermost tag off before any packet socket sees the
 * frame and puts it beside it; here it goes back where it was, and the agent
 * decides by its native VID.  Frames of our own host, which ETH_P_ALL would
 * show, are kept away.
 */
#include <config.h>

#include <assert.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>

#include "frames_own_room.h"

#define FILTER                                                              \
	"ether dst 01:80:c2:00:00:0e and "                                  \
	"(ether proto 0x88cc or (vlan and ether proto 0x88cc))"
#define TAG_AT (2 * ETH_ALEN)

/* The tag that the kernel put beside the frame; false: none. */
static bool
pcap_tag(struct msghdr *msg, uint8_t tag[FRAMES_TAG_LEN])
{
	const void *p = frames_cmsg_find(msg, SOL_PACKET, PACKET_AUXDATA);
	struct tpacket_auxdata aux;
	uint16_t tpid = ETH_P_8021Q;

	if (p == NULL)
		return false;
	memcpy(&aux, p, sizeof(aux));
	if ((aux.tp_status & TP_STATUS_VLAN_VALID) == 0)
		return false;
	if ((aux.tp_status & TP_STATUS_VLAN_TPID_VALID) != 0)
		tpid = aux.tp_vlan_tpid;
	tag[0] = (uint8_t)(tpid >> 8);
	tag[1] = (uint8_t)tpid;
	tag[2] = (uint8_t)(aux.tp_vlan_tci >> 8);
	tag[3] = (uint8_t)aux.tp_vlan_tci;
	return true;
}

/* The addresses move into the gap if a tag is to follow them. */
static void
pcap_take(struct frames_own *f, struct msghdr *msg, size_t len)
{
	uint8_t tag[FRAMES_TAG_LEN], *at = f->frame + FRAMES_TAG_LEN;

	if (len >= TAG_AT && pcap_tag(msg, tag)) {
		memmove(f->frame, at, TAG_AT);
		memcpy(f->frame + TAG_AT, tag, FRAMES_TAG_LEN);
		at = f->frame;
		len += FRAMES_TAG_LEN;
	}
	f->ops->input(f->arg, f->port.ifindex, at, len);
}

/* libpcap's instructions are the kernel's by another name. */
_Static_assert(sizeof(struct bpf_insn) == sizeof(struct sock_filter),
    "one instruction");

static int
pcap_code(struct frames_own *f, const struct bpf_program *program)
{
	f->code = calloc(program->bf_len, sizeof(*f->code));
	if (f->code == NULL)
		return -ENOMEM;
	f->n_code = program->bf_len;
	memcpy(f->code, program->bf_insns, f->n_code * sizeof(*f->code));
	/* flood_filter() counts on it. */
	assert(f->code[f->n_code - 1].k == 0);
	return 0;
}

static int
pcap_filter(struct frames_own *f)
{
	pcap_t *p = pcap_open_dead(DLT_EN10MB, FRAMES_SIZE);
	struct bpf_program program;
	int err = -ENOMEM;

	if (p == NULL)
		return err;
	if (pcap_compile(p, &program, FILTER, 1, PCAP_NETMASK_UNKNOWN) == 0) {
		err = pcap_code(f, &program);
		pcap_freecode(&program);
	}
	pcap_close(p);
	return err;
}

const struct frames_own_kind frames_pcap = {
	.protocol = ETH_P_ALL,
	.filter = pcap_filter,
	.take = pcap_take,
};
