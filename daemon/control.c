/* SPDX-License-Identifier: ISC */
/*
 * A Unix stream socket with varlink framing: clients, limits, order.
 *
 * Requests of a client are answered in order, one at a time; while its
 * replies wait to be read, or while a stream runs, its further requests wait
 * in a bounded buffer.  Nothing a client does or leaves undone blocks the
 * daemon: bad framing closes it, and who does not read a stream is dropped.
 *
 * A client is freed only by control_reap(), from the event loop: a reply may
 * be under way deep inside an event of some port.
 */
#include <config.h>

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <unistd.h>

#include "control.h"
#include "daemon/common/config.h"
#include "daemon/common/varlink.h"
#include "events.h"
#include "rights.h"

#define CLIENTS_MAX 64
#define CLIENTS_KEPT 8 /* of these, for those who may change things */
#define UNSENT_MAX (16 * 1024 * 1024) /* more: the client is dropped */
#define UNSENT_WAIT (1024 * 1024)     /* more: its requests wait */
#define UNSENT_LOW (64 * 1024)	      /* less: they go on */
#define REQUESTS_A_TURN 4
#define BACKLOG 16
#define PORT_SIZE 80 /* of a port's name as in documents */

struct control_client {
	TAILQ_ENTRY(control_client) link;
	struct control *c;
	struct bufferevent *bev;
	bool may_change;
	bool oneway;	/* the call at hand wants no reply */
	bool eof;	/* sends no more requests */
	bool doomed;	/* to be freed by control_reap() */
	bool overflow;	/* because it did not read */
	struct events_sub *sub; /* a stream is running */
	char port[PORT_SIZE];	/* of the stream; "" = all */
};

struct control {
	struct daemon *d;
	struct evconnlistener *listener;
	struct event *reaper;
	gid_t group; /* who is in it may change things */
	unsigned n_clients;
	TAILQ_HEAD(, control_client) clients;
};

/* ---- the end of a client -------------------------------------------- */

static void
client_free(struct control_client *cl)
{
	events_unsubscribe(cl->c->d->events, cl->sub);
	TAILQ_REMOVE(&cl->c->clients, cl, link);
	cl->c->n_clients--;
	bufferevent_free(cl->bev);
	free(cl);
}

static void
client_doom(struct control_client *cl)
{
	cl->doomed = true;
	event_active(cl->c->reaper, 0, 0);
}

static void
client_refuse(struct control_client *cl, const char *why)
{
	log_line(LOG_INFO, "control: client closed: %s", why);
	client_doom(cl);
}

static void
control_reap(evutil_socket_t fd, short what, void *arg)
{
	struct control *c = arg;
	struct control_client *cl, *next;
	uint64_t overflows = 0;

	(void)fd;
	(void)what;
	for (cl = TAILQ_FIRST(&c->clients); cl != NULL; cl = next) {
		next = TAILQ_NEXT(cl, link);
		overflows += cl->doomed && cl->overflow;
		if (cl->doomed)
			client_free(cl);
	}
	if (overflows != 0)
		events_post_lost(c->d->events, "clients", overflows);
}

/* ---- replies -------------------------------------------------------- */

/* Steals message. */
static void
client_send(struct control_client *cl, json_t *message)
{
	struct evbuffer *out = bufferevent_get_output(cl->bev);
	char *text;
	size_t len;

	if (cl->doomed || cl->oneway) {
		json_decref(message);
		return;
	}
	text = message == NULL ? NULL : varlink_pack(message, &len);
	json_decref(message);
	if (text == NULL) {
		client_refuse(cl, "out of memory");
		return;
	}
	cl->overflow = evbuffer_get_length(out) + len > UNSENT_MAX;
	if (cl->overflow)
		client_refuse(cl, "it does not read its replies");
	else if (bufferevent_write(cl->bev, text, len) == -1)
		client_refuse(cl, "out of memory");
	free(text);
}

