/* SPDX-License-Identifier: ISC */
/*
 * Sockets to the kernel and two ioctls: see dcbnl_io.h.  Only what the kernel
 * itself sent is taken; any process may write to a netlink socket.
 */
#include <config.h>

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dcbnl_io.h"

/* A socket that is bound, so that it has an address of its own; or -errno. */
static int
netlink_open(int flags)
{
	const struct sockaddr_nl any = { .nl_family = AF_NETLINK };
	int err, fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | flags,
	    NETLINK_ROUTE);

	if (fd == -1)
		return -errno;
	if (bind(fd, (const struct sockaddr *)&any, sizeof(any)) == -1) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

int
dcbnl_io_open(struct dcbnl_io *io)
{
	io->watch = -1;
	io->fd = netlink_open(0);
	return io->fd < 0 ? io->fd : 0;
}

void
dcbnl_io_close(struct dcbnl_io *io)
{
	close(io->fd);
	if (io->watch != -1)
		close(io->watch);
}

/* Any socket serves for an ioctl about a device. */
int
dcbnl_io_name(const struct dcbnl_io *io, int ifindex,
    char name[DCBNL_NAME_MAX])
{
	struct ifreq ifr = { .ifr_ifindex = ifindex };

	if (ioctl(io->fd, SIOCGIFNAME, &ifr) == -1)
		return errno == ENXIO ? -ENODEV : -errno;
	memcpy(name, ifr.ifr_name, DCBNL_NAME_MAX);
	name[DCBNL_NAME_MAX - 1] = '\0';
	return 0;
}

void
dcbnl_io_driver(const struct dcbnl_io *io, const char *name,
    char driver[DCBNL_DRIVER_MAX])
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	struct ifreq ifr = { .ifr_data = (void *)&info };

	memset(driver, 0, DCBNL_DRIVER_MAX);
	strncpy(ifr.ifr_name, name, sizeof(ifr.ifr_name) - 1);
	if (ioctl(io->fd, SIOCETHTOOL, &ifr) == 0)
		memcpy(driver, info.driver, DCBNL_DRIVER_MAX - 1);
}

int
dcbnl_io_send(const struct dcbnl_io *io, const void *msg, size_t len)
{
	const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	ssize_t n = sendto(io->fd, msg, len, 0,
	    (const struct sockaddr *)&kernel, sizeof(kernel));

	return n == -1 ? -errno : 0;
}

/* A datagram; 0 where it came from somebody else. */
static int
datagram_take(int fd, void *buf, size_t size, int flags)
{
	struct sockaddr_nl from = { .nl_family = AF_NETLINK };
	struct iovec iov = { .iov_base = buf, .iov_len = size };
	struct msghdr msg = {
		.msg_name = &from,
		.msg_namelen = sizeof(from),
		.msg_iov = &iov,
		.msg_iovlen = 1,
	};
	ssize_t n = recvmsg(fd, &msg, flags);

	if (n == -1)
		return -errno;
	if (from.nl_pid != 0)
		return 0;
	return (msg.msg_flags & MSG_TRUNC) != 0 ? -EMSGSIZE : (int)n;
}

int
dcbnl_io_recv(const struct dcbnl_io *io, void *buf, size_t size, int ms)
{
	struct pollfd p = { .fd = io->fd, .events = POLLIN };
	int n = poll(&p, 1, ms);

	if (n == -1)
		return errno == EINTR ? 0 : -errno;
	if (n == 0)
		return -ETIMEDOUT;
	n = datagram_take(io->fd, buf, size, MSG_DONTWAIT);
	return n == -EAGAIN ? 0 : n;
}

int
dcbnl_io_watch(struct dcbnl_io *io)
{
	const int group = RTNLGRP_DCB;
	int err, fd;

	if (io->watch != -1)
		return io->watch;
	fd = netlink_open(SOCK_NONBLOCK);
	if (fd < 0)
		return fd;
	if (setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group,
	    sizeof(group)) == -1) {
		err = -errno;
		close(fd);
		return err;
	}
	return io->watch = fd;
}

int
dcbnl_io_hear(const struct dcbnl_io *io, void *buf, size_t size)
{
	return datagram_take(io->watch, buf, size, MSG_DONTWAIT);
}
