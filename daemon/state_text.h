/* SPDX-License-Identifier: ISC */
/*
 * A state file's text: JSON of one version, one object, nothing that is not
 * known.  Pure: no file, no clock.
 */
#ifndef STATE_TEXT_H
#define STATE_TEXT_H

#include "state.h"

#define STATE_BOOT_ID 40
#define STATE_TEXT_MAX 32768 /* with NUL; the longest that we write fits */

/* NULL when memory is out; the caller's to free. */
char *state_text(const struct state_port *, const char *boot_id);
/* 0, -ESTALE (another boot), -EBADMSG.  *out is whole or not to be used. */
int state_parse(const char *text, const char *boot_id, struct state_port *);

char *state_text_chassis(const struct dcbx_id *);
int state_parse_chassis(const char *text, struct dcbx_id *);

#endif
