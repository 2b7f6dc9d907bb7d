/* SPDX-License-Identifier: ISC */
/*
 * The forwarding database: which port an address of a VLAN was seen on.
 *
 * Buckets of four entries, a cache line each.  Entries not seen for the
 * ageing time are swept out, an eighth of the table at a time; where a bucket
 * is full the oldest goes, so a flood of false addresses costs flooding, never
 * memory.  Time here is in ticks of 2^32 ps (4.3 ms).
 */
#ifndef FDB_H
#define FDB_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "dp.h"

#define FDB_WAYS 4
#define FDB_BUCKET (FDB_WAYS * sizeof(struct fdb_entry)) /* 64 octets */
#define FDB_TICK_SHIFT 32
#define FDB_NONE (-1)
#define FDB_PARTS 8 /* the table is swept in so many */

struct fdb_entry {
	uint64_t key;  /* 0: empty */
	uint32_t seen; /* ticks */
	uint8_t port;
	bool fixed; /* by hand: never aged, moved or overwritten */
};

/*
 * What a port taught last: once a tick is enough, while nothing moves.  Source
 * address and type as the frame has them; 0: nothing.
 */
struct fdb_taught {
	uint64_t octets;
	uint32_t seen;
};

struct fdb {
	union {
		struct fdb_entry *entries;
		char *octets;
	};
	unsigned shift; /* of the hash, to a bucket's offset in octets */
	uint32_t age;	/* ticks */
	unsigned swept; /* entries of the table, since its begin */
	struct fdb_taught taught[DP_PORTS_MAX];
};

static inline uint32_t
fdb_ticks(dp_ps now)
{
	return (uint32_t)(now >> FDB_TICK_SHIFT);
}

/* Address and VLAN as one number; reads two octets more than an address. */
static inline uint64_t
fdb_key(const uint8_t *mac, unsigned vlan)
{
	uint64_t octets;

	memcpy(&octets, mac, sizeof(octets));
	return le64toh(octets) << 16 | vlan;
}

static inline bool
fdb_key_zero(uint64_t key)
{
	return key >> 16 == 0;
}

static inline struct fdb_entry *
fdb_bucket(const struct fdb *f, uint64_t key)
{
	uint64_t h = key * UINT64_C(0x9e3779b97f4a7c15);

	return (struct fdb_entry *)(f->octets +
	    (h >> f->shift & ~(FDB_BUCKET - 1)));
}

struct fdb_entry *fdb_find(const struct fdb *, uint64_t key);

/* The port of an address, or FDB_NONE; the first way is looked at here. */
static inline int
fdb_lookup(const struct fdb *f, uint64_t key)
{
	const struct fdb_entry *e = fdb_bucket(f, key);

	if (e->key != key && (e = fdb_find(f, key)) == NULL)
		return FDB_NONE;
	return e->port;
}

/* By hand; -ENOSPC: four others are there by hand. */
int fdb_fix(struct fdb *, uint64_t key, unsigned port);
/* What a frame taught. */
void fdb_learn(struct fdb *, uint64_t key, unsigned port, uint32_t ticks);

/* For entries * sizeof(struct fdb_entry) octets of zeros. */
void fdb_init(struct fdb *, struct fdb_entry *, unsigned entries);
void fdb_age_set(struct fdb *, uint32_t seconds);
/* Forget what is too old in the next part of the table. */
void fdb_sweep(struct fdb *, unsigned entries, uint32_t ticks);
/* Forget what was learnt from a port. */
void fdb_flush(struct fdb *, unsigned entries, unsigned port);

#endif
