/* SPDX-License-Identifier: ISC */
/*
 * V3 and V4 are the two ends of one link, a switch at (2, 3) and an adapter
 * at (3, 2): our agent in the place of either hears the other's frame.
 */
#include <string.h>

#include "replay.h"

static void
vector_load(const char *name, struct rig_frame *f)
{
	int n = rig_load(rig_vectors(), name, f->octets, sizeof f->octets);

	ck_assert_int_gt(n, 0);
	f->len = (size_t)n;
}

/* The frame as it was when its sender had acknowledged less. */
static void
earlier(struct rig_frame *f, uint8_t ack_no)
{
	static const uint8_t head[] = { 0, 0x1b, 0x21, 2, 2, 10, 0, 0 };
	size_t at = 0;

	while (memcmp(f->octets + at, head, sizeof head) != 0)
		ck_assert_uint_lt(++at + sizeof head, f->len);
	f->octets[at + sizeof head + 7] = ack_no;
}

/* Say another thing, as often as the capture's number wants. */
static void
seq_no_raise(struct rig *r, const struct rig_frame *theirs, uint8_t to)
{
	struct dcbx_admin other = r->admin;
	struct rig_frame f;

	for (uint8_t n = 1; n < to; n++) {
		bool last = n + 1 == to;

		f = *theirs;
		earlier(&f, n);
		rig_input(r, f.octets, f.len);
		ck_assert_uint_eq(r->agent->cee.sm.seq_no, n);
		other.pfc.prio_pfc = (uint8_t)(1 << n);
		ck_assert_int_eq(dcbx_set_admin(r->agent,
		    last ? &r->admin : &other, r->now), 0);
		ck_assert_uint_eq(r->agent->cee.sm.seq_no, n + 1);
	}
}

/* The switch: not willing, everything in one group, no PFC. */
static void
start_as_v3(struct rig *r)
{
	static const struct dcb_ets all_7 = { { 7, 7, 7, 7, 7, 7, 7, 7 },
		{ 0, 0, 0, 0, 0, 0, 0, 100 }, { 0, 0, 0, 0, 0, 0, 0, 2 } };
	struct dcbx_admin first;

	rig_init(r);
	memcpy(r->port.mac, (uint8_t[]) { 0x84, 0x18, 0x88, 0xd6, 0x39, 0x71 },
	    DCBX_MAC);
	replay_admin_leads(&r->admin, &all_7);
	r->admin.dialect = DCBX_CEE;
	r->admin.pfc.prio_pfc = 0;
	replay_app_add(&r->admin, DCB_SEL_PORT, 50001, 1);
	replay_app_add(&r->admin, DCB_SEL_PORT, 50000, 2);
	first = r->admin;
	r->admin.pfc.prio_pfc = 1 << 7; /* to have something to change */
	rig_start(r);
	r->admin = first;
}

/* The adapter: willing, 25/75 and one strict priority, PFC {3}. */
static void
start_as_v4(struct rig *r)
{
	static const struct dcb_ets three = { { 0, 0, 0, 0, 1, 1, 1, 2 },
		{ 25, 75 }, { 2, 2, 0 } };

	rig_init(r);
	memcpy(r->port.mac, (uint8_t[]) { 0x00, 0x07, 0x43, 0x10, 0x53, 0xd0 },
	    DCBX_MAC);
	r->admin.dialect = DCBX_CEE;
	r->admin.ets.table = three;
	replay_app_add(&r->admin, DCB_SEL_ETHTYPE, DCB_ETHTYPE_FCOE, 3);
	replay_app_add(&r->admin, DCB_SEL_ETHTYPE, DCB_ETHTYPE_FIP, 3);
	replay_app_add(&r->admin, DCB_SEL_PORT, 3260, 3);
	rig_start(r);
}

/* Fed with V4, the switch is at (2, 3) and sees who is in Error. */
START_TEST(replay_V3_hears_V4)
{
	static struct cee_info got, want;
	struct rig_frame v3, v4;
	struct rig r;

	vector_load("V3-cee-juniper-qfx3500", &v3);
	vector_load("V4-cee-chelsio-error-bit", &v4);
	start_as_v3(&r);
	seq_no_raise(&r, &v4, 2);
	rig_input(&r, v4.octets, v4.len);
	state_is(&r, DCBX_PFC, DCBX_STATE_TO_PEER, DCBX_WHY_PEER_ADOPTED);
	state_is(&r, DCBX_ETS, DCBX_STATE_TO_PEER, DCBX_WHY_PEER_ADOPTED);
	state_is(&r, DCBX_APP, DCBX_STATE_PEER_ERROR, DCBX_WHY_ERROR_BIT);
	ck_assert(!r.agent->cee.sm.feature[CEE_APP].oper_mode);
	rig_run(&r, 10000);
	replay_cee_says(&r, &v3, false, &got, &want);
	ck_assert_uint_eq(got.control.seq_no, want.control.seq_no);
	ck_assert_uint_eq(got.control.ack_no, want.control.ack_no);
	ck_assert_uint_eq(r.oper.prio_pfc, 0);
	ck_assert_uint_eq(r.oper.ets.tc_bw[7], 100);
	ck_assert_uint_eq(r.oper.app.n, 2);
	rig_free(&r);
}
END_TEST

/*
 * Fed with V3, the adapter is at (3, 2) and takes all of it.  The one of the
 * capture has its Error on APP: it cannot run the switch's entries.  We can.
 */
START_TEST(replay_V4_hears_V3)
{
	static struct cee_info got, want;
	struct rig_frame v3, v4;
	struct rig r;

	vector_load("V3-cee-juniper-qfx3500", &v3);
	vector_load("V4-cee-chelsio-error-bit", &v4);
	start_as_v4(&r);
	seq_no_raise(&r, &v3, 3);
	rig_input(&r, v3.octets, v3.len);
	for (enum dcbx_feature f = DCBX_PFC; f < DCBX_FEATURES; f++)
		state_is(&r, f, DCBX_STATE_FROM_PEER, DCBX_WHY_ADOPTED);
	rig_run(&r, 10000);
	replay_cee_says(&r, &v4, false, &got, &want);
	ck_assert(want.sub[CEE_APP].head.error);
	ck_assert_uint_eq(got.control.seq_no, want.control.seq_no);
	ck_assert_uint_eq(got.control.ack_no, want.control.ack_no);
	ck_assert_uint_eq(r.oper.prio_pfc, 0);
	ck_assert_uint_eq(r.oper.ets.prio_tc[0], 7);
	ck_assert_uint_eq(r.oper.app.n, 5);
	rig_free(&r);
}
END_TEST

void
replay_pair_add(TCase *tc)
{
	tcase_add_test(tc, replay_V3_hears_V4);
	tcase_add_test(tc, replay_V4_hears_V3);
}
