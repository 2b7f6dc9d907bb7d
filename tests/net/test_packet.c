/* SPDX-License-Identifier: ISC */
/*
 * AF_PACKET and TAP as a port's I/O: what is sent at the other end of a veth
 * comes out of rx() as it was on the wire, what is given to tx() arrives, and
 * what cannot is counted.
 */
#include <config.h>

#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "packet_rig.h"
#include "tests/unit/unit.h"

#define ETHERTYPE 0x88b5 /* 802a: for experiments */
#define WAIT 1000	 /* ms, for what must come */
#define SHORT 30	 /* ms, for what must not */
#define GSO_UDP_L4 5	 /* of virtio_net.h, newer than ours may be */

static void
peer_send(struct rig *r, const uint8_t *frame, uint32_t len)
{
	ck_assert_int_eq(send(r->peer, frame, len, 0), (int)len);
}

/* The next frame received is these octets. */
static void
rx_expect(struct rig *r, const uint8_t *frame, uint32_t len)
{
	struct dp_frame f;

	ck_assert(rig_rx(r, &f, WAIT));
	ck_assert_uint_eq(f.len, len);
	ck_assert_mem_eq(f.data, frame, len);
	ck_assert_ptr_eq(f.data, pool_data(&r->pool, f.cookie));
	pool_put(&r->pool, f.cookie);
}

static void
rx_nothing(struct rig *r)
{
	struct dp_frame f;

	ck_assert(!rig_rx(r, &f, SHORT));
}

START_TEST(receive)
{
	static const uint32_t lengths[] = { 14, 60, 61, 1499, 1514 };
	uint8_t frame[1514];
	uint32_t sum = 0;
	struct rig r;

	rig_open(&r, &io_af_packet);
	ck_assert_uint_eq(r.io.max_frame, 1522);
	for (unsigned i = 0; i < 5; i++) {
		rig_frame(frame, lengths[i], ETHERTYPE, (uint8_t)i);
		peer_send(&r, frame, lengths[i]);
		rx_expect(&r, frame, lengths[i]);
		sum += lengths[i];
	}
	rx_nothing(&r);
	ck_assert_uint_eq(rig_stats(&r).rx_frames, 5);
	ck_assert_uint_eq(rig_stats(&r).rx_bytes, sum);
	ck_assert_uint_eq(rig_stats(&r).rx_lost, 0);
	rig_close(&r);
}
END_TEST

/* The kernel takes the outer tag out before our socket sees the frame. */
START_TEST(receive_tags)
{
	static const uint16_t tpid[] = { 0x8100, 0x88a8 };
	uint8_t frame[200];
	struct rig r;

	rig_open(&r, &io_af_packet);
	for (unsigned i = 0; i < 2; i++) {
		rig_frame(frame, sizeof(frame), tpid[i], 1);
		frame[14] = 0x70; /* priority 3, drop eligible */
		frame[15] = 0x0a;
		frame[16] = 0x81; /* a second one */
		frame[17] = 0x00;
		peer_send(&r, frame, sizeof(frame));
		rx_expect(&r, frame, sizeof(frame));
		frame[14] = frame[15] = 0; /* VLAN 0: a tag all the same */
		peer_send(&r, frame, sizeof(frame));
		rx_expect(&r, frame, sizeof(frame));
	}
	ck_assert_uint_eq(rig_stats(&r).rx_bytes, 4 * sizeof(frame));
	rig_close(&r);
}
END_TEST

/* RFC 1071, another way: of the octets from 34 on, without the field. */
static uint16_t
udp_checksum(const uint8_t *frame, uint32_t len, uint32_t field,
    uint16_t pseudo)
{
	uint32_t sum = pseudo;

	for (uint32_t i = 34; i < len; i++)
		if (i != field && i != field + 1)
			sum += (uint32_t)frame[i] << (i % 2 == 0 ? 8 : 0);
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum == 0xffff ? 0xffff : (uint16_t)~sum;
}

