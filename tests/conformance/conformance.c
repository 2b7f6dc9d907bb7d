/* SPDX-License-Identifier: ISC */
/*
 * conformance [--update] [CASE...]: frames in, the expected report and the
 * expected frames out, one verdict a line.
 *
 * A case is a directory: `steps` (what happens when, its first line says what
 * is shown), `want` (assertions written by hand from the standard's side),
 * expect.json and out.pcap (all that the agent told and sent, kept so that
 * nothing changes unseen; --update rewrites them, a human reviews), and
 * case.conf where the port's configuration is not cases/default.conf.
 *
 * steps:  port max-tcs|pfc-cap|native-vid|mtu|mac VALUE
 *         TIME up | down | goodbye | end
 *         TIME in NAME       a frame of the case or of tests/vectors
 *         TIME tlvs HEX      these TLVs in a frame of station aa
 *         TIME cut HEX       the same without End and padding
 *         TIME raw HEX       a whole frame
 *         TIME from N HEX    as tlvs, from station N (hex)
 * want:   PATH = VALUE, PATH != VALUE, PATH ~ PART; see want.c for VALUE
 */
#define _GNU_SOURCE /* versionsort: M2 before M10 */
#include <dirent.h>
#include <errno.h>
#include <pcap/pcap.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/common/config.h"
#include "libdcbx/text.h"
#include "rig.h"
#include "want.h"

#define LINE 4096

struct run {
	struct rig rig;
	char dir[600]; /* of the case */
	char title[160];
	bool started;
	char why[1024]; /* first difference; "" = none */
};

static const char *
cases_dir(void)
{
	static char path[400];
	const char *dir = getenv("srcdir");

	snprintf(path, sizeof path, "%s/tests/conformance/cases",
	    dir == NULL ? "." : dir);
	return path;
}

__attribute__((format(printf, 2, 3)))
static int
fail(struct run *run, const char *fmt, ...)
{
	va_list ap;

	if (run->why[0] == '\0') {
		va_start(ap, fmt);
		vsnprintf(run->why, sizeof run->why, fmt, ap);
		va_end(ap);
	}
	return -EINVAL;
}

/* ---- the port -------------------------------------------------------- */

static int
config_take(struct run *run)
{
	struct config_errors errors = { 0 };
	struct config_port port;
	struct config *c;
	char path[700];

	snprintf(path, sizeof path, "%s/case.conf", run->dir);
	if (access(path, F_OK) != 0)
		snprintf(path, sizeof path, "%s/default.conf", cases_dir());
	c = config_load(path, true, NULL, NULL, NULL, &errors);
	if (c == NULL)
		return fail(run, "%s: %s", path, errors.error[0].text);
	config_port(c, "eth0", &port);
	run->rig.admin = port.admin;
	config_free(c);
	return 0;
}

static int
port_set(struct run *run, const char *key, const char *value)
{
	struct dcbx_port *p = &run->rig.port;
	unsigned long n = strtoul(value, NULL, 10);

	if (strcmp(key, "max-tcs") == 0)
		p->max_tcs = (uint8_t)n;
	else if (strcmp(key, "pfc-cap") == 0)
		p->pfc_cap = (uint8_t)n;
	else if (strcmp(key, "native-vid") == 0)
		p->native_vid = (uint16_t)n;
	else if (strcmp(key, "mtu") == 0)
		p->mtu = (uint16_t)n;
	else if (strcmp(key, "mac") != 0 ||
	    rig_unhex(value, p->mac, sizeof p->mac) != DCBX_MAC)
		return fail(run, "steps: port %s %s?", key, value);
	return 0;
}

/* ---- the steps ------------------------------------------------------- */

static int
frame_in(struct run *run, const char *name)
{
	uint8_t frame[RIG_FRAME_MAX];
	int n = rig_load(run->dir, name, frame, sizeof frame);

	if (n < 0)
		n = rig_load(rig_vectors(), name, frame, sizeof frame);
	if (n < 0)
		return fail(run, "steps: no frame %s", name);
	rig_input(&run->rig, frame, (size_t)n);
	return 0;
}

