/* SPDX-License-Identifier: ISC */
/*
 * The rare operations on the forwarding database; see fdb.h.
 */
#include "fdb.h"

#include <errno.h>

#define FDB_AGE_DEFAULT 300 /* 802.1Q Table 8-6 */

struct fdb_entry *
fdb_find(const struct fdb *f, uint64_t key)
{
	struct fdb_entry *e = fdb_bucket(f, key);

	for (unsigned i = 0; i < FDB_WAYS; i++)
		if (e[i].key == key)
			return &e[i];
	return NULL;
}

/* An entry is not what a port taught any more; which one's does not matter. */
static void
fdb_forget(struct fdb *f)
{
	for (unsigned i = 0; i < DP_PORTS_MAX; i++)
		f->taught[i].octets = 0;
}

void
fdb_init(struct fdb *f, struct fdb_entry *at, unsigned entries)
{
	f->entries = at;
	f->shift = 64 - (unsigned)__builtin_ctzl(entries * sizeof(*at));
	fdb_age_set(f, 0);
	fdb_forget(f);
}

void
fdb_age_set(struct fdb *f, uint32_t seconds)
{
	uint64_t s = seconds == 0 ? FDB_AGE_DEFAULT : seconds;

	f->age = (uint32_t)(s * DP_S >> FDB_TICK_SHIFT);
}

/* How gladly an entry is overwritten: the greater the better; 0 never. */
static uint32_t
entry_worth(const struct fdb_entry *e, uint32_t ticks)
{
	if (e->key == 0)
		return UINT32_MAX;
	return e->fixed ? 0 : 1 + (ticks - e->seen) / 2;
}

/* A place for a key that is not there: empty, or the oldest's; or NULL. */
static struct fdb_entry *
entry_place(struct fdb *f, uint64_t key, uint32_t ticks)
{
	struct fdb_entry *e = fdb_bucket(f, key), *to = e;

	for (unsigned i = 1; i < FDB_WAYS; i++)
		if (entry_worth(&e[i], ticks) > entry_worth(to, ticks))
			to = &e[i];
	if (to->key != 0)
		fdb_forget(f);
	return to->fixed ? NULL : to;
}

int
fdb_fix(struct fdb *f, uint64_t key, unsigned port)
{
	struct fdb_entry *e = fdb_find(f, key);

	if (e == NULL)
		e = entry_place(f, key, 0);
	if (e == NULL)
		return -ENOSPC;
	*e = (struct fdb_entry) { key, 0, (uint8_t)port, true };
	fdb_forget(f);
	return 0;
}

void
fdb_learn(struct fdb *f, uint64_t key, unsigned port, uint32_t ticks)
{
	struct fdb_entry *e = fdb_find(f, key);

	if (e == NULL)
		e = entry_place(f, key, ticks);
	if (e != NULL && !e->fixed) {
		if (e->port != port)
			fdb_forget(f);
		*e = (struct fdb_entry) { key, ticks, (uint8_t)port, false };
	}
}

void
fdb_sweep(struct fdb *f, unsigned entries, uint32_t ticks)
{
	for (unsigned i = 0; i < entries / FDB_PARTS; i++) {
		struct fdb_entry *e = &f->entries[f->swept + i];

		if (e->key != 0 && !e->fixed && ticks - e->seen > f->age)
			*e = (struct fdb_entry) { 0 };
	}
	f->swept = (f->swept + entries / FDB_PARTS) % entries;
}

void
fdb_flush(struct fdb *f, unsigned entries, unsigned port)
{
	for (unsigned i = 0; i < entries; i++)
		if (f->entries[i].port == port && !f->entries[i].fixed)
			f->entries[i] = (struct fdb_entry) { 0 };
	fdb_forget(f);
}
