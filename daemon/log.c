/* SPDX-License-Identifier: ISC */
/*
 * One line for people, on stderr.  Who writes to it says how much it matters;
 * the command line says how much is wanted.
 */
#include <config.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdcbx/text.h"
#include "log.h"

#define LINE_MAX_LEN 1024 /* what is longer is cut */

static int log_max = LOG_NOTICE;
static bool log_to_journal;

/* systemd says which device and inode the journal's end of stderr is. */
static bool
stderr_is_journal(void)
{
	const char *told = getenv("JOURNAL_STREAM");
	unsigned long long dev, ino;
	struct stat st;

	return told != NULL && sscanf(told, "%llu:%llu", &dev, &ino) == 2 &&
	    fstat(STDERR_FILENO, &st) == 0 && st.st_dev == dev &&
	    st.st_ino == ino;
}

void
log_open(int verbose)
{
	static const int max[] = { LOG_NOTICE, LOG_INFO, LOG_DEBUG };

	log_max = max[verbose > 2 ? 2 : verbose];
	log_to_journal = stderr_is_journal();
}

bool
log_wants(int priority)
{
	return priority <= log_max;
}

bool
log_is_journal(void)
{
	return log_to_journal;
}

/* One write per line, so that lines of two processes do not mix. */
static void
log_write(int priority, const char *port, const char *fmt, va_list ap)
{
	char level[8] = "", name[LINE_MAX_LEN] = "", line[LINE_MAX_LEN];

	if (log_to_journal)
		snprintf(level, sizeof(level), "<%d>", priority);
	if (port != NULL)
		dcbx_text_safe(name, sizeof(name), port);
	vsnprintf(line, sizeof(line), fmt, ap);
	fprintf(stderr, "%s%s%s%s\n", level, name, port == NULL ? "" : ": ",
	    line);
}

void
log_line(int priority, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (log_wants(priority))
		log_write(priority, NULL, fmt, ap);
	va_end(ap);
}

void
log_port(int priority, const char *port, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (log_wants(priority))
		log_write(priority, port, fmt, ap);
	va_end(ap);
}
