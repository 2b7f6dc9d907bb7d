/* SPDX-License-Identifier: ISC */
/*
 * What only a whole port can show: values that are each allowed but make no
 * sense together.  Each finding is told at the file and line of the value at
 * fault.  A key whose value was already refused is not judged again.
 */
#include "config_room.h"

#include <stdio.h>
#include <string.h>

/* A port or profile under check. */
struct check {
	const struct config *c;
	struct config_errors *errors;
	const struct config_resolved *r;
};

#define ADMIN(member) offsetof(struct config_values, port.admin.member)

static const struct config_value *
origin_of(const struct check *k, size_t offset)
{
	return k->r->origin[config_key_at(offset) - config_keys];
}

static bool
is_bad(const struct check *k, size_t offset)
{
	const struct config_value *v = origin_of(k, offset);

	return v != NULL && v->bad;
}

static void
report(const struct check *k, const struct config_value *v, bool warning,
    const char *text)
{
	char path[128];

	config_path(&k->c->section[v->section], v, path, sizeof path);
	config_error_add(k->errors, v->file, v->line, warning, path, "%s",
	    text);
}

static void
check_bandwidth(const struct check *k)
{
	const struct dcb_ets *e = &k->r->v.port.admin.ets.table;
	const struct config_value *v = origin_of(k, ADMIN(ets.table.tc_bw));
	bool has_ets;
	unsigned sum = dcb_ets_bw_sum(e, &has_ets);
	char text[CONFIG_TEXT_MAX];

	if (is_bad(k, ADMIN(ets.table.tc_bw)) ||
	    is_bad(k, ADMIN(ets.table.tc_tsa)))
		return;
	snprintf(text, sizeof text, "the classes with tc-tsa ets have %u"
	    " percent together; allowed: exactly 100", sum);
	if (has_ets && sum != 100)
		report(k, v != NULL ? v :
		    origin_of(k, ADMIN(ets.table.tc_tsa)), false, text);
	for (unsigned i = 0; i < DCB_TCS; i++) {
		if (e->tc_tsa[i] == DCB_TSA_ETS || e->tc_bw[i] == 0)
			continue;
		snprintf(text, sizeof text, "class %u has %u percent, which"
		    " does not count: its tc-tsa is %s, not ets", i,
		    e->tc_bw[i], dcb_tsa_name(e->tc_tsa[i]));
		report(k, v, true, text);
	}
}

static void
check_pfc_cap(const struct check *k)
{
	const struct dcbx_admin *a = &k->r->v.port.admin;
	unsigned n = dcb_prio_count(a->pfc.prio_pfc);
	char text[CONFIG_TEXT_MAX];

	if (a->pfc.cap == 0 || n <= a->pfc.cap ||
	    is_bad(k, ADMIN(pfc.cap)) || is_bad(k, ADMIN(pfc.prio_pfc)))
		return;
	snprintf(text, sizeof text, "found %u lossless priorities; allowed: at"
	    " most %u, the cap of this port", n, a->pfc.cap);
	report(k, origin_of(k, ADMIN(pfc.prio_pfc)), false, text);
}

/* A paused class holds up every priority in it. */
static void
check_mixed_class(const struct check *k)
{
	const struct dcbx_admin *a = &k->r->v.port.admin;
	const struct config_value *v = origin_of(k, ADMIN(ets.table.prio_tc));
	unsigned in_tc[DCB_TCS] = { 0 };
	char text[CONFIG_TEXT_MAX], lossless[24], lossy[24];

	if (is_bad(k, ADMIN(ets.table.prio_tc)) ||
	    is_bad(k, ADMIN(pfc.prio_pfc)))
		return;
	for (unsigned p = 0; p < DCB_PRIOS; p++)
		in_tc[a->ets.table.prio_tc[p]] |= 1u << p;
	if (v == NULL)
		v = origin_of(k, ADMIN(pfc.prio_pfc));
	for (unsigned tc = 0; tc < DCB_TCS; tc++) {
		uint8_t yes = (uint8_t)(in_tc[tc] & a->pfc.prio_pfc);
		uint8_t no = (uint8_t)(in_tc[tc] & ~a->pfc.prio_pfc & 0xffu);

		if (yes == 0 || no == 0)
			continue;
		dcbx_prios_text(yes, lossless, sizeof lossless);
		dcbx_prios_text(no, lossy, sizeof lossy);
		snprintf(text, sizeof text, "class %u holds the lossless"
		    " priorities %s and the lossy %s: a pause stops them all",
		    tc, lossless, lossy);
		report(k, v, true, text);
	}
}