static int
step_do(struct run *run, const char *verb, char *arg)
{
	uint8_t frame[RIG_FRAME_MAX];
	struct rig *r = &run->rig;
	char *hex = arg;
	unsigned long n;

	if (strcmp(verb, "up") == 0 || strcmp(verb, "down") == 0) {
		dcbx_link(r->agent, verb[0] == 'u', r->now);
	} else if (strcmp(verb, "goodbye") == 0) {
		dcbx_goodbye(r->agent, r->now);
	} else if (strcmp(verb, "in") == 0) {
		return frame_in(run, arg);
	} else if (strcmp(verb, "tlvs") == 0) {
		rig_hex(r, arg);
	} else if (strcmp(verb, "cut") == 0) {
		rig_input(r, frame, rig_cut(frame, 0xaa, arg));
	} else if (strcmp(verb, "raw") == 0) {
		int len = rig_unhex(arg, frame, sizeof frame);

		if (len < 0)
			return fail(run, "steps: not hex: %s", arg);
		rig_input(r, frame, (size_t)len);
	} else if (strcmp(verb, "from") == 0) {
		n = strtoul(arg, &hex, 16);
		rig_input(r, frame, rig_tlvs(frame, (uint8_t)n, hex));
	} else if (strcmp(verb, "end") != 0) {
		return fail(run, "steps: %s?", verb);
	}
	return 0;
}

static int
step_line(struct run *run, char *line)
{
	char *save = NULL;
	const char *first = strtok_r(line, " \t\n", &save);
	const char *verb = strtok_r(NULL, " \t\n", &save);
	char *arg = strtok_r(NULL, "\n", &save);

	if (first == NULL || first[0] == '#')
		return 0;
	if (verb == NULL)
		return fail(run, "steps: %s?", first);
	if (strcmp(first, "port") == 0)
		return port_set(run, verb, arg == NULL ? "" : arg);
	if (!run->started) {
		rig_start(&run->rig);
		run->started = true;
	}
	rig_run(&run->rig, strtoll(first, NULL, 10));
	return step_do(run, verb, arg == NULL ? line : arg);
}

static int
steps_run(struct run *run)
{
	char path[700], line[LINE];
	int err = 0;
	FILE *f;

	snprintf(path, sizeof path, "%s/steps", run->dir);
	f = fopen(path, "r");
	if (f == NULL)
		return fail(run, "no file steps");
	if (fgets(line, sizeof line, f) != NULL && line[0] == '#')
		snprintf(run->title, sizeof run->title, "%.*s",
		    (int)strcspn(line + 2, "\n"), line + 2);
	while (err == 0 && fgets(line, sizeof line, f) != NULL)
		err = step_line(run, line);
	fclose(f);
	return err;
}

/* ---- the goldens ----------------------------------------------------- */

static json_t *
found(const struct run *run)
{
	return json_pack("{s:o,s:O,s:i}", "port", rig_report(&run->rig),
	    "events", run->rig.lines, "oper_changes", (int)run->rig.told);
}

static int
golden_write(struct run *run, const json_t *doc)
{
	char path[700];

	snprintf(path, sizeof path, "%s/expect.json", run->dir);
	if (json_dump_file(doc, path, JSON_INDENT(1) | JSON_SORT_KEYS) != 0)
		return fail(run, "cannot write %s", path);
	return 0;
}

static int
golden_check(struct run *run, const json_t *doc)
{
	char path[700], diff[800];
	json_error_t e;
	json_t *want;

	snprintf(path, sizeof path, "%s/expect.json", run->dir);
	want = json_load_file(path, JSON_REJECT_DUPLICATES, &e);
	if (want == NULL)
		return fail(run, "expect.json: %s", e.text);
	if (want_differs("", want, doc, diff, sizeof diff))
		fail(run, "expect.json: %s", diff);
	json_decref(want);
	return 0;
}

static int
pcap_write(struct run *run)
{
	char path[700];
	pcap_t *p = pcap_open_dead(DLT_EN10MB, 65535);
	pcap_dumper_t *d;

	snprintf(path, sizeof path, "%s/out.pcap", run->dir);
	d = p == NULL ? NULL : pcap_dump_open(p, path);
	if (d == NULL)
		return fail(run, "cannot write %s", path);
	for (size_t i = 0; i < run->rig.n_sent; i++) {
		const struct rig_frame *s = &run->rig.sent[i];
		struct pcap_pkthdr h = { .caplen = (bpf_u_int32)s->len,
			.len = (bpf_u_int32)s->len };

		h.ts.tv_sec = s->at / 1000;
		h.ts.tv_usec = s->at % 1000 * 1000;
		pcap_dump((u_char *)d, &h, s->octets);
	}
	pcap_dump_close(d);
	pcap_close(p);
	return 0;
}

