/* SPDX-License-Identifier: ISC */
/* See xdp_rig.h. */
#include <config.h>

#include <arpa/inet.h>
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/datapath/io/xdp_prog.h"
#include "xdp_rig.h"

struct rig rig;

bool
rig_allowed(void)
{
	int status, map;
	pid_t child = fork();

	if (child == 0) {
		map = unshare(CLONE_NEWNET) == 0 ? xdp_map_new(1) : -1;
		_exit(map < 0);
	}
	if (waitpid(child, &status, 0) == child && status == 0)
		return true;
	printf("skip AF_XDP on interfaces: it takes root\n");
	return false;
}

void
rig_run(const char *command)
{
	if (system(command) != 0)
		ck_abort_msg("%s", command);
}

void
rig_enter(void)
{
	setenv("PATH", "/usr/sbin:/sbin:/usr/bin:/bin", 1);
	ck_assert_int_eq(unshare(CLONE_NEWNET), 0);
	rig_run("echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6");
}

void
rig_veth(const char *a, const char *b)
{
	char command[128];

	snprintf(command, sizeof command,
	    "ip link add %s type veth peer name %s && ip link set %s up && "
	    "ip link set %s up", a, b, a, b);
	rig_run(command);
}

void
rig_begin(void)
{
	rig_enter();
	rig_veth("port", "far");
	ck_assert_int_eq(pool_open(&rig.pool, 2048, CHUNKS), 0);
}

void
rig_open(void)
{
	if (io_open(&rig.io, "port", IO_AF_XDP, &rig.pool) != 0)
		ck_abort_msg("%s", rig.io.why);
}

void
rig_finish(void)
{
	io_close(&rig.io);
	ck_assert_uint_eq(rig.pool.n_free, CHUNKS);
	pool_close(&rig.pool);
}

void
rig_put(unsigned n)
{
	while (n-- > 0)
		pool_put(&rig.pool, rig.frame[n].cookie);
}

int
rig_socket(const char *name, uint16_t type)
{
	struct sockaddr_ll at = { .sll_family = AF_PACKET,
		.sll_protocol = htons(type),
		.sll_ifindex = (int)if_nametoindex(name) };
	int one = 1, fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING,
	    &one, sizeof one), 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
	return fd;
}

void
rig_send(int fd, const void *frame, uint32_t len)
{
	ck_assert_int_eq(send(fd, frame, len, 0), (int)len);
}

uint32_t
rig_recv(int fd, void *frame, uint32_t size)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (poll(&p, 1, RIG_WAIT_MS) != 1)
		return 0;
	return (uint32_t)recv(fd, frame, size, 0);
}

uint32_t
rig_frame(uint8_t *frame, const char *to, uint16_t type, uint32_t len)
{
	static const uint8_t from[6] = { 2, 0, 0, 0, 0, 1 };
	unsigned to_octet[6];
	uint32_t i;

	ck_assert_int_eq(sscanf(to, "%x-%x-%x-%x-%x-%x", &to_octet[0],
	    &to_octet[1], &to_octet[2], &to_octet[3], &to_octet[4],
	    &to_octet[5]), 6);
	for (i = 0; i < 6; i++)
		frame[i] = (uint8_t)to_octet[i];
	memcpy(frame + 6, from, 6);
	frame[12] = (uint8_t)(type >> 8);
	frame[13] = (uint8_t)type;
	for (i = 14; i < len; i++)
		frame[i] = (uint8_t)(i * 7);
	return len;
}

unsigned
rig_rx(struct io *io, struct dp_frame *frame, unsigned n)
{
	struct pollfd p = { .fd = io->fd, .events = POLLIN };

	return poll(&p, 1, RIG_WAIT_MS) == 1 ? io->ops->rx(io, frame, n) : 0;
}

void
rig_flush(struct io *io)
{
	int i;

	for (i = 0; io->ops->flush(io); i++)
		ck_assert_int_lt(i, 10);
}

void
rig_tx(struct io *io, uint8_t *frame, uint32_t len, bool copy)
{
	struct io_out out = { .data = frame, .len = len, .copy = copy };
	uint64_t address;

	ck_assert_uint_ge(io->ops->room(io), 1);
	if (!copy) {
		address = pool_get(io->pool) + POOL_HEADROOM;
		out.data = pool_data(io->pool, address);
		memcpy(out.data, frame, len);
	}
	io->ops->tx(io, &out, 1);
	rig_flush(io);
}
