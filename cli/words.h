/* SPDX-License-Identifier: ISC */
/*
 * Values of the documents in few characters, as the tables show them.  Each
 * takes any JSON, also NULL, and returns a text to free(); what is absent or
 * of another shape is "-".
 */
#ifndef WORDS_H
#define WORDS_H

#include <jansson.h>
#include <stdint.h>

#include "libdcbx/dcbx.h"
#include "out.h"

/* [false, ..., true, ...] as "...3....": place and digit. */
char *words_prios(const json_t *);
/* The same as "3" or "34"; "." for none. */
char *words_prio_digits(const json_t *);
char *words_flag(const json_t *);   /* "on", "off" */
char *words_number(const json_t *); /* "8" */
/* A letter per class, of ets, strict, cbs, vendor; "." is strict without a
 * priority: nothing set up. */
char *words_tsa(const json_t *, const json_t *prio_tc);
/* The class of priority 0..7; "-" is not assigned, "?" no class at all. */
char *words_prio_tc(const json_t *);
/* An entry: "dgram 4791" of dgram-port, "ethtype 0x8906", "default". */
char *words_app(const json_t *);
/* The entry of a table for the same protocol as another one; or NULL. */
const json_t *words_app_find(const json_t *table, const json_t *entry);
char *words_size(const json_t *);   /* octets: "512 B", "24.5 KB" */
char *words_drops(const json_t *);  /* the sum of all reasons */
char *words_speed(int64_t mbps);    /* "100G" */
char *words_time(int64_t ms);	    /* "4 s", "3 min" */

/* The neighbour of a port: "leaf2 Ethernet12", "2 peers". */
char *words_neighbor(const json_t *port);
/* One element of "peers": "leaf2 Ethernet12". */
char *words_peer(const json_t *peer);

/* Severity of a state word as enum dcbx_state has it; unknown is worst. */
enum dcbx_state words_state(const char *word);
enum out_tone words_tone(const char *state);

#endif
