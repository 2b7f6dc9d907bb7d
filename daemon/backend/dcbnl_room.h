/* SPDX-License-Identifier: ISC */
/*
 * The room of backend dcbnl: what a device holds as a value (an image), the
 * image that is wanted, and the writes between two images.
 *
 *      dcbnl_image.c   reads an image, and tells it in neutral terms
 *      dcbnl_app.c     tables of entries, and whose they are
 *      dcbnl_want.c    from what is there to what should be
 *      dcbnl_plan.c    the writes from one image to another, in order
 *      dcbnl_step.c    makes one of them
 *      dcbnl_write.c   makes them all, restores, reads back
 *      dcbnl_learn.c   what need not be tried again, what was there before
 *      dcbnl.c         the hooks
 */
#ifndef DCBNL_ROOM_H
#define DCBNL_ROOM_H

#include "daemon/backend/backend.h"
#include "daemon/backend/dcbnl_msg.h"
#include "daemon/backend/quirks.h"

/*
 * A device.  Where it has no IEEE operations (cee), the values and the APP
 * table are those of CEE; ieee.mode holds for both.
 */
struct dcbnl_image {
	bool cee;
	uint8_t modes; /* offered, if it was asked */
	uint8_t max_tcs, pfc_cap;
	struct dcbnl_ieee ieee;
	struct dcbnl_cee groups;
	uint8_t state, pfc_state; /* of CEE: is DCB on, is PFC */
};

/* One write.  app is of APP and the rewrite table alone. */
enum dcbnl_kind {
	DCBNL_MODE,
	DCBNL_ETS,
	DCBNL_RATE,
	DCBNL_PFC,
	DCBNL_BUFFER,
	DCBNL_TRUST,
	DCBNL_APP_ADD,
	DCBNL_APP_DEL,
	DCBNL_PG_TX, /* from here on CEE */
	DCBNL_PG_RX,
	DCBNL_CEE_PFC,
	DCBNL_PFC_STATE,
	DCBNL_FLAGS_PG, /* in the order of enum dcbnl_feature */
	DCBNL_FLAGS_PFC,
	DCBNL_FLAGS_APP,
	DCBNL_STATE,
	DCBNL_SET_ALL,
};

struct dcbnl_step {
	enum dcbnl_kind kind;
	struct dcb_app app;
};

#define DCBNL_TEXT_MAX 96

/* Tables that a driver may take and hold as others: up to DCBNL_TRUST. */
#define DCBNL_BENDS (DCBNL_TRUST + 1)

/* What was asked of a table, and what it became, octet by octet. */
struct dcbnl_bent {
	bool ever;
	struct dcbnl_table {
		size_t len;
		uint8_t octet[96];
	} asked, became;
};

/*
 * A value that came to nothing for good, and the device as it was left: while
 * both are the same, another try is the same once more.
 */
struct dcbnl_stuck {
	bool ever, clear;
	struct dcbx_oper oper;
	struct dcbnl_image found;
	struct backend_result result;
};

/* One port. */
struct dcbnl_port {
	struct dcbnl_conn conn;
	struct config_setup setup;
	const struct quirk *quirk;
	struct backend_memory has;
	bool has_want;
	struct dcbx_oper want; /* the last that was asked for */
	struct dcbnl_bent bent[DCBNL_BENDS];
	struct dcbnl_stuck stuck;
};

#define DCBNL_STEPS_MAX (2 * DCB_APP_MAX + 16)
struct dcbnl_steps {
	unsigned n;
	struct dcbnl_step step[DCBNL_STEPS_MAX];
};

/* ---- images --------------------------------------------------------- */

/* 0 or -errno; -EOPNOTSUPP: the device has no dcbnl. */
int dcbnl_image_read(struct dcbnl_conn *, struct dcbnl_image *);
/* The firmware negotiates: nothing may be written. */
bool dcbnl_image_firmware(const struct dcbnl_image *);
/* The mode is one in which the host may write what we write. */
bool dcbnl_image_ours(const struct dcbnl_image *);
uint8_t dcbnl_image_mode(const struct dcbnl_image *); /* that we would set */
void dcbnl_image_ets(const struct dcbnl_image *, struct dcb_ets *);
uint8_t dcbnl_image_pfc(const struct dcbnl_image *);
const struct dcb_app_table *dcbnl_image_app(const struct dcbnl_image *);
/* As a backend's value, seen with the eyes of the last that was wanted. */
void dcbnl_image_oper(const struct dcbnl_port *, const struct dcbnl_image *,
    struct dcbx_oper *);

