/* SPDX-License-Identifier: ISC */
/*
 * Namespaces, veths and plain sockets for the tests of io; see packet_rig.h.
 */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "packet_rig.h"

static bool
map_write(const char *path, unsigned id)
{
	FILE *f = fopen(path, "we");
	bool bad;

	if (f == NULL)
		return false;
	bad = fprintf(f, "0 %u 1\n", id) < 0;
	return fclose(f) == 0 && !bad;
}

/* As root of a user namespace, when we are no other root. */
static bool
rig_user(void)
{
	unsigned uid = geteuid(), gid = getegid();
	FILE *f;

	if (unshare(CLONE_NEWUSER) != 0)
		return false;
	f = fopen("/proc/self/setgroups", "we");
	if (f != NULL) {
		fputs("deny", f);
		fclose(f);
	}
	return map_write("/proc/self/uid_map", uid) &&
	    map_write("/proc/self/gid_map", gid);
}

bool
rig_may(void)
{
	return (geteuid() == 0 || rig_user()) && unshare(CLONE_NEWNET) == 0;
}

void
rig_run(const char *format, ...)
{
	char command[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(command, sizeof(command), format, ap);
	va_end(ap);
	ck_assert_msg(system(command) == 0, "%s", command);
}

/* Without IPv6, which speaks unasked. */
void
rig_veth(void)
{
	FILE *f;

	ck_assert_int_eq(unshare(CLONE_NEWNET), 0);
	f = fopen("/proc/sys/net/ipv6/conf/default/disable_ipv6", "we");
	if (f != NULL) {
		fputs("1", f);
		fclose(f);
	}
	rig_run("ip link add port type veth peer name peer");
	rig_run("ip link set port up && ip link set peer up");
}

int
rig_socket(const char *name, uint16_t protocol)
{
	struct sockaddr_ll at = {
		.sll_family = AF_PACKET,
		.sll_protocol = htobe16(protocol),
		.sll_ifindex = (int)if_nametoindex(name),
	};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0), one = 1;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING,
			     &one, sizeof(one)), 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	return fd;
}

void
rig_open(struct rig *r, const struct io_ops *ops)
{
	rig_open_chunks(r, ops, 2048);
}

void
rig_open_chunks(struct rig *r, const struct io_ops *ops, uint32_t chunk)
{
	*r = (struct rig) { .io = { .ops = ops, .fd = -1, .name = "port" } };
	ck_assert_int_eq(pool_open(&r->pool, chunk, RIG_CHUNKS), 0);
	r->io.pool = &r->pool;
	ck_assert_msg(ops->open(&r->io) == 0, "%s", r->io.why);
	r->peer = rig_socket(if_nametoindex("peer") != 0 ? "peer" : "port",
	    0x0003);
}

void
rig_close(struct rig *r)
{
	close(r->peer);
	r->io.ops->close(&r->io);
	ck_assert_uint_eq(r->pool.n_free, RIG_CHUNKS);
	pool_close(&r->pool);
}

void
rig_frame(uint8_t *to, uint32_t len, uint16_t protocol, uint8_t seed)
{
	static const uint8_t addresses[12] = { 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0,
		2 };

	for (uint32_t i = 0; i < len; i++)
		to[i] = (uint8_t)(seed + i);
	memcpy(to, addresses, sizeof(addresses));
	to[12] = (uint8_t)(protocol >> 8);
	to[13] = (uint8_t)protocol;
}

/* A flap of the link leaves an error, which is taken first. */
static bool
readable(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	socklen_t len = sizeof(int);
	int error;

	getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len);
	return poll(&p, 1, ms) == 1 && (p.revents & POLLIN) != 0;
}

uint32_t
rig_get(int fd, uint8_t *to, uint32_t room, int ms)
{
	ssize_t len = readable(fd, ms) ? recv(fd, to, room, 0) : 0;

	ck_assert_int_ge(len, 0);
	return (uint32_t)len;
}

bool
rig_rx(struct rig *r, struct dp_frame *f, int ms)
{
	return readable(r->io.fd, ms) && r->io.ops->rx(&r->io, f, 1) == 1;
}

void
rig_tx(struct rig *r, const uint8_t *frame, uint32_t len)
{
	uint64_t address = pool_get(&r->pool) + POOL_HEADROOM;
	struct io_out out = { .data = pool_data(&r->pool, address),
		.len = len };

	memcpy(out.data, frame, len);
	ck_assert_uint_ge(r->io.ops->room(&r->io), 1);
	r->io.ops->tx(&r->io, &out, 1);
	r->io.ops->flush(&r->io);
}

struct io_stats
rig_stats(struct rig *r)
{
	struct io_stats s;

	r->io.ops->stats(&r->io, &s);
	return s;
}
