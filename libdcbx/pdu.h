/* SPDX-License-Identifier: ISC */
/*
 * Cursors over octets: the one place where a pointer into a frame moves.
 *
 * A reader that is asked for more than it holds becomes `short_read` and
 * yields zeros from then on, so a codec reads its fields straight through and
 * looks once at the end.  A TLV's body is a reader of its own.  A writer that
 * is full becomes `overflow` and stores nothing more.
 */
#ifndef PDU_H
#define PDU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct pdu_reader {
	const uint8_t *at;
	size_t left;
	bool short_read;
};

struct pdu_writer {
	uint8_t *base;
	size_t len;
	size_t size;
	bool overflow;
};

/* A run of octets somewhere in a frame that outlives the holder. */
struct pdu_bytes {
	const uint8_t *at;
	size_t len;
};

static inline struct pdu_reader
pdu_reader(const void *buf, size_t len)
{
	return (struct pdu_reader) { buf, len, false };
}

static inline struct pdu_writer
pdu_writer(void *buf, size_t size)
{
	return (struct pdu_writer) { buf, 0, size, false };
}

/* Are there n octets left?  If not, the reader is spent. */
static inline bool
pdu_has(struct pdu_reader *r, size_t n)
{
	if (n <= r->left)
		return true;
	r->short_read = true;
	r->left = 0;
	return false;
}

/* The next n octets, which are there; the only step that moves a reader. */
static inline const uint8_t *
pdu_step(struct pdu_reader *r, size_t n)
{
	const uint8_t *p = r->at;

	r->at += n;
	r->left -= n;
	return p;
}

/* The next n octets, or NULL. */
static inline const uint8_t *
pdu_take(struct pdu_reader *r, size_t n)
{
	return pdu_has(r, n) ? pdu_step(r, n) : NULL;
}

static inline uint8_t
pdu_get_u8(struct pdu_reader *r)
{
	return pdu_has(r, 1) ? *pdu_step(r, 1) : 0;
}

static inline uint16_t
pdu_get_u16(struct pdu_reader *r)
{
	const uint8_t *p;

	if (!pdu_has(r, 2))
		return 0;
	p = pdu_step(r, 2);
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t
pdu_get_u24(struct pdu_reader *r)
{
	const uint8_t *p;

	if (!pdu_has(r, 3))
		return 0;
	p = pdu_step(r, 3);
	return (uint32_t)(p[0] << 16 | p[1] << 8 | p[2]);
}

static inline uint32_t
pdu_get_u32(struct pdu_reader *r)
{
	const uint8_t *p;

	if (!pdu_has(r, 4))
		return 0;
	p = pdu_step(r, 4);
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	    (uint32_t)p[2] << 8 | p[3];
}

/* Copy n octets out; zeros when there are fewer. */
static inline void
pdu_get_bytes(struct pdu_reader *r, void *out, size_t n)
{
	if (pdu_has(r, n))
		memcpy(out, pdu_step(r, n), n);
	else
		memset(out, 0, n);
}

/* A reader over the next n octets. */
static inline struct pdu_reader
pdu_get_sub(struct pdu_reader *r, size_t n)
{
	bool there = pdu_has(r, n);

	return pdu_reader(there ? pdu_step(r, n) : NULL, there ? n : 0);
}

static inline struct pdu_bytes
pdu_rest(const struct pdu_reader *r)
{
	return (struct pdu_bytes) { r->at, r->left };
}

void pdu_put_u8(struct pdu_writer *, unsigned);
void pdu_put_u16(struct pdu_writer *, unsigned);
void pdu_put_u24(struct pdu_writer *, uint32_t);
void pdu_put_u32(struct pdu_writer *, uint32_t);
void pdu_put_bytes(struct pdu_writer *, const void *, size_t);
void pdu_put_zeros(struct pdu_writer *, size_t);
/* Overwrite two octets already written at offset off. */
void pdu_poke_u16(struct pdu_writer *, size_t off, unsigned);
/* Forget everything after len octets, and an overflow that came after. */
void pdu_rewind(struct pdu_writer *, size_t len);

#endif
