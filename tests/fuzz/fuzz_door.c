/* SPDX-License-Identifier: ISC */
/*
 * What comes over the data path's socket: a port's configuration to
 * dcbx-datapath, a port's state to dcbxd.  What is taken fits, and goes out and
 * in again unchanged.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/common/varlink.h"
#include "daemon/datapath/door/door.h"

static void
port_try(const json_t *in)
{
	struct door_port p, again;
	const char *key = NULL;
	json_t *out, *twice;

	if (door_port_parse(in, &p, &key) != 0) {
		if (key == NULL || strlen(key) > VARLINK_REQUEST_MAX)
			abort();
		return;
	}
	out = door_port_json(&p);
	if (door_port_check(&p) != NULL || out == NULL ||
	    door_port_parse(out, &again, &key) != 0)
		abort();
	twice = door_port_json(&again);
	if (!json_equal(out, twice))
		abort();
	json_decref(out);
	json_decref(twice);
}

static void
state_try(const json_t *in)
{
	static struct door_state s, again;
	json_t *out, *twice;

	if (door_state_parse(in, &s) != 0)
		return;
	out = door_state_json(&s);
	if (out == NULL || door_state_parse(out, &again) != 0)
		abort();
	twice = door_state_json(&again);
	if (!json_equal(out, twice))
		abort();
	json_decref(out);
	json_decref(twice);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char why[256];
	json_t *in;

	if (size > VARLINK_REQUEST_MAX)
		return 0;
	in = varlink_parse((const char *)data, size, why, sizeof why);
	if (in == NULL)
		return 0;
	port_try(in);
	state_try(in);
	json_decref(in);
	return 0;
}
