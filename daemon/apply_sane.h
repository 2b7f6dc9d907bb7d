/* SPDX-License-Identifier: ISC */
/*
 * What of the engine's words could bring the process with the capabilities
 * to grief, where nobody had looked at it before: see apply_sane.c.
 */
#ifndef APPLY_SANE_H
#define APPLY_SANE_H

#include "daemon/backend/backend.h"
#include "libdcbx/dcbx.h"

/* Does a text of size octets end within them? */
bool apply_text_ends(const char *text, size_t size);
/* Could an interface be called so?  It becomes a part of paths. */
bool apply_ifname_sane(const char name[CONFIG_NAME_MAX]);
/* As a device may have it. */
bool apply_oper_sane(const struct dcbx_oper *);
/* As a document can tell it. */
bool apply_traffic_sane(const struct dcbx_traffic *);
bool apply_memory_sane(const struct backend_memory *);
/* As it may be put into force. */
bool apply_value_sane(const struct dcbx_oper *);
bool apply_setup_sane(const struct config_setup *);

#endif