static bool
is_roce(const struct dcb_app *a)
{
	return (a->selector == DCB_SEL_ETHTYPE &&
		   a->protocol == DCB_ETHTYPE_ROCE) ||
	    (a->selector == DCB_SEL_DGRAM_PORT &&
		a->protocol == DCB_PORT_ROCEV2);
}

static void
check_apps(const struct check *k)
{
	const struct dcbx_admin *a = &k->r->v.port.admin;
	const struct dcb_app_table *t = &a->app.table;
	char text[CONFIG_TEXT_MAX], lossless[24];

	dcbx_prios_text(a->pfc.prio_pfc, lossless, sizeof lossless);
	for (unsigned i = 0; i < t->n; i++) {
		if (!is_roce(&t->entry[i]) ||
		    (a->pfc.prio_pfc >> t->entry[i].priority & 1) != 0 ||
		    is_bad(k, ADMIN(pfc.prio_pfc)))
			continue;
		snprintf(text, sizeof text, "RoCE is on priority %u, which"
		    " drops frames: prio-pfc is %s", t->entry[i].priority,
		    lossless);
		report(k, k->r->app_origin[i], true, text);
	}
	if (k->r->app_overflow == NULL)
		return;
	snprintf(text, sizeof text, "one application too many; allowed: %d,"
	    " as many as one TLV holds", DCB_APP_MAX);
	report(k, k->r->app_overflow, false, text);
}

static void
check_backends(const struct check *k)
{
	const struct config_port *p = &k->r->v.port;
	const struct config_key *row = config_key_find("port", "backends");
	const struct config_value *v = k->r->origin[row - config_keys];

	if (v == NULL || v->bad)
		return;
	for (size_t i = 0; i < p->n_backends; i++) {
		if (strcmp(p->backends[i], "auto") == 0 && p->n_backends > 1) {
			report(k, v, false, "auto stands alone: it chooses");
			return;
		}
		for (size_t j = 0; j < i; j++)
			if (strcmp(p->backends[i], p->backends[j]) == 0)
				report(k, v, false,
				    "one backend is named twice");
	}
}

static void
check_io(const struct check *k)
{
	const struct config_port *p = &k->r->v.port;
	const struct config_value *v = origin_of(k, offsetof(
	    struct config_values, port.native_vid));
	char text[CONFIG_TEXT_MAX];

	if (p->io_pcap || p->native_vid == 0 || v->bad ||
	    is_bad(k, offsetof(struct config_values, port.io_pcap)))
		return;
	snprintf(text, sizeof text, "found %u with io = packet; allowed: 0, or"
	    " io = pcap beside it", p->native_vid);
	report(k, v, false, text);
}

#define SETUP(member) offsetof(struct config_values, port.setup.member)

/* 0 is "derived" and fits everything. */
static void
check_below(const struct check *k, size_t low, size_t high,
    const char *sentence)
{
	const uint8_t *values = (const uint8_t *)&k->r->v;
	const struct config_value *v = origin_of(k, low);
	char text[CONFIG_TEXT_MAX];
	uint32_t a, b;

	memcpy(&a, values + low, sizeof a);
	memcpy(&b, values + high, sizeof b);
	if (a == 0 || b == 0 || a < b || is_bad(k, low) || is_bad(k, high))
		return;
	snprintf(text, sizeof text, "found %u; allowed: less than the %u of"
	    " %s, %s", a, b, config_key_at(high)->name, sentence);
	report(k, v, false, text);
}

static void
check_thresholds(const struct check *k)
{
	check_below(k, SETUP(ecn.kmin), SETUP(ecn.kmax),
	    "where all frames are marked");
	check_below(k, SETUP(ecn.kmax), SETUP(buffer.xoff),
	    "or a pause comes before any mark");
	check_below(k, SETUP(buffer.xon), SETUP(buffer.xoff),
	    "or a pause would never end");
}

/* What NICs accept and nobody means (field case B141). */
static void
check_nic(const struct check *k)
{
	const struct config_key *row = config_key_find("nic-rp",
	    "rpg-min-dec-fac");
	const struct config_value *v = k->r->origin[row - config_keys];

	if (v == NULL || v->bad || v->number[0] != 100)
		return;
	report(k, v, true, "100 percent of the rate are left: a CNP never"
	    " reduces it");
}

/* CNPs that wait behind a pause come too late to end it. */
static void
check_cnp(const struct check *k)
{
	const struct config_port *p = &k->r->v.port;
	const struct config_nic *np = &p->setup.nic_np;
	const struct dcb_app_table *t = &p->admin.app.table;
	uint32_t bit = UINT32_C(1) << CONFIG_NP_CNP_DSCP;
	const struct dcb_app *a;
	char text[CONFIG_TEXT_MAX];

	if ((np->set & bit) == 0)
		return;
	a = dcb_app_find(t, DCB_SEL_DSCP,
	    (uint16_t)np->value[CONFIG_NP_CNP_DSCP]);
	if (a == NULL || (p->admin.pfc.prio_pfc >> a->priority & 1) == 0 ||
	    is_bad(k, ADMIN(pfc.prio_pfc)))
		return;
	snprintf(text, sizeof text, "CNPs with this DSCP are on priority %u,"
	    " which is lossless: a pause holds them up", a->priority);
	report(k, k->r->app_origin[a - t->entry], true, text);
}

