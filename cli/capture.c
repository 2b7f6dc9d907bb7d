/* SPDX-License-Identifier: ISC */
/*
 * Frames from a file; see capture.h.
 *
 * The whole input is read first: then its first octets tell what it is, also
 * on a pipe, and libpcap reads savefiles out of memory.  Only Ethernet.
 */
#include "config.h"

#include "capture.h"

#include <ctype.h>
#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dcbxctl.h"
#include "libdcbx/text.h"
#include "out.h"

#define INPUT_MAX ((size_t)256 << 20)
#define ETHERNET_HEAD 14
#define YEAR_9999 253402300799 /* the last second a date can name */

struct capture {
	char *name;
	char *text; /* the input as read */
	size_t len;
	pcap_t *pcap;	/* NULL: one frame of hex */
	uint8_t *frame; /* that frame */
	size_t frame_len;
	size_t number;
};

static const uint8_t magics[][4] = {
	{ 0xd4, 0xc3, 0xb2, 0xa1 }, { 0xa1, 0xb2, 0xc3, 0xd4 },
	{ 0x4d, 0x3c, 0xb2, 0xa1 }, { 0xa1, 0xb2, 0x3c, 0x4d },
	{ 0x0a, 0x0d, 0x0d, 0x0a }, /* pcapng */
};

static bool
is_savefile(const struct capture *c)
{
	for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
		if (c->len >= 4 && memcmp(c->text, magics[i], 4) == 0)
			return true;
	return false;
}

static bool
make_room(struct capture *c, size_t *size)
{
	char *text;

	if (c->len < *size)
		return true;
	errno = EFBIG;
	if (*size >= INPUT_MAX)
		return false;
	*size = *size == 0 ? 65536 : 2 * *size;
	text = realloc(c->text, *size);
	if (text == NULL)
		return false;
	c->text = text;
	return true;
}

/* All of a stream. */
static bool
slurp(struct capture *c, FILE *f)
{
	size_t size = 0, n;

	do {
		if (!make_room(c, &size))
			return false;
		n = fread(c->text + c->len, 1, size - c->len, f);
		c->len += n;
	} while (n > 0);
	return ferror(f) == 0;
}

static bool
read_file(struct capture *c, const char *path)
{
	bool is_stdin = strcmp(path, "-") == 0;
	FILE *f = is_stdin ? stdin : fopen(path, "rb");
	bool ok = f != NULL && slurp(c, f);

	if (!ok)
		ctl_complain("%s: %s", path, strerror(errno));
	if (f != NULL && !is_stdin)
		fclose(f);
	return ok;
}

static int
digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' :
	    c >= 'a' && c <= 'f' ? c - 'a' + 10 :
	    c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Hex digits with white space anywhere between octets and lines. */
static const char *
read_hex(struct capture *c)
{
	int high = -1;

	c->frame = out_alloc(c->len / 2 + 1);
	for (size_t i = 0; i < c->len; i++) {
		int d = digit(c->text[i]);

		if (d < 0 && !isspace((unsigned char)c->text[i]))
			return "neither a pcap, nor a pcapng, nor hex digits";
		if (d < 0)
			continue;
		if (high >= 0)
			c->frame[c->frame_len++] = (uint8_t)(high << 4 | d);
		high = high >= 0 ? -1 : d;
	}
	if (high >= 0)
		return "an odd number of hex digits";
	if (c->frame_len < ETHERNET_HEAD)
		return "shorter than an Ethernet header";
	return NULL;
}

static const char *
read_savefile(struct capture *c, char *error)
{
	FILE *f = fmemopen(c->text, c->len, "rb");
	int type;

	if (f == NULL)
		return strerror(errno);
	c->pcap = pcap_fopen_offline(f, error);
	if (c->pcap == NULL) {
		fclose(f);
		return error;
	}
	type = pcap_datalink(c->pcap);
	if (type == DLT_EN10MB)
		return NULL;
	snprintf(error, PCAP_ERRBUF_SIZE, "link type %d is not Ethernet",
	    type);
	return error;
}

/* "/tmp/V1-switch.pcap" -> "V1-switch", as clean UTF-8 */
static char *
base_name(const char *source, bool is_file)
{
	char name[DCBX_TEXT_MAX];
	const char *slash = strrchr(source, '/');
	const char *base = slash != NULL ? slash + 1 : source;
	const char *dot = strrchr(base, '.');
	size_t len = dot != NULL && dot > base ? (size_t)(dot - base) :
	    strlen(base);

	if (!is_file)
		return out_printf("hex");
	if (strcmp(source, "-") == 0)
		return out_printf("stdin");
	dcbx_text_clean(name, sizeof name, base, len);
	return out_printf("%s", name);
}

static bool
is_hex_text(const char *s)
{
	for (; *s != '\0'; s++)
		if (digit(*s) < 0 && !isspace((unsigned char)*s))
			return false;
	return true;
}

static bool
is_there(const char *path)
{
	FILE *f = fopen(path, "rb");

	if (f != NULL)
		fclose(f);
	return f != NULL || errno != ENOENT;
}

struct capture *
capture_open(const char *source)
{
	struct capture *c = out_alloc(sizeof *c);
	char error[PCAP_ERRBUF_SIZE] = "";
	bool is_file = strcmp(source, "-") == 0 || !is_hex_text(source) ||
	    is_there(source);
	const char *why = NULL;

	c->name = base_name(source, is_file);
	if (is_file && !read_file(c, source)) {
		capture_close(c);
		return NULL;
	}
	if (!is_file) {
		c->text = out_printf("%s", source);
		c->len = strlen(source);
	}
	why = is_savefile(c) ? read_savefile(c, error) : read_hex(c);
	if (why == NULL)
		return c;
	ctl_complain("%s: %s", is_file ? source : "hex", why);
	capture_close(c);
	return NULL;
}

void
capture_close(struct capture *c)
{
	if (c == NULL)
		return;
	if (c->pcap != NULL)
		pcap_close(c->pcap); /* closes its stream too */
	free(c->frame);
	free(c->text);
	free(c->name);
	free(c);
}

const char *
capture_name(const struct capture *c)
{
	return c->name;
}

static int64_t
microseconds(const struct timeval *tv)
{
	if (tv->tv_sec < 0 || tv->tv_sec > YEAR_9999)
		return CAPTURE_TIME_NONE;
	return (int64_t)tv->tv_sec * 1000000 + tv->tv_usec;
}

static int
next_hex(struct capture *c, struct capture_frame *f)
{
	if (c->number++ > 0)
		return 0;
	*f = (struct capture_frame) { 1, CAPTURE_TIME_NONE, c->frame,
		c->frame_len, c->frame_len };
	return 1;
}

int
capture_next(struct capture *c, struct capture_frame *f)
{
	struct pcap_pkthdr *h;
	const u_char *data;
	int n;

	if (c->pcap == NULL)
		return next_hex(c, f);
	n = pcap_next_ex(c->pcap, &h, &data);
	if (n == PCAP_ERROR_BREAK)
		return 0;
	if (n != 1) {
		ctl_complain("%s: frame %zu: %s", c->name, c->number + 1,
		    pcap_geterr(c->pcap));
		return -1;
	}
	*f = (struct capture_frame) { ++c->number, microseconds(&h->ts), data,
		h->caplen, h->len };
	return 1;
}
