/* SPDX-License-Identifier: ISC */
/*
 * `dcbxctl set`: values for a port until the next reload, or saved, too.
 *
 * The daemon takes the words as they are.  Then this waits until they have
 * come through to the backends, and shows where what is in force is not what
 * was asked for: a peer may have the say, a driver may have changed it back.
 */
#include "config.h"

#include <fnmatch.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "conn.h"
#include "daemon/common/config.h"
#include "dcbxctl.h"
#include "out.h"
#include "pick.h"
#include "save.h"
#include "words.h"

#define APPLY_MS 2000
#define LOOK_MS 50
#define INDENT 8

/* What is compared, and where it stands in a port's document. */
static const struct attribute {
	const char *name, *key;
	const char *admin, *oper;
} attributes[] = {
	{ "prio-pfc", "prio_pfc", "pfc.admin.prio_pfc", "pfc.oper.prio_pfc" },
	{ "prio-tc", "prio_tc", "ets.admin.prio_tc", "ets.oper.prio_tc" },
	{ "tc-bw", "tc_bw", "ets.admin.tc_bw", "ets.oper.tc_bw" },
	{ "tc-tsa", "tc_tsa", "ets.admin.tc_tsa", "ets.oper.tc_tsa" },
};
#define N_ATTRIBUTES (sizeof attributes / sizeof *attributes)

struct set {
	const struct ctl *ctl;
	struct conn conn;
	const char *const *word;
	size_t n;
	json_t *done; /* a document per port */
};

/* ---- what has come of it ----------------------------------------------- */

/* A backend's value of an attribute, where it can tell and it differs. */
static const json_t *
kernel_differs(const json_t *port, const struct attribute *a)
{
	const json_t *b, *oper = pick(port, a->oper);
	size_t i;

	json_array_foreach(pick(port, "backends"), i, b) {
		const json_t *is = pick(pick(b, "in_force"), a->key);

		if (is != NULL && oper != NULL &&
		    !json_equal((json_t *)is, (json_t *)oper))
			return is;
	}
	return NULL;
}

/* The backend that has not done its part, or NULL. */
static const json_t *
laggard(const json_t *port)
{
	const json_t *b;
	size_t i;

	json_array_foreach(pick(port, "backends"), i, b)
		if (!pick_is(b, "state", "applied"))
			return b;
	for (size_t k = 0; k < N_ATTRIBUTES; k++)
		if (kernel_differs(port, &attributes[k]) != NULL)
			return json_array_get(pick(port, "backends"), 0);
	return NULL;
}

/* Does the value wait: for a peer, or for a backend's next write? */
static bool
is_held(const json_t *port)
{
	const json_t *b;
	size_t i;

	json_array_foreach(pick(port, "backends"), i, b)
		if (pick_is(b, "reason.code", "hold"))
			return true;
	return pick_true(port, "held");
}

/* The port when all is applied, or after the time; NULL: no answer. */
static json_t *
await_applied(struct set *s, const char *port)
{
	json_t *doc = NULL;

	for (int ms = 0;; ms += LOOK_MS) {
		const json_t *p, *late;

		json_decref(doc);
		doc = conn_call(&s->conn, "org.dcbx.GetStatus",
		    conn_port(port));
		p = json_array_get(pick(doc, "ports"), 0);
		late = laggard(p);
		if (doc == NULL || late == NULL || ms >= APPLY_MS ||
		    is_held(p) ||
		    pick_is(late, "state", "firmware"))
			return doc;
		poll(NULL, 0, LOOK_MS);
	}
}

/* ---- telling ----------------------------------------------------------- */

static json_t *
or_null(const json_t *v)
{
	return v != NULL ? json_incref((json_t *)v) : json_null();
}

static json_t *
differences(const json_t *port)
{
	json_t *all = json_array();

	for (size_t i = 0; i < N_ATTRIBUTES; i++) {
		const struct attribute *a = &attributes[i];
		const json_t *admin = pick(port, a->admin);
		const json_t *oper = pick(port, a->oper);
		const json_t *kernel = kernel_differs(port, a);

		if (admin == NULL || oper == NULL || (kernel == NULL &&
		    json_equal((json_t *)admin, (json_t *)oper)))
			continue;
		json_array_append_new(all, json_pack("{ss so so so}",
		    "attribute", a->key, "admin", or_null(admin), "oper",
		    or_null(oper), "kernel", or_null(kernel)));
	}
	return all;
}

