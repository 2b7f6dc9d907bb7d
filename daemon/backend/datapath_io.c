/* SPDX-License-Identifier: ISC */
/*
 * One call, one connection: see datapath_io.h.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/backend/datapath_io.h"
#include "daemon/backend/datapath_room.h"
#include "daemon/common/monotonic.h"
#include "daemon/common/varlink.h"

#define READ_SIZE 16384

bool
datapath_address(struct sockaddr_un *to, const char *path)
{
	const size_t len = strlen(path);

	*to = (struct sockaddr_un) { .sun_family = AF_UNIX };
	if (len >= sizeof(to->sun_path))
		return false;
	memcpy(to->sun_path, path, len);
	return true;
}

/* A Unix socket is there at once or not at all. */
int
datapath_connect(const struct sockaddr_un *to)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
	    0);
	int err;

	if (fd == -1)
		return -errno;
	if (connect(fd, (const struct sockaddr *)to, sizeof(*to)) == 0)
		return fd;
	err = -errno;
	close(fd);
	return err;
}

/* Until it is ready, but not longer than until. */
static int
ready(int fd, short events, int64_t until)
{
	struct pollfd p = { .fd = fd, .events = events };
	int64_t left;
	int n;

	do {
		left = until - monotonic_ms();
		n = left > 0 ? poll(&p, 1, (int)left) : 0;
	} while (n == -1 && errno == EINTR);
	if (n == -1)
		return -errno;
	return n == 0 ? -ETIMEDOUT : 0;
}

static int
send_all(int fd, const char *text, size_t len, int64_t until)
{
	while (len > 0) {
		ssize_t n = send(fd, text, len, MSG_NOSIGNAL);
		int err;

		if (n > 0) {
			text += n;
			len -= (size_t)n;
			continue;
		}
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		err = ready(fd, POLLOUT, until);
		if (err != 0)
			return err;
	}
	return 0;
}

struct reply {
	char *text;
	size_t len, room;
};

static int
reply_grow(struct reply *r)
{
	char *more;

	if (r->room - r->len >= READ_SIZE)
		return 0;
	if (r->room >= DATAPATH_REPLY_MAX)
		return -EMSGSIZE;
	more = realloc(r->text, 2 * r->room + READ_SIZE);
	if (more == NULL)
		return -ENOMEM;
	r->text = more;
	r->room = 2 * r->room + READ_SIZE;
	return 0;
}

/* One message with its NUL, whatever may come after it. */
static int
reply_read(int fd, struct reply *r, int64_t until)
{
	for (;;) {
		int err = reply_grow(r);
		ssize_t n;

		if (err == 0)
			err = ready(fd, POLLIN, until);
		if (err != 0)
			return err;
		n = recv(fd, r->text + r->len, READ_SIZE, 0);
		if (n == 0)
			return -ECONNRESET;
		if (n == -1 && errno != EAGAIN && errno != EINTR)
			return -errno;
		if (n == -1)
			continue;
		if (memchr(r->text + r->len, '\0', (size_t)n) != NULL)
			return 0;
		r->len += (size_t)n;
	}
}

static int
exchange(const char *path, const char *text, size_t len, struct reply *r)
{
	const int64_t until = monotonic_ms() + DATAPATH_WAIT_MS;
	struct sockaddr_un to;
	int fd, err;

	if (!datapath_address(&to, path))
		return -ENAMETOOLONG;
	fd = datapath_connect(&to);
	if (fd < 0)
		return fd == -EAGAIN ? -ETIMEDOUT : fd;
	err = send_all(fd, text, len, until);
	if (err == 0)
		err = reply_read(fd, r, until);
	close(fd);
	return err;
}

static int
answer_parse(const char *text, struct datapath_answer *a)
{
	char why[128];
	json_t *message = varlink_parse(text, strlen(text), why, sizeof(why));
	const json_t *name = json_object_get(message, "error");
	const char *error = json_string_value(name);
	const char *dot = error == NULL ? NULL : strrchr(error, '.');
	bool good = message != NULL && (name == NULL || error != NULL);

	if (error != NULL)
		snprintf(a->error, sizeof(a->error), "%s",
		    dot != NULL ? dot + 1 : error);
	a->parameters = json_incref(json_object_get(message, "parameters"));
	if (a->parameters == NULL)
		a->parameters = json_object();
	good = good && json_is_object(a->parameters);
	json_decref(message);
	if (good)
		return 0;
	json_decref(a->parameters);
	a->parameters = NULL;
	return -EBADMSG;
}

int
datapath_call(const char *path, const char *method, json_t *parameters,
    struct datapath_answer *a)
{
	json_t *call = varlink_call(method, parameters, false);
	struct reply r = { .text = NULL };
	size_t len = 0;
	char *text = call == NULL ? NULL : varlink_pack(call, &len);
	int err = -ENOMEM;

	memset(a, 0, sizeof(*a));
	json_decref(call);
	if (text != NULL)
		err = exchange(path, text, len, &r);
	if (err == 0)
		err = answer_parse(r.text, a);
	free(text);
	free(r.text);
	return err;
}