/* What a host does that believes in its device: the first part of the sum. */
static void
send_unfinished(int fd, const uint8_t *frame, uint32_t len, uint8_t gso)
{
	uint8_t with[2048];
	struct virtio_net_hdr h = {
		.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
		.gso_type = gso,
		.hdr_len = 42,
		.gso_size = gso == 0 ? 0 : 100,
		.csum_start = 34,
		.csum_offset = 6,
	};

	memcpy(with, &h, sizeof(h));
	memcpy(with + sizeof(h), frame, len);
	ck_assert_int_eq(send(fd, with, sizeof(h) + len, 0),
	    (int)(sizeof(h) + len));
}

/* An IPv4 header that is good enough for the kernel. */
static void
udp_frame(uint8_t *frame, uint32_t len, uint8_t seed)
{
	rig_frame(frame, len, 0x0800, seed);
	frame[14] = 0x45;
	frame[16] = (uint8_t)((len - 14) >> 8);
	frame[17] = (uint8_t)(len - 14);
	frame[20] = frame[21] = 0;
	frame[23] = 17;
	frame[38] = (uint8_t)((len - 34) >> 8);
	frame[39] = (uint8_t)(len - 34);
	frame[40] = 0x12;
	frame[41] = 0x34;
}

static int
vnet_socket(void)
{
	int fd = rig_socket("peer", 0), one = 1;

	ck_assert_int_eq(setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &one,
			     sizeof(one)), 0);
	return fd;
}

START_TEST(receive_checksum)
{
	uint8_t frame[301];
	struct rig r;
	int fd;

	rig_open(&r, &io_af_packet);
	fd = vnet_socket();
	for (uint32_t len = 60; len <= 301; len += 241) {
		uint16_t sum;

		udp_frame(frame, len, 7);
		send_unfinished(fd, frame, len, 0);
		sum = udp_checksum(frame, len, 40, 0x1234);
		frame[40] = (uint8_t)(sum >> 8);
		frame[41] = (uint8_t)sum;
		rx_expect(&r, frame, len);
	}
	close(fd);
	rig_close(&r);
}
END_TEST

/* A host's segments, not yet cut: several frames in one. */
START_TEST(receive_glued)
{
	uint8_t frame[842];
	struct rig r;
	int fd;

	rig_open(&r, &io_af_packet);
	fd = vnet_socket();
	udp_frame(frame, sizeof(frame), 7);
	send_unfinished(fd, frame, sizeof(frame), GSO_UDP_L4);
	rx_nothing(&r);
	ck_assert_uint_eq(rig_stats(&r).rx_oversize, 1);
	close(fd);
	rig_close(&r);
}
END_TEST

START_TEST(receive_oversize)
{
	uint8_t frame[3000];
	struct rig r;

	rig_run("ip link set peer mtu 4000");
	rig_open(&r, &io_af_packet);
	rig_frame(frame, sizeof(frame), ETHERTYPE, 1);
	rig_run("ip link set port mtu 4000"); /* behind our back */
	peer_send(&r, frame, sizeof(frame));
	rx_nothing(&r);
	ck_assert_uint_eq(rig_stats(&r).rx_oversize, 1);
	peer_send(&r, frame, 100);
	rx_expect(&r, frame, 100);
	rig_close(&r);
}
END_TEST

/* MTU 9000, and as much as a veth lets through to it: a tag more. */
START_TEST(jumbo)
{
	uint8_t frame[9018], got[9100];
	struct rig r;

	rig_run("ip link set port mtu 9000 && ip link set peer mtu 9100");
	rig_open_chunks(&r, &io_af_packet, 32768);
	ck_assert_uint_eq(r.io.max_frame, 9022);
	for (uint32_t len = 8000; len <= 9018; len += 509) {
		rig_frame(frame, len, ETHERTYPE, 1);
		peer_send(&r, frame, len);
		rx_expect(&r, frame, len);
	}
	for (unsigned i = 0; i < 6; i++) {
		const uint32_t len[] = { 2047, 2048, 2049, 9000, 9007, 9014 };

		rig_tx(&r, frame, len[i]);
		ck_assert_uint_eq(rig_get(r.peer, got, sizeof(got), WAIT),
		    len[i]);
		ck_assert_mem_eq(got, frame, len[i]);
	}
	rig_tx(&r, frame, 9015);
	ck_assert_uint_eq(rig_stats(&r).tx_lost, 1);
	rig_close(&r);
}
END_TEST

