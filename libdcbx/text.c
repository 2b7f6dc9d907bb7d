/* SPDX-License-Identifier: ISC */
/* Escaping of peer octets; see text.h. */
#include "text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct out {
	char *buf;
	size_t size; /* room for text, NUL apart */
	size_t len;
	bool full;
};

static struct out
out_start(char *buf, size_t size)
{
	return (struct out) { buf, size == 0 ? 0 : size - 1, 0, size == 0 };
}

/* All n octets or none, so that a cut never splits a character. */
static void
out_add(struct out *o, const char *s, size_t n)
{
	if (o->full || n > o->size - o->len) {
		o->full = true;
		return;
	}
	memcpy(o->buf + o->len, s, n);
	o->len += n;
}

static size_t
out_end(struct out *o, size_t size)
{
	if (size > 0)
		o->buf[o->len] = '\0';
	return o->len;
}

static void
out_hex(struct out *o, uint8_t c)
{
	static const char digit[] = "0123456789abcdef";
	char esc[4] = { '\\', 'x', digit[c >> 4], digit[c & 15] };

	out_add(o, esc, sizeof esc);
}

/* Length of the UTF-8 character at s, 0 if there is none (RFC 3629). */
static size_t
utf8_len(const uint8_t *s, size_t left, uint32_t *cp)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 :
	    s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;

	if (n == 0 || n > left)
		return 0;
	*cp = n == 1 ? s[0] : s[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*cp = *cp << 6 | (s[i] & 0x3f);
	}
	if (*cp < least[n] || *cp > 0x10ffff ||
	    (*cp >= 0xd800 && *cp <= 0xdfff))
		return 0;
	return n;
}

size_t
dcbx_text_clean(char *buf, size_t size, const void *in, size_t len)
{
	struct out o = out_start(buf, size);
	const uint8_t *s = in;

	for (size_t i = 0; i < len;) {
		uint32_t cp = 0;
		size_t n = utf8_len(s + i, len - i, &cp);

		if (n == 0 || cp == 0) {
			out_hex(&o, s[i++]);
			continue;
		}
		if (cp == '\\')
			out_add(&o, "\\\\", 2);
		else
			out_add(&o, (const char *)s + i, n);
		i += n;
	}
	return out_end(&o, size);
}

/* Characters that move a cursor, turn a line round or hide themselves. */
static bool
is_harmful(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || cp == 0xad ||
	    cp == 0x61c || (cp >= 0x200b && cp <= 0x200f) ||
	    (cp >= 0x2028 && cp <= 0x202e) || (cp >= 0x2060 && cp <= 0x206f) ||
	    cp == 0xfeff || (cp >= 0xfff0 && cp <= 0xffff) ||
	    (cp >= 0xe0000 && cp <= 0xe0fff);
}

size_t
dcbx_text_safe(char *buf, size_t size, const char *clean)
{
	struct out o = out_start(buf, size);
	size_t len = strlen(clean);
	const uint8_t *s = (const uint8_t *)clean;

	for (size_t i = 0; i < len;) {
		uint32_t cp = 0;
		size_t n = utf8_len(s + i, len - i, &cp);
		bool bad = n == 0 || is_harmful(cp);

		n = n == 0 ? 1 : n;
		if (cp == '\n')
			out_add(&o, "\\n", 2);
		else if (cp == '"')
			out_add(&o, "\\\"", 2);
		else if (!bad)
			out_add(&o, clean + i, n);
		else
			for (size_t k = 0; k < n; k++)
				out_hex(&o, s[i + k]);
		i += n;
	}
	return out_end(&o, size);
}

size_t
dcbx_text_hex(char *buf, size_t size, const void *in, size_t len, char sep)
{
	static const char digit[] = "0123456789abcdef";
	struct out o = out_start(buf, size);
	const uint8_t *s = in;

	for (size_t i = 0; i < len; i++) {
		char d[3] = { sep, digit[s[i] >> 4], digit[s[i] & 15] };
		bool with_sep = sep != '\0' && i > 0;

		out_add(&o, with_sep ? d : d + 1, with_sep ? 3 : 2);
	}
	return out_end(&o, size);
}
