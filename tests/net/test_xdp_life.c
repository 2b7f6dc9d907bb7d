/* SPDX-License-Identifier: ISC */
/*
 * AF_XDP on a veth pair: what is lost and where it is counted, ports that go
 * down or away, who is refused and why, and that nothing stays behind.
 */
#include <config.h>

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <check.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <netinet/udp.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xdp_rig.h"

/* ---- losses are counted ---- */

START_TEST(what_a_chunk_does_not_hold_is_counted)
{
	uint32_t len;
	int far;

	rig_begin();
	rig_open();
	rig_run("ip link set port mtu 3000 && ip link set far mtu 3000");
	far = rig_socket("far", 0);
	len = rig_frame(rig.sent, SOMEBODY, 0x88b5, pool_room(&rig.pool) + 1);
	rig_send(far, rig.sent, len);
	rig_send(far, rig.sent, len - 1);
	ck_assert_uint_eq(rig_rx(&rig.io, rig.frame, IO_BURST), 1);
	ck_assert_uint_eq(rig.frame[0].len, len - 1);
	rig_put(1);
	rig.io.ops->stats(&rig.io, &rig.stats);
	ck_assert_uint_eq(rig.stats.rx_oversize, 1);
	ck_assert_uint_eq(rig.stats.rx_lost, 0);
	rig_finish();
}
END_TEST

/* A real stack's segments, glued for the device to cut. */
START_TEST(glued_segments_are_counted)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
		.sin_port = htons(4791) };
	int fd, cut = 1000;

	rig_begin();
	rig_open();
	rig_run("ip address add 198.18.0.1/24 dev far && ip neighbour add "
	    "198.18.0.2 lladdr 02:00:00:00:00:02 dev far");
	inet_pton(AF_INET, "198.18.0.2", &to.sin_addr);
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	ck_assert_int_eq(setsockopt(fd, SOL_UDP, UDP_SEGMENT, &cut,
	    sizeof cut), 0);
	ck_assert_int_eq(sendto(fd, rig.sent, 3000, 0, (struct sockaddr *)&to,
	    sizeof to), 3000);
	ck_assert_uint_eq(rig.io.ops->rx(&rig.io, rig.frame, IO_BURST), 0);
	rig.io.ops->stats(&rig.io, &rig.stats);
	ck_assert_uint_eq(rig.stats.rx_oversize, 1);
	/* What the man page says to do about it. */
	rig_run("ethtool -K far tso off gso off tx-udp-segmentation off "
	    ">/dev/null");
	ck_assert_int_eq(sendto(fd, rig.sent, 3000, 0, (struct sockaddr *)&to,
	    sizeof to), 3000);
	ck_assert_uint_eq(rig_rx(&rig.io, rig.frame, IO_BURST), 3);
	ck_assert_uint_eq(rig.frame[2].len, 1042);
	rig_put(3);
	rig_finish();
}
END_TEST

START_TEST(what_finds_no_chunk_is_counted)
{
	uint32_t len = rig_frame(rig.sent, SOMEBODY, 0x88b5, 60);
	unsigned i, n, all = 0;
	int far;

	rig_begin();
	rig_open();
	far = rig_socket("far", 0);
	for (i = 0; i < 3000; i++)
		rig_send(far, rig.sent, len);
	while ((n = rig.io.ops->rx(&rig.io, rig.frame, IO_BURST)) != 0) {
		rig_put(n);
		all += n;
	}
	rig.io.ops->stats(&rig.io, &rig.stats);
	ck_assert_uint_eq(all, rig.stats.rx_frames);
	ck_assert_uint_eq(all + rig.stats.rx_lost, 3000);
	ck_assert_uint_ge(all, 1024);
	ck_assert_uint_eq(rig.stats.rx_oversize, 0);
	/* And it goes on. */
	rig_send(far, rig.sent, len);
	ck_assert_uint_eq(rig_rx(&rig.io, rig.frame, IO_BURST), 1);
	rig_put(1);
	rig_finish();
}
END_TEST

