/* SPDX-License-Identifier: ISC */
/*
 * A program of five instructions ahead of all others at the ingress; see
 * drop_bpf.h.  It leaves LLDP to the others, and drops the rest.
 */
#include <config.h>

#include <bpf/bpf.h>
#include <endian.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <stddef.h>

#include "drop_bpf.h"

/* Of Linux 6.6; the headers that we are built with may be older. */
#define TCX_INGRESS_OF_66 ((enum bpf_attach_type)46)
#define BEFORE_OF_66 (1u << 3) /* without another's name: before all */
#define TCX_NEXT_OF_66 (-1)
#define TCX_DROP_OF_66 2

int
drop_bpf_load(void)
{
	/* r2 = protocol; r0 = next; if r2 != 88CC: r0 = drop; return r0 */
	const struct bpf_insn program[] = {
		{ BPF_LDX | BPF_MEM | BPF_W, 2, 1,
		    offsetof(struct __sk_buff, protocol), 0 },
		{ BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, TCX_NEXT_OF_66 },
		{ BPF_JMP | BPF_JEQ | BPF_K, 2, 0, 1, htobe16(ETH_P_LLDP) },
		{ BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, TCX_DROP_OF_66 },
		{ BPF_JMP | BPF_EXIT, 0, 0, 0, 0 },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
	    .expected_attach_type = TCX_INGRESS_OF_66);
	int fd = bpf_prog_load(BPF_PROG_TYPE_SCHED_CLS, "dcbx_datapath", "ISC",
	    program, sizeof(program) / sizeof(program[0]), &opts);

	return fd < 0 ? -errno : fd;
}

int
drop_bpf_attach(int program, int ifindex)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = BEFORE_OF_66);
	int fd = bpf_link_create(program, ifindex, TCX_INGRESS_OF_66, &opts);

	return fd < 0 ? -errno : fd;
}
