/* SPDX-License-Identifier: ISC */
/*
 * Client of the control socket; see conn.h.
 *
 * The framing is varlink's: a JSON object, then NUL.  Reading a call's answer
 * has a time limit, a stream has none.  The last table maps the errors of
 * contract section 5 to exit codes and remedies.
 */
#include "config.h"

#include "conn.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/common/varlink.h"
#include "out.h"
#include "pick.h"

#define ANSWER_SECONDS 10
#define ASIDE_SECONDS 1 /* for what only makes a sentence better */

struct remedy {
	const char *error;
	enum ctl_exit status;
	const char *text;
};
enum { REMEDIES = 7 };
static const struct remedy remedies[REMEDIES + 1];

static bool
fail(struct conn *c, enum ctl_exit status)
{
	c->status = status;
	return false;
}

static bool
no_daemon(struct conn *c, const char *what)
{
	if (c->quiet)
		return fail(c, CTL_NO_DAEMON);
	ctl_complain("%s: %s", c->path, what);
	ctl_complain("is %s running? see: systemctl status %s", c->daemon,
	    c->daemon);
	return fail(c, CTL_NO_DAEMON);
}

static bool
set_address(struct sockaddr_un *sun, const char *path)
{
	*sun = (struct sockaddr_un) { .sun_family = AF_UNIX };
	if (strlen(path) >= sizeof sun->sun_path)
		return false;
	strcpy(sun->sun_path, path);
	return true;
}

static void
set_time_limit(const struct conn *c, time_t seconds)
{
	struct timeval tv = { .tv_sec = seconds };

	(void)setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv);
}

static bool
open_of(struct conn *c, const char *path, const char *daemon)
{
	struct sockaddr_un sun;

	*c = (struct conn) { .path = path, .daemon = daemon, .fd = -1 };
	if (!set_address(&sun, path)) {
		ctl_complain("%s: the path is too long for a socket", path);
		return fail(c, CTL_FAILED);
	}
	c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (c->fd < 0) {
		ctl_complain("socket: %s", strerror(errno));
		return fail(c, CTL_FAILED);
	}
	if (connect(c->fd, (struct sockaddr *)&sun, sizeof sun) != 0)
		return no_daemon(c, strerror(errno));
	set_time_limit(c, ANSWER_SECONDS);
	return true;
}

bool
conn_open(struct conn *c, const char *path)
{
	return open_of(c, path, "dcbxd");
}

void
conn_close(struct conn *c)
{
	if (c->fd >= 0)
		close(c->fd);
	free(c->buf);
	c->fd = -1;
	c->buf = NULL;
}

static bool
send_all(struct conn *c, const char *p, size_t len)
{
	while (len > 0) {
		ssize_t n = send(c->fd, p, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return no_daemon(c, strerror(errno));
		p += n;
		len -= (size_t)n;
	}
	return true;
}

/* Steals parameters. */
static bool
send_call(struct conn *c, const char *method, json_t *parameters, bool more)
{
	json_t *call;
	size_t len = 0;
	char *text;
	bool sent;

	if (parameters == NULL) {
		ctl_complain("no port has such a name");
		return fail(c, CTL_NO_PORT);
	}
	call = varlink_call(method, parameters, more);
	text = call != NULL ? varlink_pack(call, &len) : NULL;
	json_decref(call);
	if (text == NULL)
		return fail(c, CTL_FAILED);
	sent = send_all(c, text, len);
	free(text);
	return sent;
}

static bool
make_room(struct conn *c)
{
	size_t size = c->size == 0 ? 65536 : 2 * c->size;
	char *buf;

	if (c->len < c->size)
		return true;
	if (size > VARLINK_REPLY_MAX) {
		ctl_complain("%s: answer over %d MiB", c->path,
		    VARLINK_REPLY_MAX >> 20);
		return fail(c, CTL_FAILED);
	}
	buf = realloc(c->buf, size);
	if (buf == NULL)
		return fail(c, CTL_FAILED);
	c->buf = buf;
	c->size = size;
	return true;
}

/* Read on; false at the end, an error or the time limit. */
static bool
read_some(struct conn *c)
{
	ssize_t n;

	if (!make_room(c))
		return false;
	do
		n = recv(c->fd, c->buf + c->len, c->size - c->len, 0);
	while (n < 0 && errno == EINTR);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
		if (!c->quiet)
			ctl_complain("%s: no answer within %d s", c->path,
			    ANSWER_SECONDS);
		return fail(c, CTL_FAILED);
	}
	if (n < 0)
		return no_daemon(c, strerror(errno));
	if (n == 0)
		return no_daemon(c, "the daemon closed the connection");
	c->len += (size_t)n;
	return true;
}

/* One message, parsed. */
static json_t *
read_message(struct conn *c)
{
	char error[200];
	size_t searched = 0, len;
	json_t *message;
	char *nul = NULL;

	while (c->len == searched || (nul = memchr(c->buf + searched, '\0',
	    c->len - searched)) == NULL) {
		searched = c->len;
		if (!read_some(c))
			return NULL;
	}
	len = (size_t)(nul - c->buf);
	message = varlink_parse(c->buf, len, error, sizeof error);
	c->len -= len + 1;
	memmove(c->buf, nul + 1, c->len);
	if (message == NULL) {
		ctl_complain("%s: not understood: %s", c->path, error);
		fail(c, CTL_FAILED);
	}
	return message;
}

