/* SPDX-License-Identifier: ISC */
/*
 * The XDP program of our ports (xdp_prog.h), as the kernel's instructions, so
 * that no compiler for BPF is needed to build us:
 *
 *   shorter than a header, or than its tags say  -> socket, to be counted
 *   ethertype 8808, MAC control, PFC of it       -> socket
 *   behind up to two VLAN tags 88CC, LLDP        -> stack
 *   to 01-80-C2-00-00-0X                         -> stack: never forwarded
 *   anything else                                -> socket
 *
 * A frame of a queue that has no socket is dropped: the stack of this host
 * must not see what is the bridge's.
 */
#include <config.h>

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <stddef.h>
#include <string.h>

#include "xdp_prog.h"

enum reg {
	RESULT,
	CONTEXT,
	DATA,
	END,
	AT,
	VALUE,
};

enum label {
	TYPE = 22,
	PASS = 30,
	REDIRECT = 32,
	LENGTH = 38,
};

#define LOAD(n, size, to, from, at) \
	[n] = { BPF_LDX | BPF_MEM | (size), (to), (from), (at), 0 }
#define HOST_ORDER(n, reg, bits) \
	[n] = { BPF_ALU | BPF_END | BPF_TO_BE, (reg), 0, 0, (bits) }
#define COPY(n, to, from) \
	[n] = { BPF_ALU64 | BPF_MOV | BPF_X, (to), (from), 0, 0 }
#define DO(n, op, reg, value) \
	[n] = { BPF_ALU64 | (op) | BPF_K, (reg), 0, 0, (value) }
#define IF(n, op, reg, value, label) \
	[n] = { BPF_JMP | (op) | BPF_K, (reg), 0, (label) - (n) - 1, (value) }
#define IF_REG(n, op, reg, other, label) \
	[n] = { BPF_JMP | (op) | BPF_X, (reg), (other), (label) - (n) - 1, 0 }
#define EXIT(n) [n] = { BPF_JMP | BPF_EXIT, 0, 0, 0, 0 }
#define CONTEXT_OF(field) offsetof(struct xdp_md, field)

/* Is there as much as that?  Else it is a frame for the books. */
#define NEED(n, length) \
	COPY(n, AT, DATA), DO((n) + 1, BPF_ADD, AT, length), \
	    IF_REG((n) + 2, BPF_JGT, AT, END, REDIRECT)
#define LOAD_TYPE(n, at) \
	LOAD(n, BPF_H, VALUE, DATA, at), HOST_ORDER((n) + 1, VALUE, 16)
/* Go on behind a tag; what is none is the type. */
#define IF_NO_TAG(n) \
	IF(n, BPF_JEQ, VALUE, ETH_P_8021Q, (n) + 2), \
	    IF((n) + 1, BPF_JNE, VALUE, ETH_P_8021AD, TYPE)

#define MAP_AT 33

static const struct bpf_insn program[LENGTH] = {
	LOAD(0, BPF_W, DATA, CONTEXT, CONTEXT_OF(data)),
	LOAD(1, BPF_W, END, CONTEXT, CONTEXT_OF(data_end)),
	NEED(2, 14),
	LOAD_TYPE(5, 12),
	IF(7, BPF_JEQ, VALUE, ETH_P_PAUSE, REDIRECT),
	IF_NO_TAG(8),
	NEED(10, 18),
	LOAD_TYPE(13, 16),
	IF_NO_TAG(15),
	NEED(17, 22),
	LOAD_TYPE(20, 20),

	/* TYPE */
	IF(22, BPF_JEQ, VALUE, ETH_P_LLDP, PASS),
	LOAD(23, BPF_W, VALUE, DATA, 0),
	HOST_ORDER(24, VALUE, 32),
	IF(25, BPF_JNE, VALUE, 0x0180c200, REDIRECT),
	LOAD(26, BPF_H, VALUE, DATA, 4),
	HOST_ORDER(27, VALUE, 16),
	DO(28, BPF_AND, VALUE, 0xfff0),
	IF(29, BPF_JNE, VALUE, 0, REDIRECT),

	/* PASS */
	DO(30, BPF_MOV, RESULT, XDP_PASS),
	EXIT(31),

	/* REDIRECT */
	LOAD(32, BPF_W, DATA, CONTEXT, CONTEXT_OF(rx_queue_index)),
	[MAP_AT] = { BPF_LD | BPF_DW | BPF_IMM, CONTEXT, BPF_PSEUDO_MAP_FD, 0,
	    0 /* the map's descriptor, when there is one */ },
	[MAP_AT + 1] = { 0, 0, 0, 0, 0 },
	DO(35, BPF_MOV, END, XDP_DROP),
	[36] = { BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_redirect_map },
	EXIT(37),
};

int
xdp_map_new(unsigned queues)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_XSKMAP, "dcbx_ports",
	    sizeof(uint32_t), sizeof(int), queues, NULL);

	return fd < 0 ? -errno : fd;
}

int
xdp_prog_load(int map)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
	    .expected_attach_type = BPF_XDP);
	struct bpf_insn insn[LENGTH];
	int fd;

	memcpy(insn, program, sizeof insn);
	insn[MAP_AT].imm = map;
	fd = bpf_prog_load(BPF_PROG_TYPE_XDP, "dcbx_datapath", "ISC", insn,
	    LENGTH, &opts);
	return fd < 0 ? -errno : fd;
}
