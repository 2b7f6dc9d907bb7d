/* SPDX-License-Identifier: ISC */
/*
 * The file of dcbx-datapath -f, through libconfuse.  Words are those of the
 * command line; the values of a port's profile, for use without dcbxd, those
 * of dcbxd.conf.
 */
#include <confuse.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "daemon/common/config_keys.h"
#include "options.h"

/* libconfuse wants the default of a list as text it could write to. */
static char no_values[] = "{}";

/* libconfuse's error function has no argument. */
static char *first_error;

static const char *
nth_key(const void *from, size_t i)
{
	return ((const cfg_opt_t *)from)[i].name;
}

/* A key that the section has not. */
static void
unknown_note(cfg_t *cfg, const char *key, char *out, size_t size)
{
	const char *near = config_nearest(key, nth_key, cfg->opts);

	snprintf(out, size, "no key %.60s here%s%s%s", key,
	    near != NULL ? "; did you mean " : "", near != NULL ? near : "",
	    near != NULL ? "?" : "");
}

static void
error_note(cfg_t *cfg, const char *format, va_list args)
{
	int n;

	if (first_error == NULL || *first_error != '\0')
		return;
	n = snprintf(first_error, OPTIONS_WHY_MAX, "%.200s:%d: ",
	    cfg->filename != NULL ? cfg->filename : "", cfg->line);
	if (strcmp(format, "no such option '%s'") == 0)
		unknown_note(cfg, va_arg(args, const char *), first_error + n,
		    OPTIONS_WHY_MAX - (size_t)n);
	else
		vsnprintf(first_error + n, OPTIONS_WHY_MAX - (size_t)n, format,
		    args);
}

static int
refuse(const cfg_t *cfg, const char *port, const char *text, char *why)
{
	snprintf(why, OPTIONS_WHY_MAX, "%.200s: port %.16s: %s", cfg->filename,
	    port, text);
	return -EINVAL;
}

/* Priorities as a list: { 3, 4 }. */
static int
set_read(cfg_t *port, const char *key, uint8_t *set)
{
	for (unsigned i = 0; i < cfg_size(port, key); i++) {
		long n = cfg_getnint(port, key, i);

		if (n < 0 || n >= DP_PRIOS)
			return -EINVAL;
		*set |= (uint8_t)(1u << n);
	}
	return 0;
}

/* Eight numbers from 0 to most, or none at all. */
static int
numbers_read(cfg_t *port, const char *key, uint8_t *out, long most)
{
	unsigned n = cfg_size(port, key);

	if (n != 0 && n != DP_PRIOS)
		return -EINVAL;
	for (unsigned i = 0; i < n; i++) {
		long v = cfg_getnint(port, key, i);

		if (v < 0 || v > most)
			return -EINVAL;
		out[i] = (uint8_t)v;
	}
	return 0;
}

static int
tsa_read(cfg_t *port, uint8_t *out)
{
	static const char *const words[] = {
		[DP_TSA_STRICT] = "strict",
		[DP_TSA_CBS] = "cbs",
		[DP_TSA_ETS] = "ets",
	};
	unsigned n = cfg_size(port, "tc-tsa");

	if (n != 0 && n != DP_PRIOS)
		return -EINVAL;
	for (unsigned i = 0; i < n; i++) {
		const char *word = cfg_getnstr(port, "tc-tsa", i);
		uint8_t tsa = 0;

		while (tsa <= DP_TSA_ETS && strcmp(word, words[tsa]) != 0)
			tsa++;
		if (tsa > DP_TSA_ETS)
			return -EINVAL;
		out[i] = tsa;
	}
	return 0;
}

static int
preset_read(cfg_t *cfg, cfg_t *port, struct options_port *p, char *why)
{
	struct door_port *w = &p->want;

	if (set_read(port, "prio-pfc", &w->prio_pfc) != 0)
		return refuse(cfg, p->name, "prio-pfc has priorities, 0 to 7",
		    why);
	if (set_read(port, "ecn", &w->ecn) != 0)
		return refuse(cfg, p->name, "ecn has priorities, 0 to 7", why);
	if (numbers_read(port, "prio-tc", w->prio_tc, DP_PRIOS - 1) != 0)
		return refuse(cfg, p->name, "prio-tc has 8 classes, 0 to 7",
		    why);
	if (numbers_read(port, "tc-bw", w->tc_bw, 100) != 0)
		return refuse(cfg, p->name, "tc-bw has 8 percentages", why);
	if (tsa_read(port, w->tc_tsa) != 0)
		return refuse(cfg, p->name,
		    "tc-tsa has 8 of strict, cbs and ets", why);
	p->preset = cfg_size(port, "prio-pfc") + cfg_size(port, "ecn") +
	    cfg_size(port, "prio-tc") + cfg_size(port, "tc-bw") +
	    cfg_size(port, "tc-tsa") != 0;
	if (door_port_check(w) != NULL)
		return refuse(cfg, p->name, door_port_check(w), why);
	return 0;
}

