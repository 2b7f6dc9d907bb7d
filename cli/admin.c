/* SPDX-License-Identifier: ISC */
/*
 * The verbs that tell the daemon to do something and have little to show for
 * it: `reset` and `reload`.
 */
#include "config.h"

#include <stdlib.h>

#include "conn.h"
#include "dcbxctl.h"
#include "out.h"
#include "pick.h"

/* A document of our own: what was done is all there is to say. */
static void
done(const struct ctl *ctl, json_t *doc, const char *text)
{
	if (doc != NULL && ctl->json)
		out_json(doc, false);
	else if (doc != NULL)
		out_text(0, text);
	json_decref(doc);
}

int
reset_run(const struct ctl *ctl, char **words)
{
	int status;
	json_t *doc = conn_ask(ctl, "org.dcbx.Reset", conn_port(*words),
	    *words, &status);
	char *text;

	if (doc == NULL)
		return status;
	json_decref(doc);
	text = out_printf("%s: negotiation begins anew", *words);
	done(ctl, json_pack("{si ss sb}", "schema", 1, "port", *words,
	    "reset", 1), text);
	free(text);
	return status;
}

/* "FILE:LINE: KEY: TEXT", as the daemon's log has it. */
static void
print_message(const json_t *m)
{
	const char *key = pick_text(m, "key", "");
	int64_t line = pick_number(m, "line", 0);
	char *at = line > 0 ? out_printf("%lld:", (long long)line) :
			      out_printf("%s", "");
	char *text = out_printf("%s:%s %s%s%s%s", pick_text(m, "file", "-"),
	    at, pick_true(m, "warning") ? "warning: " : "", key,
	    *key != '\0' ? ": " : "", pick_text(m, "text", "?"));

	out_text(0, text);
	free(text);
	free(at);
}

int
reload_run(const struct ctl *ctl, char **words)
{
	int status;
	json_t *doc = conn_ask(ctl, "org.dcbx.Reload", conn_port(*words),
	    NULL, &status), *m;
	int64_t errors = pick_number(doc, "errors", 0);
	size_t i;

	out_own_texts();
	if (doc == NULL)
		return status;
	json_object_set_new(doc, "schema", json_integer(1));
	if (ctl->json)
		out_json(doc, false);
	else
		json_array_foreach(pick(doc, "messages"), i, m)
			print_message(m);
	if (!ctl->json && errors == 0)
		out_line("reloaded");
	if (errors != 0)
		ctl_complain("nothing has changed: %lld error%s in the files,"
		    " which the daemon's log has, too", (long long)errors,
		    errors == 1 ? "" : "s");
	json_decref(doc);
	return errors == 0 ? status : CTL_FAILED;
}
