/* SPDX-License-Identifier: ISC */
/*
 * Scenarios as values: made, added to, let go.  Reading files is
 * scenario_read.c's, what may stand in them scenario_keys.c's.
 */
#include "scenario.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scenario_keys.h"

struct scenario *
scenario_new(void)
{
	struct scenario *sc = calloc(1, sizeof *sc);

	if (sc == NULL)
		return NULL;
	scenario_defaults(IN_ROOT, sc);
	scenario_defaults(IN_CC, &sc->cc);
	return sc;
}

/* A further element of an array; the old ones may move. */
static void *
append(void **all, size_t *n, size_t size)
{
	char *more = realloc(*all, (*n + 1) * size);

	if (more == NULL)
		return NULL;
	*all = more;
	more += *n * size;
	memset(more, 0, size);
	++*n;
	return more;
}

struct sim_switch *
scenario_switch(struct scenario *sc, const char *name)
{
	void *all = sc->sw;
	struct sim_switch *s = append(&all, &sc->n_sw, sizeof *s);

	sc->sw = all;
	if (s == NULL)
		return NULL;
	scenario_defaults(IN_SWITCH, s);
	snprintf(s->name, sizeof s->name, "%s", name);
	return s;
}

struct sim_host *
scenario_host(struct scenario *sc, const char *name)
{
	void *all = sc->host;
	struct sim_host *h = append(&all, &sc->n_host, sizeof *h);

	sc->host = all;
	if (h == NULL)
		return NULL;
	scenario_defaults(IN_HOST, h);
	snprintf(h->name, sizeof h->name, "%s", name);
	return h;
}

struct sim_link *
scenario_link(struct scenario *sc, const char *name)
{
	void *all = sc->link;
	struct sim_link *l = append(&all, &sc->n_link, sizeof *l);

	sc->link = all;
	if (l == NULL)
		return NULL;
	scenario_defaults(IN_LINK, l);
	snprintf(l->name, sizeof l->name, "%s", name);
	return l;
}

struct sim_flow *
scenario_flow(struct scenario *sc, const char *name)
{
	void *all = sc->flow;
	struct sim_flow *f = append(&all, &sc->n_flow, sizeof *f);

	sc->flow = all;
	if (f == NULL)
		return NULL;
	scenario_defaults(IN_FLOW, f);
	snprintf(f->name, sizeof f->name, "%s", name);
	return f;
}

int
scenario_rp(const struct sim_cc *cc, struct rp_params *p, const char **key)
{
	*p = cc->variant == SIM_CONNECTX ? rp_connectx :
	    cc->variant == SIM_CONNECTX_PAPER ? rp_connectx_paper : rp_paper;
	for (size_t i = 0; rp_keys[i].name != NULL; i++) {
		*key = rp_keys[i].name;
		if (cc->rp[i].given &&
		    rp_set(p, *key, cc->rp[i].value) != 0)
			return -ERANGE;
	}
	return 0;
}

void
scenario_free(struct scenario *sc)
{
	if (sc == NULL)
		return;
	free(sc->sw);
	free(sc->host);
	free(sc->link);
	free(sc->flow);
	free(sc);
}
