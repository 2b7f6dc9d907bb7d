/* SPDX-License-Identifier: ISC */
/*
 * Messages in and out, and what makes one sane: see apply_msg.h.
 *
 * The process with the capabilities reads what the process that hears peers
 * writes, so each field is in its range before anything looks at it; the
 * ranges of values are in apply_sane.c.
 */
#include <config.h>

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "apply_msg.h"
#include "apply_sane.h"

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
open_sane(const struct apply_open *o)
{
	if (!apply_ifname_sane(o->name) || o->n > CONFIG_BACKENDS_MAX ||
	    o->has_last >> CONFIG_BACKENDS_MAX != 0 || o->has_was > 1 ||
	    !apply_setup_sane(&o->setup) ||
	    (o->has_was != 0 && !apply_setup_sane(&o->was)))
		return false;
	if (o->has_memory > 1 ||
	    (o->has_memory != 0 && !apply_memory_sane(&o->memory)))
		return false;
	for (size_t i = 0; i < o->n; i++)
		if (!apply_text_ends(o->backends[i], sizeof(o->backends[i])))
			return false;
	return o->has_last == 0 || apply_oper_sane(&o->last);
}

static bool
plan_sane(const struct backend_plan *p)
{
	if (p->n > BACKEND_WRITES_MAX || p->state > DCBX_BACKEND_NOT_APPLIED ||
	    p->reason >= DCBX_REASONS ||
	    !apply_text_ends(p->error, sizeof(p->error)))
		return false;
	for (size_t i = 0; i < p->n; i++) {
		const struct backend_write *w = &p->write[i];

		if (!apply_text_ends(w->what, sizeof(w->what)) ||
		    !apply_text_ends(w->from, sizeof(w->from)) ||
		    !apply_text_ends(w->to, sizeof(w->to)) ||
		    w->resets_link > BACKEND_RESET_UNKNOWN)
			return false;
	}
	return true;
}

static bool
backend_sane(const struct apply_backend *b)
{
	return apply_text_ends(b->name, sizeof(b->name)) &&
	    apply_text_ends(b->error, sizeof(b->error)) &&
	    b->state <= DCBX_BACKEND_NOT_APPLIED && b->reason < DCBX_REASONS &&
	    b->by_choice <= 1 && b->readable <= 1 &&
	    b->has_plan <= 1 &&
	    (b->readable == 0 || apply_oper_sane(&b->in_force)) &&
	    (b->has_plan == 0 || plan_sane(&b->plan));
}

static bool
state_sane(const struct apply_state *s)
{
	if (s->max_tcs < 1 || s->max_tcs > DCB_TCS || s->pfc_cap < 1 ||
	    s->pfc_cap > DCB_PRIOS || s->macsec_bypass > 1 ||
	    s->waits > 1 || s->has_caps > 1 || s->has_memory > 1 ||
	    (s->has_memory != 0 && !apply_memory_sane(&s->memory)))
		return false;
	for (size_t i = 0; i < s->n; i++)
		if (!backend_sane(&s->backend[i]))
			return false;
	return true;
}

/* One of a wrong n has the size of none that could come. */
static size_t
state_size(const struct apply_state *s)
{
	if (s->n > CONFIG_BACKENDS_MAX)
		return sizeof(struct apply_msg) + 1;
	return offsetof(struct apply_msg, u.state.backend) +
	    s->n * sizeof(s->backend[0]);
}

static size_t
msg_size(const struct apply_msg *m)
{
	switch (m->kind) {
	case APPLY_SOCKET:
		return BODY(error);
	case APPLY_OPEN:
		return BODY(open);
	case APPLY_VALUE:
	case APPLY_SHOW:
		return BODY(value);
	case APPLY_REPORT:
		return state_size(&m->u.state);
	case APPLY_DRIFT:
		return BODY(drift);
	case APPLY_COUNTS:
		return BODY(counts);
	default:
		return NO_BODY;
	}
}

static bool
msg_sane(const struct apply_msg *m, size_t len)
{
	if (len < NO_BODY || m->version != APPLY_VERSION ||
	    m->kind >= APPLY_KINDS)
		return false;
	if (m->kind == APPLY_REPORT &&
	    len < offsetof(struct apply_msg, u.state.backend))
		return false;
	if (len != msg_size(m))
		return false;
	switch (m->kind) {
	case APPLY_OPEN:
		return open_sane(&m->u.open);
	case APPLY_VALUE:
	case APPLY_SHOW:
		return apply_value_sane(&m->u.value.oper);
	case APPLY_REPORT:
		return state_sane(&m->u.state);
	case APPLY_DRIFT:
		return apply_text_ends(m->u.drift.name,
			   sizeof(m->u.drift.name)) &&
		    plan_sane(&m->u.drift.plan);
	case APPLY_COUNTS:
		return m->u.counts.has <= 1 &&
		    apply_traffic_sane(&m->u.counts.traffic);
	default:
		return true;
	}
}

/* ---- the wire ------------------------------------------------------- */

int
apply_send(int socket, const struct apply_msg *m, int fd)
{
	struct iovec iov = { (void *)(uintptr_t)m, msg_size(m) };
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
	while (sendmsg(socket, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) == -1)
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