/* What the host sends by the port, and what we do, is no news. */
START_TEST(receive_own)
{
	uint8_t frame[100];
	struct rig r;
	int host;

	rig_open(&r, &io_af_packet);
	host = rig_socket("port", 0);
	rig_frame(frame, sizeof(frame), ETHERTYPE, 1);
	ck_assert_int_eq(send(host, frame, sizeof(frame), 0), sizeof(frame));
	rig_tx(&r, frame, sizeof(frame));
	rx_nothing(&r);
	close(host);
	rig_close(&r);
}
END_TEST

/* Nobody fetches: the ring takes what it has slots for, the rest is counted. */
START_TEST(receive_full)
{
	const uint32_t sent = 5000;
	uint32_t got = 0;
	uint8_t frame[100];
	struct dp_frame f;
	struct rig r;

	rig_open(&r, &io_af_packet);
	rig_frame(frame, sizeof(frame), ETHERTYPE, 1);
	for (uint32_t i = 0; i < sent; i++)
		peer_send(&r, frame, sizeof(frame));
	ck_assert_uint_gt(rig_stats(&r).rx_lost, 0);
	while (rig_rx(&r, &f, SHORT)) {
		pool_put(&r.pool, f.cookie);
		got++;
	}
	ck_assert_uint_eq(got + rig_stats(&r).rx_lost, sent);
	ck_assert_uint_eq(got, 2048);
	rig_close(&r);
}
END_TEST

START_TEST(receive_without_chunk)
{
	uint8_t frame[100];
	struct dp_frame f;
	struct rig r;
	uint32_t all;

	rig_open(&r, &io_af_packet);
	all = r.pool.n_free;
	r.pool.n_free = 0;
	rig_frame(frame, sizeof(frame), ETHERTYPE, 1);
	peer_send(&r, frame, sizeof(frame));
	ck_assert(!rig_rx(&r, &f, WAIT));
	ck_assert_uint_eq(rig_stats(&r).rx_lost, 1);
	r.pool.n_free = all;
	peer_send(&r, frame, sizeof(frame));
	rx_expect(&r, frame, sizeof(frame));
	rig_close(&r);
}
END_TEST

/* The next frame that arrives at the peer is these octets. */
static void
peer_expect(struct rig *r, const uint8_t *frame, uint32_t len)
{
	uint8_t got[2048];

	ck_assert_uint_eq(rig_get(r->peer, got, sizeof(got), WAIT), len);
	ck_assert_mem_eq(got, frame, len);
}

START_TEST(transmit)
{
	uint8_t frame[1514];
	struct rig r;

	rig_open(&r, &io_af_packet);
	for (uint32_t len = 14; len <= 1514; len += 300) {
		rig_frame(frame, len, ETHERTYPE, (uint8_t)len);
		rig_tx(&r, frame, len);
		peer_expect(&r, frame, len);
	}
	ck_assert_uint_eq(rig_stats(&r).tx_frames, 6);
	ck_assert_uint_eq(rig_stats(&r).tx_lost, 0);
	rig_close(&r);
}
END_TEST

/* Far more than the ring has slots, in bursts; copies are not given back. */
START_TEST(transmit_bursts)
{
	uint8_t frame[64], got[64];
	struct io_out out[IO_BURST];
	uint32_t arrived = 0;
	struct rig r;

	rig_open(&r, &io_af_packet);
	rig_frame(frame, sizeof(frame), ETHERTYPE, 1);
	for (unsigned i = 0; i < IO_BURST; i++)
		out[i] = (struct io_out) { frame, sizeof(frame), true };
	for (unsigned burst = 0; burst < 40; burst++) {
		ck_assert_uint_ge(r.io.ops->room(&r.io), IO_BURST);
		r.io.ops->tx(&r.io, out, IO_BURST);
		while (r.io.ops->flush(&r.io))
			;
		while (rig_get(r.peer, got, sizeof(got), 0) != 0)
			arrived++;
	}
	ck_assert_uint_eq(arrived, 40 * IO_BURST);
	ck_assert_uint_eq(rig_stats(&r).tx_frames, 40 * IO_BURST);
	rig_close(&r);
}
END_TEST

