/* SPDX-License-Identifier: ISC */
/*
 * One port's I/O opened by the kind asked for (io.h).  What is best is tried
 * first: AF_XDP, then AF_PACKET, and what AF_XDP had against it is kept, so
 * that the reason for the slower one can be shown.
 */
#include <config.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io.h"

static const struct io_ops *const kinds[];

int
io_why(struct io *io, int error, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(io->why, sizeof io->why, format, ap);
	va_end(ap);
	return error;
}

static int
open_as(struct io *io, const struct io_ops *ops)
{
	int error;

	io->ops = ops;
	error = ops->open(io);
	if (error != 0)
		io->ops = NULL;
	return error;
}

/* What the second choice said, and why it was not the first. */
static void
both_said(struct io *io, const char *first)
{
	char second[sizeof io->why];

	memcpy(second, io->why, sizeof second);
	if (second[0] == '\0')
		io_why(io, 0, "not af_xdp: %s", first);
	else
		io_why(io, 0, "%s; not af_xdp: %s", second, first);
}

static int
open_best(struct io *io)
{
	char first[sizeof io->why];
	int error;

	if (open_as(io, &io_af_xdp) == 0)
		return 0;
	memcpy(first, io->why, sizeof first);
	io->why[0] = '\0';
	error = open_as(io, &io_af_packet);
	both_said(io, first);
	return error;
}

int
io_open(struct io *io, const char *name, enum io_kind kind, struct pool *pool)
{
	memset(io, 0, sizeof *io);
	io->fd = -1;
	io->pool = pool;
	if (name[0] == '\0' || strlen(name) >= sizeof io->name)
		return io_why(io, -EINVAL, "no name of an interface");
	strcpy(io->name, name);
	io->ifindex = (int)if_nametoindex(name);
	if (io->ifindex == 0 && kind != IO_TAP)
		return io_why(io, -ENODEV, "no interface %s", name);
	return kind == IO_AUTO ? open_best(io) : open_as(io, kinds[kind]);
}

void
io_close(struct io *io)
{
	if (io->ops != NULL)
		io->ops->close(io);
	io->ops = NULL;
	io->fd = -1;
}

int
io_kind_of(const char *word)
{
	int i;

	if (strcmp(word, "auto") == 0)
		return IO_AUTO;
	for (i = IO_AF_XDP; i <= IO_TAP; i++)
		if (strcmp(word, kinds[i]->name) == 0)
			return i;
	return -1;
}

static const struct io_ops *const kinds[] = {
	[IO_AF_XDP] = &io_af_xdp,
	[IO_AF_PACKET] = &io_af_packet,
	[IO_TAP] = &io_tap,
};
