/* SPDX-License-Identifier: ISC */
/*
 * `dcbxctl plan`: thresholds of a lossless fabric with their derivation, before
 * anything is deployed.  Needs no daemon.
 *
 * The arithmetic is the data path's (headroom.h, thresholds.h, lint.h); here
 * its results become one document, and the document becomes tables.
 */
#include "config.h"

#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "dcbxctl.h"
#include "out.h"
#include "pick.h"
#include "words.h"

/* ---- sentences --------------------------------------------------------- */

static char *
size_text(double bytes)
{
	return bytes < 1e4 ? out_printf("%.0f B", bytes) :
	    bytes < 1e7 ? out_printf("%.1f KB", bytes / 1e3) :
			  out_printf("%.1f MB", bytes / 1e6);
}

static char *
value_text(enum lint_unit unit, double v)
{
	switch (unit) {
	case LINT_BYTES:
		return size_text(v);
	case LINT_PERCENT:
		return out_printf("%.1f %%", v);
	case LINT_US:
		return out_printf("%g us", v);
	case LINT_RATIO:
		return out_printf("%.3g", v);
	case LINT_NUMBER:
		break;
	}
	return out_printf("%.0f", v);
}

/* The rule's text with its values in place of {1} .. {3}. */
static char *
sentence(const struct lint_rule *r, const double *value)
{
	const char *rest = r->text, *brace;
	char *text = out_printf("%s", "");

	while ((brace = strchr(rest, '{')) != NULL) {
		int i = brace[1] - '1';
		char *v = value_text(r->unit[i], value[i]);
		char *longer = out_printf("%s%.*s%s", text,
		    (int)(brace - rest), rest, v);

		free(v);
		free(text);
		text = longer;
		rest = brace + 3;
	}
	brace = text;
	text = out_printf("%s%s", brace, rest);
	free((char *)(uintptr_t)brace);
	return text;
}

/* ---- the document ------------------------------------------------------ */

static json_t *
number(uint64_t v)
{
	return json_integer((json_int_t)v);
}

static json_t *
prios(unsigned bits)
{
	json_t *all = json_array();

	for (unsigned i = 0; i < THRESHOLDS_PRIOS; i++)
		json_array_append_new(all, json_boolean(bits >> i & 1));
	return all;
}

static json_t *
input(const struct plan *p)
{
	const struct thresholds_in *in = &p->in;
	const struct headroom_link *l = &in->link;

	return json_pack("{so si si sf sI sI sI so si so sI so so si si sf "
	    "ss sf}", "speed_mbps", number(l->rate_mbps),
	    "cable_m", (int)l->cable_m, "mtu", (int)l->mtu,
	    "delay_us", in->delay_ns / 1e3,
	    "response_quanta", (json_int_t)l->response_quanta,
	    "interface_bits", (json_int_t)l->intf_bits,
	    "cell", (json_int_t)l->cell, "buffer", number(in->buffer),
	    "ports", (int)in->ports, "reserve", number(in->reserve),
	    "fan_out", (json_int_t)in->fan_out,
	    "prio_pfc", prios(p->lint.prio_pfc), "rdma", prios(p->lint.rdma),
	    "default_prio", p->lint.default_prio, "cnp_prio",
	    p->lint.cnp_prio, "cnp_interval_us", p->lint.cnp_interval,
	    "rp", p->lint.rp == RP_PAPER ? "paper" : "connectx",
	    "alpha_period_us", p->lint.alpha_period);
}

static json_t *
headroom(const struct plan *p)
{
	const struct headroom *h = &p->t.terms;

	return json_pack("{so so so so so so so so}",
	    "frames_bits", number(h->frames), "pfc_bits", number(h->pfc),
	    "cable_bits", number(h->cable),
	    "response_bits", number(h->response),
	    "interfaces_bits", number(h->interfaces),
	    "bits", number(h->bits), "bytes", number(h->bytes),
	    "crossing_bytes", number(p->t.crossing));
}

static json_t *
threshold(uint64_t bytes, enum thresholds_why why)
{
	return json_pack("{so ss}", "bytes", number(bytes), "why",
	    thresholds_whys[why]);
}

static json_t *
thresholds(const struct plan *p)
{
	const struct thresholds *t = &p->t;
	bool dynamic = p->in.alpha > 0;

	return json_pack("{so so so so so so so so}",
	    "alpha", dynamic ? json_real(p->in.alpha) : json_null(),
	    "bdp", number(t->bdp), "kmin", threshold(t->kmin, t->kmin_why),
	    "kmax", threshold(t->kmax, t->kmax_why),
	    "xoff", threshold(t->xoff, t->xoff_why),
	    "xoff_alone", dynamic ? number(t->xoff_alone) : json_null(),
	    "xon", threshold(t->xon, t->xon_why),
	    "headroom", threshold(t->headroom, t->headroom_why));
}

