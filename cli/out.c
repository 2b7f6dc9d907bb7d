/* SPDX-License-Identifier: ISC */
/*
 * Sentences and JSON for people and pipes, and what a terminal can show; see
 * out.h.  Tables are in out_table.c.
 */
#include "config.h"

#include "out_room.h"

#include <err.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

#include "libdcbx/text.h"

static bool colors;
static size_t columns = OUT_COLUMNS_LEAST;

void
out_init(enum out_when color)
{
	struct winsize w;
	const char *no = getenv("NO_COLOR");
	bool terminal = isatty(STDOUT_FILENO) == 1;

	colors = color == OUT_ALWAYS ||
	    (color == OUT_AUTO && terminal && (no == NULL || *no == '\0'));
	if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 &&
	    w.ws_col > OUT_COLUMNS_LEAST)
		columns = w.ws_col;
}

bool
out_colored(void)
{
	return colors;
}

size_t
out_columns(void)
{
	return columns;
}

/* ---- memory --------------------------------------------------------- */

void *
out_alloc(size_t size)
{
	void *p = calloc(1, size);

	if (p == NULL)
		err(1, "memory");
	return p;
}

static char *
out_vprintf(const char *fmt, va_list ap)
{
	char *s;

	if (vasprintf(&s, fmt, ap) < 0)
		err(1, "memory");
	return s;
}

char *
out_printf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = out_vprintf(fmt, ap);
	va_end(ap);
	return s;
}

/* ---- text ----------------------------------------------------------- */

/*
 * One character at s: its octets, and its columns or 0 where this locale
 * cannot show it.
 */
static size_t
character(const char *s, int *cols)
{
	mbstate_t state = { 0 };
	wchar_t c;
	size_t n = mbrtowc(&c, s, strlen(s), &state);
	int w;

	if (n == 0 || n == (size_t)-1 || n == (size_t)-2) {
		*cols = 0;
		return 1;
	}
	w = iswprint((wint_t)c) ? wcwidth(c) : -1;
	*cols = w > 0 ? w : 0;
	return n;
}

static bool own_texts;

void
out_own_texts(void)
{
	own_texts = true;
}

static void
plain_quotes(char *safe)
{
	char *to = safe;

	for (const char *s = safe; *s != '\0';) {
		if (s[0] == '\\' && s[1] == '"')
			s++;
		else if (s[0] == '\\' && s[1] == '\\')
			*to++ = *s++;
		*to++ = *s++;
	}
	*to = '\0';
}

/* Combining marks count as unshowable too: they could pile up on a cell. */
char *
out_safe(const char *text)
{
	size_t size = 4 * strlen(text) + 1, at = 0, n;
	char *safe = out_alloc(size);
	char *out = out_alloc(4 * size);
	int cols;

	dcbx_text_safe(safe, size, text);
	if (own_texts)
		plain_quotes(safe);
	for (const char *s = safe; *s != '\0'; s += n) {
		n = character(s, &cols);
		for (size_t i = 0; i < n; i++)
			if (cols > 0)
				out[at++] = s[i];
			else
				at += (size_t)sprintf(out + at, "\\x%02x",
				    (unsigned char)s[i]);
	}
	free(safe);
	return out;
}

size_t
out_text_width(const char *safe)
{
	size_t width = 0;
	int cols;

	for (const char *s = safe; *s != '\0';) {
		s += character(s, &cols);
		width += (size_t)cols;
	}
	return width;
}

/* Octets of the longest head that fits. */
static size_t
fitting(const char *safe, size_t width)
{
	const char *s = safe;
	int cols;

	while (*s != '\0') {
		size_t n = character(s, &cols);

		if ((size_t)cols > width)
			break;
		width -= (size_t)cols;
		s += n;
	}
	return (size_t)(s - safe);
}

/* Cut to a width; '~' says that something is missing. */
void
out_cut(char *safe, size_t width)
{
	if (width == 0 || out_text_width(safe) <= width)
		return;
	strcpy(safe + fitting(safe, width - 1), "~");
}

/* width 0: uncut */
static void
print_line(size_t width, const char *fmt, va_list ap)
{
	char *text = out_vprintf(fmt, ap), *safe = out_safe(text);

	if (width > 0)
		out_cut(safe, width);
	puts(safe);
	free(safe);
	free(text);
}

void
out_line(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_line(columns, fmt, ap);
	va_end(ap);
}

void
out_long_line(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_line(0, fmt, ap);
	va_end(ap);
}

/* Octets of the first line of s: whole words where one fits. */
static size_t
line_break(const char *s, size_t width)
{
	size_t n = fitting(s, width), word;

	if (s[n] == '\0' || s[n] == ' ')
		return n;
	for (word = n; word > 0 && s[word - 1] != ' ';)
		word--;
	while (word > 0 && s[word - 1] == ' ')
		word--;
	return word > 0 ? word : n;
}

void
out_text(size_t indent, const char *text)
{
	char *safe = out_safe(text);
	const char *s = safe;

	do {
		size_t n = line_break(s, columns - indent), shown = n;

		while (shown > 0 && s[shown - 1] == ' ')
			shown--;
		printf("%*s%.*s\n", shown > 0 ? (int)indent : 0, "",
		    (int)shown, s);
		s += n;
		s += strspn(s, " ");
	} while (*s != '\0');
	free(safe);
}

/* ---- documents, and the end ----------------------------------------- */

/* jansson leaves DEL as it is; it can only stand inside strings. */
static void
put_json(const char *text)
{
	for (size_t n; *text != '\0'; text += n) {
		n = strcspn(text, "\177");
		fwrite(text, 1, n, stdout);
		if (text[n] != '\0') {
			fputs("\\u007F", stdout);
			n++;
		}
	}
	putchar('\n');
}

void
out_json(const json_t *doc, bool one_line)
{
	size_t style = one_line ? JSON_COMPACT : JSON_INDENT(2);
	char *text = json_dumps(doc, JSON_ENSURE_ASCII |
	    JSON_REAL_PRECISION(15) | style); /* 0.1 stays 0.1 */

	if (text == NULL)
		err(1, "memory");
	put_json(text);
	free(text);
}

bool
out_flush(void)
{
	return fflush(stdout) == 0 && ferror(stdout) == 0;
}

int
out_end(int code)
{
	if (out_flush())
		return code;
	if (errno != EPIPE)
		warn("stdout");
	return code != 0 ? code : 1;
}
