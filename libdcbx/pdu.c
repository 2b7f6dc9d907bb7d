/* SPDX-License-Identifier: ISC */
/* Writing half of the octet cursors; see pdu.h. */
#include "pdu.h"

static uint8_t *
pdu_room(struct pdu_writer *w, size_t n)
{
	uint8_t *p;

	if (w->overflow || n > w->size - w->len) {
		w->overflow = true;
		return NULL;
	}
	p = w->base + w->len;
	w->len += n;
	return p;
}

void
pdu_put_u8(struct pdu_writer *w, unsigned v)
{
	uint8_t *p = pdu_room(w, 1);

	if (p != NULL)
		p[0] = (uint8_t)v;
}

void
pdu_put_u16(struct pdu_writer *w, unsigned v)
{
	uint8_t *p = pdu_room(w, 2);

	if (p != NULL) {
		p[0] = (uint8_t)(v >> 8);
		p[1] = (uint8_t)v;
	}
}

void
pdu_put_u24(struct pdu_writer *w, uint32_t v)
{
	pdu_put_u8(w, v >> 16);
	pdu_put_u16(w, v & 0xffff);
}

void
pdu_put_u32(struct pdu_writer *w, uint32_t v)
{
	pdu_put_u16(w, v >> 16);
	pdu_put_u16(w, v & 0xffff);
}

void
pdu_put_bytes(struct pdu_writer *w, const void *from, size_t n)
{
	uint8_t *p = pdu_room(w, n);

	if (p != NULL && n > 0)
		memcpy(p, from, n);
}

void
pdu_put_zeros(struct pdu_writer *w, size_t n)
{
	uint8_t *p = pdu_room(w, n);

	if (p != NULL)
		memset(p, 0, n);
}

void
pdu_poke_u16(struct pdu_writer *w, size_t off, unsigned v)
{
	if (w->overflow || off + 2 > w->len)
		return;
	w->base[off] = (uint8_t)(v >> 8);
	w->base[off + 1] = (uint8_t)v;
}

void
pdu_rewind(struct pdu_writer *w, size_t len)
{
	if (len <= w->len) {
		w->len = len;
		w->overflow = false;
	}
}