/* What a static plan promises to all is needed; a dynamic one shares. */
static uint64_t
promised(const struct plan *p)
{
	return p->in.alpha > 0 ? 0 :
	    p->in.ports * p->in.lossless * p->t.xoff;
}

static json_t *
buffer(const struct plan *p)
{
	const struct thresholds *t = &p->t;

	return json_pack("{so so so so so}", "headroom",
	    number(t->headroom_total), "reserves", number(t->reserve_total),
	    "xoff", p->in.alpha > 0 ? json_null() : number(promised(p)),
	    "needed", number(t->headroom_total + t->reserve_total +
	    promised(p)), "total", number(p->in.buffer));
}

static json_t *
rules(const struct plan *p)
{
	json_t *all = json_array();

	for (const struct lint_rule *r = lint_rules; r->name != NULL; r++) {
		double v[LINT_VALUES] = { 0 };
		bool broken = lint_broken(r, &p->lint, v);
		char *text = broken ? sentence(r, v) : NULL;

		json_array_append_new(all, json_pack("{ss ss sb ss?}",
		    "rule", r->name, "level", lint_levels[r->level],
		    "broken", broken, "text", text));
		free(text);
	}
	return all;
}

static json_t *
document(const struct plan *p)
{
	return json_pack("{si so so so so so}", "schema", 1, "input",
	    input(p), "headroom", headroom(p), "thresholds", thresholds(p),
	    "buffer", buffer(p), "rules", rules(p));
}

/* ---- tables ------------------------------------------------------------ */

enum { NAME, BYTES, WHY, COLUMNS };

static void
add(struct out_table *t, const char *name, int64_t n, char *why)
{
	char *text = out_printf("%12" JSON_INTEGER_FORMAT, (json_int_t)n);
	const char *cell[COLUMNS] = { name, text, why };

	out_row(t, cell);
	free(text);
	free(why);
}

static void
print_input(const json_t *in, const json_t *thresholds)
{
	char *speed = words_speed(pick_number(in, "speed_mbps", 0));
	char *lossless = words_prio_digits(pick(in, "prio_pfc"));
	char *memory = size_text((double)pick_number(in, "buffer", 0));
	double alpha = json_number_value(pick(thresholds, "alpha"));
	char *how = alpha > 0 ? out_printf("alpha %.4g", alpha) :
	    out_printf("static thresholds");
	char *text;

	text = out_printf("%s, cable %d m, MTU %d; %d port%s, buffer %s, %s,"
	    " lossless %s", speed, (int)pick_number(in, "cable_m", 0),
	    (int)pick_number(in, "mtu", 0), (int)pick_number(in, "ports", 0),
	    pick_number(in, "ports", 0) == 1 ? "" : "s", memory, how,
	    lossless);
	out_text(0, text);
	free(text);
	free(how);
	free(memory);
	free(lossless);
	free(speed);
}

static void
print_headroom(const json_t *doc)
{
	static const struct out_column columns[COLUMNS] = {
		[NAME] = { "HEADROOM", 0, 0 },
		[BYTES] = { "        BITS", 0, 0 },
		[WHY] = { "BECAUSE", 1, 20 },
	};
	struct out_table *t = out_table_new(columns, COLUMNS);
	const json_t *in = pick(doc, "input"), *h = pick(doc, "headroom");
	int64_t intf = pick_number(in, "interface_bits", 0);
	int64_t cell = pick_number(in, "cell", 1);

	add(t, "frames", pick_number(h, "frames_bits", 0),
	    out_printf("two of MTU + %d: ours on its way, the peer's begun",
		HEADROOM_FRAME_EXTRA));
	add(t, "PFC", pick_number(h, "pfc_bits", 0),
	    out_printf("the frame, its preamble and gap"));
	add(t, "cable", pick_number(h, "cable_bits", 0),
	    out_printf("there and back, %d m at %d ns",
		(int)pick_number(in, "cable_m", 0), HEADROOM_CABLE_NS_PER_M));
	add(t, "response", pick_number(h, "response_bits", 0),
	    out_printf("%d quanta of 512 for the peer to stop",
		(int)pick_number(in, "response_quanta", 0)));
	add(t, "interfaces", pick_number(h, "interfaces_bits", 0),
	    intf == 0 ? out_printf("delay at this speed not known, taken as"
		" 0") : out_printf("two of %d bit times: MAC, PHY, FEC",
		(int)intf));
	add(t, "sum", pick_number(h, "bits", 0),
	    out_printf("%d bytes%s", (int)pick_number(h, "bytes", 0),
		cell > 1 ? ", in whole cells" : ""));
	add(t, "crossing", 8 * pick_number(h, "crossing_bytes", 0),
	    out_printf("%d bytes: the frame that passes XOFF, kept whole",
		(int)pick_number(h, "crossing_bytes", 0)));
	out_table_end(t);
	out_text(0, "A switch that counts whole frames sees XOFF passed only"
	    " when the frame that passes it has come, and keeps that frame in"
	    " the headroom: the crossing.");
}

