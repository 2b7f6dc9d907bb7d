/* SPDX-License-Identifier: ISC */
/*
 * Messages in and out, and what makes one sane: see apply_msg.h.
 *
 * The process with the capabilities reads what the process that hears peers
 * writes, so each field is in its range before anything looks at it.
 */
#include <config.h>

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "apply_msg.h"

#define BODY(member) \
	(offsetof(struct apply_msg, u) + \
	    sizeof(((struct apply_msg *)NULL)->u.member))
#define NO_BODY offsetof(struct apply_msg, u)

union apply_cmsg {
	struct cmsghdr align;
	char room[CMSG_SPACE(sizeof(int))];
};

/* ---- sanity --------------------------------------------------------- */

static bool
text_ends(const char *text, size_t size)
{
	return memchr(text, '\0', size) != NULL;
}

/* A bool of which any octet might have come is not to be read as one. */
static bool
flag_sane(const bool *flag)
{
	uint8_t octet;

	memcpy(&octet, flag, sizeof(octet));
	return octet <= 1;
}

static bool
oper_sane(const struct dcbx_oper *o)
{
	if (!flag_sane(&o->ets_adjusted) || o->app.n > DCB_APP_MAX)
		return false;
	for (size_t i = 0; i < DCB_PRIOS; i++)
		if (o->ets.prio_tc[i] >= DCB_TCS || o->ets.tc_bw[i] > 100)
			return false;
	for (size_t i = 0; i < o->app.n; i++)
		if (o->app.entry[i].priority >= DCB_PRIOS)
			return false;
	return true;
}

static bool
open_sane(const struct apply_open *o)
{
	if (!text_ends(o->name, sizeof(o->name)) ||
	    o->n > CONFIG_BACKENDS_MAX || o->has_last > 1)
		return false;
	for (size_t i = 0; i < o->n; i++)
		if (!text_ends(o->backends[i], sizeof(o->backends[i])))
			return false;
	return o->has_last == 0 || oper_sane(&o->last);
}

static bool
backend_sane(const struct apply_backend *b)
{
	return text_ends(b->name, sizeof(b->name)) &&
	    text_ends(b->error, sizeof(b->error)) &&
	    b->state <= DCBX_BACKEND_NOT_APPLIED && b->reason < DCBX_REASONS &&
	    b->by_choice <= 1 && b->readable <= 1 &&
	    (b->readable == 0 || oper_sane(&b->in_force));
}

static bool
state_sane(const struct apply_state *s)
{
	if (s->max_tcs < 1 || s->max_tcs > DCB_TCS || s->pfc_cap < 1 ||
	    s->pfc_cap > DCB_PRIOS || s->macsec_bypass > 1 ||
	    s->n > CONFIG_BACKENDS_MAX)
		return false;
	for (size_t i = 0; i < s->n; i++)
		if (!backend_sane(&s->backend[i]))
			return false;
	return true;
}

static size_t
msg_size(uint32_t kind)
{
	switch (kind) {
	case APPLY_SOCKET:
		return BODY(error);
	case APPLY_OPEN:
		return BODY(open);
	case APPLY_VALUE:
		return BODY(value);
	case APPLY_REPORT:
		return BODY(state);
	default:
		return NO_BODY;
	}
}

static bool
msg_sane(const struct apply_msg *m, size_t len)
{
	if (len < NO_BODY || m->version != APPLY_VERSION ||
	    m->kind >= APPLY_KINDS || len != msg_size(m->kind))
		return false;
	switch (m->kind) {
	case APPLY_OPEN:
		return open_sane(&m->u.open);
	case APPLY_VALUE:
		return oper_sane(&m->u.value.oper);
	case APPLY_REPORT:
		return state_sane(&m->u.state);
	default:
		return true;
	}
}

/* ---- the wire ------------------------------------------------------- */

int
apply_send(int socket, const struct apply_msg *m, int fd, bool block)
{
	struct iovec iov = { (void *)(uintptr_t)m, msg_size(m->kind) };
	union apply_cmsg c = { .room = { 0 } };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (fd != -1) {
		msg.msg_control = &c;
		msg.msg_controllen = sizeof(c);
		c.align.cmsg_level = SOL_SOCKET;
		c.align.cmsg_type = SCM_RIGHTS;
		c.align.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&c.align), &fd, sizeof(fd));
	}
	while (sendmsg(socket, &msg,
		   MSG_NOSIGNAL | (block ? 0 : MSG_DONTWAIT)) == -1)
		if (errno != EINTR)
			return -errno;
	return 0;
}

/* There is room for one descriptor: the kernel closes all others. */
static int
msg_fd(struct msghdr *msg)
{
	const struct cmsghdr *c = CMSG_FIRSTHDR(msg);
	int fd = -1;

	if (c != NULL && c->cmsg_level == SOL_SOCKET &&
	    c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

int
apply_recv(int socket, struct apply_msg *m, int *fd)
{
	struct iovec iov = { m, sizeof(*m) };
	union apply_cmsg c;
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &c,
		.msg_controllen = sizeof(c),
	};
	ssize_t len = recvmsg(socket, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	*fd = -1;
	if (len == -1)
		return errno == EINTR ? -EAGAIN : -errno;
	if (len == 0)
		return -EPIPE;
	*fd = msg_fd(&msg);
	if ((msg.msg_flags & MSG_TRUNC) != 0 || !msg_sane(m, (size_t)len)) {
		if (*fd != -1)
			close(*fd);
		*fd = -1;
		return -EBADMSG;
	}
	return 0;
}
