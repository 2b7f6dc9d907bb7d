/* SPDX-License-Identifier: ISC */
/*
 * An interface made fit for a bridge in user space, and given back as it was.
 *
 * Offloads that glue frames together or leave checksums and tags to others are
 * switched off; with AF_PACKET the host's stack, which sees the frames, too,
 * is kept away from all but LLDP.  What was changed is written to a journal
 * first, so that the next start finds it after a kill -9: it restores at once
 * what it does not use itself, takes over the rest, and the last one out
 * restores that.  What a dead process cannot leave behind (its XDP program,
 * promiscuous mode, the ingress drop) is bound to descriptors.
 */
#ifndef PREPARE_H
#define PREPARE_H

#include <stdbool.h>
#include <stdint.h>

#define PREPARE_WHY_MAX 200

/* What an interface is. */
struct prepare_facts {
	int ifindex;
	uint8_t mac[6];
	uint32_t mtu;
	uint32_t speed_mbps; /* 0: not known */
	bool up;	     /* IFF_LOWER_UP */
	bool ethernet;
	bool address; /* it has an IP address that is not link-local IPv6 */
	int master;   /* ifindex of a bridge, bond or the like; 0: none */
	char master_kind[16]; /* "bridge", "bond", "team", "openvswitch" */
};
/* 0 or -errno. */
int prepare_look(const char *name, struct prepare_facts *);
/* May this be a port?  false: why says it in one sentence. */
bool prepare_fit(const char *name, const struct prepare_facts *,
    char why[PREPARE_WHY_MAX]);

struct prepare;

/*
 * Reads the journal, which may tell of an earlier life.  One that nobody should
 * believe counts as none, and *fault says why; else it is NULL.  0 or -errno.
 */
int prepare_open(struct prepare **, const char *journal, const char **fault);
/* Restores at once what an earlier life left, but of those that are used. */
void prepare_restore(struct prepare *,
    bool (*used)(const void *arg, const char *name), const void *arg);
/* Offloads off.  0 or -errno; why names what could not be changed. */
int prepare_offloads(struct prepare *, const char *name,
    char why[PREPARE_WHY_MAX]);
/* All but LLDP is dropped on its way to the host's stack. */
int prepare_drop(struct prepare *, const char *name,
    char why[PREPARE_WHY_MAX]);
/* Restores all of it, what earlier lives left too, and removes the journal. */
void prepare_close(struct prepare *);

#endif