/* Longer than the MTU, but for one tag; and a frame that is none. */
START_TEST(transmit_refused)
{
	uint8_t frame[1519];
	struct rig r;

	rig_open(&r, &io_af_packet);
	rig_frame(frame, sizeof(frame), ETHERTYPE, 1);
	rig_tx(&r, frame, 1515);
	rig_tx(&r, frame, 13);
	ck_assert_uint_eq(rig_stats(&r).tx_lost, 2);
	rig_frame(frame, sizeof(frame), 0x8100, 1);
	rig_tx(&r, frame, 1519);
	ck_assert_uint_eq(rig_stats(&r).tx_lost, 3);
	rig_tx(&r, frame, 1518);
	ck_assert_uint_eq(rig_stats(&r).tx_lost, 3);
	ck_assert_uint_eq(rig_stats(&r).tx_frames, 1);
	ck_assert_uint_ge(rig_get(r.peer, frame, sizeof(frame), WAIT), 1514);
	rig_close(&r);
}
END_TEST

/* Frames for a link that is down are lost and counted; the next ones go. */
START_TEST(transmit_down)
{
	uint8_t frame[100];
	struct rig r;

	rig_open(&r, &io_af_packet);
	rig_frame(frame, sizeof(frame), ETHERTYPE, 1);
	rig_run("ip link set port down");
	for (unsigned i = 0; i < 2000; i++)
		rig_tx(&r, frame, sizeof(frame));
	ck_assert_uint_eq(rig_stats(&r).tx_lost, 2000);
	ck_assert_uint_eq(rig_stats(&r).tx_frames, 0);
	ck_assert_uint_eq(rig_stats(&r).tx_bytes, 0);
	rig_run("ip link set port up");
	frame[20] = 99;
	rig_tx(&r, frame, sizeof(frame));
	peer_expect(&r, frame, sizeof(frame));
	ck_assert_uint_eq(rig_stats(&r).tx_frames, 1);
	peer_send(&r, frame, sizeof(frame));
	rx_expect(&r, frame, sizeof(frame));
	rig_close(&r);
}
END_TEST

/* Without a carrier nothing waits to be old when there is one: least of all
 * an XOFF, which nobody would take back. */
START_TEST(transmit_without_carrier)
{
	uint8_t frame[100];
	struct rig r;

	rig_open(&r, &io_af_packet);
	rig_frame(frame, sizeof(frame), ETHERTYPE, 1);
	rig_run("ip link set peer down");
	for (unsigned i = 0; i < 100; i++)
		rig_tx(&r, frame, sizeof(frame));
	for (unsigned i = 0; i < WAIT && r.io.ops->flush(&r.io); i++)
		usleep(1000); /* the flags follow a little later */
	ck_assert(!r.io.ops->flush(&r.io));
	ck_assert_uint_eq(rig_stats(&r).tx_lost, 100);
	ck_assert_uint_eq(rig_stats(&r).tx_frames, 0);
	rig_run("ip link set peer up");
	frame[20] = 99;
	rig_tx(&r, frame, sizeof(frame));
	peer_expect(&r, frame, sizeof(frame));
	rig_close(&r);
}
END_TEST

