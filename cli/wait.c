/* SPDX-License-Identifier: ISC */
/*
 * `dcbxctl wait`: until a port is in a state, for scripts that start what
 * needs a lossless network.
 *
 * The event stream says when to look, the status what there is; what no
 * peer can bring about is not waited for.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "conn.h"
#include "daemon/common/monotonic.h"
#include "dcbxctl.h"
#include "libdcbx/dcbx.h"
#include "out.h"
#include "pick.h"
#include "words.h"

#define LOOK_MS 1000 /* at least this often: not all has an event */
#define NEGOTIATED "negotiated"

struct wanted {
	const char *text;
	const char *feature; /* NULL: of the port */
	const char *state;   /* NULL: these priorities */
	unsigned prios;
};

/* ---- what is wanted ---------------------------------------------------- */

/* "3", "34", "3,4" or "none" */
static bool
parse_prios(const char *text, unsigned *prios)
{
	*prios = 0;
	if (strcmp(text, "none") == 0)
		return true;
	if (*text == '\0')
		return false;
	for (; *text != '\0'; text++) {
		if (*text >= '0' && *text <= '7')
			*prios |= 1u << (*text - '0');
		else if (*text != ',')
			return false;
	}
	return *prios != 0;
}

/* Is the word a state?  Features have no state of a link or a backend. */
static bool
is_state(const char *word, const char **nearest, bool feature)
{
	const char *list[DCBX_STATE_DISABLED + 3];
	size_t n = 0;

	for (int s = DCBX_STATE_OK; s <= (int)DCBX_STATE_DISABLED; s++)
		list[n++] = dcbx_state_name((enum dcbx_state)s);
	if (!feature)
		list[n++] = NEGOTIATED;
	list[n] = NULL;
	for (size_t i = 0; i < n; i++)
		if (strcmp(word, list[i]) == 0)
			return true;
	*nearest = ctl_nearest(word, list);
	return false;
}

static bool
parse_wanted(struct wanted *w, const char *text)
{
	static const char *const features[] = { "pfc", "ets", "app" };
	const char *equals = strchr(text, '='), *nearest = NULL;
	size_t len = equals == NULL ? 0 : (size_t)(equals - text);

	*w = (struct wanted) { .text = text, .state = text };
	for (size_t i = 0; equals != NULL && i < 3; i++)
		if (strlen(features[i]) == len &&
		    strncmp(text, features[i], len) == 0)
			w->feature = features[i];
	if (equals != NULL)
		w->state = equals + 1;
	if (w->feature != NULL && strcmp(w->feature, "pfc") == 0 &&
	    parse_prios(w->state, &w->prios))
		w->state = NULL;
	if ((equals == NULL || w->feature != NULL) && (w->state == NULL ||
	    is_state(w->state, &nearest, w->feature != NULL)))
		return true;
	ctl_complain("--state %s: a state, negotiated, pfc=STATE, ets=STATE,"
	    " app=STATE or pfc=PRIORITIES%s%s", text,
	    nearest != NULL ? "; did you mean " : "",
	    nearest != NULL ? nearest : "");
	return false;
}

/* Seconds; NULL is for ever. */
static bool
parse_timeout(const char *text, int64_t *ms)
{
	char *end = NULL;
	double s = text == NULL ? 0 : strtod(text, &end);

	*ms = -1;
	if (text == NULL)
		return true;
	if (end == text || *end != '\0' || !(s >= 0 && s <= 1e6)) {
		ctl_complain("--timeout %s: seconds, 0 to 1000000", text);
		return false;
	}
	*ms = (int64_t)(s * 1000);
	return true;
}

/* ---- what there is ----------------------------------------------------- */

static const char *
feature_state(const json_t *port, const char *feature)
{
	return pick_text(json_object_get(port, feature), "state", "");
}

static unsigned
prios_at(const json_t *port, const char *path)
{
	const json_t *v;
	unsigned prios = 0;
	size_t i;

	json_array_foreach(pick(port, path), i, v)
		if (i < DCB_PRIOS && json_is_true(v))
			prios |= 1u << i;
	return prios;
}

/* At least one feature is agreed with a peer, and nothing is wrong. */
static bool
is_negotiated(const json_t *port)
{
	return pick_is(port, "state", "ok") &&
	    !pick_is(port, "mode", "observe") &&
	    (words_tone(feature_state(port, "pfc")) == OUT_GOOD ||
		words_tone(feature_state(port, "ets")) == OUT_GOOD ||
		words_tone(feature_state(port, "app")) == OUT_GOOD);
}

static bool
is_reached(const struct wanted *w, const json_t *port)
{
	if (w->state == NULL)
		return pick(port, "pfc.oper.prio_pfc") != NULL &&
		    prios_at(port, "pfc.oper.prio_pfc") == w->prios;
	if (w->feature != NULL)
		return strcmp(feature_state(port, w->feature), w->state) == 0;
	if (strcmp(w->state, NEGOTIATED) == 0)
		return is_negotiated(port);
	return pick_is(port, "state", w->state);
}