/* All chunks are in use elsewhere: nothing hangs, and it comes to itself. */
START_TEST(an_empty_pool_is_survived)
{
	static uint64_t taken[CHUNKS];
	uint32_t len = rig_frame(rig.sent, SOMEBODY, 0x88b5, 60);
	unsigned i, n = 0;
	int far;

	rig_begin();
	rig_open();
	far = rig_socket("far", 0);
	while ((taken[n] = pool_get(&rig.pool)) != POOL_NONE)
		n++;
	rig_tx(&rig.io, rig.sent, len, true);
	rig.io.ops->stats(&rig.io, &rig.stats);
	ck_assert_uint_eq(rig.stats.tx_lost, 1);
	ck_assert_uint_eq(rig.stats.tx_frames, 0);
	for (i = 0; i < 2048; i++) {
		rig_send(far, rig.sent, len);
		ck_assert_uint_eq(rig_rx(&rig.io, rig.frame, 1), 1);
		taken[n++] = rig.frame[0].cookie;
	}
	rig_send(far, rig.sent, len);
	ck_assert_uint_eq(rig.io.ops->rx(&rig.io, rig.frame, 1), 0);
	rig.io.ops->stats(&rig.io, &rig.stats);
	ck_assert_uint_eq(rig.stats.rx_lost, 1);
	while (n-- > 0)
		pool_put(&rig.pool, taken[n]);
	ck_assert_uint_eq(rig.io.ops->rx(&rig.io, rig.frame, 1), 0);
	rig_send(far, rig.sent, len);
	ck_assert_uint_eq(rig_rx(&rig.io, rig.frame, 1), 1);
	rig_put(1);
	rig_finish();
}
END_TEST

/* A peer that is down refuses; we hear of it, and no chunk is lost. */
START_TEST(what_is_refused_is_counted)
{
	uint32_t len = rig_frame(rig.sent, SOMEBODY, 0x88b5, 60);

	rig_begin();
	rig_open();
	rig_run("ip link set far down");
	rig_tx(&rig.io, rig.sent, len, false);
	ck_assert_uint_gt(rig.io.ops->room(&rig.io), 0);
	rig.io.ops->stats(&rig.io, &rig.stats);
	ck_assert_uint_eq(rig.stats.tx_lost, 1);
	ck_assert_uint_eq(rig.stats.tx_frames, 0);
	rig_finish();
}
END_TEST

/* What waits in the ring of a port that is down is not asked about. */
START_TEST(a_port_that_is_down_is_let_be)
{
	uint32_t len = rig_frame(rig.sent, SOMEBODY, 0x88b5, 60);
	int far;

	rig_begin();
	rig_open();
	rig_run("ip link set port down");
	rig_tx(&rig.io, rig.sent, len, false);
	rig_run("ip link set port up");
	far = rig_socket("far", 0x88b5);
	rig_tx(&rig.io, rig.sent, len, false);
	ck_assert_uint_eq(rig_recv(far, rig.got, sizeof rig.got), len);
	rig_finish();
}
END_TEST

START_TEST(a_port_that_vanishes_is_survived)
{
	uint32_t len = rig_frame(rig.sent, SOMEBODY, 0x88b5, 60);
	int far;

	rig_begin();
	rig_open();
	rig_run("ip link del port");
	rig_tx(&rig.io, rig.sent, len, false);
	ck_assert_uint_eq(rig.io.ops->rx(&rig.io, rig.frame, IO_BURST), 0);
	io_close(&rig.io);
	ck_assert_uint_eq(rig.pool.n_free, CHUNKS);
	rig_veth("port", "far"); /* back, and it is another one */
	rig_open();
	far = rig_socket("far", 0);
	rig_send(far, rig.sent, len);
	ck_assert_uint_eq(rig_rx(&rig.io, rig.frame, IO_BURST), 1);
	rig_put(1);
	rig_finish();
}
END_TEST

/* ---- open and close ---- */

static uint32_t
program_of_port(void)
{
	uint32_t id = 0;

	ck_assert_int_eq(bpf_xdp_query_id((int)if_nametoindex("port"), 0, &id),
	    0);
	return id;
}

START_TEST(close_leaves_nothing)
{
	int i;

	rig_begin();
	for (i = 0; i < 3; i++) {
		rig_open();
		ck_assert_uint_ne(program_of_port(), 0);
		io_close(&rig.io);
		ck_assert_uint_eq(program_of_port(), 0);
		ck_assert_uint_eq(rig.pool.n_free, CHUNKS);
	}
	rig_run("! ip -d link show port | grep -q 'promiscuity [1-9]'");
	rig_finish();
}
END_TEST

