/* SPDX-License-Identifier: ISC */
/*
 * The methods of the control socket.  THE METHOD TABLE at the end has a row
 * for each: name, parameters, whether it is a stream, whether it changes
 * something, the function, and its line of the interface description, which
 * is built from the rows.
 *
 * Parameters are checked against the row before the function runs, strictly:
 * a name or type that is not there is an error that names it.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control.h"
#include "control_cmds.h"
#include "daemon/common/doc.h"
#include "events.h"
#include "port.h"
#include "ports.h"

#define PARAMS_MAX 2

enum param_type {
	PARAM_STRING,
	PARAM_BOOL,
	PARAM_STRINGS, /* an array of one or more */
};

struct param {
	const char *name; /* NULL: no more */
	enum param_type type;
	bool required;
};

enum method_kind {
	METHOD_READ,	/* anyone may */
	METHOD_STREAM,	/* anyone may, with more */
	METHOD_CHANGE,	/* who rights.h allows */
};

struct method {
	const char *interface, *name;
	const char *idl; /* what follows the name, varlink's IDL */
	struct param param[PARAMS_MAX];
	enum method_kind kind;
	void (*run)(const struct control_call *);
	const char *help;
};

struct interface {
	const char *name;
	const char *help;
	const char *errors; /* IDL */
};

extern const struct method methods[];
extern const struct interface interfaces[];

/* ---- parameters ----------------------------------------------------- */

const char *
call_text(const struct control_call *call, const char *name)
{
	return json_string_value(json_object_get(call->parameters, name));
}

static void
call_invalid(const struct control_call *call, const char *name)
{
	control_error(call, "org.varlink.service.InvalidParameter",
	    json_pack("{ss}", "parameter", name));
}

static bool
strings_fit(const json_t *value)
{
	size_t n = json_array_size(value);

	for (size_t i = 0; i < n; i++)
		if (!json_is_string(json_array_get(value, i)))
			return false;
	return n > 0;
}

static bool
param_fits(const struct param *p, const json_t *value)
{
	if (json_is_null(value))
		return !p->required;
	switch (p->type) {
	case PARAM_BOOL:
		return json_is_boolean(value);
	case PARAM_STRINGS:
		return strings_fit(value);
	default:
		return json_is_string(value);
	}
}

static const struct param *
param_find(const struct method *m, const char *name)
{
	for (size_t i = 0; i < PARAMS_MAX; i++)
		if (m->param[i].name != NULL &&
		    strcmp(m->param[i].name, name) == 0)
			return &m->param[i];
	return NULL;
}

/* False: the first fault was answered. */
static bool
call_check(const struct control_call *call, const struct method *m)
{
	const char *name;
	json_t *value;

	json_object_foreach (call->parameters, name, value) {
		const struct param *p = param_find(m, name);

		if (p == NULL || !param_fits(p, value)) {
			call_invalid(call, name);
			return false;
		}
	}
	for (size_t i = 0; i < PARAMS_MAX; i++)
		if (m->param[i].required &&
		    json_object_get(call->parameters, m->param[i].name) ==
			NULL) {
			call_invalid(call, m->param[i].name);
			return false;
		}
	return true;
}

bool
call_ports(const struct control_call *call, size_t *first, size_t *end)
{
	const char *name = call_text(call, "port");

	*first = 0;
	*end = ports_count(call->d->ports);
	if (name == NULL)
		return true;
	for (; *first < *end; (*first)++)
		if (strcmp(port_name(ports_at(call->d->ports, *first)),
			name) == 0) {
			*end = *first + 1;
			return true;
		}
	control_error(call, "org.dcbx.NoSuchPort",
	    json_pack("{ss}", "port", name));
	return false;
}

/* ---- org.varlink.service -------------------------------------------- */

static json_t *
interface_names(void)
{
	json_t *names = json_array();

	for (const struct interface *i = interfaces; i->name != NULL; i++)
		if (json_array_append_new(names, json_string(i->name)) != 0) {
			json_decref(names);
			return NULL;
		}
	return names;
}

