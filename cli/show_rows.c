/* SPDX-License-Identifier: ISC */
/*
 * Rows of `dcbxctl show`; see show_rows.h.  The tables of rows are at the
 * end; APP's rows are the entries that any side has.
 *
 * `!` marks a real difference: between the peer and what is to be in force
 * where the state says that they should be alike, or between that and the
 * kernel.  A difference in Willing never is one.
 */
#include "config.h"

#include "show_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pick.h"
#include "words.h"

/* Where the sides of a row are in the port's document. */
struct sides {
	const char *path[SIDES]; /* NULL: does not apply, left blank */
};

struct row {
	const char *item;
	const char *key;
	const struct sides *sides;
	char *(*text)(const json_t *set, const char *key);
	const char *quiet; /* left out where no side says more than this */
	bool compared;	   /* may carry the mark */
};

enum { PFC_ROWS = 4, ETS_ROWS = 7, RECO_ROWS = 4, CN_ROWS = 2 };
static const struct row pfc_rows[PFC_ROWS + 1];
static const struct row ets_rows[ETS_ROWS + 1];
static const struct row reco_rows[RECO_ROWS + 1];
static const struct row cn_rows[CN_ROWS + 1];

/* ---- values --------------------------------------------------------- */

static char *
text_prios(const json_t *set, const char *key)
{
	return words_prios(pick(set, key));
}

static char *
text_flag(const json_t *set, const char *key)
{
	return words_flag(pick(set, key));
}

static char *
text_number(const json_t *set, const char *key)
{
	return words_number(pick(set, key));
}

static json_int_t
element(const json_t *array, size_t i)
{
	return json_integer_value(json_array_get(array, i));
}

/* "50/50": classes from..from+3, zeros at the end left out. */
static char *
four_classes(const json_t *bw, size_t from, bool all)
{
	char text[4 * 24];
	size_t n = all ? 4 : 1, at = 0;

	if (json_array_size(bw) != DCB_TCS)
		return out_printf("-");
	for (size_t i = 0; i < 4; i++)
		if (element(bw, from + i) != 0 && i + 1 > n)
			n = i + 1;
	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, sizeof text - at,
		    "%s%" JSON_INTEGER_FORMAT, i > 0 ? "/" : "",
		    element(bw, from + i));
	return out_printf("%s", text);
}

static char *
text_bw_low(const json_t *set, const char *key)
{
	return four_classes(pick(set, key), 0, false);
}

static char *
text_bw_high(const json_t *set, const char *key)
{
	return four_classes(pick(set, key), 4, true);
}

static char *
text_tsa(const json_t *set, const char *key)
{
	return words_tsa(pick(set, key), pick(set, "prio_tc"));
}

static char *
text_prio_tc(const json_t *set, const char *key)
{
	return words_prio_tc(pick(set, key));
}

/* What the first backend that can read has in force. */
static const json_t *
in_force(const json_t *port)
{
	const json_t *backend;
	size_t i;

	json_array_foreach(pick(port, "backends"), i, backend)
		if (pick(backend, "in_force") != NULL)
			return pick(backend, "in_force");
	return NULL;
}

/* ---- rows ----------------------------------------------------------- */

static bool
is_bad(const char *state)
{
	return strcmp(state, "mismatch") == 0 || strcmp(state, "pending") == 0;
}

static bool
differ(const char *a, const char *b)
{
	return strcmp(a, "-") != 0 && strcmp(b, "-") != 0 &&
	    strcmp(a, b) != 0;
}

/* Four texts of a row to a line of the table. */
static void
put_row(struct feature *f, const char *item, char *text[SIDES], bool compared)
{
	bool drift = compared && differ(text[OPER], text[KERNEL]);
	bool bad = compared && is_bad(f->state) &&
	    differ(text[PEER], text[OPER]);
	bool first = f->rows++ == 0;
	char *head = out_printf("%c %s", drift || bad ? '!' : ' ',
	    first ? f->title : "");
	const char *cell[COLUMNS] = { [FEATURE] = head, [ITEM] = item,
		[STATE] = first ? f->state : "" };

	for (int i = 0; i < SIDES; i++)
		cell[SIDE_0 + i] = text[i];
	if (compared && strcmp(text[KERNEL], "-") != 0 && !drift)
		cell[SIDE_0 + KERNEL] = "same";
	out_row(f->table, cell);
	if (drift || bad)
		out_tone(f->table, FEATURE, OUT_BAD);
	if (first)
		out_tone(f->table, STATE, words_tone(f->state));
	free(head);
}

static bool
is_quiet(const struct row *r, char *text[SIDES])
{
	for (int i = 0; i < SIDES; i++)
		if (r->quiet == NULL || (*text[i] != '\0' &&
		    strcmp(text[i], "-") != 0 &&
		    strcmp(text[i], r->quiet) != 0))
			return false;
	return true;
}

static void
free_texts(char *text[SIDES])
{
	for (int i = 0; i < SIDES; i++)
		free(text[i]);
}

static void
add_row(struct feature *f, const struct row *r)
{
	char *text[SIDES];

	for (int i = 0; i < SIDES; i++) {
		const char *path = r->sides->path[i];
		const json_t *set = path == NULL ? NULL :
		    i == KERNEL ? in_force(f->port) : pick(f->port, path);

		text[i] = path != NULL ? r->text(set, r->key) :
		    out_printf("%s", "");
	}
	if (!is_quiet(r, text))
		put_row(f, r->item, text, r->compared);
	free_texts(text);
}

