/* SPDX-License-Identifier: ISC */
/*
 * What state files say of backends: who has put a value into force, and what
 * they remember.  Each pair of functions side by side.
 *
 *	"by": {"backends": ["dcbnl", "exec"], "command": "/usr/bin/x"},
 *	"memory": {"mine": [[5, 26, 3]], "claims": [[5, 26, 3]],
 *		"delay_dropped": 0, "delay": null, "rate": null, "trust": null}
 *
 * An entry is selector, protocol and priority.  delay, rate and trust are what
 * a device held before it held ours, null where it does not hold ours.
 */
#include <config.h>

#include <jansson.h>
#include <string.h>

#include "state_backends.h"

bool
state_number_parse(const json_t *v, json_int_t max, json_int_t *out)
{
	*out = json_integer_value(v);
	return json_is_integer(v) && *out >= 0 && *out <= max;
}

json_t *
state_entries_make(const struct dcb_app_table *t)
{
	json_t *array = json_array();

	for (size_t i = 0; i < t->n; i++)
		json_array_append_new(array,
		    json_pack("[iii]", t->entry[i].selector,
			t->entry[i].protocol, t->entry[i].priority));
	return array;
}

/* ---- by whom -------------------------------------------------------- */

json_t *
state_by_make(const struct state_by *by)
{
	json_t *array = json_array();

	for (size_t i = 0; i < by->n; i++)
		json_array_append_new(array, json_string(by->backend[i]));
	return json_pack("{s:o, s:s}", "backends", array, "command",
	    by->command);
}

static bool
word_parse(const char *word, char *out, size_t size)
{
	size_t len = word == NULL ? size : strlen(word);

	if (len >= size)
		return false;
	memcpy(out, word, len + 1);
	return true;
}

/* Absent: it was put into force by nobody that we know. */
bool
state_by_parse(json_t *v, struct state_port *p)
{
	struct state_by *by = &p->by;
	const char *command;
	json_t *array, *name;
	size_t i;

	if (v == NULL)
		p->has_oper = false;
	if (v == NULL)
		return true;
	if (json_unpack(v, "{s:o, s:s !}", "backends", &array, "command",
		&command) != 0 ||
	    !json_is_array(array) ||
	    json_array_size(array) > CONFIG_BACKENDS_MAX ||
	    !word_parse(command, by->command, sizeof(by->command)))
		return false;
	by->n = json_array_size(array);
	json_array_foreach(array, i, name)
		if (!word_parse(json_string_value(name), by->backend[i],
		    CONFIG_NAME_MAX))
			return false;
	return true;
}

/* ---- what backends remember ----------------------------------------- */

/* Entries of a device, which may be of CEE or of the rewrite table. */
bool
state_entries_parse(const json_t *array, struct dcb_app_table *t)
{
	const json_t *entry;
	size_t i;

	if (!json_is_array(array) || json_array_size(array) > DCB_APP_MAX)
		return false;
	t->n = 0;
	json_array_foreach(array, i, entry) {
		json_int_t selector, protocol, priority;

		if (json_array_size(entry) != 3 ||
		    !state_number_parse(json_array_get(entry, 0), UINT8_MAX,
			&selector) ||
		    !state_number_parse(json_array_get(entry, 1), UINT16_MAX,
			&protocol) ||
		    !state_number_parse(json_array_get(entry, 2), UINT8_MAX,
			&priority))
			return false;
		t->entry[t->n++] = (struct dcb_app) { (uint8_t)selector,
			(uint8_t)priority, (uint16_t)protocol };
	}
	return true;
}

static json_t *
rate_make(const struct backend_memory *m)
{
	json_t *array = json_array();

	for (size_t i = 0; i < DCB_TCS; i++)
		json_array_append_new(array,
		    json_integer((json_int_t)m->rate[i]));
	return array;
}

static bool
rate_parse(const json_t *v, struct backend_memory *m)
{
	json_int_t number;

	m->has_rate = !json_is_null(v);
	if (!m->has_rate)
		return true;
	if (json_array_size(v) != DCB_TCS)
		return false;
	for (size_t i = 0; i < DCB_TCS; i++) {
		if (!state_number_parse(json_array_get(v, i),
		    INT64_MAX, &number))
			return false;
		m->rate[i] = (uint64_t)number;
	}
	return true;
}

static json_t *
trust_make(const struct backend_memory *m)
{
	json_t *array = json_array();

	for (size_t i = 0; i < m->n_trust; i++)
		json_array_append_new(array, json_integer(m->trust[i]));
	return array;
}

static bool
trust_parse(const json_t *v, struct backend_memory *m)
{
	json_int_t number;

	m->has_trust = !json_is_null(v);
	if (!m->has_trust)
		return true;
	if (!json_is_array(v) || json_array_size(v) > DCB_TCS)
		return false;
	m->n_trust = (uint8_t)json_array_size(v);
	for (size_t i = 0; i < m->n_trust; i++) {
		if (!state_number_parse(json_array_get(v, i),
		    UINT8_MAX, &number))
			return false;
		m->trust[i] = (uint8_t)number;
	}
	return true;
}

json_t *
state_memory_make(const struct state_port *p)
{
	const struct backend_memory *m = &p->mem;

	if (!p->has_memory)
		return json_null();
	return json_pack("{s:o, s:o, s:i, s:o, s:o, s:o}", "mine",
	    state_entries_make(&m->mine), "claims",
	    state_entries_make(&m->claims), "delay_dropped",
	    m->delay_dropped, "delay",
	    m->has_delay ? json_integer(m->delay) : json_null(), "rate",
	    m->has_rate ? rate_make(m) : json_null(), "trust",
	    m->has_trust ? trust_make(m) : json_null());
}

/* Absent or null: there is none. */
bool
state_memory_parse(json_t *v, struct state_port *p)
{
	struct backend_memory *m = &p->mem;
	json_t *mine, *claims, *dropped, *delay, *rate, *trust;
	json_int_t number;

	p->has_memory = v != NULL && !json_is_null(v);
	if (!p->has_memory)
		return true;
	if (json_unpack(v, "{s:o, s:o, s:o, s:o, s:o, s:o !}", "mine", &mine,
		"claims", &claims, "delay_dropped", &dropped, "delay", &delay,
		"rate", &rate, "trust", &trust) != 0 ||
	    !state_number_parse(dropped, UINT16_MAX, &number))
		return false;
	m->delay_dropped = (uint16_t)number;
	m->has_delay = !json_is_null(delay);
	if (m->has_delay && !state_number_parse(delay, UINT16_MAX, &number))
		return false;
	m->delay = m->has_delay ? (uint16_t)number : 0;
	return state_entries_parse(mine, &m->mine) &&
	    state_entries_parse(claims, &m->claims) && rate_parse(rate, m) &&
	    trust_parse(trust, m);
}
