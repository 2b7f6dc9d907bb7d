/* SPDX-License-Identifier: ISC */
/*
 * AF_XDP on veth pairs in a namespace of each test's own: what goes to the
 * socket and what to the host's stack, both ways, tags and checksums.  What
 * goes wrong, and the end of it: test_xdp_life.c.
 */
#include <config.h>

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <check.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/if_tun.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/datapath/io/af_xdp_room.h"
#include "daemon/datapath/io/xdp_prog.h"
#include "tests/unit/unit.h"
#include "xdp_rig.h"

/* ---- the program ---- */

struct verdict {
	const char *name;
	const char *to;
	uint16_t type[3]; /* tags, and what is behind them */
	uint32_t len;
	uint32_t verdict; /* XDP_DROP: to a socket, and there is none */
};

static const struct verdict verdicts[] = {
	{ "plain", SOMEBODY, { 0x0800 }, 60, XDP_DROP },
	{ "tagged", SOMEBODY, { 0x8100, 0x0800 }, 64, XDP_DROP },
	{ "broadcast", "ff-ff-ff-ff-ff-ff", { 0x0806 }, 60, XDP_DROP },
	{ "LLDP", "01-80-c2-00-00-0e", { 0x88cc }, 60, XDP_PASS },
	{ "LLDP to anybody", SOMEBODY, { 0x88cc }, 60, XDP_PASS },
	{ "LLDP tagged", SOMEBODY, { 0x8100, 0x88cc }, 64, XDP_PASS },
	{ "LLDP tagged twice", SOMEBODY, { 0x88a8, 0x8100, 0x88cc }, 68,
	    XDP_PASS },
	{ "not behind three", SOMEBODY, { 0x8100, 0x8100, 0x8100 }, 68,
	    XDP_DROP },
	{ "PFC", "01-80-c2-00-00-01", { 0x8808 }, 60, XDP_DROP },
	{ "MAC control to anybody", SOMEBODY, { 0x8808 }, 60, XDP_DROP },
	{ "STP", "01-80-c2-00-00-00", { 0x0026 }, 60, XDP_PASS },
	{ "LACP", "01-80-c2-00-00-02", { 0x8809 }, 60, XDP_PASS },
	{ "EAPOL tagged", "01-80-c2-00-00-03", { 0x8100, 0x888e }, 64,
	    XDP_PASS },
	{ "last link-local", "01-80-c2-00-00-0f", { 0x0800 }, 60, XDP_PASS },
	{ "behind the last", "01-80-c2-00-00-10", { 0x0800 }, 60, XDP_DROP },
	{ "GMRP", "01-80-c2-00-00-20", { 0x88f6 }, 60, XDP_DROP },
	{ "not quite", "01-80-c2-00-01-00", { 0x0800 }, 60, XDP_DROP },
	{ "header alone", "01-80-c2-00-00-0e", { 0x88cc }, 14, XDP_PASS },
	{ "cut in a tag", "01-80-c2-00-00-0e", { 0x8100, 0x88cc }, 17,
	    XDP_DROP },
	{ "cut in the second", "01-80-c2-00-00-0e",
	    { 0x8100, 0x8100, 0x88cc }, 21, XDP_DROP },
};

START_TEST(program_tells_whose_a_frame_is)
{
	const struct verdict *v = &verdicts[_i];
	uint8_t data[64 + 8];
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = data,
	    .data_size_in = v->len);
	int i, map = xdp_map_new(1), prog = xdp_prog_load(map);

	ck_assert_int_ge(prog, 0);
	rig_frame(data, v->to, v->type[0], 72);
	for (i = 1; i < 3 && v->type[i] != 0; i++) {
		data[12 + 4 * i] = (uint8_t)(v->type[i] >> 8);
		data[13 + 4 * i] = (uint8_t)v->type[i];
	}
	ck_assert_int_eq(bpf_prog_test_run_opts(prog, &opts), 0);
	ck_assert_msg(opts.retval == v->verdict, "%s: %u", v->name,
	    opts.retval);
}
END_TEST

/* ---- frames ---- */

