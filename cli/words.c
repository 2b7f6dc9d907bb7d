/* SPDX-License-Identifier: ISC */
/* Short texts for tables; see words.h. */
#include "config.h"

#include "words.h"

#include <stdlib.h>
#include <string.h>

#include "pick.h"

char *
words_prios(const json_t *array)
{
	char text[DCB_PRIOS + 1] = "";

	if (json_array_size(array) != DCB_PRIOS)
		return out_printf("-");
	for (int i = 0; i < DCB_PRIOS; i++)
		text[i] = json_is_true(json_array_get(array, (size_t)i)) ?
		    (char)('0' + i) : '.';
	return out_printf("%s", text);
}

char *
words_prio_digits(const json_t *array)
{
	char text[DCB_PRIOS + 1] = "";
	size_t n = 0;

	if (json_array_size(array) != DCB_PRIOS)
		return out_printf("-");
	for (int i = 0; i < DCB_PRIOS; i++)
		if (json_is_true(json_array_get(array, (size_t)i)))
			text[n++] = (char)('0' + i);
	return out_printf("%s", n == 0 ? "." : text);
}

char *
words_flag(const json_t *flag)
{
	return out_printf("%s", !json_is_boolean(flag) ? "-" :
	    json_is_true(flag) ? "on" : "off");
}

char *
words_number(const json_t *number)
{
	if (!json_is_integer(number))
		return out_printf("-");
	return out_printf("%" JSON_INTEGER_FORMAT, json_integer_value(number));
}

static json_int_t
element(const json_t *array, size_t i)
{
	return json_integer_value(json_array_get(array, i));
}

static char
tsa_letter(const char *word)
{
	static const char *const words[] = { "ets", "strict", "cbs",
		"vendor" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (word != NULL && strcmp(word, words[i]) == 0)
			return "ESCV"[i];
	return '?';
}

static bool
class_used(const json_t *prio_tc, size_t tc)
{
	for (size_t i = 0; i < DCB_PRIOS; i++)
		if (element(prio_tc, i) == (json_int_t)tc)
			return true;
	return false;
}

char *
words_tsa(const json_t *array, const json_t *prio_tc)
{
	char text[DCB_TCS + 1] = "";

	if (json_array_size(array) != DCB_TCS)
		return out_printf("-");
	for (size_t i = 0; i < DCB_TCS; i++) {
		text[i] = tsa_letter(json_string_value(
		    json_array_get(array, i)));
		if (text[i] == 'S' && !class_used(prio_tc, i))
			text[i] = '.';
	}
	return out_printf("%s", text);
}

char *
words_prio_tc(const json_t *array)
{
	char text[DCB_PRIOS + 1] = "";

	if (json_array_size(array) != DCB_PRIOS)
		return out_printf("-");
	for (size_t i = 0; i < DCB_PRIOS; i++) {
		json_int_t tc = element(array, i);

		text[i] = tc >= 0 && tc < DCB_TCS ? (char)('0' + tc) :
		    tc == DCB_TC_UNASSIGNED ? '-' : '?';
	}
	return out_printf("%s", text);
}

const json_t *
words_app_find(const json_t *table, const json_t *entry)
{
	const json_t *e;
	size_t i;

	json_array_foreach(table, i, e)
		if (json_equal(json_object_get(e, "selector"),
		    json_object_get(entry, "selector")) &&
		    json_equal(json_object_get(e, "protocol"),
		    json_object_get(entry, "protocol")))
			return e;
	return NULL;
}

char *
words_app(const json_t *entry)
{
	const char *word = pick_text(entry, "selector", "?");
	json_int_t protocol = pick_number(entry, "protocol", -1);
	const char *suffix = strstr(word, "-port");
	int n = (int)(suffix != NULL ? (size_t)(suffix - word) : strlen(word));

	if (strcmp(word, "default") == 0)
		return out_printf("default");
	if (strcmp(word, "ethtype") == 0)
		return out_printf("ethtype 0x%04llx",
		    (unsigned long long)protocol);
	return out_printf("%.*s %" JSON_INTEGER_FORMAT, n, word, protocol);
}

char *
words_size(const json_t *octets)
{
	double n = json_number_value(octets);

	if (octets == NULL)
		return out_printf("-");
	return n < 1e4 ? out_printf("%.0f B", n) :
	    n < 1e7 ? out_printf("%.1f KB", n / 1e3) :
		      out_printf("%.1f MB", n / 1e6);
}

char *
words_drops(const json_t *drops)
{
	json_int_t sum = 0;
	const char *reason;
	json_t *n;

	json_object_foreach((json_t *)drops, reason, n)
		sum += json_integer_value(n);
	return out_printf("%" JSON_INTEGER_FORMAT, sum);
}

char *
words_speed(int64_t mbps)
{
	if (mbps <= 0)
		return out_printf("%s", "");
	if (mbps < 1000)
		return out_printf("%dM", (int)mbps);
	if (mbps % 1000 == 0)
		return out_printf("%lldG", (long long)(mbps / 1000));
	return out_printf("%.1fG", (double)mbps / 1000);
}

char *
words_time(int64_t ms)
{
	static const struct {
		int64_t ms;
		const char *unit;
	} units[] = { { 86400000, "d" }, { 3600000, "h" }, { 60000, "min" } };

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (ms >= 3 * units[i].ms)
			return out_printf("%lld %s",
			    (long long)(ms / units[i].ms), units[i].unit);
	return out_printf("%lld s", (long long)(ms < 0 ? 0 : ms / 1000));
}

char *
words_peer(const json_t *peer)
{
	const char *name = pick_text(peer, "system_name", "");
	const char *port = pick_text(peer, "port_id", "?");

	if (*name == '\0')
		name = pick_text(peer, "chassis_id", "?");
	return out_printf("%s %s", name, port);
}

char *
words_neighbor(const json_t *port)
{
	const json_t *peers = pick(port, "peers");
	size_t n = json_array_size(peers);

	if (n == 0)
		return out_printf("-");
	if (n > 1)
		return out_printf("%zu peers", n);
	return words_peer(json_array_get(peers, 0));
}

enum dcbx_state
words_state(const char *word)
{
	int s = DCBX_STATE_OK;

	while (s < DCBX_STATE_DISABLED &&
	    strcmp(dcbx_state_name((enum dcbx_state)s), word) != 0)
		s++;
	if (s == DCBX_STATE_DISABLED &&
	    strcmp(dcbx_state_name(DCBX_STATE_DISABLED), word) != 0)
		return DCBX_STATE_MISMATCH;
	return (enum dcbx_state)s;
}

enum out_tone
words_tone(const char *state)
{
	switch (words_state(state)) {
	case DCBX_STATE_OK:
	case DCBX_STATE_FROM_PEER:
	case DCBX_STATE_TO_PEER:
		return OUT_GOOD;
	case DCBX_STATE_PENDING:
	case DCBX_STATE_NO_PEER:
	case DCBX_STATE_UNSUPPORTED:
	case DCBX_STATE_LINK_DOWN:
		return OUT_WAIT;
	case DCBX_STATE_DISABLED:
		return OUT_DIM;
	default:
		return OUT_BAD;
	}
}