static void
add_rows(struct feature *f, const struct row *r)
{
	for (; r->item != NULL; r++)
		add_row(f, r);
}

/* ---- application priorities ----------------------------------------- */

static const json_t *
app_table(const json_t *port, int side)
{
	static const char *const path[SIDES] = { "app.admin", "app.peer",
		"app.oper", NULL };

	return side == KERNEL ? pick(in_force(port), "app") :
	    pick(port, path[side]);
}

static void
add_app_row(struct feature *f, const json_t *entry)
{
	char *text[SIDES], *item = words_app(entry);

	for (int i = 0; i < SIDES; i++)
		text[i] = words_number(pick(words_app_find(
		    app_table(f->port, i), entry), "priority"));
	put_row(f, item, text, true);
	free_texts(text);
	free(item);
}

/* Every entry that any side has, once. */
void
rows_app(struct feature *f)
{
	char *nothing[SIDES] = { NULL };
	const json_t *entry;
	size_t i;

	for (int side = 0; side < SIDES; side++)
		json_array_foreach(app_table(f->port, side), i, entry) {
			bool seen = words_app_find(app_table(f->port, side),
			    entry) != entry;

			for (int s = 0; s < side; s++)
				seen |= words_app_find(app_table(f->port, s),
				    entry) != NULL;
			if (!seen)
				add_app_row(f, entry);
		}
	if (f->rows > 0)
		return;
	for (int s = 0; s < SIDES; s++)
		nothing[s] = out_printf("%s", s == KERNEL ? "" :
		    json_is_array(app_table(f->port, s)) ? "none" : "-");
	put_row(f, "entries", nothing, false);
	free_texts(nothing);
}

/* ---- the features ---------------------------------------------------- */

void
rows_pfc(struct feature *f)
{
	add_rows(f, pfc_rows);
}

/* Would we follow a recommendation that is not what the peer itself does? */
static bool
reco_matters(const json_t *port)
{
	static const char *const keys[] = { "tc_bw", "tc_tsa", "prio_tc" };
	const json_t *config = pick(port, "ets.peer.config");
	const json_t *reco_set = pick(port, "ets.peer.reco");

	if (reco_set == NULL || !pick_true(port, "ets.admin.willing"))
		return false;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (!json_equal(json_object_get(config, keys[i]),
		    json_object_get(reco_set, keys[i])))
			return true;
	return false;
}

void
rows_ets(struct feature *f)
{
	add_rows(f, ets_rows);
	if (f->alone || reco_matters(f->port))
		add_rows(f, reco_rows);
}

void
rows_cn(struct feature *f)
{
	add_rows(f, cn_rows);
}

/* ---- the tables ----------------------------------------------------- */

/* The kernel's side is the backend's in_force, whatever its path. */
static const struct sides pfc = {
	{ "pfc.admin", "pfc.peer", "pfc.oper", "" } };
static const struct sides pfc_told = { { "pfc.admin", "pfc.peer" } };
static const struct sides ets = {
	{ "ets.admin", "ets.peer.config", "ets.oper", "" } };
static const struct sides ets_told = { { "ets.admin", "ets.peer.config" } };
static const struct sides reco = { { "ets.reco", "ets.peer.reco" } };
static const struct sides cn = { { "cn.admin", "cn.peer" } };

static const struct row reco_rows[RECO_ROWS + 1] = {
	{ "reco-tc-bw", "tc_bw", &reco, text_bw_low, NULL, false },
	{ "reco-bw 4-7", "tc_bw", &reco, text_bw_high, "0/0/0/0", false },
	{ "reco-tc-tsa", "tc_tsa", &reco, text_tsa, NULL, false },
	{ "reco-prio-tc", "prio_tc", &reco, text_prio_tc, NULL, false },
	{ NULL, NULL, NULL, NULL, NULL, false },
};

static const struct row pfc_rows[PFC_ROWS + 1] = {
	{ "prio-pfc", "prio_pfc", &pfc, text_prios, NULL, true },
	{ "willing", "willing", &pfc_told, text_flag, NULL, false },
	{ "pfc-cap", "pfc_cap", &pfc_told, text_number, NULL, false },
	{ "macsec-bypass", "macsec_bypass", &pfc_told, text_flag, "off",
	    false },
	{ NULL, NULL, NULL, NULL, NULL, false },
};

static const struct row ets_rows[ETS_ROWS + 1] = {
	{ "tc-bw", "tc_bw", &ets, text_bw_low, NULL, true },
	{ "tc-bw 4-7", "tc_bw", &ets, text_bw_high, "0/0/0/0", true },
	{ "tc-tsa", "tc_tsa", &ets, text_tsa, NULL, true },
	{ "prio-tc", "prio_tc", &ets, text_prio_tc, NULL, true },
	{ "willing", "willing", &ets_told, text_flag, NULL, false },
	{ "ets-cap", "ets_cap", &ets_told, text_number, NULL, false },
	{ "cbs", "cbs", &ets_told, text_flag, "off", false },
	{ NULL, NULL, NULL, NULL, NULL, false },
};

static const struct row cn_rows[CN_ROWS + 1] = {
	{ "cnpv", "cnpv", &cn, text_prios, NULL, false },
	{ "ready", "ready", &cn, text_prios, NULL, false },
	{ NULL, NULL, NULL, NULL, NULL, false },
};