void
control_reply(const struct control_call *call, json_t *parameters,
    bool continues)
{
	client_send(call->client,
	    parameters == NULL ? NULL : varlink_reply(parameters, continues));
}

void
control_error(const struct control_call *call, const char *error,
    json_t *parameters)
{
	client_send(call->client,
	    parameters == NULL ? NULL : varlink_error(error, parameters));
}

static void
stream_event(void *arg, const char *port, json_t *event)
{
	struct control_client *cl = arg;

	if (cl->port[0] == '\0' || port[0] == '\0' ||
	    strcmp(cl->port, port) == 0)
		client_send(cl, varlink_reply(json_incref(event), true));
}

void
control_stream(const struct control_call *call, const char *port)
{
	struct control_client *cl = call->client;

	if (cl->doomed || cl->oneway)
		return;
	snprintf(cl->port, sizeof(cl->port), "%s", port);
	cl->sub = events_subscribe(call->d->events, stream_event, cl);
	if (cl->sub == NULL)
		client_refuse(cl, "out of memory");
}

/* ---- requests ------------------------------------------------------- */

/* A member that is true, false or absent; *bad otherwise. */
static bool
request_flag(const json_t *request, const char *key, bool *bad)
{
	const json_t *value = json_object_get(request, key);

	if (value != NULL && !json_is_boolean(value))
		*bad = true;
	return json_is_true(value);
}

static void
client_call(struct control_client *cl, json_t *request)
{
	json_t *parameters = json_object_get(request, "parameters");
	json_t *none = json_object();
	bool bad = false;
	struct control_call call = {
		.d = cl->c->d,
		.client = cl,
		.method = json_string_value(
		    json_object_get(request, "method")),
		.parameters = parameters,
		.more = request_flag(request, "more", &bad),
		.may_change = cl->may_change,
		.oneway = cl->oneway,
	};

	cl->oneway = request_flag(request, "oneway", &bad);
	if (parameters == NULL || json_is_null(parameters))
		call.parameters = none;
	if (bad || call.method == NULL || !json_is_object(call.parameters))
		client_refuse(cl, "a request that is no varlink call");
	else
		control_dispatch(&call);
	cl->oneway = false;
	json_decref(none);
}

/* Octets before the next NUL, or -1. */
static ssize_t
request_length(struct control_client *cl)
{
	struct evbuffer *in = bufferevent_get_input(cl->bev);

	return evbuffer_search(in, "", 1, NULL).pos;
}

/* Take and answer one request; false: there is none to take. */
static bool
client_take(struct control_client *cl)
{
	struct evbuffer *in = bufferevent_get_input(cl->bev);
	ssize_t len = request_length(cl);
	char why[256];
	json_t *request;
	const char *text;

	if (len > VARLINK_REQUEST_MAX ||
	    (len < 0 && evbuffer_get_length(in) > VARLINK_REQUEST_MAX)) {
		client_refuse(cl, "a request of more than 64 KiB");
		return false;
	}
	if (len < 0)
		return false;
	text = (const char *)evbuffer_pullup(in, len + 1);
	request = text == NULL ?
	    NULL :
	    varlink_parse(text, (size_t)len, why, sizeof(why));
	evbuffer_drain(in, (size_t)len + 1);
	if (request == NULL) {
		client_refuse(cl, "a request that is no JSON object");
		return false;
	}
	client_call(cl, request);
	json_decref(request);
	return true;
}

/* Who will ask no more and has got everything may go. */
static void
client_settle(struct control_client *cl)
{
	struct evbuffer *out = bufferevent_get_output(cl->bev);

	if (cl->eof && !cl->doomed &&
	    (cl->sub != NULL ||
		(evbuffer_get_length(out) == 0 && request_length(cl) < 0)))
		client_doom(cl);
}