/* The MTU may change while the port is open. */
START_TEST(transmit_other_mtu)
{
	static uint8_t frame[1714];
	struct rig r;

	rig_open(&r, &io_af_packet);
	rig_frame(frame, sizeof(frame), ETHERTYPE, 1);
	rig_run("ip link set port mtu 1700 && ip link set peer mtu 1700");
	r.io.max_frame += 200;
	rig_tx(&r, frame, 1714);
	ck_assert_uint_eq(rig_get(r.peer, frame, sizeof(frame), WAIT), 1714);
	rig_run("ip link set port mtu 1000");
	r.io.max_frame -= 700;
	rig_tx(&r, frame, 1015);
	ck_assert_uint_eq(rig_stats(&r).tx_lost, 1);
	rig_close(&r);
}
END_TEST

START_TEST(no_such_port)
{
	struct io io = { .ops = &io_af_packet, .fd = -1, .name = "absent" };
	struct pool pool;

	ck_assert_int_eq(pool_open(&pool, 2048, 16), 0);
	io.pool = &pool;
	ck_assert_int_lt(io.ops->open(&io), 0);
	ck_assert_str_ne(io.why, "");
	pool_close(&pool);
}
END_TEST

/* false: no TAP for this user, which is said. */
static bool
tap_up(void)
{
	if (access("/dev/net/tun", W_OK) != 0) {
		printf("skip: no /dev/net/tun\n");
		return false;
	}
	rig_run("ip link del port");
	rig_run("ip tuntap add port mode tap && ip link set port up "
		"txqueuelen 100");
	return true;
}

START_TEST(tap_both_ways)
{
	uint8_t frame[700];
	struct rig r;

	if (!tap_up())
		return;
	rig_open(&r, &io_tap);
	rig_frame(frame, sizeof(frame), 0x8100, 1);
	peer_send(&r, frame, sizeof(frame));
	rx_expect(&r, frame, sizeof(frame));
	rig_frame(frame, sizeof(frame), ETHERTYPE, 1);
	rig_tx(&r, frame, sizeof(frame));
	peer_expect(&r, frame, sizeof(frame));
	ck_assert_uint_eq(rig_stats(&r).rx_frames, 1);
	ck_assert_uint_eq(rig_stats(&r).tx_frames, 1);
	rig_run("ip link set port down");
	rig_tx(&r, frame, sizeof(frame));
	ck_assert_uint_eq(rig_stats(&r).tx_lost, 1);
	rig_close(&r);
}
END_TEST

/* The kernel's ring is full: what it drops is read from the device. */
START_TEST(tap_drops)
{
	uint8_t frame[100];
	struct dp_frame f;
	uint32_t got = 0;
	struct rig r;

	if (!tap_up())
		return;
	rig_open(&r, &io_tap);
	rig_frame(frame, sizeof(frame), ETHERTYPE, 1);
	for (unsigned i = 0; i < 300; i++)
		send(r.peer, frame, sizeof(frame), 0);
	while (rig_rx(&r, &f, SHORT)) {
		pool_put(&r.pool, f.cookie);
		got++;
	}
	ck_assert_uint_eq(got, 100);
	ck_assert_uint_eq(rig_stats(&r).rx_lost, 200);
	rig_close(&r);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("packet");
	TCase *t = tcase_create("veth");

	if (!rig_may()) {
		printf("skip: no network namespaces for this user\n");
		return 77;
	}
	tcase_add_checked_fixture(t, rig_veth, NULL);
	tcase_add_test(t, receive);
	tcase_add_test(t, receive_tags);
	tcase_add_test(t, receive_checksum);
	tcase_add_test(t, receive_glued);
	tcase_add_test(t, receive_oversize);
	tcase_add_test(t, jumbo);
	tcase_add_test(t, receive_own);
	tcase_add_test(t, receive_full);
	tcase_add_test(t, receive_without_chunk);
	tcase_add_test(t, transmit);
	tcase_add_test(t, transmit_bursts);
	tcase_add_test(t, transmit_refused);
	tcase_add_test(t, transmit_down);
	tcase_add_test(t, transmit_without_carrier);
	tcase_add_test(t, transmit_other_mtu);
	tcase_add_test(t, no_such_port);
	tcase_add_test(t, tap_both_ways);
	tcase_add_test(t, tap_drops);
	suite_add_tcase(s, t);
	return unit_run(s);
}
