/* SPDX-License-Identifier: ISC */
/*
 * The list of backends.  A new backend is a file beside this one and a row in
 * the table below; nothing else in the daemon knows its name.
 */
#include <string.h>

#include "daemon/backend/backend.h"

const struct backend_ops *
backend_find(const char *name)
{
	for (size_t i = 0; backends[i] != NULL; i++)
		if (strcmp(backends[i]->name, name) == 0)
			return backends[i];
	return NULL;
}

const struct backend_ops *const backends[] = {
	&backend_none,
	&backend_dcbnl,
	&backend_roce,
	&backend_exec,
	&backend_datapath,
	NULL,
};
