/* SPDX-License-Identifier: ISC */
/*
 * `dcbxctl record`: the frames that the daemon's recorder has of a port, as
 * a pcap.  A file is written beside itself and renamed, so that it is whole
 * or not there.
 */
#include "config.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conn.h"
#include "dcbxctl.h"
#include "out.h"
#include "pick.h"

#define SNAP_LENGTH 65535

static int
digit(char c)
{
	const char *digits = "0123456789abcdef", *p = strchr(digits, c);

	return c == '\0' || p == NULL ? -1 : (int)(p - digits);
}

/* Octets of hex digits; 0 where they are none. */
static size_t
octets(const char *hex, unsigned char *out, size_t size)
{
	size_t n = 0;

	for (; hex[0] != '\0' && n < size; hex += 2, n++) {
		int high = digit(hex[0]);
		int low = high < 0 ? -1 : digit(hex[1]);

		if (low < 0)
			return 0;
		out[n] = (unsigned char)(high << 4 | low);
	}
	return n;
}

/* "2026-11-29T20:00:00.000Z"; where it is none, since the daemon's start. */
static struct timeval
stamp(const json_t *frame)
{
	int64_t ms = pick_number(frame, "mono_ms", 0);
	struct timeval tv = { .tv_sec = (time_t)(ms / 1000),
		.tv_usec = (suseconds_t)(ms % 1000 * 1000) };
	struct tm tm = { .tm_isdst = 0 };
	const char *rest = strptime(pick_text(frame, "time", ""),
	    "%Y-%m-%dT%H:%M:%S", &tm);

	if (rest == NULL)
		return tv;
	tv.tv_sec = timegm(&tm);
	tv.tv_usec = 0;
	if (*rest == '.')
		tv.tv_usec = (suseconds_t)(strtod(rest, NULL) * 1e6);
	return tv;
}

/* How many could be written. */
static size_t
dump_frames(pcap_dumper_t *to, const json_t *frames)
{
	unsigned char *data = out_alloc(SNAP_LENGTH);
	const json_t *frame;
	size_t i, n = 0;

	json_array_foreach(frames, i, frame) {
		size_t len = octets(pick_text(frame, "hex", ""), data,
		    SNAP_LENGTH);
		struct pcap_pkthdr h = { .ts = stamp(frame),
			.caplen = (bpf_u_int32)len,
			.len = (bpf_u_int32)len };

		if (len == 0)
			continue;
		pcap_dump((unsigned char *)to, &h, data);
		n++;
	}
	free(data);
	return n;
}

/* Takes f.  False, and errno: not all could be written. */
static bool
dump_file(FILE *f, const json_t *frames, size_t *n)
{
	pcap_t *p = pcap_open_dead(DLT_EN10MB, SNAP_LENGTH);
	pcap_dumper_t *to = p == NULL ? NULL : pcap_dump_fopen(p, f);
	bool ok = to != NULL;

	if (ok)
		*n = dump_frames(to, frames);
	ok = ok && pcap_dump_flush(to) == 0 && ferror(f) == 0;
	if (to != NULL)
		pcap_dump_close(to);
	else
		fclose(f);
	if (p != NULL)
		pcap_close(p);
	return ok;
}

static bool
dump_stdout(const json_t *frames, size_t *n)
{
	int fd = dup(STDOUT_FILENO);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "wb");

	return f != NULL && dump_file(f, frames, n);
}

/* A device, a pipe or a link is written to, never put away for a file. */
static bool
is_special(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static bool
dump_path(const char *path, const json_t *frames, size_t *n)
{
	FILE *f = fopen(path, "wb");

	return f != NULL && dump_file(f, frames, n);
}

static bool
dump_new_file(const char *path, const json_t *frames, size_t *n)
{
	char *tmp = out_printf("%s.XXXXXX", path);
	mode_t mask = umask(0);
	int fd = mkstemp(tmp), err;
	FILE *f = fd < 0 ? NULL : fdopen(fd, "wb");
	bool ok = f != NULL && fchmod(fd, 0666 & ~mask) == 0;

	umask(mask);
	if (f != NULL)
		ok = dump_file(f, frames, n) && ok;
	ok = ok && rename(tmp, path) == 0;
	err = errno;
	if (!ok && fd >= 0)
		unlink(tmp);
	free(tmp);
	errno = err;
	return ok;
}

static void
print_sum(const struct ctl *ctl, char **words, size_t n)
{
	json_t *doc;

	if (!ctl->json) {
		out_line("%s: %zu frame%s", words[1], n, n == 1 ? "" : "s");
		return;
	}
	doc = json_pack("{si ss ss si}", "schema", 1, "port", words[0],
	    "file", words[1], "frames", (int)n);
	if (doc != NULL)
		out_json(doc, false);
	json_decref(doc);
}

int
record_run(const struct ctl *ctl, char **words)
{
	bool to_stdout = strcmp(words[1], "-") == 0, ok;
	int status;
	json_t *doc;
	size_t n = 0;

	if (to_stdout && ctl->json) {
		ctl_complain("either the frames or JSON can go to stdout");
		return CTL_USAGE;
	}
	doc = conn_ask(ctl, "org.dcbx.Record", conn_port(words[0]), words[0],
	    &status);
	if (doc == NULL)
		return status;
	ok = to_stdout ? dump_stdout(pick(doc, "frames"), &n) :
	    is_special(words[1]) ?
	    dump_path(words[1], pick(doc, "frames"), &n) :
	    dump_new_file(words[1], pick(doc, "frames"), &n);
	json_decref(doc);
	if (!ok) {
		ctl_complain("%s: %s", words[1], strerror(errno));
		return CTL_FAILED;
	}
	if (!to_stdout)
		print_sum(ctl, words, n);
	return status;
}