static void
check_exec(const struct check *k)
{
	const struct config_port *p = &k->r->v.port;
	const struct config_key *row = config_key_find("port", "backends");
	const struct config_value *v = k->r->origin[row - config_keys];

	if (v == NULL || v->bad || p->setup.exec.command[0] != '\0' ||
	    is_bad(k, SETUP(exec.command)))
		return;
	for (size_t i = 0; i < p->n_backends; i++)
		if (strcmp(p->backends[i], "exec") == 0)
			report(k, v, false, "exec needs a command in section"
			    " exec");
}

/* A look later than a storm begins or ends would miss it. */
static void
check_watchdog(const struct check *k)
{
	const struct config_setup *s = &k->r->v.port.setup;
	const size_t poll = SETUP(watchdog.poll_ms);
	const struct config_value *v = origin_of(k, poll);
	const unsigned restore = s->watchdog.restore_ms;
	unsigned least = s->watchdog.detect_ms;
	char text[CONFIG_TEXT_MAX];

	if (restore != 0 && restore < least)
		least = restore;
	if (v == NULL || v->bad || s->watchdog.poll_ms <= least ||
	    is_bad(k, SETUP(watchdog.detect_ms)) ||
	    is_bad(k, SETUP(watchdog.restore_ms)))
		return;
	snprintf(text, sizeof text, "found %u; it is cut to the %u ms of"
	    " detect-ms and restore-ms", s->watchdog.poll_ms, least);
	report(k, v, true, text);
}

static void
check_resolved(const struct check *k)
{
	check_io(k);
	check_bandwidth(k);
	check_pfc_cap(k);
	check_mixed_class(k);
	check_apps(k);
	check_backends(k);
	check_thresholds(k);
	check_watchdog(k);
	check_nic(k);
	check_cnp(k);
	check_exec(k);
}

static const char *
nth_profile(const void *from, size_t i)
{
	const struct config *c = from;

	for (size_t s = 0; s < c->n; s++)
		if (c->section[s].kind == SECTION_PROFILE && i-- == 0)
			return c->section[s].title;
	return i < c->n_shipped ? c->shipped[i] : NULL;
}

/* Each profile named exists, also where another section overrides it. */
static void
check_profile_names(const struct check *k, const struct section *s)
{
	const struct config_key *row = config_key_find("port", "profile");
	char text[CONFIG_TEXT_MAX], found[80], near[80] = "";
	const char *best;

	for (size_t i = 0; i < s->n; i++) {
		const struct config_value *v = &s->value[i];

		if (v->key != row || v->bad || v->text[0] == '\0' ||
		    config_profile_find(k->c, v->text) != NULL)
			continue;
		best = config_nearest(v->text, nth_profile, k->c);
		config_quote(v->text, found, sizeof found);
		if (best != NULL)
			config_quote(best, near, sizeof near);
		snprintf(text, sizeof text, "no profile is named %s%s%s%s",
		    found, best ? "; did you mean " : "", near,
		    best ? "?" : "");
		report(k, v, false, text);
	}
}

void
config_check_port(const struct config *c, const char *name,
    struct config_errors *errors)
{
	struct config_resolved r;
	struct check k = { c, errors, &r };

	config_resolve(c, name, NULL, &r);
	check_resolved(&k);
}

/*
 * A port section is taken as the port that has its title for a name; a
 * profile that ports use is judged with them, as they may complete it.
 */
void
config_check(struct config *c, struct config_errors *errors)
{
	struct config_resolved r;
	struct check k = { c, errors, &r };

	for (size_t i = 0; i < c->n; i++) {
		if (c->section[i].kind == SECTION_IFACE)
			config_check_port(c, c->section[i].title, errors);
		if (c->section[i].kind != SECTION_PORT)
			continue;
		check_profile_names(&k, &c->section[i]);
		config_resolve(c, c->section[i].title, NULL, &r);
		if (r.profile != NULL)
			c->section[r.profile - c->section].used = true;
		check_resolved(&k);
	}
	for (size_t i = 0; i < c->n; i++) {
		const struct section *s = &c->section[i];

		if (s->kind != SECTION_PROFILE || s->used)
			continue;
		config_resolve(c, NULL, s, &r);
		check_resolved(&k);
	}
}