START_TEST(frames_come_whole)
{
	uint32_t len = rig_frame(rig.sent, SOMEBODY, 0x88b5, 1514);
	int far;

	rig_begin();
	rig_open();
	ck_assert_uint_eq(rig.io.max_frame, 1500 + 14 + 8);
	ck_assert(!rig.io.native && !rig.io.zero_copy);
	far = rig_socket("far", 0);
	rig_send(far, rig.sent, len);
	rig_send(far, rig.sent, 14);
	ck_assert_uint_eq(rig_rx(&rig.io, rig.frame, 1), 1);
	ck_assert_uint_eq(rig.frame[0].len, len);
	ck_assert_mem_eq(rig.frame[0].data, rig.sent, len);
	ck_assert_ptr_eq(rig.frame[0].data,
	    pool_data(&rig.pool, rig.frame[0].cookie));
	/* Tags fit in front of it. */
	ck_assert_uint_ge(rig.frame[0].cookie % rig.pool.chunk, POOL_HEADROOM);
	rig_put(1);
	ck_assert_uint_eq(rig_rx(&rig.io, rig.frame, IO_BURST), 1);
	ck_assert_uint_eq(rig.frame[0].len, 14);
	rig_put(1);
	ck_assert_uint_eq(rig.io.ops->rx(&rig.io, rig.frame, IO_BURST), 0);
	rig.io.ops->stats(&rig.io, &rig.stats);
	ck_assert_uint_eq(rig.stats.rx_frames, 2);
	ck_assert_uint_eq(rig.stats.rx_bytes, len + 14);
	ck_assert_uint_eq(rig.stats.rx_lost + rig.stats.rx_oversize, 0);
	rig_finish();
}
END_TEST

START_TEST(lldp_goes_to_the_stack)
{
	uint32_t len = rig_frame(rig.sent, "01-80-c2-00-00-0e", ETH_P_LLDP, 60);
	int far, stack;

	rig_begin();
	rig_open();
	far = rig_socket("far", 0);
	stack = rig_socket("port", ETH_P_LLDP);
	rig_send(far, rig.sent, len);
	ck_assert_uint_eq(rig_recv(stack, rig.got, sizeof rig.got), len);
	ck_assert_mem_eq(rig.got, rig.sent, len);
	ck_assert_uint_eq(rig.io.ops->rx(&rig.io, rig.frame, IO_BURST), 0);
	rig_finish();
}
END_TEST

START_TEST(frames_leave)
{
	uint32_t len = rig_frame(rig.sent, SOMEBODY, 0x88b5, 1000);
	int far, copy;

	rig_begin();
	rig_open();
	far = rig_socket("far", 0x88b5);
	for (copy = 0; copy < 2; copy++) {
		rig_tx(&rig.io, rig.sent, len, copy);
		ck_assert_uint_eq(rig_recv(far, rig.got, sizeof rig.got), len);
		ck_assert_mem_eq(rig.got, rig.sent, len);
	}
	rig.io.ops->stats(&rig.io, &rig.stats);
	ck_assert_uint_eq(rig.stats.tx_frames, 2);
	ck_assert_uint_eq(rig.stats.tx_bytes, 2 * len);
	ck_assert_uint_eq(rig.stats.tx_lost, 0);
	rig_finish();
}
END_TEST

/* As many as there is room for, many times: rings go round, none is lost. */
START_TEST(bursts_leave)
{
	struct io_out out[IO_BURST];
	uint32_t len = rig_frame(rig.sent, SOMEBODY, 0x88b5, 60);
	unsigned i, n, all = 0, arrived = 0;
	int far;

	rig_begin();
	rig_open();
	far = rig_socket("far", 0x88b5);
	while (all < 5000) {
		n = rig.io.ops->room(&rig.io);
		ck_assert_uint_gt(n, 0);
		n = n < IO_BURST ? n : IO_BURST;
		for (i = 0; i < n; i++)
			out[i] = (struct io_out) { rig.sent, len, true };
		rig.io.ops->tx(&rig.io, out, n);
		rig_flush(&rig.io);
		for (all += n; arrived < all; arrived++)
			ck_assert_uint_eq(rig_recv(far, rig.got,
			    sizeof rig.got), len);
	}
	rig_finish();
}
END_TEST