static void
call_get_info(const struct control_call *call)
{
	control_reply(call,
	    json_pack("{ss ss ss ss so}", "vendor", PACKAGE_NAME, "product",
		PACKAGE_NAME, "version", PACKAGE_VERSION, "url", "",
		"interfaces", interface_names()),
	    false);
}

/* The interface in varlink's IDL; free() it.  NULL: no memory. */
static char *
interface_describe(const struct interface *i)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (f == NULL)
		return NULL;
	fprintf(f, "# %s\ninterface %s\n", i->help, i->name);
	for (const struct method *m = methods; m->name != NULL; m++)
		if (strcmp(m->interface, i->name) == 0)
			fprintf(f, "\n# %s\nmethod %s%s\n", m->help, m->name,
			    m->idl);
	fprintf(f, "\n%s", i->errors);
	if (fclose(f) == 0)
		return text;
	free(text);
	return NULL;
}

static void
call_describe(const struct control_call *call)
{
	const char *name = call_text(call, "interface");
	const struct interface *i = interfaces;
	char *text;

	while (i->name != NULL && strcmp(i->name, name) != 0)
		i++;
	if (i->name == NULL) {
		control_error(call, "org.varlink.service.InterfaceNotFound",
		    json_pack("{ss}", "interface", name));
		return;
	}
	text = interface_describe(i);
	control_reply(call,
	    text == NULL ? NULL : json_pack("{ss}", "description", text),
	    false);
	free(text);
}

/* ---- the door ------------------------------------------------------- */

/* "org.dcbx.GetStatus": the interface, a dot, the name. */
static const struct method *
method_find(const char *full)
{
	const char *dot = strrchr(full, '.');
	const struct method *m = methods;
	size_t len = dot == NULL ? 0 : (size_t)(dot - full);

	if (dot == NULL)
		return NULL;
	for (; m->name != NULL; m++)
		if (strlen(m->interface) == len &&
		    memcmp(m->interface, full, len) == 0 &&
		    strcmp(m->name, dot + 1) == 0)
			return m;
	return NULL;
}

void
control_dispatch(const struct control_call *call)
{
	const struct method *m = method_find(call->method);

	if (m == NULL)
		control_error(call, "org.varlink.service.MethodNotFound",
		    json_pack("{ss}", "method", call->method));
	else if (m->kind == METHOD_STREAM && !call->more)
		control_error(call, "org.varlink.service.ExpectedMore",
		    json_object());
	else if (m->kind == METHOD_CHANGE && !call->may_change)
		control_error(call, "org.varlink.service.PermissionDenied",
		    json_object());
	else if (call->oneway && m->kind != METHOD_CHANGE)
		return; /* nobody would see what that costs */
	else if (call_check(call, m))
		m->run(call);
}

const struct interface interfaces[] = {
	{ "org.varlink.service",
	    "What a varlink service says of itself.",
	    "error InterfaceNotFound (interface: string)\n"
	    "error MethodNotFound (method: string)\n"
	    "error InvalidParameter (parameter: string)\n"
	    "error ExpectedMore ()\n"
	    "error PermissionDenied ()\n" },
	{ "org.dcbx",
	    "LLDP and DCBX on the ports of this host, as dcbxd sees them.",
	    "error NoSuchPort (port: string)\n"
	    "error BadValue (key: string, found: string, allowed: string)\n"
	    "error Busy ()\n" },
	{ NULL, NULL, NULL },
};

/* ---- THE METHOD TABLE ----------------------------------------------- */

#define DOCUMENT "(schema: int, ports: []object)"

