/* SPDX-License-Identifier: ISC */
/*
 * dcbshim: preload library that stands in for the kernel's dcbnl.
 *
 * A veth has no dcbnl, so a DCBX daemon that asks the kernel for it, as lldpad
 * does, stays silent on one.  Loaded into such a daemon this library keeps its
 * RTM_GETDCB and RTM_SETDCB messages from the kernel and answers them from a
 * simulated device (dcbshim_device.c), one per interface name; every other
 * message passes.  DCBSHIM_LOG=FILE logs the writes.
 *
 * An answer does not make the socket readable: a program that sends and then
 * receives works (libnl, libmnl, lldpad), one that polls first does not.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <linux/dcbnl.h>
#include <linux/rtnetlink.h>

#include "dcbshim.h"

#define MAX_FD 8192
#define EXPORT __attribute__((visibility("default")))

struct answer {
	struct answer *next;
	size_t len;
	unsigned char data[];
};

struct ack {
	struct nlmsghdr head;
	struct nlmsgerr error;
};

static struct {
	ssize_t (*sendto)(int, const void *, size_t, int,
	    const struct sockaddr *, socklen_t);
	ssize_t (*sendmsg)(int, const struct msghdr *, int);
	ssize_t (*recv)(int, void *, size_t, int);
	ssize_t (*recvmsg)(int, struct msghdr *, int);
	int (*close)(int);
} real;

/* Answers that wait to be read, per socket. */
static struct answer *answers[MAX_FD];

__attribute__((constructor)) static void
start(void)
{
	*(void **)&real.sendto = dlsym(RTLD_NEXT, "sendto");
	*(void **)&real.sendmsg = dlsym(RTLD_NEXT, "sendmsg");
	*(void **)&real.recv = dlsym(RTLD_NEXT, "recv");
	*(void **)&real.recvmsg = dlsym(RTLD_NEXT, "recvmsg");
	*(void **)&real.close = dlsym(RTLD_NEXT, "close");
	device_log(getenv("DCBSHIM_LOG"));
}

/* Append a message to what a socket has to read. */
static void
queue(int fd, const void *data, size_t len)
{
	struct answer *a = malloc(sizeof(*a) + len), **end = &answers[fd];

	if (a == NULL)
		abort();
	a->next = NULL;
	a->len = len;
	memcpy(a->data, data, len);
	while (*end != NULL)
		end = &(*end)->next;
	*end = a;
}

/* The kernel sends its answer, and then the ACK with the same number. */
static void
queue_ack(int fd, const struct nlmsghdr *request)
{
	struct ack ack = { .head = { .nlmsg_len = sizeof(ack),
			       .nlmsg_type = NLMSG_ERROR,
			       .nlmsg_seq = request->nlmsg_seq,
			       .nlmsg_pid = request->nlmsg_pid },
		.error.msg = *request };

	queue(fd, &ack, sizeof(ack));
}

/* True when the message was for the device, and its answer now waits. */
static bool
take_request(int fd, const struct nlmsghdr *request, size_t len)
{
	static unsigned char buf[SHIM_BUF];
	const size_t head = NLMSG_LENGTH(sizeof(struct dcbmsg));
	struct nlmsghdr *reply = (struct nlmsghdr *)buf;

	if (fd < 0 || fd >= MAX_FD || len < head ||
	    request->nlmsg_len < head || request->nlmsg_len > len ||
	    (request->nlmsg_type != RTM_GETDCB &&
		request->nlmsg_type != RTM_SETDCB))
		return false;
	memcpy(reply, request, head);
	reply->nlmsg_len = (uint32_t)head;
	reply->nlmsg_flags = 0;
	if (!device_answer(request, reply))
		return false;
	queue(fd, reply, reply->nlmsg_len);
	if (request->nlmsg_flags & NLM_F_ACK)
		queue_ack(fd, request);
	return true;
}

static bool
waits(int fd)
{
	return fd >= 0 && fd < MAX_FD && answers[fd] != NULL;
}

static void
drop(int fd)
{
	struct answer *a = answers[fd];

	answers[fd] = a->next;
	free(a);
}

/* As recv(2) of one datagram; *cut: there was more than fits. */
static ssize_t
read_answer(int fd, void *buf, size_t len, int flags, bool *cut)
{
	size_t whole = answers[fd]->len, n = whole < len ? whole : len;

	if (n > 0)
		memcpy(buf, answers[fd]->data, n);
	*cut = whole > len;
	if (!(flags & MSG_PEEK))
		drop(fd);
	return (ssize_t)(flags & MSG_TRUNC ? whole : n);
}

static bool
to_netlink(const struct sockaddr *to, socklen_t len)
{
	return to != NULL && len >= sizeof(struct sockaddr_nl) &&
	    to->sa_family == AF_NETLINK;
}

EXPORT ssize_t
sendto(int fd, const void *buf, size_t len, int flags,
    const struct sockaddr *to, socklen_t to_len)
{
	if (to_netlink(to, to_len) && take_request(fd, buf, len))
		return (ssize_t)len;
	return real.sendto(fd, buf, len, flags, to, to_len);
}

EXPORT ssize_t
sendmsg(int fd, const struct msghdr *m, int flags)
{
	static unsigned char buf[SHIM_BUF];
	size_t n = 0;

	if (!to_netlink(m->msg_name, m->msg_namelen))
		return real.sendmsg(fd, m, flags);
	for (size_t i = 0; i < m->msg_iovlen; i++) {
		const struct iovec *v = &m->msg_iov[i];

		if (v->iov_len > sizeof(buf) - n)
			return real.sendmsg(fd, m, flags);
		memcpy(buf + n, v->iov_base, v->iov_len);
		n += v->iov_len;
	}
	if (take_request(fd, (struct nlmsghdr *)buf, n))
		return (ssize_t)n;
	return real.sendmsg(fd, m, flags);
}

EXPORT ssize_t
recv(int fd, void *buf, size_t len, int flags)
{
	bool cut;

	return waits(fd) ? read_answer(fd, buf, len, flags, &cut)
			 : real.recv(fd, buf, len, flags);
}

EXPORT ssize_t
recvmsg(int fd, struct msghdr *m, int flags)
{
	struct sockaddr_nl from = { .nl_family = AF_NETLINK };
	ssize_t n;
	bool cut;

	if (!waits(fd) || m->msg_iovlen == 0)
		return real.recvmsg(fd, m, flags);
	n = read_answer(fd, m->msg_iov[0].iov_base, m->msg_iov[0].iov_len,
	    flags, &cut);
	if (m->msg_name != NULL && m->msg_namelen >= sizeof(from))
		memcpy(m->msg_name, &from, sizeof(from));
	m->msg_namelen = sizeof(from);
	m->msg_controllen = 0;
	m->msg_flags = cut ? MSG_TRUNC : 0;
	return n;
}

EXPORT int
close(int fd)
{
	while (waits(fd))
		drop(fd);
	return real.close(fd);
}