static int
pcap_frame_check(struct run *run, size_t i, const struct pcap_pkthdr *h,
    const u_char *octets)
{
	const struct rig_frame *s;
	dcbx_ms at = (dcbx_ms)h->ts.tv_sec * 1000 + h->ts.tv_usec / 1000;

	if (i >= run->rig.n_sent)
		return fail(run, "out.pcap: frame %zu was not sent", i + 1);
	s = &run->rig.sent[i];
	if (at != s->at)
		return fail(run, "out.pcap: frame %zu at %d ms, not %d",
		    i + 1, (int)s->at, (int)at);
	if (h->caplen != s->len)
		return fail(run, "out.pcap: frame %zu has %zu octets, not %u",
		    i + 1, s->len, h->caplen);
	for (size_t k = 0; k < s->len; k++)
		if (octets[k] != s->octets[k])
			return fail(run, "out.pcap: frame %zu octet %zu is "
			    "%02x, not %02x", i + 1, k, s->octets[k],
			    octets[k]);
	return 0;
}

static int
pcap_check(struct run *run)
{
	char path[700], why[PCAP_ERRBUF_SIZE];
	struct pcap_pkthdr *h;
	const u_char *octets;
	size_t i = 0;
	pcap_t *p;

	snprintf(path, sizeof path, "%s/out.pcap", run->dir);
	p = pcap_open_offline(path, why);
	if (p == NULL)
		return fail(run, "out.pcap: %s", why);
	while (pcap_next_ex(p, &h, &octets) == 1 &&
	    pcap_frame_check(run, i, h, octets) == 0)
		i++;
	pcap_close(p);
	if (i < run->rig.n_sent)
		return fail(run, "out.pcap: frame %zu is one too many", i + 1);
	return 0;
}

/* ---- one case -------------------------------------------------------- */

static void
want_check(struct run *run, const json_t *doc)
{
	char path[700], line[LINE], why[800];
	unsigned n = 0;
	FILE *f;

	snprintf(path, sizeof path, "%s/want", run->dir);
	f = fopen(path, "r");
	while (f != NULL && fgets(line, sizeof line, f) != NULL) {
		if (line[0] == '#' || line[0] == '\n')
			continue;
		n++;
		if (!want_holds(doc, line, why, sizeof why))
			fail(run, "want: %s", why);
	}
	if (f != NULL)
		fclose(f);
	if (n == 0)
		fail(run, "no assertion in want");
}

static json_t *
judged(const struct run *run, const json_t *doc)
{
	char last[2 * DCBX_FRAME_MAX + 1] = "";
	size_t n = run->rig.n_sent;
	json_t *all = json_copy((json_t *)(uintptr_t)doc);

	for (size_t k = 0; n > 0 && k < run->rig.sent[n - 1].len; k++)
		snprintf(last + 2 * k, 3, "%02x",
		    run->rig.sent[n - 1].octets[k]);
	json_object_set_new(all, "sent", json_pack("{s:i,s:s}", "frames",
	    (int)n, "last", last));
	return all;
}

static bool
case_run(const char *id, bool update)
{
	struct run run = { .title = "" };
	char why[2 * sizeof run.why];
	json_t *doc, *all;

	rig_init(&run.rig);
	snprintf(run.dir, sizeof run.dir, "%s/%s", cases_dir(), id);
	if (config_take(&run) == 0 && steps_run(&run) == 0 && run.started) {
		doc = found(&run);
		all = judged(&run, doc);
		if (update && golden_write(&run, doc) == 0)
			pcap_write(&run);
		want_check(&run, all);
		if (golden_check(&run, doc) == 0)
			pcap_check(&run);
		json_decref(all);
		json_decref(doc);
	}
	/* a difference may quote a hostile peer */
	dcbx_text_safe(why, sizeof why, run.why);
	printf("%s %-34s %s\n", why[0] == '\0' ? "PASS" : "FAIL", id,
	    why[0] == '\0' ? run.title : why);
	rig_free(&run.rig);
	return run.why[0] == '\0';
}

static int
is_case(const struct dirent *d)
{
	return d->d_name[0] != '.' && strchr(d->d_name, '.') == NULL;
}

int
main(int argc, char **argv)
{
	bool update = argc > 1 && strcmp(argv[1], "--update") == 0;
	unsigned passed = 0, failed = 0;
	struct dirent **list = NULL;
	int n = 0, first = update ? 2 : 1;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = first; i < argc; i++)
		*(case_run(argv[i], update) ? &passed : &failed) += 1;
	if (first >= argc)
		n = scandir(cases_dir(), &list, is_case, versionsort);
	for (int i = 0; i < n; i++) {
		*(case_run(list[i]->d_name, update) ? &passed : &failed) += 1;
		free(list[i]);
	}
	free(list);
	printf("conformance: %u passed, %u failed\n", passed, failed);
	return failed == 0 && passed > 0 ? 0 : 1;
}
