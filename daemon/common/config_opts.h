/* SPDX-License-Identifier: ISC */
/* THE KEY TABLE as libconfuse's options, for config_read.c alone. */
#ifndef CONFIG_OPTS_H
#define CONFIG_OPTS_H

#include <confuse.h>

/* All that a section may hold, "root" the file; NULL when out of memory. */
cfg_opt_t *config_opts_make(const char *section, cfg_callback_t note);
void config_opts_free(cfg_opt_t *);

#endif
