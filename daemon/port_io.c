/* SPDX-License-Identifier: ISC */
/*
 * See port_io.h.  What the shared socket brings for a port with a socket of
 * its own would be the same frame twice, or a tagged one counted wrongly: the
 * set of ports asks port_io_own() before it hands one on.
 */
#include <config.h>

#include <errno.h>
#include <stdlib.h>

#include "apply.h"
#include "clock.h"
#include "daemon/common/event_head.h"
#include "frames.h"
#include "frames_own.h"
#include "libdcbx/text.h"
#include "port_io.h"
#include "recorder.h"

struct port_io {
	struct daemon *d;
	struct frames_own_port port;
	const struct port_io_ops *ops;
	void *arg;
	enum port_io_way way;
	struct frames_own *own; /* NULL: none, yet */
	struct apply_ask *ask;	/* for the socket of it; NULL: none */
	struct recorder_port *recorder;
	uint64_t floods;
	bool muted;
};

/* ---- the port's own socket ------------------------------------------ */

static void
own_input(void *arg, int ifindex, const void *frame, size_t len)
{
	const struct port_io *io = arg;

	(void)ifindex;
	io->ops->input(io->arg, frame, len);
}

static void
own_tagged(void *arg, int ifindex)
{
	const struct port_io *io = arg;

	(void)ifindex;
	io->ops->tagged(io->arg);
}

static void
own_flood(void *arg, int ifindex, bool muted)
{
	(void)ifindex;
	port_io_flood(arg, muted);
}

static const struct frames_ops own_ops = {
	.input = own_input,
	.tagged = own_tagged,
	.flood = own_flood,
};

static void
own_got(void *arg, int fd)
{
	struct port_io *io = arg;
	int err = fd;

	io->ask = NULL;
	if (fd >= 0)
		err = frames_own_open(&io->own,
		    io->way == PORT_IO_PCAP ? &frames_pcap : &frames_member,
		    io->d->base, PRIORITY_REST, fd, &io->port, &own_ops, io);
	if (err >= 0)
		return;
	io->way = PORT_IO_DEAF;
	io->ops->deaf(io->arg, err);
}

/* Who opens sockets for us may have died, and be there again soon. */
static int
own_open(struct port_io *io)
{
	io->ask = apply_socket_ask(io->d->apply, true, own_got, io);
	return io->ask == NULL ? -ENOMEM : 0;
}

/* ---- hearing and sending -------------------------------------------- */

/* A flood ends for us with the socket that muted it. */
static void
io_stop(struct port_io *io)
{
	apply_socket_cancel(io->d->apply, io->ask);
	io->ask = NULL;
	frames_own_close(io->own);
	io->own = NULL;
	if (io->way == PORT_IO_SHARED)
		frames_leave(io->d->frames, io->port.ifindex);
	io->way = PORT_IO_DEAF;
	port_io_flood(io, false);
}

int
port_io_set(struct port_io *io, enum port_io_way way, int master)
{
	int err = 0;

	if (way == io->way && master == io->port.master)
		return 0;
	io_stop(io);
	io->port.master = master;
	if (way == PORT_IO_SHARED)
		err = frames_join(io->d->frames, io->port.ifindex);
	else if (way != PORT_IO_DEAF)
		err = own_open(io);
	if (err == 0)
		io->way = way;
	return err;
}

bool
port_io_own(const struct port_io *io)
{
	return io->way == PORT_IO_MEMBER || io->way == PORT_IO_PCAP;
}

int
port_io_send(struct port_io *io, const void *frame, size_t len)
{
	int err = frames_send(io->d->frames, io->port.ifindex, frame, len);

	if (err == 0)
		recorder_add(io->recorder, RECORDER_OUT, frame, len,
		    daemon_now(), clock_real_ms());
	return err;
}

void
port_io_heard(struct port_io *io, const void *frame, size_t len)
{
	recorder_add(io->recorder, RECORDER_IN, frame, len, daemon_now(),
	    clock_real_ms());
}

void
port_io_mismatch(struct port_io *io)
{
	recorder_pin(io->recorder);
}

void
port_io_flood(struct port_io *io, bool muted)
{
	if (muted == io->muted)
		return;
	io->floods += muted;
	io->muted = muted;
	io->ops->flood(io->arg, muted);
}

/* ---- looking -------------------------------------------------------- */

void
port_io_view(const struct port_io *io, struct dcbx_view *view)
{
	view->frames_lost = io->own != NULL ? frames_own_lost(io->own) :
					      frames_lost(io->d->frames);
	view->floods = io->floods;
	view->muted = io->muted;
}

/* The array that the recorder is walked into, or what became of it. */
struct record {
	json_t *frames;
	bool failed;
};

static void
record_frame(void *arg, const struct recorder_frame *frame)
{
	struct record *r = arg;
	char when[EVENT_TIME_SIZE], hex[2 * RECORDER_FRAME_MAX + 1];

	event_time(frame->real_ms, when, sizeof(when));
	dcbx_text_hex(hex, sizeof(hex), frame->octets, frame->len, '\0');
	if (json_array_append_new(r->frames,
		json_pack("{ss sI ss sb ss}", "time", when, "mono_ms",
		    (json_int_t)frame->mono, "direction",
		    frame->direction == RECORDER_IN ? "in" : "out", "pinned",
		    frame->pinned, "hex", hex)) != 0)
		r->failed = true;
}

json_t *
port_io_record(const struct port_io *io)
{
	struct record r = { json_array(), false };

	recorder_walk(io->recorder, record_frame, &r);
	if (!r.failed)
		return r.frames;
	json_decref(r.frames);
	return NULL;
}

/* ---- coming and going ----------------------------------------------- */

struct port_io *
port_io_new(struct daemon *d, int ifindex, const struct port_io_ops *ops,
    void *arg)
{
	struct port_io *io = calloc(1, sizeof(*io));

	if (io == NULL)
		return NULL;
	io->d = d;
	io->port.ifindex = ifindex;
	io->ops = ops;
	io->arg = arg;
	io->recorder = recorder_open(d->recorder);
	if (d->recorder == NULL || io->recorder != NULL)
		return io;
	free(io);
	return NULL;
}

void
port_io_free(struct port_io *io)
{
	if (io == NULL)
		return;
	if (io->way == PORT_IO_SHARED)
		frames_leave(io->d->frames, io->port.ifindex);
	apply_socket_cancel(io->d->apply, io->ask);
	frames_own_close(io->own);
	recorder_close(io->recorder);
	free(io);
}