/* A port that may become well: its backends can do what they are told. */
static const char *
why_never_ok(const json_t *port)
{
	const json_t *b;
	size_t i;

	json_array_foreach(pick(port, "backends"), i, b) {
		if (pick_is(b, "state", "firmware"))
			return "the NIC's firmware owns it";
		if (pick_is(b, "state", "unsupported"))
			return "its driver cannot do it";
	}
	return NULL;
}

/* Why no peer can bring it about; NULL: one can. */
static const char *
why_never(const struct wanted *w, const json_t *port)
{
	bool negotiates = pick_is(port, "mode", "negotiate");
	bool observes = pick_is(port, "mode", "observe");
	bool adopts;

	if (w->feature == NULL && w->state != NULL &&
	    (strcmp(w->state, "from-peer") == 0 ||
		strcmp(w->state, "to-peer") == 0))
		return "that is a feature's state, as in pfc=from-peer";
	if (w->feature == NULL) {
		if (observes && strcmp(w->state, NEGOTIATED) == 0)
			return "the port only observes";
		return strcmp(w->state, NEGOTIATED) == 0 ||
		    strcmp(w->state, "ok") == 0 ? why_never_ok(port) : NULL;
	}
	if (observes && (w->state == NULL ||
	    strcmp(w->state, "disabled") != 0))
		return "the port only observes";
	adopts = negotiates && (strcmp(w->feature, "app") == 0 ||
	    pick_true(json_object_get(port, w->feature), "admin.willing"));
	if (w->state == NULL)
		return !adopts && prios_at(port, "pfc.admin.prio_pfc") !=
		    w->prios ? "the port adopts no values of a peer" : NULL;
	return !adopts && strcmp(w->state, "from-peer") == 0 ?
	    "the port adopts no values of a peer" : NULL;
}

/* ---- waiting ----------------------------------------------------------- */

struct waiting {
	const struct ctl *ctl;
	const char *port;
	struct wanted wanted;
	int64_t began, limit_ms; /* limit < 0: none */
};

static void
print_end(const struct waiting *w, const json_t *port, bool reached)
{
	int64_t ms = monotonic_ms() - w->began;
	json_t *doc;

	if (!w->ctl->json) {
		if (reached)
			out_line("%s: %s after %lld ms", w->port,
			    w->wanted.text, (long long)ms);
		return;
	}
	doc = json_pack("{si ss ss sb ss sI}", "schema", 1, "port", w->port,
	    "wanted", w->wanted.text, "reached", reached, "state",
	    pick_text(port, "state", "?"), "waited_ms", (json_int_t)ms);
	if (doc != NULL)
		out_json(doc, false);
	json_decref(doc);
}

/* How long until the next look; 0: the time is over. */
static int
look_ms(const struct waiting *w)
{
	int64_t left = w->began + w->limit_ms - monotonic_ms();

	if (w->limit_ms < 0 || left > LOOK_MS)
		return LOOK_MS;
	return left < 0 ? 0 : (int)left;
}

/* The port as it is; -1: go on waiting, else the exit code. */
static int
judge(const struct waiting *w, const json_t *port)
{
	const char *never = why_never(&w->wanted, port);

	if (is_reached(&w->wanted, port)) {
		print_end(w, port, true);
		return CTL_DONE;
	}
	if (never != NULL) {
		ctl_complain("%s: %s cannot be reached: %s", w->port,
		    w->wanted.text, never);
		print_end(w, port, false);
		return CTL_NOT_APPLIED;
	}
	if (look_ms(w) > 0)
		return -1;
	ctl_complain("%s: %s not reached within %s s; the port is %s: %s",
	    w->port, w->wanted.text, w->ctl->timeout,
	    pick_text(port, "state", "?"), pick_text(port, "reason.text", ""));
	print_end(w, port, false);
	return CTL_FAILED;
}

static int
wait_on(const struct waiting *w, struct conn *events)
{
	json_t *event = conn_next(events), *doc;
	int code = event == NULL ? (int)events->status : -1;

	json_decref(event); /* the snapshot: from now on nothing is missed */
	while (code < 0) {
		doc = conn_ask(w->ctl, "org.dcbx.GetStatus",
		    conn_port(w->port), w->port, &code);
		if (doc == NULL)
			return code;
		code = judge(w, json_array_get(pick(doc, "ports"), 0));
		json_decref(doc);
		if (code >= 0 || !conn_ready(events, look_ms(w)))
			continue;
		event = conn_next(events);
		if (event == NULL)
			code = (int)events->status;
		json_decref(event);
	}
	return code;
}

int
wait_run(const struct ctl *ctl, char **words)
{
	struct waiting w = { .ctl = ctl, .port = words[0],
		.began = monotonic_ms() };
	struct conn c;
	int code;

	if (ctl->state == NULL) {
		ctl_complain("wait needs --state");
		return CTL_USAGE;
	}
	if (!parse_wanted(&w.wanted, ctl->state) ||
	    !parse_timeout(ctl->timeout, &w.limit_ms))
		return CTL_USAGE;
	if (conn_open(&c, ctl->socket) &&
	    conn_stream(&c, "org.dcbx.Watch", conn_port(w.port)))
		code = wait_on(&w, &c);
	else
		code = (int)c.status;
	conn_close(&c);
	return code;
}
