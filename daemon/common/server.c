/* SPDX-License-Identifier: ISC */
/*
 * A Unix stream socket with varlink framing: clients, limits, order.
 *
 * Requests of a client are answered in order, one at a time; while its
 * replies wait to be read, or while a stream runs, its further requests wait
 * in a bounded buffer.  Nothing a client does or leaves undone blocks the
 * daemon: bad framing closes it, and who does not read a stream is dropped.
 *
 * A client is freed only by server_reap(), from the event loop: a reply may
 * be under way deep inside an event that is being published.
 */
#include <config.h>

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <unistd.h>

#include "rights.h"
#include "server_room.h"
#include "varlink.h"

#define CLIENTS_MAX 64
#define CLIENTS_KEPT 8 /* of these, for those who may change things */
#define UNSENT_MAX (16 * 1024 * 1024) /* more: the client is dropped */
#define UNSENT_WAIT (1024 * 1024)     /* more: its requests wait */
#define UNSENT_LOW (64 * 1024)	      /* less: they go on */
#define REQUESTS_A_TURN 4
#define BACKLOG 16
#define TOPIC_SIZE 80 /* such as a port's name as in documents */

struct server_client {
	TAILQ_ENTRY(server_client) link;
	struct server *s;
	struct bufferevent *bev;
	bool may_change;
	bool oneway;	/* the call at hand wants no reply */
	bool eof;	/* sends no more requests */
	bool doomed;	/* to be freed by server_reap() */
	bool overflow;	/* because it did not read */
	bool streams;	/* a stream is running */
	char topic[TOPIC_SIZE]; /* of the stream; "" = all */
};

struct server {
	struct server_options options;
	struct event_base *base;
	struct evconnlistener *listener;
	struct event *reaper;
	unsigned n_clients;
	TAILQ_HEAD(, server_client) clients;
};

/* ---- the end of a client -------------------------------------------- */

static void
client_free(struct server_client *cl)
{
	TAILQ_REMOVE(&cl->s->clients, cl, link);
	cl->s->n_clients--;
	bufferevent_free(cl->bev);
	free(cl);
}

static void
client_doom(struct server_client *cl)
{
	cl->doomed = true;
	event_active(cl->s->reaper, 0, 0);
}

static void
server_say(const struct server *s, const char *what, const char *why)
{
	char line[128];

	if (s->options.say == NULL)
		return;
	snprintf(line, sizeof(line), "client %s: %s", what, why);
	s->options.say(s->options.arg, line);
}

static void
client_refuse(struct server_client *cl, const char *why)
{
	server_say(cl->s, "closed", why);
	client_doom(cl);
}

static void
server_reap(evutil_socket_t fd, short what, void *arg)
{
	struct server *s = arg;
	struct server_client *cl, *next;
	uint64_t overflows = 0;

	(void)fd;
	(void)what;
	for (cl = TAILQ_FIRST(&s->clients); cl != NULL; cl = next) {
		next = TAILQ_NEXT(cl, link);
		overflows += cl->doomed && cl->overflow;
		if (cl->doomed)
			client_free(cl);
	}
	if (overflows != 0)
		s->options.dropped(s->options.arg, overflows);
}

/* ---- replies -------------------------------------------------------- */

/* Steals message. */
static void
client_send(struct server_client *cl, json_t *message)
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
server_reply(const struct server_call *call, json_t *parameters,
    bool continues)
{
	client_send(call->client,
	    parameters == NULL ? NULL : varlink_reply(parameters, continues));
}

void
server_error(const struct server_call *call, const char *error,
    json_t *parameters)
{
	client_send(call->client,
	    parameters == NULL ? NULL : varlink_error(error, parameters));
}

void
server_stream(const struct server_call *call, const char *topic)
{
	struct server_client *cl = call->client;

	if (cl->doomed || cl->oneway)
		return;
	snprintf(cl->topic, sizeof(cl->topic), "%s", topic);
	cl->streams = true;
}

void
server_publish(struct server *s, const char *topic, json_t *event)
{
	struct server_client *cl;

	TAILQ_FOREACH (cl, &s->clients, link)
		if (cl->streams &&
		    (cl->topic[0] == '\0' || topic[0] == '\0' ||
			strcmp(cl->topic, topic) == 0))
			client_send(cl,
			    varlink_reply(json_incref(event), true));
}

