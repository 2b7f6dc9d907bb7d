/* SPDX-License-Identifier: ISC */
/*
 * A call against the method table: which method it is, whether the caller may,
 * whether the parameters are those of the row; and varlink's own interface,
 * whose descriptions are built from the rows.
 *
 * Parameters are checked strictly before the function runs: a name or type
 * that is not in the row is an error that names it.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server_room.h"

extern const struct server_method service_methods[];
extern const struct server_interface service_interfaces[];

/* ---- parameters ----------------------------------------------------- */

const char *
server_text(const struct server_call *call, const char *name)
{
	return json_string_value(json_object_get(call->parameters, name));
}

static void
call_invalid(const struct server_call *call, const char *name)
{
	server_error(call, "org.varlink.service.InvalidParameter",
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
param_fits(const struct server_param *p, const json_t *value)
{
	if (json_is_null(value))
		return !p->required;
	switch (p->type) {
	case SERVER_BOOL:
		return json_is_boolean(value);
	case SERVER_STRINGS:
		return strings_fit(value);
	case SERVER_OBJECT:
		return json_is_object(value);
	default:
		return json_is_string(value);
	}
}

static const struct server_param *
param_find(const struct server_method *m, const char *name)
{
	for (size_t i = 0; i < SERVER_PARAMS_MAX; i++)
		if (m->param[i].name != NULL &&
		    strcmp(m->param[i].name, name) == 0)
			return &m->param[i];
	return NULL;
}

/* False: the first fault was answered. */
static bool
call_check(const struct server_call *call, const struct server_method *m)
{
	const char *name;
	json_t *value;

	json_object_foreach (call->parameters, name, value) {
		const struct server_param *p = param_find(m, name);

		if (p == NULL || !param_fits(p, value)) {
			call_invalid(call, name);
			return false;
		}
	}
	for (size_t i = 0; i < SERVER_PARAMS_MAX; i++)
		if (m->param[i].required &&
		    json_object_get(call->parameters, m->param[i].name) ==
			NULL) {
			call_invalid(call, m->param[i].name);
			return false;
		}
	return true;
}

/* ---- org.varlink.service -------------------------------------------- */

static int
names_add(json_t *names, const struct server_interface *i)
{
	int err = 0;

	for (; i->name != NULL; i++)
		err |= json_array_append_new(names, json_string(i->name));
	return err;
}

static json_t *
interface_names(const struct server_options *o)
{
	json_t *names = json_array();

	if (names_add(names, service_interfaces) == 0 &&
	    names_add(names, o->interfaces) == 0)
		return names;
	json_decref(names);
	return NULL;
}

static void
call_get_info(const struct server_call *call)
{
	const struct server_options *o = server_options_of(call);

	server_reply(call,
	    json_pack("{ss ss ss ss so}", "vendor", PACKAGE_NAME, "product",
		o->product, "version", PACKAGE_VERSION, "url", "",
		"interfaces", interface_names(o)),
	    false);
}

static void
methods_describe(FILE *f, const struct server_interface *i,
    const struct server_method *m)
{
	for (; m->name != NULL; m++)
		if (strcmp(m->interface, i->name) == 0)
			fprintf(f, "\n# %s\nmethod %s%s\n", m->help, m->name,
			    m->idl);
}

/* The interface in varlink's IDL; free() it.  NULL: no memory. */
static char *
interface_describe(const struct server_interface *i,
    const struct server_options *o)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (f == NULL)
		return NULL;
	fprintf(f, "# %s\ninterface %s\n", i->help, i->name);
	methods_describe(f, i, o->methods);
	methods_describe(f, i, service_methods);
	fprintf(f, "\n%s", i->errors);
	if (fclose(f) == 0)
		return text;
	free(text);
	return NULL;
}

static const struct server_interface *
interface_find(const struct server_interface *i, const char *name)
{
	while (i->name != NULL && strcmp(i->name, name) != 0)
		i++;
	return i->name == NULL ? NULL : i;
}

static void
call_describe(const struct server_call *call)
{
	const struct server_options *o = server_options_of(call);
	const char *name = server_text(call, "interface");
	const struct server_interface *i = interface_find(o->interfaces, name);
	char *text;

	if (i == NULL)
		i = interface_find(service_interfaces, name);
	if (i == NULL) {
		server_error(call, "org.varlink.service.InterfaceNotFound",
		    json_pack("{ss}", "interface", name));
		return;
	}
	text = interface_describe(i, o);
	server_reply(call,
	    text == NULL ? NULL : json_pack("{ss}", "description", text),
	    false);
	free(text);
}

/* ---- the door ------------------------------------------------------- */

/* "org.dcbx.GetStatus": the interface, a dot, the name. */
static const struct server_method *
method_find(const struct server_method *m, const char *full)
{
	const char *dot = strrchr(full, '.');
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
server_dispatch(const struct server_call *call, const struct server_options *o)
{
	const struct server_method *m = method_find(o->methods, call->method);

	if (m == NULL)
		m = method_find(service_methods, call->method);
	if (m == NULL)
		server_error(call, "org.varlink.service.MethodNotFound",
		    json_pack("{ss}", "method", call->method));
	else if (m->kind == SERVER_STREAM && !call->more)
		server_error(call, "org.varlink.service.ExpectedMore",
		    json_object());
	else if (m->kind == SERVER_CHANGE && !call->may_change)
		server_error(call, "org.varlink.service.PermissionDenied",
		    json_object());
	else if (call->oneway && m->kind != SERVER_CHANGE)
		return; /* nobody would see what that costs */
	else if (call_check(call, m))
		m->run(call);
}

const struct server_interface service_interfaces[] = {
	{ "org.varlink.service",
	    "What a varlink service says of itself.",
	    "error InterfaceNotFound (interface: string)\n"
	    "error MethodNotFound (method: string)\n"
	    "error InvalidParameter (parameter: string)\n"
	    "error ExpectedMore ()\n"
	    "error PermissionDenied ()\n" },
	{ NULL, NULL, NULL },
};

/* ---- THE METHOD TABLE of every service ------------------------------ */

const struct server_method service_methods[] = {
	{ "org.varlink.service", "GetInfo",
	    "() -> (vendor: string, product: string, version: string, "
	    "url: string, interfaces: []string)",
	    { { NULL, SERVER_STRING, false } }, SERVER_READ, call_get_info,
	    "Who answers here." },
	{ "org.varlink.service", "GetInterfaceDescription",
	    "(interface: string) -> (description: string)",
	    { { "interface", SERVER_STRING, true } }, SERVER_READ,
	    call_describe, "An interface in this language." },
	{ NULL, NULL, NULL, { { NULL, SERVER_STRING, false } }, SERVER_READ,
	    NULL, NULL },
};