static void
client_work(struct control_client *cl)
{
	struct evbuffer *out = bufferevent_get_output(cl->bev);
	int turn = 0;

	while (!cl->doomed && cl->sub == NULL &&
	    evbuffer_get_length(out) <= UNSENT_WAIT && client_take(cl))
		if (++turn == REQUESTS_A_TURN) {
			bufferevent_trigger(cl->bev, EV_READ,
			    BEV_TRIG_DEFER_CALLBACKS);
			break;
		}
	client_settle(cl);
}

/* ---- the socket's events -------------------------------------------- */

static void
client_readable(struct bufferevent *bev, void *arg)
{
	(void)bev;
	client_work(arg);
}

static void
client_writable(struct bufferevent *bev, void *arg)
{
	(void)bev;
	client_work(arg);
}

/* A client may close its sending half and still read its replies. */
static void
client_event(struct bufferevent *bev, short what, void *arg)
{
	struct control_client *cl = arg;

	(void)bev;
	if ((what & BEV_EVENT_ERROR) != 0) {
		client_doom(cl);
		return;
	}
	cl->eof = true;
	client_work(cl);
}

static struct control_client *
client_new(struct control *c, evutil_socket_t fd)
{
	struct control_client *cl = calloc(1, sizeof(*cl));

	if (cl == NULL)
		return NULL;
	cl->c = c;
	cl->may_change = rights_of(fd, c->group);
	cl->bev = bufferevent_socket_new(c->d->base, fd,
	    BEV_OPT_CLOSE_ON_FREE);
	if (cl->bev == NULL) {
		free(cl);
		return NULL;
	}
	bufferevent_priority_set(cl->bev, PRIORITY_REST);
	bufferevent_setcb(cl->bev, client_readable, client_writable,
	    client_event, cl);
	bufferevent_setwatermark(cl->bev, EV_READ, 0,
	    VARLINK_REQUEST_MAX + 1);
	bufferevent_setwatermark(cl->bev, EV_WRITE, UNSENT_LOW, 0);
	bufferevent_enable(cl->bev, EV_READ | EV_WRITE);
	TAILQ_INSERT_TAIL(&c->clients, cl, link);
	c->n_clients++;
	return cl;
}

static void
control_accept(struct evconnlistener *listener, evutil_socket_t fd,
    struct sockaddr *sa, int len, void *arg)
{
	struct control *c = arg;
	unsigned room = CLIENTS_MAX;

	(void)listener, (void)sa, (void)len;
	if (c->n_clients >= CLIENTS_MAX - CLIENTS_KEPT &&
	    !rights_of(fd, c->group))
		room -= CLIENTS_KEPT;
	if (c->n_clients < room && client_new(c, fd) != NULL)
		return;
	log_line(LOG_INFO, "control: client refused: %u are served",
	    c->n_clients);
	close(fd);
}

/* ---- open and close ------------------------------------------------- */

int
control_open(struct control **out, struct daemon *d, int fd)
{
	struct control *c = calloc(1, sizeof(*c));

	if (c == NULL)
		goto fail;
	c->d = d;
	c->group = rights_group(config_global(d->config)->group);
	TAILQ_INIT(&c->clients);
	c->reaper = event_new(d->base, -1, 0, control_reap, c);
	if (c->reaper == NULL ||
	    event_priority_set(c->reaper, PRIORITY_REST) == -1)
		goto fail;
	c->listener = evconnlistener_new(d->base, control_accept, c,
	    LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC, BACKLOG, fd);
	if (c->listener == NULL)
		goto fail;
	*out = c;
	return 0;
fail:
	close(fd);
	control_close(c);
	return -ENOMEM;
}

void
control_close(struct control *c)
{
	if (c == NULL)
		return;
	while (!TAILQ_EMPTY(&c->clients))
		client_free(TAILQ_FIRST(&c->clients));
	if (c->listener != NULL)
		evconnlistener_free(c->listener);
	if (c->reaper != NULL)
		event_free(c->reaper);
	free(c);
}