const struct server_options *
server_options_of(const struct server_call *call)
{
	return &call->client->s->options;
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
client_call(struct server_client *cl, json_t *request)
{
	json_t *parameters = json_object_get(request, "parameters");
	json_t *none = json_object();
	bool bad = false;
	struct server_call call = {
		.arg = cl->s->options.arg,
		.client = cl,
		.method = json_string_value(
		    json_object_get(request, "method")),
		.parameters = parameters,
		.more = request_flag(request, "more", &bad),
		.may_change = cl->may_change,
		.oneway = request_flag(request, "oneway", &bad),
	};

	cl->oneway = call.oneway;
	if (parameters == NULL || json_is_null(parameters))
		call.parameters = none;
	if (bad || call.method == NULL || !json_is_object(call.parameters))
		client_refuse(cl, "a request that is no varlink call");
	else
		server_dispatch(&call, &cl->s->options);
	cl->oneway = false;
	json_decref(none);
}

/* Octets before the next NUL, or -1. */
static ssize_t
request_length(struct server_client *cl)
{
	struct evbuffer *in = bufferevent_get_input(cl->bev);

	return evbuffer_search(in, "", 1, NULL).pos;
}

/* Take and answer one request; false: there is none to take. */
static bool
client_take(struct server_client *cl)
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
client_settle(struct server_client *cl)
{
	struct evbuffer *out = bufferevent_get_output(cl->bev);

	if (cl->eof && !cl->doomed &&
	    (cl->streams ||
		(evbuffer_get_length(out) == 0 && request_length(cl) < 0)))
		client_doom(cl);
}

static void
client_work(struct server_client *cl)
{
	struct evbuffer *out = bufferevent_get_output(cl->bev);
	int turn = 0;

	while (!cl->doomed && !cl->streams &&
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
	struct server_client *cl = arg;

	(void)bev;
	if ((what & BEV_EVENT_ERROR) != 0) {
		client_doom(cl);
		return;
	}
	cl->eof = true;
	client_work(cl);
}

static bool
server_trusts(const struct server *s, evutil_socket_t fd)
{
	return rights_of(fd, s->options.group, s->options.own_user);
}

static struct server_client *
client_new(struct server *s, evutil_socket_t fd)
{
	struct server_client *cl = calloc(1, sizeof(*cl));

	if (cl == NULL)
		return NULL;
	cl->s = s;
	cl->may_change = server_trusts(s, fd);
	cl->bev =
	    bufferevent_socket_new(s->base, fd, BEV_OPT_CLOSE_ON_FREE);
	if (cl->bev == NULL) {
		free(cl);
		return NULL;
	}
	bufferevent_priority_set(cl->bev, s->options.priority);
	bufferevent_setcb(cl->bev, client_readable, client_writable,
	    client_event, cl);
	bufferevent_setwatermark(cl->bev, EV_READ, 0,
	    VARLINK_REQUEST_MAX + 1);
	bufferevent_setwatermark(cl->bev, EV_WRITE, UNSENT_LOW, 0);
	bufferevent_enable(cl->bev, EV_READ | EV_WRITE);
	TAILQ_INSERT_TAIL(&s->clients, cl, link);
	s->n_clients++;
	return cl;
}

static void
server_accept(struct evconnlistener *listener, evutil_socket_t fd,
    struct sockaddr *sa, int len, void *arg)
{
	struct server *s = arg;
	unsigned room = CLIENTS_MAX;
	char why[32];

	(void)listener, (void)sa, (void)len;
	if (s->n_clients >= CLIENTS_MAX - CLIENTS_KEPT &&
	    !server_trusts(s, fd))
		room -= CLIENTS_KEPT;
	if (s->n_clients < room && client_new(s, fd) != NULL)
		return;
	snprintf(why, sizeof(why), "%u are served", s->n_clients);
	server_say(s, "refused", why);
	close(fd);
}

/* ---- open and close ------------------------------------------------- */

int
server_open(struct server **out, const struct server_options *options,
    struct event_base *base, int fd)
{
	struct server *s = calloc(1, sizeof(*s));

	if (s == NULL)
		goto fail;
	s->options = *options;
	s->base = base;
	TAILQ_INIT(&s->clients);
	s->reaper = event_new(base, -1, 0, server_reap, s);
	if (s->reaper == NULL ||
	    event_priority_set(s->reaper, options->priority) == -1)
		goto fail;
	s->listener = evconnlistener_new(base, server_accept, s,
	    LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC, BACKLOG, fd);
	if (s->listener == NULL)
		goto fail;
	*out = s;
	return 0;
fail:
	close(fd);
	server_close(s);
	return -ENOMEM;
}

void
server_close(struct server *s)
{
	if (s == NULL)
		return;
	while (!TAILQ_EMPTY(&s->clients))
		client_free(TAILQ_FIRST(&s->clients));
	if (s->listener != NULL)
		evconnlistener_free(s->listener);
	if (s->reaper != NULL)
		event_free(s->reaper);
	free(s);
}