static void
add_threshold(struct out_table *t, const char *name, const json_t *value)
{
	add(t, name, pick_number(value, "bytes", 0),
	    out_printf("%s", pick_text(value, "why", "")));
}

static void
print_thresholds(const json_t *doc)
{
	static const struct out_column columns[COLUMNS] = {
		[NAME] = { "THRESHOLD ", 0, 0 },
		[BYTES] = { "       BYTES", 0, 0 },
		[WHY] = { "BECAUSE", 1, 20 },
	};
	struct out_table *t = out_table_new(columns, COLUMNS);
	const json_t *v = pick(doc, "thresholds");

	add(t, "BDP", pick_number(v, "bdp", 0), out_printf(
	    "%g us one way at full speed", json_number_value(
		pick(doc, "input.delay_us"))));
	add_threshold(t, "Kmin", pick(v, "kmin"));
	add_threshold(t, "Kmax", pick(v, "kmax"));
	add_threshold(t, "XOFF", pick(v, "xoff"));
	if (pick(v, "xoff_alone") != NULL)
		add(t, "XOFF alone", pick_number(v, "xoff_alone", 0),
		    out_printf("dynamic, nothing else congested"));
	add_threshold(t, "XON", pick(v, "xon"));
	add_threshold(t, "headroom", pick(v, "headroom"));
	out_table_end(t);
}

static void
print_buffer(const json_t *doc, const struct plan *p)
{
	static const struct out_column columns[COLUMNS] = {
		[NAME] = { "BUFFER    ", 0, 0 },
		[BYTES] = { "       BYTES", 0, 0 },
		[WHY] = { "BECAUSE", 1, 20 },
	};
	struct out_table *t = out_table_new(columns, COLUMNS);
	const json_t *b = pick(doc, "buffer");
	unsigned ports = p->in.ports, lossless = p->in.lossless;

	add(t, "headroom", pick_number(b, "headroom", 0),
	    out_printf("%u ports, %u lossless of each", ports, lossless));
	add(t, "reserves", pick_number(b, "reserves", 0),
	    out_printf("%u ports, 8 priorities of each", ports));
	if (pick(b, "xoff") != NULL)
		add(t, "XOFF", pick_number(b, "xoff", 0),
		    out_printf("%u ports, %u lossless of each", ports,
			lossless));
	add(t, "needed", pick_number(b, "needed", 0),
	    out_printf("%.1f %% of the memory",
		100. * (double)pick_number(b, "needed", 0) /
		(double)pick_number(b, "total", 1)));
	add(t, "memory", pick_number(b, "total", 0), out_printf("%s",
	    pick(b, "xoff") != NULL ? "of the switch" :
	    "of the switch; what is not needed is shared"));
	out_table_end(t);
}

static void
print_rules(const json_t *doc)
{
	int n[LINT_ERROR + 1] = { 0 }, all = 0;
	const json_t *rule;
	size_t i;

	json_array_foreach(pick(doc, "rules"), i, rule) {
		char *text;

		all++;
		if (!pick_true(rule, "broken"))
			continue;
		for (int level = LINT_INFO; level <= LINT_ERROR; level++)
			n[level] += pick_is(rule, "level",
			    lint_levels[level]);
		text = out_printf("%s %s: %s", pick_text(rule, "level", "?"),
		    pick_text(rule, "rule", "?"),
		    pick_text(rule, "text", ""));
		out_text(0, text);
		free(text);
	}
	out_line("%d rules: %d kept, %d error%s, %d warning%s, %d info", all,
	    all - n[LINT_INFO] - n[LINT_WARNING] - n[LINT_ERROR],
	    n[LINT_ERROR], n[LINT_ERROR] == 1 ? "" : "s", n[LINT_WARNING],
	    n[LINT_WARNING] == 1 ? "" : "s", n[LINT_INFO]);
}

static bool
has_errors(const struct plan *p)
{
	for (const struct lint_rule *r = lint_rules; r->name != NULL; r++) {
		double v[LINT_VALUES];

		if (r->level == LINT_ERROR && lint_broken(r, &p->lint, v))
			return true;
	}
	return false;
}

int
plan_run(const struct ctl *ctl, char **words)
{
	struct plan p;
	int code = plan_parse(&p, words);
	json_t *doc;

	if (code != CTL_DONE)
		return code;
	doc = document(&p);
	if (ctl->json) {
		out_json(doc, false);
	} else {
		print_input(pick(doc, "input"), pick(doc, "thresholds"));
		out_line("%s", "");
		print_headroom(doc);
		out_line("%s", "");
		print_thresholds(doc);
		out_line("%s", "");
		print_buffer(doc, &p);
		out_line("%s", "");
		print_rules(doc);
	}
	json_decref(doc);
	return has_errors(&p) ? CTL_FAILED : CTL_DONE;
}