/* The group whose members may change things; free() it. */
static char *
group_of(const struct conn *denied)
{
	struct conn c;
	char *group = NULL;
	json_t *doc = NULL, *v;
	size_t i;

	if (conn_open(&c, denied->path)) {
		c.quiet = true;
		set_time_limit(&c, ASIDE_SECONDS);
		doc = conn_call(&c, "org.dcbx.GetConfig", json_object());
	}
	json_array_foreach(pick(doc, "values"), i, v)
		if (pick_is(v, "section", "control") &&
		    pick_is(v, "key", "group") && group == NULL)
			group = out_printf("%s", pick_text(v, "value", "?"));
	json_decref(doc);
	conn_close(&c);
	return group != NULL ? group : out_printf("dcbx");
}

static void
denied(const struct conn *c)
{
	char *group = group_of(c);

	ctl_complain("permission denied; be root or in the group %s", group);
	free(group);
}

/* org.dcbx.BadValue */
static void
bad_value(const json_t *parameters)
{
	const char *key = pick_text(parameters, "key", "");
	const char *allowed = pick_text(parameters, "allowed", "");

	ctl_complain("%s%sfound %s%s%s", key, *key != '\0' ? ": " : "",
	    pick_text(parameters, "found", "?"),
	    *allowed != '\0' ? "; allowed: " : "", allowed);
}

/* Say an error of the daemon's and what to do about it. */
static void
refused(struct conn *c, const char *error, const json_t *parameters)
{
	const struct remedy *r = remedies;
	const char *port = pick_text(parameters, "port", "?");

	while (r->error != NULL && strcmp(r->error, error) != 0)
		r++;
	fail(c, r->status);
	if (c->quiet)
		return;
	if (r->status == CTL_NO_PORT)
		ctl_complain("no port %s; %s", port, r->text);
	else if (r->status == CTL_USAGE)
		bad_value(parameters);
	else if (r->error != NULL && r->text == NULL)
		denied(c);
	else if (r->error != NULL)
		ctl_complain("%s", r->text);
	else
		ctl_complain("the daemon answered %s", error);
}

json_t *
conn_next(struct conn *c)
{
	json_t *message = read_message(c), *parameters;
	const char *error = pick_text(message, "error", NULL);

	if (message == NULL)
		return NULL;
	parameters = json_incref(pick(message, "parameters"));
	if (error != NULL) {
		refused(c, error, parameters);
		json_decref(parameters);
		parameters = NULL;
	} else if (!json_is_object(parameters)) {
		ctl_complain("%s: an answer without parameters", c->path);
		json_decref(parameters);
		parameters = NULL;
		fail(c, CTL_FAILED);
	}
	json_decref(message);
	return parameters;
}

json_t *
conn_call(struct conn *c, const char *method, json_t *parameters)
{
	return send_call(c, method, parameters, false) ? conn_next(c) : NULL;
}

bool
conn_stream(struct conn *c, const char *method, json_t *parameters)
{
	set_time_limit(c, 0);
	return send_call(c, method, parameters, true);
}

bool
conn_ready(struct conn *c, int ms)
{
	struct pollfd fd = { .fd = c->fd, .events = POLLIN };

	set_time_limit(c, ANSWER_SECONDS);
	return c->len > 0 || poll(&fd, 1, ms) > 0;
}

json_t *
conn_port(const char *word)
{
	json_t *parameters = json_object();

	/* A word that is no UTF-8 names no port: NULL fails the call. */
	if (word != NULL && json_object_set_new(parameters, "port",
	    json_string(word)) != 0) {
		json_decref(parameters);
		return NULL;
	}
	return parameters;
}

void
conn_not_managed(struct conn *c, const char *port)
{
	ctl_complain("%s is not managed (mode off); dcbxd.conf(5) sets modes",
	    port);
	fail(c, CTL_NOT_MANAGED);
}

/* Is the port one that dcbxd may touch?  Says so where not. */
static bool
is_managed(struct conn *c, const char *port)
{
	json_t *doc = conn_call(c, "org.dcbx.GetStatus", conn_port(port));
	bool off = pick_is(json_array_get(pick(doc, "ports"), 0), "mode",
	    "off");

	if (off)
		conn_not_managed(c, port);
	json_decref(doc);
	return doc != NULL && !off;
}

json_t *
conn_ask(const struct ctl *ctl, const char *method, json_t *parameters,
    const char *managed_port, int *status)
{
	struct conn c;
	json_t *doc = NULL;

	if (conn_open(&c, ctl->socket) &&
	    (managed_port == NULL || is_managed(&c, managed_port))) {
		doc = conn_call(&c, method, parameters);
		parameters = NULL;
	}
	json_decref(parameters);
	*status = (int)c.status;
	conn_close(&c);
	return doc;
}

json_t *
conn_ask_datapath(const struct ctl *ctl, const char *method,
    json_t *parameters, int *status)
{
	struct conn c;
	json_t *doc = NULL;

	if (open_of(&c, ctl->datapath, "dcbx-datapath"))
		doc = conn_call(&c, method, parameters);
	else
		json_decref(parameters);
	*status = (int)c.status;
	conn_close(&c);
	return doc;
}

static const struct remedy remedies[REMEDIES + 1] = {
	{ "org.dcbx.NoSuchPort", CTL_NO_PORT,
	    "`dcbxctl status` lists the ports" },
	{ "org.dcbx.datapath.NoSuchPort", CTL_NO_PORT,
	    "`dcbxctl datapath` lists the ports" },
	{ "org.dcbx.datapath.Stopping", CTL_FAILED,
	    "dcbx-datapath is stopping" },
	{ "org.dcbx.Busy", CTL_FAILED, "the daemon is busy; try again" },
	{ "org.varlink.service.MethodNotFound", CTL_FAILED,
	    "the daemon does not know this question; is it an older one?" },
	{ "org.dcbx.BadValue", CTL_USAGE, NULL },
	{ "org.varlink.service.PermissionDenied", CTL_FAILED, NULL },
	{ NULL, CTL_FAILED, NULL },
};
