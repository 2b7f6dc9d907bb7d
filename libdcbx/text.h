/* SPDX-License-Identifier: ISC */
/*
 * Octets of a peer as text that can do no harm.
 *
 * Two steps, both reversible.  dcbx_text_clean() makes valid UTF-8 for JSON:
 * an octet that is no UTF-8, and NUL, becomes \xNN and a backslash doubles.
 * dcbx_text_safe() takes such text to a terminal: control characters,
 * quotes, line ends and direction marks become escapes as well.
 */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Room that any 255 octets fit after either step. */
#define DCBX_TEXT_MAX 2048

/* Both end out with NUL, cut at a whole character, return the length. */
size_t dcbx_text_clean(char *out, size_t size, const void *in, size_t len);
size_t dcbx_text_safe(char *out, size_t size, const char *clean);

/* Lower-case hex, sep between octets (0 = none); cut where out ends. */
size_t dcbx_text_hex(char *out, size_t size, const void *in, size_t len,
    char sep);

#ifdef __cplusplus
}
#endif

#endif