static char *
value_text(const json_t *v)
{
	if (json_is_boolean(json_array_get(v, 0)))
		return words_prios(v);
	return save_value_text(v);
}

/* The word of tables and of the configuration. */
static const char *
attribute_name(const json_t *d)
{
	for (size_t i = 0; i < N_ATTRIBUTES; i++)
		if (pick_is(d, "attribute", attributes[i].key))
			return attributes[i].name;
	return "?";
}

static void
print_difference(const json_t *d)
{
	char *admin = value_text(pick(d, "admin"));
	char *oper = value_text(pick(d, "oper"));
	char *kernel = pick(d, "kernel") == NULL ? out_printf("same") :
	    value_text(pick(d, "kernel"));
	char *text = out_printf("%s: admin %s, oper %s, kernel %s",
	    attribute_name(d), admin, oper, kernel);

	out_text(INDENT, text);
	free(text);
	free(kernel);
	free(oper);
	free(admin);
}

static void
print_done(const json_t *done)
{
	const char *port = pick_text(done, "port", "?");
	const char *saved = pick_text(done, "saved", NULL);
	const json_t *d;
	size_t i;
	bool elsewise = pick_is(done, "backend_state", "applied");
	char *text = pick_true(done, "applied") ?
	    out_printf("%s: applied", port) : pick_true(done, "held") ?
	    out_printf("%s: set, but held back for now", port) :
	    out_printf("%s: set, but not applied: %s %s%s", port,
		pick_text(done, "backend", "?"),
		elsewise ? "has other values in force" : "is ",
		elsewise ? "" : pick_text(done, "backend_state", "?"));

	out_text(0, text);
	free(text);
	if (pick(done, "error") != NULL)
		out_text(INDENT, pick_text(done, "error", ""));
	json_array_foreach(pick(done, "differences"), i, d)
		print_difference(d);
	if (saved != NULL) {
		text = out_printf("saved in %s", saved);
		out_text(INDENT, text);
		free(text);
	}
}

/* ---- one port ---------------------------------------------------------- */

static bool
has_word(const struct set *s, const char *word)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->word[i], word) == 0)
			return true;
	return false;
}

/* The file's path, or NULL where nothing was to be or could be saved. */
static char *
save(struct set *s, const char *port)
{
	const char *dir = s->ctl->dir != NULL ? s->ctl->dir : CONFIG_DIR;
	json_t *config;
	char *path = NULL;

	if (!s->ctl->save)
		return NULL;
	config = conn_call(&s->conn, "org.dcbx.GetConfig", json_object());
	if (config != NULL)
		path = save_words(dir, port, s->word, s->n, config);
	json_decref(config);
	return path;
}

static int
note_done(struct set *s, const char *port, const json_t *status,
    const char *saved)
{
	const json_t *p = json_array_get(pick(status, "ports"), 0);
	bool held = is_held(p);
	const json_t *late = held ? NULL : laggard(p);
	const char *error = pick_text(pick_true(p, "held") ? p : laggard(p),
	    "reason.text", pick_text(late, "error", NULL));
	json_t *done = json_pack("{ss sb sb ss? ss? ss? ss? so}", "port", port,
	    "applied", late == NULL && !held, "held", held,
	    "backend", pick_text(late, "name", NULL),
	    "backend_state", pick_text(late, "state", NULL), "error", error,
	    "saved", saved, "differences", differences(p));

	if (!s->ctl->json)
		print_done(done);
	json_array_append_new(s->done, done);
	return late == NULL && !held ? CTL_DONE :
	    pick_is(late, "state", "firmware") ? CTL_FIRMWARE :
						 CTL_NOT_APPLIED;
}

static json_t *
parameters(const struct set *s, const char *port)
{
	json_t *words = json_array();

	for (size_t i = 0; i < s->n; i++)
		json_array_append_new(words, json_string(s->word[i]));
	if (json_array_size(words) == s->n)
		return json_pack("{ss so}", "port", port, "words", words);
	ctl_complain("found a word that is no UTF-8");
	json_decref(words);
	return NULL;
}

