/* SPDX-License-Identifier: ISC */
/* Runs the transition tables; see fsm.h. */
#include "fsm.h"

#include <errno.h>

const struct fsm_row *
fsm_next(const struct fsm *m, int state, const void *ctx)
{
	for (size_t i = 0; i < m->n_rows; i++) {
		const struct fsm_row *row = &m->rows[i];

		if (row->from != state && row->from != FSM_ANY)
			continue;
		if (row->from == FSM_ANY && row->to == state)
			continue;
		if (row->guard(ctx))
			return row;
	}
	return NULL;
}

void
fsm_enter(const struct fsm *m, int *state, int to, void *ctx)
{
	*state = to;
	if (m->entry[to] != NULL)
		m->entry[to](ctx);
}

int
fsm_run(const struct fsm *m, int *state, void *ctx)
{
	for (int steps = 0; steps < FSM_STEPS; steps++) {
		const struct fsm_row *row = fsm_next(m, *state, ctx);
		int from = *state;

		if (row == NULL)
			return steps;
		fsm_enter(m, state, row->to, ctx);
		if (m->trace != NULL)
			m->trace(ctx, m, row, from);
	}
	return -ELOOP;
}