/* As the command line has it: NAME,io=...,rate=... */
static int
port_read(struct options *o, cfg_t *cfg, cfg_t *port, char *why)
{
	const char *rate = cfg_getstr(port, "rate");
	char text[128];

	snprintf(text, sizeof(text), "%.40s,io=%.40s%s%.20s",
	    cfg_title(port), cfg_getstr(port, "io"),
	    rate != NULL ? ",rate=" : "", rate != NULL ? rate : "");
	if (strncmp(text, "gen,", 4) == 0)
		return refuse(cfg, "gen", "generators are a list of their "
		    "own", why);
	if (options_port(o, text, why) != 0)
		return -EINVAL;
	return preset_read(cfg, port, &o->port[o->n_ports - 1], why);
}

static int
values_read(struct options *o, cfg_t *cfg, char *why)
{
	const char *role = cfg_getstr(cfg, "role");
	char text[256];

	o->busy = cfg_getbool(cfg, "busy-poll");
	if (cfg_size(cfg, "cpu") != 0 &&
	    options_cpu(o, cfg_getint(cfg, "cpu"), why) != 0)
		return -EINVAL;
	if (options_socket(o, cfg_getstr(cfg, "socket"), why) != 0)
		return -EINVAL;
	if (role != NULL && options_role(o, role, why) != 0)
		return -EINVAL;
	if (options_buffer(o, cfg_getstr(cfg, "buffer"), why) != 0)
		return -EINVAL;
	for (unsigned i = 0; i < cfg_size(cfg, "port"); i++)
		if (port_read(o, cfg, cfg_getnsec(cfg, "port", i), why) != 0)
			return -EINVAL;
	for (unsigned i = 0; i < cfg_size(cfg, "generator"); i++) {
		snprintf(text, sizeof(text), "gen,%.240s",
		    cfg_getnstr(cfg, "generator", i));
		if (options_port(o, text, why) != 0)
			return -EINVAL;
	}
	return 0;
}

static int
parse(struct options *o, cfg_opt_t *root, const char *path, char *why)
{
	cfg_t *cfg = cfg_init(root, CFGF_NONE);
	int r = -ENOMEM;

	if (cfg == NULL)
		return r;
	first_error = why;
	cfg_set_error_function(cfg, error_note);
	switch (cfg_parse(cfg, path)) {
	case CFG_SUCCESS:
		r = values_read(o, cfg, why);
		break;
	case CFG_FILE_ERROR:
		snprintf(why, OPTIONS_WHY_MAX, "%.200s: %s", path,
		    strerror(errno));
		r = -EINVAL;
		break;
	default:
		r = -EINVAL;
	}
	first_error = NULL;
	cfg_free(cfg);
	return r;
}

/* THE KEYS; defaults are those of the command line. */
int
options_file(struct options *o, const char *path, char why[OPTIONS_WHY_MAX])
{
	cfg_opt_t port[] = {
		CFG_STR("io", "auto", CFGF_NONE),
		CFG_STR("rate", NULL, CFGF_NONE),
		CFG_INT_LIST("prio-pfc", no_values, CFGF_NONE),
		CFG_INT_LIST("prio-tc", no_values, CFGF_NONE),
		CFG_STR_LIST("tc-tsa", no_values, CFGF_NONE),
		CFG_INT_LIST("tc-bw", no_values, CFGF_NONE),
		CFG_INT_LIST("ecn", no_values, CFGF_NONE),
		CFG_END(),
	};
	cfg_opt_t root[] = {
		CFG_STR("role", NULL, CFGF_NONE),
		CFG_STR("socket", o->socket, CFGF_NONE),
		CFG_STR("buffer", "16M", CFGF_NONE),
		CFG_BOOL("busy-poll", cfg_false, CFGF_NONE),
		CFG_INT("cpu", 0, CFGF_NODEFAULT),
		CFG_SEC("port", port, CFGF_MULTI | CFGF_TITLE |
		    CFGF_NO_TITLE_DUPES),
		CFG_STR_LIST("generator", no_values, CFGF_NONE),
		CFG_END(),
	};

	*why = '\0';
	return parse(o, root, path, why);
}
