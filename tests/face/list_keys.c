/* SPDX-License-Identifier: ISC */
/*
 * THE KEY TABLE for conf_keys.py, as lines of tab-separated text: section,
 * key, default, what is allowed, least and most elements, help.  With files
 * as arguments, says instead what is wrong with each: 1 if anything is.
 */
#include <stdio.h>

#include "daemon/common/config_keys.h"

static void
keys_list(void)
{
	char allowed[160];

	for (size_t i = 0; i < config_n_keys; i++) {
		const struct config_key *k = &config_keys[i];
		bool text = k->type == CONFIG_STRING ||
		    k->type == CONFIG_PATH || k->type == CONFIG_ADDRESS;
		const char *quote = text ? "\"" : "";

		config_allowed(k, allowed, sizeof allowed);
		printf("%s\t%s\t%s%s%s\t%s\t%u\t%u\t%s\n", k->section,
		    k->name, quote, k->def == NULL ? "" : k->def, quote,
		    allowed, k->min_n, k->max_n, k->help);
	}
}

int
main(int argc, char **argv)
{
	static struct config_errors errors;

	if (argc == 1)
		keys_list();
	for (int i = 1; i < argc; i++)
		config_free(config_load(argv[i], true, NULL, NULL, NULL,
		    &errors));
	config_errors_print(&errors, stdout);
	return errors.n > 0;
}