/* From one port to another through the pool, without a copy. */
START_TEST(frames_pass_through)
{
	uint32_t len = rig_frame(rig.sent, SOMEBODY, 0x88b5, 300);
	struct io_out out;
	struct io second;
	int far, further, i;

	rig_begin();
	rig_veth("port2", "far2");
	rig_open();
	ck_assert_int_eq(io_open(&second, "port2", IO_AF_XDP, &rig.pool), 0);
	far = rig_socket("far", 0);
	further = rig_socket("far2", 0x88b5);
	for (i = 0; i < 3000; i++) {
		rig.sent[20] = (uint8_t)i;
		rig_send(far, rig.sent, len);
		ck_assert_uint_eq(rig_rx(&rig.io, rig.frame, 1), 1);
		ck_assert_uint_gt(second.ops->room(&second), 0);
		out = (struct io_out) { rig.frame[0].data, rig.frame[0].len,
			false };
		second.ops->tx(&second, &out, 1);
		rig_flush(&second);
		ck_assert_uint_eq(rig_recv(further, rig.got,
		    sizeof rig.got), len);
		ck_assert_mem_eq(rig.got, rig.sent, len);
	}
	io_close(&second);
	rig_finish();
}
END_TEST

/* A TAP's driver has a mode of its own, and what is written to it comes in. */
START_TEST(native_mode_is_taken_where_there_is_one)
{
	struct ifreq ifr = { .ifr_name = "port",
		.ifr_flags = IFF_TAP | IFF_NO_PI };
	uint32_t len = rig_frame(rig.sent, SOMEBODY, 0x88b5, 400);
	int fd;

	rig_enter();
	fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
	if (fd < 0 || ioctl(fd, TUNSETIFF, &ifr) != 0) {
		printf("skip AF_XDP's native mode: no TAP here\n");
		return;
	}
	rig_run("ip link set port up");
	ck_assert_int_eq(pool_open(&rig.pool, 2048, CHUNKS), 0);
	rig_open();
	ck_assert(rig.io.native && !rig.io.zero_copy);
	ck_assert_msg(strstr(rig.io.why, "native, copied") != NULL, "%s",
	    rig.io.why);
	ck_assert_int_eq(write(fd, rig.sent, len), len);
	ck_assert_uint_eq(rig_rx(&rig.io, rig.frame, IO_BURST), 1);
	ck_assert_uint_eq(rig.frame[0].len, len);
	ck_assert_mem_eq(rig.frame[0].data, rig.sent, len);
	rig_put(1);
	rig_tx(&rig.io, rig.sent, len, false);
	ck_assert_int_eq(read(fd, rig.got, sizeof rig.got), len);
	ck_assert_mem_eq(rig.got, rig.sent, len);
	rig_finish();
}
END_TEST

/* A frame on any receive queue is seen, and wakes who waits. */
START_TEST(all_queues_are_served)
{
	uint32_t i, q, used = 0;
	uint32_t len = rig_frame(rig.sent, SOMEBODY, 0x0800, 60);
	const struct af_xdp *x;
	int far;

	rig_enter();
	rig_run("ip link add port numrxqueues 3 numtxqueues 3 type veth "
	    "peer name far numtxqueues 3 && ip link set port up && "
	    "ip link set far up && ethtool -L port rx 3 && "
	    "ethtool -L far tx 3");
	ck_assert_int_eq(pool_open(&rig.pool, 2048, CHUNKS), 0);
	rig_open();
	ck_assert_uint_le(CHUNKS - rig.pool.n_free, IO_CHUNKS);
	x = rig.io.priv;
	far = rig_socket("far", 0);
	memcpy(rig.sent + 14, "\x45\0\0\x2e\0\0\0\0\x40\x11", 10);
	for (i = 0; i < IO_BURST; i++) { /* another flow of UDP each */
		memcpy(rig.sent + 34, &i, sizeof i);
		rig_send(far, rig.sent, len);
		ck_assert_uint_eq(rig_rx(&rig.io, rig.frame, IO_BURST), 1);
		ck_assert_mem_eq(rig.frame[0].data, rig.sent, len);
		rig_put(1);
		for (q = 0; q < 3; q++)
			used |= (uint32_t)(x->queue[q].owed != 0) << q;
	}
	/* Without NAPI, veth gives what is sent on queue n to queue n - 1. */
	ck_assert_uint_eq(used & 3, 3);
	rig_finish();
}
END_TEST

/* ---- tags and checksums of a peer's kernel ---- */

START_TEST(tags_in_the_frame_stay)
{
	uint32_t len = rig_frame(rig.sent, SOMEBODY, 0x8100, 64);
	int far;

	rig_begin();
	rig_open();
	far = rig_socket("far", 0);
	rig_send(far, rig.sent, len);
	ck_assert_uint_eq(rig_rx(&rig.io, rig.frame, IO_BURST), 1);
	ck_assert_uint_eq(rig.frame[0].len, len);
	ck_assert_mem_eq(rig.frame[0].data, rig.sent, len);
	rig_put(1);
	rig_finish();
}
END_TEST

