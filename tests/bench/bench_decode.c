/* SPDX-License-Identifier: ISC */
/*
 * bench_decode decode|refresh|ns [COUNT]: what one LLDPDU costs.
 *
 * decode   lldp_decode(): walk, decode and validate an LLDPDU of 246 octets
 *          and 12 TLVs: every IEEE DCBX TLV, and what most stations send.
 * refresh  dcbx_input() of the very frame that the agent already holds.
 * ns       both by the clock, median of 9 rounds.
 *
 * The first two are for an instruction counter; bench.py takes the difference
 * of two COUNTs, so that start-up does not count.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libdcbx/internal.h"

#define LEN 246
#define ROUNDS 9

static uint8_t frame[ETH_HEAD + LEN];

static void
frame_build(void)
{
	static const uint8_t mac[] = { 2, 0, 0, 0, 0, 2 };
	static const struct dcb_app_table app = { .n = 1, .entry = {
	    { DCB_SEL_DGRAM_PORT, 3, DCB_PORT_ROCEV2 } } };
	static const struct dcb_ets ets = { { 0, 0, 0, 1, 0, 0, 2, 2 },
	    { 50, 50 }, { DCB_TSA_ETS, DCB_TSA_ETS } };
	const struct ieee_local local = { .has_cn = true, .has_cfg = true,
	    .has_rec = true, .has_pfc = true, .has_app = true,
	    .ets_cap = 8, .config = ets, .reco = ets, .pfc_cap = 8,
	    .prio_pfc = 1 << 3, .app = &app };
	struct pdu_writer w = pdu_writer(frame, sizeof frame);
	char fill[256];
	size_t n;

	memset(fill, 'x', sizeof fill);
	pdu_put_bytes(&w, "\x01\x80\xc2\0\0\x0e\2\0\0\0\0\2\x88\xcc", 14);
	lldp_put_id(&w, LLDP_CHASSIS_ID, LLDP_CHASSIS_MAC, mac, sizeof mac);
	lldp_put_id(&w, LLDP_PORT_ID, LLDP_PORT_IFNAME, "Ethernet1/1", 11);
	lldp_put_header(&w, LLDP_TTL, 2);
	pdu_put_u16(&w, 121);
	lldp_put_tlv(&w, LLDP_SYS_NAME, "leaf-17", 7);
	lldp_put_tlv(&w, LLDP_SYS_CAP, "\0\x14\0\x14", 4);
	lldp_put_tlv(&w, LLDP_MGMT_ADDR, "\5\1\xc0\0\2\1\2\0\0\0\7\0", 12);
	ieee_tlvs_put(&w, &local);
	/* the rest up to 246 octets is System Description */
	n = sizeof frame - w.len - 4;
	lldp_put_tlv(&w, LLDP_SYS_DESC, fill, n);
	lldp_put_header(&w, LLDP_END, 0);
	if (w.overflow || w.len != sizeof frame)
		abort();
}

static void
decode(unsigned long count)
{
	static struct lldp_info info;

	for (; count > 0; count--)
		if (lldp_decode(frame + ETH_HEAD, LEN, &info) != 0 ||
		    info.ieee.app.table.n != 1)
			abort();
}

static void
on_send(void *arg, const void *sent, size_t len)
{
	(void)arg;
	(void)sent;
	(void)len;
}

static struct dcbx_agent *
agent_make(void)
{
	static const struct dcbx_ops ops = { .send = on_send };
	static const struct dcbx_system system = {
		.chassis_id = { .subtype = 4, .len = 6 } };
	const struct dcbx_port port = { .system = &system, .name = "eth0",
		.mac = { 2, 0, 0, 0, 0, 1 }, .max_tcs = 8, .pfc_cap = 8,
		.max_neighbors = 8, .seed = 1 };
	struct dcbx_agent *a = dcbx_new(&port, &ops, NULL);
	struct dcbx_admin admin;

	if (a == NULL)
		abort();
	dcbx_admin_default(&admin);
	if (dcbx_set_admin(a, &admin, 0) != 0)
		abort();
	dcbx_link(a, true, 0);
	dcbx_input(a, frame, sizeof frame, 0);
	return a;
}

static void
refresh(unsigned long count)
{
	struct dcbx_agent *a = agent_make();

	for (unsigned long i = 0; i < count; i++)
		dcbx_input(a, frame, sizeof frame, (dcbx_ms)i);
	if (dcbx_counters(a)->rx_frames != count + 1)
		abort();
	dcbx_free(a);
}

static double
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int
double_cmp(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double
median_ns(void (*work)(unsigned long), unsigned long count)
{
	double t[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		double start = now_ns();

		work(count);
		t[i] = (now_ns() - start) / (double)count;
	}
	qsort(t, ROUNDS, sizeof *t, double_cmp);
	return t[ROUNDS / 2];
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "ns";
	unsigned long count = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000000;

	frame_build();
	if (strcmp(what, "decode") == 0)
		decode(count);
	else if (strcmp(what, "refresh") == 0)
		refresh(count);
	else
		printf("{\"decode\": %.1f, \"refresh\": %.1f}\n",
		    median_ns(decode, count), median_ns(refresh, count));
	return 0;
}