START_TEST(kill_leaves_nothing)
{
	int ready[2];
	pid_t child;
	char c;

	rig_begin();
	ck_assert_int_eq(pipe(ready), 0);
	child = fork();
	if (child == 0) {
		rig_open();
		ck_assert_int_eq(write(ready[1], "", 1), 1);
		pause();
	}
	ck_assert_int_eq(read(ready[0], &c, 1), 1);
	ck_assert_uint_ne(program_of_port(), 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	rig_open();
	ck_assert_uint_ne(program_of_port(), 0);
	rig_finish();
}
END_TEST

static void
refused(int error, const char *why)
{
	ck_assert_int_eq(io_open(&rig.io, "port", IO_AF_XDP, &rig.pool), error);
	ck_assert_msg(strstr(rig.io.why, why) != NULL, "%s", rig.io.why);
	ck_assert_uint_eq(rig.pool.n_free, rig.pool.chunks);
}

START_TEST(a_foreign_program_is_refused)
{
	const struct bpf_insn pass[] = {
		{ BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, XDP_PASS },
		{ BPF_JMP | BPF_EXIT, 0, 0, 0, 0 },
	};
	int prog = bpf_prog_load(BPF_PROG_TYPE_XDP, "other", "GPL", pass, 2,
	    NULL);
	uint32_t id, flags = _i == 0 ? XDP_FLAGS_SKB_MODE : XDP_FLAGS_DRV_MODE;

	rig_begin();
	ck_assert_int_eq(bpf_xdp_attach((int)if_nametoindex("port"), prog,
	    flags, NULL), 0);
	id = program_of_port();
	refused(-EBUSY, _i == 0 ? "port xdpgeneric off" : "port xdpdrv off");
	ck_assert_uint_eq(program_of_port(), id);
	rig_run(_i == 0 ? "ip link set dev port xdpgeneric off" :
			  "ip link set dev port xdpdrv off");
	rig_open();
	rig_finish();
}
END_TEST

START_TEST(another_of_us_is_refused)
{
	struct pool other;
	struct io second;

	rig_begin();
	rig_open();
	ck_assert_int_eq(pool_open(&other, 2048, CHUNKS), 0);
	ck_assert_int_eq(io_open(&second, "port", IO_AF_XDP, &other), -EBUSY);
	ck_assert_uint_eq(other.n_free, CHUNKS);
	pool_close(&other);
	rig_finish();
}
END_TEST

START_TEST(what_chunks_do_not_hold_is_refused)
{
	rig_begin();
	rig_run("ip link set port mtu 1770");
	rig_open();
	io_close(&rig.io);
	rig_run("ip link set port mtu 1771");
	refused(-EMSGSIZE, "with an MTU of 1771 a frame may be 1793 octets");
	pool_close(&rig.pool);
	ck_assert_int_eq(pool_open(&rig.pool, 32768, 8), 0);
	refused(-EMSGSIZE, "AF_XDP takes no chunks of 32768 octets");
	pool_close(&rig.pool);
}
END_TEST

START_TEST(auto_says_why_it_is_not_af_xdp)
{
	rig_begin();
	ck_assert_int_eq(io_open(&rig.io, "port", IO_AUTO, &rig.pool), 0);
	ck_assert_str_eq(rig.io.ops->name, "af_xdp");
	io_close(&rig.io);
	rig_run("ip link set port mtu 3000");
	ck_assert_int_eq(io_open(&rig.io, "port", IO_AUTO, &rig.pool), 0);
	ck_assert_str_eq(rig.io.ops->name, "af_packet");
	ck_assert_msg(strstr(rig.io.why,
	    "not af_xdp: with an MTU of 3000") != NULL, "%s", rig.io.why);
	rig_finish();
}
END_TEST

TCase *
xdp_life_tests(void)
{
	TCase *t = tcase_create("life");

	tcase_set_timeout(t, 30);
	tcase_add_test(t, what_a_chunk_does_not_hold_is_counted);
	tcase_add_test(t, glued_segments_are_counted);
	tcase_add_test(t, what_finds_no_chunk_is_counted);
	tcase_add_test(t, an_empty_pool_is_survived);
	tcase_add_test(t, what_is_refused_is_counted);
	tcase_add_test(t, a_port_that_is_down_is_let_be);
	tcase_add_test(t, a_port_that_vanishes_is_survived);
	tcase_add_test(t, close_leaves_nothing);
	tcase_add_test(t, kill_leaves_nothing);
	tcase_add_loop_test(t, a_foreign_program_is_refused, 0, 2);
	tcase_add_test(t, another_of_us_is_refused);
	tcase_add_test(t, what_chunks_do_not_hold_is_refused);
	tcase_add_test(t, auto_says_why_it_is_not_af_xdp);
	return t;
}