/* What "far" sends gets a tag beside its octets, as a VLAN device's does. */
static void
far_tags(void)
{
	const struct bpf_insn push[] = {
		{ BPF_ALU64 | BPF_MOV | BPF_K, 2, 0, 0, htons(ETH_P_8021Q) },
		{ BPF_ALU64 | BPF_MOV | BPF_K, 3, 0, 0, 0x6005 },
		{ BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_skb_vlan_push },
		{ BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0 },
		{ BPF_JMP | BPF_EXIT, 0, 0, 0, 0 },
	};
	LIBBPF_OPTS(bpf_tc_hook, hook,
	    .ifindex = (int)if_nametoindex("far"),
	    .attach_point = BPF_TC_EGRESS);
	LIBBPF_OPTS(bpf_tc_opts, opts);

	opts.prog_fd = bpf_prog_load(BPF_PROG_TYPE_SCHED_CLS, "push", "GPL",
	    push, sizeof push / sizeof *push, NULL);
	ck_assert_int_ge(opts.prog_fd, 0);
	ck_assert_int_eq(bpf_tc_hook_create(&hook), 0);
	ck_assert_int_eq(bpf_tc_attach(&hook, &opts), 0);
}

/* The one flaw of the generic mode that we cannot make up for. */
START_TEST(tags_beside_the_frame_need_the_peers_help)
{
	uint32_t len = rig_frame(rig.sent, SOMEBODY, 0x88b5, 60);
	int far, i;

	rig_begin();
	rig_open();
	far_tags();
	far = rig_socket("far", 0);
	for (i = 0; i < 2; i++) {
		rig_send(far, rig.sent, len);
		ck_assert_uint_eq(rig_rx(&rig.io, rig.frame, IO_BURST), 1);
		ck_assert_uint_eq(rig.frame[0].len, i == 0 ? len : len + 4);
		ck_assert_mem_eq(rig.frame[0].data + 12,
		    i == 0 ? "\x88\xb5" : "\x81\x00\x60\x05\x88\xb5",
		    i == 0 ? 2 : 6);
		rig_put(1);
		rig_run("ethtool -K far tx-vlan-offload off >/dev/null");
	}
	rig_finish();
}
END_TEST

/* A real stack's UDP, its checksum left to the device. */
START_TEST(checksums_are_finished)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
		.sin_port = htons(4791) };
	uint32_t sum = 17 + 8 + 100, i;
	const uint8_t *ip;
	int fd;

	rig_begin();
	rig_open();
	rig_run("ip address add 198.18.0.1/24 dev far && ip neighbour add "
	    "198.18.0.2 lladdr 02:00:00:00:00:02 dev far");
	inet_pton(AF_INET, "198.18.0.2", &to.sin_addr);
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	ck_assert_int_eq(sendto(fd, rig.sent, 100, 0, (struct sockaddr *)&to,
	    sizeof to), 100);
	ck_assert_uint_eq(rig_rx(&rig.io, rig.frame, IO_BURST), 1);
	ck_assert_uint_eq(rig.frame[0].len, 14 + 20 + 8 + 100);
	ip = rig.frame[0].data + 14;
	for (i = 12; i < 20 + 8 + 100; i += 2)
		sum += (uint32_t)ip[i] << 8 | ip[i + 1];
	while (sum >> 16 != 0)
		sum = (sum & 0xffff) + (sum >> 16);
	ck_assert_uint_eq(sum, 0xffff);
	rig_put(1);
	rig_finish();
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("xdp");
	TCase *t = tcase_create("frames");

	if (!rig_allowed())
		return 77;
	tcase_set_timeout(t, 30);
	tcase_add_loop_test(t, program_tells_whose_a_frame_is, 0,
	    sizeof verdicts / sizeof *verdicts);
	tcase_add_test(t, frames_come_whole);
	tcase_add_test(t, lldp_goes_to_the_stack);
	tcase_add_test(t, frames_leave);
	tcase_add_test(t, bursts_leave);
	tcase_add_test(t, frames_pass_through);
	tcase_add_test(t, native_mode_is_taken_where_there_is_one);
	tcase_add_test(t, all_queues_are_served);
	tcase_add_test(t, tags_in_the_frame_stay);
	tcase_add_test(t, tags_beside_the_frame_need_the_peers_help);
	tcase_add_test(t, checksums_are_finished);
	suite_add_tcase(s, t);
	suite_add_tcase(s, xdp_life_tests());
	return unit_run(s);
}