/* ---- entries -------------------------------------------------------- */

/* "has" means selector, protocol and priority. */
bool dcbnl_app_has(const struct dcb_app_table *, const struct dcb_app *);
void dcbnl_app_drop(struct dcb_app_table *, const struct dcb_app *);
/* As CEE has it: idtype and bitmap.  False: CEE has no word for it. */
bool dcbnl_app_cee(const struct dcb_app *, struct dcb_app *out);
/*
 * What a value asks for, in the terms of a device: entries of APP, with
 * rewrite their inverse, too.  What the device has no word for is left out.
 * False: there was no room for all.
 */
bool dcbnl_entries(const struct dcbx_oper *, bool cee, bool rewrite,
    struct dcb_app_table *out);

/* An entry was put there, or deleted. */
void dcbnl_own_wrote(struct dcbnl_port *, const struct dcb_app *, bool del);
/* No claims but to what this value is about. */
void dcbnl_own_keep(struct dcbnl_port *, const struct dcbx_oper *, bool cee);
/* What of that which is there now we may delete. */
void dcbnl_own_find(struct dcbnl_port *, const struct dcbnl_image *now,
    struct dcb_app_table *mine);

/* ---- wants and steps ------------------------------------------------ */

/*
 * What should be there.  Of what the device cannot hold, or holds for somebody
 * else, lack gets one sentence; note, of what its driver never takes.
 */
struct dcbnl_want {
	struct dcbnl_image to;
	uint8_t features; /* bit n: the value has to do with feature n */
	char lack[160], note[120];
};

/*
 * Entries not in mine stay.  clear: only what nobody set up, whatever the
 * configuration says.
 */
void dcbnl_want(const struct dcbnl_port *, const struct dcbnl_image *now,
    const struct dcb_app_table *mine, const struct dcbx_oper *, bool clear,
    struct dcbnl_want *);

/*
 * Entries are deleted if they are in mine, and added if they are in adds
 * (NULL: any).
 */
void dcbnl_diff(const struct quirk *, const struct dcbnl_image *from,
    const struct dcbnl_image *to, const struct dcb_app_table *mine,
    const struct dcb_app_table *adds, struct dcbnl_steps *);

void dcbnl_step_name(const struct dcbnl_step *, const struct dcbnl_image *from,
    const struct dcbnl_image *to, char *out, size_t size);
/* The value of a step as it is in an image; "-" where there is none. */
void dcbnl_step_value(const struct dcbnl_step *, const struct dcbnl_image *from,
    const struct dcbnl_image *to, const struct dcbnl_image *, char *out,
    size_t size);
enum backend_reset dcbnl_step_reset(const struct quirk *,
    const struct dcbnl_step *);

/* ---- what was learned ----------------------------------------------- */

/* A step that led to this image, and what is there now: is that a bend? */
void dcbnl_bent_learn(struct dcbnl_port *, enum dcbnl_kind,
    const struct dcbnl_image *to, const struct dcbnl_image *found);
/* Steps of which it is known where they lead to go, and are said. */
void dcbnl_bent_skip(const struct dcbnl_port *, const struct dcbnl_image *now,
    struct dcbnl_want *, struct dcbnl_steps *);
/* This is what it came to, and always will. */
void dcbnl_stuck_learn(struct dcbnl_port *, const struct dcbx_oper *,
    bool clear, const struct dcbnl_image *found,
    const struct backend_result *);
/* What it will come to without another try; NULL: that is to be seen. */
const struct backend_result *dcbnl_stuck_find(const struct dcbnl_port *,
    const struct dcbx_oper *, bool clear, const struct dcbnl_image *now);
/* What stood there before is remembered until it stands there again. */
void dcbnl_found_learn(struct dcbnl_port *, enum dcbnl_kind,
    const struct dcbnl_image *before, const struct dcbnl_image *to);

/* ---- writes --------------------------------------------------------- */

/* One request, to what the image says; 0 or -errno. */
int dcbnl_step_write(struct dcbnl_port *, const struct dcbnl_step *,
    const struct dcbnl_image *to);
/* Bring the device to a value; the result is complete. */
void dcbnl_put(struct dcbnl_port *, const struct dcbx_oper *, bool clear,
    struct backend_result *);
/*
 * The steps that dcbnl_put() would make now, and what it would come to if none
 * is refused.  0 or -errno.
 */
int dcbnl_steps(struct dcbnl_port *, const struct dcbx_oper *,
    struct dcbnl_image *now, struct dcbnl_want *, struct dcbnl_steps *,
    struct backend_result *);

#endif
