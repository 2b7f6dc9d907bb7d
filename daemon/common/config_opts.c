/* SPDX-License-Identifier: ISC */
/*
 * What libconfuse is told to accept: THE KEY TABLE as its options.  All
 * values are strings to it, so that a wrong one does not end the parse; the
 * callback sees each of them.
 */
#include "config_opts.h"

#include <stdlib.h>

#include "config_room.h"

void
config_opts_free(cfg_opt_t *opts)
{
	if (opts == NULL)
		return;
	for (cfg_opt_t *o = opts; o->name != NULL; o++)
		config_opts_free(o->subopts);
	free(opts);
}

static cfg_opt_t
opt_of_key(const struct config_key *k, cfg_callback_t note)
{
	cfg_opt_t list = CFG_STR_LIST_CB(k->name, NULL, CFGF_NODEFAULT,
	    note);
	cfg_opt_t scalar = CFG_STR_CB(k->name, NULL, CFGF_NODEFAULT,
	    note);

	return config_is_list(k) ? list : scalar;
}

cfg_opt_t *
config_opts_make(const char *section, cfg_callback_t note)
{
	cfg_opt_t *o = calloc(config_n_keys + config_n_sections + 1,
	    sizeof *o);
	cfg_opt_t end = CFG_END();
	size_t n = 0;

	if (o == NULL)
		return NULL;
	for (size_t i = 0; i < config_n_keys; i++)
		if (config_section_holds(section, config_keys[i].section))
			o[n++] = opt_of_key(&config_keys[i], note);
	for (size_t i = 0; i < config_n_sections; i++) {
		const struct config_section *s = &config_sections[i];
		cfg_opt_t sec = CFG_SEC(s->name, NULL, s->titled ? CFGF_MULTI |
			CFGF_TITLE | CFGF_NO_TITLE_DUPES : CFGF_NONE);

		if (!config_section_holds(section, s->parent))
			continue;
		sec.subopts = config_opts_make(s->name, note);
		o[n] = end;
		if (sec.subopts == NULL) {
			config_opts_free(o);
			return NULL;
		}
		o[n++] = sec;
	}
	o[n] = end;
	return o;
}
