/* SPDX-License-Identifier: ISC */
/*
 * The drop of drop.h by a program at an interface's ingress (tcx), which takes
 * CAP_BPF and Linux 6.6.
 */
#ifndef DROP_BPF_H
#define DROP_BPF_H

int drop_bpf_load(void); /* A descriptor or -errno. */
/* The drop lasts as long as the descriptor that is returned; or -errno. */
int drop_bpf_attach(int program, int ifindex);

#endif
