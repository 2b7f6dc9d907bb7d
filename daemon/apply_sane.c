/* SPDX-License-Identifier: ISC */
/*
 * Values in their ranges: see apply_sane.h.
 *
 * The setup is judged by the key table, row by row, so what a file could not
 * say cannot come by this way, and a new key is in it from the start.  What
 * the table does not know is how many parameters an adapter's sides have, and
 * the flags that stand beside a value.
 */
#include <config.h>

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "apply_sane.h"
#include "daemon/common/config_keys.h"

#define SETUP_AT offsetof(struct config_values, port.setup)

bool
apply_text_ends(const char *text, size_t size)
{
	return memchr(text, '\0', size) != NULL;
}

/* The kernel's own rule for names of devices. */
bool
apply_ifname_sane(const char name[CONFIG_NAME_MAX])
{
	if (!apply_text_ends(name, CONFIG_NAME_MAX) || name[0] == '\0' ||
	    strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return false;
	for (const char *c = name; *c != '\0'; c++)
		if (*c == '/' || *c == ':' || isspace((unsigned char)*c))
			return false;
	return true;
}

/* A bool of which any octet might have come is not to be read as one. */
static bool
flag_sane(const bool *flag)
{
	uint8_t octet;

	memcpy(&octet, flag, sizeof(octet));
	return octet <= 1;
}

bool
apply_oper_sane(const struct dcbx_oper *o)
{
	if (!flag_sane(&o->ets_adjusted) || o->app.n > DCB_APP_MAX)
		return false;
	for (size_t i = 0; i < DCB_PRIOS; i++)
		if (o->ets.prio_tc[i] >= DCB_TCS || o->ets.tc_bw[i] > 100)
			return false;
	for (size_t i = 0; i < o->app.n; i++)
		if (o->app.entry[i].priority >= DCB_PRIOS)
			return false;
	return true;
}

/* The agent has checked it all: what it tells can be programmed. */
bool
apply_value_sane(const struct dcbx_oper *o)
{
	if (!apply_oper_sane(o))
		return false;
	for (size_t i = 0; i < DCB_TCS; i++)
		if (dcb_tsa_name(o->ets.tc_tsa[i]) == NULL)
			return false;
	return true;
}

bool
apply_memory_sane(const struct backend_memory *m)
{
	return m->mine.n <= DCB_APP_MAX && m->claims.n <= DCB_APP_MAX &&
	    flag_sane(&m->has_delay) && flag_sane(&m->has_rate) &&
	    flag_sane(&m->has_trust) && m->n_trust <= DCB_TCS;
}

bool
apply_traffic_sane(const struct dcbx_traffic *t)
{
	if (!apply_text_ends(t->io, sizeof(t->io)) ||
	    !apply_text_ends(t->note, sizeof(t->note)) ||
	    t->has_thresholds >> DCB_PRIOS != 0 || t->has_cnps > 1)
		return false;
	for (size_t i = 0; i < DCB_PRIOS; i++)
		if (t->thresholds[i].pmax > 100 ||
		    t->queue[i].n_flows > DCBX_FLOWS_MAX)
			return false;
	return true;
}

/* ---- the setup ------------------------------------------------------ */

/* Numbers, flags and enums alike; what is too large comes out negative. */
static int64_t
number_at(const void *at, size_t size)
{
	int64_t wide;
	int32_t word;
	uint16_t half;

	if (size == sizeof(wide)) {
		memcpy(&wide, at, sizeof(wide));
		return wide;
	}
	if (size == sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		return word;
	}
	if (size == sizeof(half)) {
		memcpy(&half, at, sizeof(half));
		return half;
	}
	return *(const uint8_t *)at;
}

static bool
number_sane(const struct config_key *k, int64_t number)
{
	const struct config_word *w = k->words;

	for (; w != NULL && w->word != NULL; w++)
		if (w->number == number)
			return true;
	return k->type != CONFIG_WORD && number >= k->min && number <= k->max;
}

static bool
rates_sane(const struct config_key *k, const uint64_t *rate)
{
	for (size_t i = 0; i < k->size / sizeof(*rate); i++)
		if (rate[i] > (uint64_t)k->max)
			return false;
	return true;
}

static bool
octets_sane(const struct config_key *k, const uint8_t *octet)
{
	for (size_t i = 0; i < k->size; i++)
		if (octet[i] < k->min || octet[i] > k->max)
			return false;
	return true;
}

/* A parameter of an adapter's that was not given is nobody's number. */
static bool
was_given(const struct config_setup *s, const struct config_key *k)
{
	const struct config_nic *side = NULL;
	const size_t at = k->offset - SETUP_AT;
	size_t n;

	if (strcmp(k->section, "nic-rp") == 0)
		side = &s->nic_rp;
	else if (strcmp(k->section, "nic-np") == 0)
		side = &s->nic_np;
	if (side == NULL)
		return true;
	n = (at - (size_t)((const char *)side->value - (const char *)s)) /
	    sizeof(side->value[0]);
	return (side->set >> n & 1) != 0;
}

static bool
key_sane(const struct config_setup *s, const struct config_key *k)
{
	const void *at = (const char *)s + (k->offset - SETUP_AT);
	const char *text = at;

	switch (k->type) {
	case CONFIG_BOOL:
		return number_at(at, k->size) <= 1;
	case CONFIG_NUMBER:
	case CONFIG_WORD:
		return !was_given(s, k) ||
		    number_sane(k, number_at(at, k->size));
	case CONFIG_RATES:
		return rates_sane(k, at);
	case CONFIG_NUMBERS:
		return octets_sane(k, at);
	case CONFIG_PATH:
		return apply_text_ends(text, k->size) &&
		    (text[0] == '\0' || text[0] == '/');
	default:
		return false; /* a setup has none of these */
	}
}

bool
apply_setup_sane(const struct config_setup *s)
{
	if (!flag_sane(&s->reapply) || !flag_sane(&s->has_maxrate) ||
	    !flag_sane(&s->rewrite) || s->nic_rp.set >> CONFIG_NIC_RP != 0 ||
	    s->nic_np.set >> CONFIG_NIC_NP != 0)
		return false;
	for (size_t i = 0; i < config_n_keys; i++) {
		const struct config_key *k = &config_keys[i];

		if (k->size > 0 && k->offset >= SETUP_AT &&
		    k->offset < SETUP_AT + sizeof(*s) && !key_sane(s, k))
			return false;
	}
	return true;
}