const struct method methods[] = {
	{ "org.dcbx", "GetStatus", "(port: ?string) -> " DOCUMENT,
	    { { "port", PARAM_STRING, false } }, METHOD_READ, call_get_status,
	    "Each port, or one, whole.  With more: one port a reply." },
	{ "org.dcbx", "GetPeers", "(port: ?string) -> " DOCUMENT,
	    { { "port", PARAM_STRING, false } }, METHOD_READ, call_get_peers,
	    "The neighbours heard on each port, or on one." },
	{ "org.dcbx", "GetTlvs", "(port: string, sent: ?bool) -> " DOCUMENT,
	    { { "port", PARAM_STRING, true }, { "sent", PARAM_BOOL, false } },
	    METHOD_READ, call_get_tlvs,
	    "Every TLV of each neighbour's last frame, or of ours." },
	{ "org.dcbx", "GetCounters", "(port: ?string) -> " DOCUMENT,
	    { { "port", PARAM_STRING, false } }, METHOD_READ,
	    call_get_counters,
	    "LLDP, TLV, backend and frame counters of each port, or of one." },
	{ "org.dcbx", "Diff", "(port: ?string) -> " DOCUMENT,
	    { { "port", PARAM_STRING, false } }, METHOD_READ, call_diff,
	    "The values that applying would write: on each port, or on one." },
	{ "org.dcbx", "GetConfig",
	    "() -> (schema: int, values: []object, ports: []object)",
	    { { NULL, PARAM_STRING, false } }, METHOD_READ, call_get_config,
	    "Every value with its file and line, and what is in force." },
	{ "org.dcbx", "Record",
	    "(port: string) -> (schema: int, port: string, "
	    "frames: []object)",
	    { { "port", PARAM_STRING, true } }, METHOD_READ, call_record,
	    "The LLDP frames of a port that the flight recorder has." },
	{ "org.dcbx", "Set", "(port: string, words: []string) -> ()",
	    { { "port", PARAM_STRING, true },
		{ "words", PARAM_STRINGS, true } },
	    METHOD_CHANGE, call_set,
	    "Change values of a port until the next reload: words as those\n"
	    "# of dcb(8), all of them or none." },
	{ "org.dcbx", "Reset", "(port: string) -> ()",
	    { { "port", PARAM_STRING, true } }, METHOD_CHANGE, call_reset,
	    "Forget what was learnt of the peer, and negotiate anew." },
	{ "org.dcbx", "Reload", "() -> (errors: int, messages: []object)",
	    { { NULL, PARAM_STRING, false } }, METHOD_CHANGE, call_reload,
	    "Read the configuration again.  With errors nothing changes." },
	{ "org.dcbx", "Watch",
	    "(port: ?string) -> (time: string, mono_us: int, seq: int, "
	    "port: ?string, event: string, ports: ?[]object, peer: ?object, "
	    "feature: ?string, name: ?string, from: ?string, to: ?string, "
	    "reason: ?object, text: ?string, error: ?string, writes: ?int, "
	    "attribute: ?string, want: ?string, found: ?string, "
	    "up: ?bool, muted: ?bool, file: ?string, errors: ?[]object, "
	    "count: ?int, what: ?string, suppressed: ?int)",
	    { { "port", PARAM_STRING, false } }, METHOD_STREAM, call_watch,
	    "With more only: an event snapshot, then each as it happens.\n"
	    "# What belongs to it depends on its kind; where reason is a\n"
	    "# sentence it is a string." },
	{ "org.varlink.service", "GetInfo",
	    "() -> (vendor: string, product: string, version: string, "
	    "url: string, interfaces: []string)",
	    { { NULL, PARAM_STRING, false } }, METHOD_READ, call_get_info,
	    "Who answers here." },
	{ "org.varlink.service", "GetInterfaceDescription",
	    "(interface: string) -> (description: string)",
	    { { "interface", PARAM_STRING, true } }, METHOD_READ, call_describe,
	    "An interface in this language." },
	{ NULL, NULL, NULL, { { NULL, PARAM_STRING, false } }, METHOD_READ,
	    NULL, NULL },
};
