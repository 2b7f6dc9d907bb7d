/* SPDX-License-Identifier: ISC */
/*
 * What is done to a file's text around libconfuse 3.3, by its own rules for
 * words: comments are blanked before, since it counts their lines wrongly
 * and takes none inside a statement; characters that it would skip without
 * a word are reported; and the statement of an unknown key is blanked, so
 * that the rest can be parsed.  Line ends stay where they are.
 */
#include "config_room.h"

#include <string.h>

#define BLANK " \t\r\n"
#define NOT_WORD BLANK "\"'={}()+,#*" /* ends a bare word */

static bool
is_comment(const char *p)
{
	return p[0] == '#' || (p[0] == '/' && (p[1] == '/' || p[1] == '*'));
}

static char *
comment_end(char *p)
{
	char *end;

	if (p[0] == '#' || p[1] == '/')
		return p + strcspn(p, "\n");
	end = strstr(p + 2, "*/");
	return end == NULL ? p + strlen(p) : end + 2;
}

/* Behind a bare word or a quoted one; p itself where there is none. */
static char *
word_end(char *p)
{
	char quote = *p;

	if (quote != '"' && quote != '\'')
		return p + strcspn(p, NOT_WORD);
	for (p++; *p != '\0' && *p != quote; p++)
		if (*p == '\\' && p[1] != '\0')
			p++;
	return *p == '\0' ? p : p + 1;
}

static char *
blank_end(char *p)
{
	return p + strspn(p, BLANK);
}

static void
blank(char *p, const char *end)
{
	for (; p < end; p++)
		if (*p != '\n')
			*p = ' ';
}

int
config_text_prepare(char *text, const char *file, struct config_errors *es)
{
	int line = 1, depth = 0;

	for (char *p = text, *end; *p != '\0';) {
		bool comment = is_comment(p);

		end = comment ? comment_end(p) : word_end(p);
		if (comment && p[1] == '*' && (end - p < 4 || end[-1] != '/'))
			config_error_add(es, file, line, false, "",
			    "this comment has no end");
		if (comment)
			blank(p, end);
		if (*p == '*' || (*p == '+' && p[1] != '='))
			config_error_add(es, file, line, false, "",
			    "found %c outside of quotes; allowed: \"...%c...\"",
			    *p, *p);
		depth += (*p == '{') - (*p == '}');
		if (end == p)
			end++;
		for (; p < end; p++)
			line += *p == '\n';
	}
	return depth > 0 ? line : 0;
}

/* From an opening brace to behind its closing one. */
static char *
braces_end(char *p)
{
	size_t depth = 0;

	do {
		char *end;

		p = blank_end(p);
		depth += *p == '{';
		depth -= *p == '}';
		end = word_end(p);
		p = end > p || *p == '\0' ? end : p + 1;
	} while (depth > 0 && *p != '\0');
	return p;
}

/* Behind a key: "= word", "= { list }", "{ section }", "title { section }". */
static char *
statement_end(char *p)
{
	p = blank_end(p);
	if (*p == '+')
		p++;
	if (*p == '=')
		p = blank_end(p + 1);
	else if (*p != '{')
		p = blank_end(word_end(p));
	return *p == '{' ? braces_end(p) : word_end(p);
}

static char *
line_find(char *text, int line)
{
	for (; line > 1 && text != NULL; line--) {
		text = strchr(text, '\n');
		if (text != NULL)
			text++;
	}
	return text;
}

/* The word may stand in quotes. */
static bool
word_is(const char *p, const char *end, const char *word)
{
	size_t len = strlen(word);

	if (end - p >= 2 && (*p == '"' || *p == '\'')) {
		p++;
		end--;
	}
	return (size_t)(end - p) == len && memcmp(p, word, len) == 0;
}

bool
config_text_cut(char *text, int line, const char *key)
{
	char *p = line_find(text, line);
	char before = '\n';

	while (p != NULL && *p != '\0' && *p != '\n') {
		char *end = word_end(p);

		if (end == p) {
			if (strchr(BLANK, *p) == NULL)
				before = *p;
			p++;
			continue;
		}
		/* behind these it is a value */
		if (before != '=' && before != ',' && word_is(p, end, key)) {
			blank(p, statement_end(end));
			return true;
		}
		before = 'x';
		p = end;
	}
	return false;
}
