/* SPDX-License-Identifier: ISC */
/*
 * The members of a state file that are about backends: see state_backends.c.
 * What is made is the caller's; what is parsed may be absent, and is false
 * where it is damaged.
 */
#ifndef STATE_BACKENDS_H
#define STATE_BACKENDS_H

#include <jansson.h>

#include "state.h"

/* A whole number from 0 to max. */
bool state_number_parse(const json_t *, json_int_t max, json_int_t *);

/* Entries as [selector, protocol, priority]; whether they make sense where
 * they stand is the caller's to say. */
json_t *state_entries_make(const struct dcb_app_table *);
bool state_entries_parse(const json_t *, struct dcb_app_table *);

json_t *state_by_make(const struct state_by *);
/* Absent: nothing that we know of is in force. */
bool state_by_parse(json_t *, struct state_port *);

json_t *state_memory_make(const struct state_port *);
bool state_memory_parse(json_t *, struct state_port *);

#endif
