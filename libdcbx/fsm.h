/* SPDX-License-Identifier: ISC */
/*
 * Guarded transition tables: a state machine one can hold beside the figure
 * of its standard.
 *
 * Rows stand in the figure's order and the first whose guard holds wins.
 * FSM_ANY rows are the figure's global transitions; one does not fire again
 * while the machine is in its target.  fsm_run() steps until no guard holds,
 * with a bound, never by recursion.  Guards look, entry actions do.
 */
#ifndef FSM_H
#define FSM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FSM_ANY (-1)
#define FSM_STEPS 128 /* more than any machine here can take in one run */

struct fsm_row {
	int from; /* a state or FSM_ANY */
	bool (*guard)(const void *ctx);
	int to;
	const char *when; /* the guard in the standard's words */
};

struct fsm {
	const char *name;
	const char *const *states; /* names, in state order */
	size_t n_states;
	void (*const *entry)(void *ctx); /* per state; NULL = nothing */
	const struct fsm_row *rows;
	size_t n_rows;
	/* tells a step taken, for event and trace; may be NULL */
	void (*trace)(void *ctx, const struct fsm *, const struct fsm_row *,
	    int from);
};

/* The row that fires in this state, or NULL.  No side effect. */
const struct fsm_row *fsm_next(const struct fsm *, int state, const void *ctx);

/* Enter a state: store it, run its action. */
void fsm_enter(const struct fsm *, int *state, int to, void *ctx);

/* Step to quiescence; the number of steps, or -ELOOP at the bound. */
int fsm_run(const struct fsm *, int *state, void *ctx);

#endif
