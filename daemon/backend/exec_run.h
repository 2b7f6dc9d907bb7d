/* SPDX-License-Identifier: ISC */
/*
 * One run of a program: no shell, a given environment, a text to read, an end
 * after so long, and little kept of what it says.  It knows nothing of DCB.
 * Only a program that nobody but root can change is run: exec_trust.h.
 */
#ifndef EXEC_RUN_H
#define EXEC_RUN_H

#include <stdbool.h>
#include <stddef.h>

#define EXEC_OUTPUT_MAX 4096

struct exec_run {
	const char *path;
	char *const *env; /* NULL at the end */
	const char *input;
	size_t input_len;
	unsigned timeout_ms;
};

struct exec_outcome {
	/* -errno: it did not run; the rest is nothing then, but for the path
	 * of what others than root may change, as output */
	int error;
	bool untrusted;
	bool timed_out; /* and was killed */
	int signal;	/* it ended by one; 0: it did not */
	int status;	/* its exit status where it ended by itself */
	size_t len;	/* of output, which a NUL follows */
	char output[EXEC_OUTPUT_MAX + 1]; /* both streams, the beginning */
};

/* May be called by several threads at once; each waits for its own. */
void exec_run(const struct exec_run *, struct exec_outcome *);

#endif