static int
set_port(struct set *s, const json_t *port)
{
	const char *name = pick_text(port, "port", "?");
	json_t *call = parameters(s, name), *doc;
	char *saved;
	int code;

	if (call == NULL)
		return CTL_USAGE;
	s->conn.status = CTL_DONE;
	if (pick_is(port, "mode", "off") && !has_word(s, "mode")) {
		json_decref(call);
		conn_not_managed(&s->conn, name);
		return CTL_NOT_MANAGED;
	}
	doc = conn_call(&s->conn, "org.dcbx.Set", call);
	if (doc == NULL)
		return (int)s->conn.status;
	json_decref(doc);
	saved = save(s, name);
	doc = await_applied(s, name);
	code = doc == NULL ? (int)s->conn.status :
			     note_done(s, name, doc, saved);
	if (code == CTL_DONE && s->ctl->save && saved == NULL)
		code = CTL_FAILED;
	json_decref(doc);
	free(saved);
	return code;
}

/* ---- which ports ------------------------------------------------------- */

/* A glob would act on ports that nobody has named. */
static int
refuse_port(const char *word, const json_t *ports)
{
	char *text = out_printf("%s", ""), *longer;
	const json_t *p;
	size_t i;

	json_array_foreach(ports, i, p) {
		const char *name = pick_text(p, "port", "?");

		if (fnmatch(word, name, 0) != 0)
			continue;
		longer = out_printf("%s%s%s", text,
		    *text != '\0' ? ", " : "", name);
		free(text);
		text = longer;
	}
	if (strpbrk(word, "*?[") == NULL)
		ctl_complain("no port %s; `dcbxctl status` lists the ports",
		    word);
	else
		ctl_complain("%s is no port, but would be %s; name one, or"
		    " say --all", word, *text != '\0' ? text : "none");
	free(text);
	return strpbrk(word, "*?[") == NULL ? CTL_NO_PORT : CTL_USAGE;
}

static int
set_one(struct set *s, const char *word, const json_t *ports)
{
	const json_t *p;
	size_t i;

	json_array_foreach(ports, i, p)
		if (pick_is(p, "port", word))
			return set_port(s, p);
	return refuse_port(word, ports);
}

/* Ports that are not ours stay so, unless their mode is what is set. */
static int
set_all(struct set *s, const json_t *ports)
{
	bool mode = has_word(s, "mode");
	int worst = CTL_DONE;
	const json_t *p;
	size_t i, n = 0;

	json_array_foreach(ports, i, p) {
		int code;

		if (!mode && (pick_is(p, "mode", "off") ||
		    pick_is(p, "mode", "observe")))
			continue;
		code = set_port(s, p);
		worst = code > worst ? code : worst;
		n++;
	}
	if (n > 0)
		return worst;
	ctl_complain("no port is in mode verify or negotiate");
	return CTL_NOT_MANAGED;
}

int
set_run(const struct ctl *ctl, char **words)
{
	struct set s = { .ctl = ctl, .done = json_array(),
		.word = (const char *const *)words + !ctl->all };
	json_t *doc = NULL;
	int code;

	out_own_texts();
	if (ctl->dir != NULL && !ctl->save) {
		ctl_complain("--dir says where to --save");
		json_decref(s.done);
		return CTL_USAGE;
	}
	while (s.word[s.n] != NULL)
		s.n++;
	if (conn_open(&s.conn, ctl->socket))
		doc = conn_call(&s.conn, "org.dcbx.GetStatus", json_object());
	code = doc == NULL ? (int)s.conn.status :
	    ctl->all ? set_all(&s, pick(doc, "ports")) :
		       set_one(&s, words[0], pick(doc, "ports"));
	json_decref(doc);
	conn_close(&s.conn);
	if (ctl->json && json_array_size(s.done) > 0) {
		doc = json_pack("{si sO}", "schema", 1, "ports", s.done);
		if (doc != NULL)
			out_json(doc, false);
		json_decref(doc);
	}
	json_decref(s.done);
	return code;
}
