/* SPDX-License-Identifier: ISC */
/* One message of the control socket: parsed, and packed again if it is one. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/common/varlink.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char why[256] = "";
	json_t *m, *again;
	char *text;
	size_t len = 0;

	if (size > VARLINK_REQUEST_MAX)
		return 0;
	m = varlink_parse((const char *)data, size, why, sizeof why);
	if (m == NULL) {
		if (why[0] == '\0' || strlen(why) >= sizeof why)
			abort();
		return 0;
	}
	text = varlink_pack(m, &len);
	if (text == NULL || len != strlen(text) + 1)
		abort();
	again = varlink_parse(text, len - 1, why, sizeof why);
	if (again == NULL || !json_equal(m, again))
		abort();
	json_decref(again);
	json_decref(m);
	free(text);
	return 0;
}
