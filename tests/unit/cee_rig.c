/* SPDX-License-Identifier: ISC */
/* One CEE or CIN machine and what it hears; see cee_rig.h. */
#include <string.h>

#include "cee_rig.h"

struct cee_sm sm;
struct cee_in in;

struct cee_feature_sm *const pg = &sm.feature[CEE_PG];
struct cee_feature_sm *const pfc = &sm.feature[CEE_PFC];
struct cee_feature_sm *const app = &sm.feature[CEE_APP];

/* Run; true: it sends. */
bool
run(void)
{
	struct cee_sm after;
	bool sent;

	in.now += 10;
	sent = cee_sm_run(&sm, &in);
	memcpy(&after, &sm, sizeof after);
	in.now += 10;
	ck_assert(!cee_sm_run(&sm, &in));
	ck_assert_int_eq(memcmp(&after, &sm, sizeof after), 0);
	return sent;
}

void
ck_numbers(uint32_t seq, uint32_t ack)
{
	struct cee_control c = cee_sm_control(&sm);

	ck_assert_uint_eq(c.seq_no, seq);
	ck_assert_uint_eq(c.ack_no, ack);
}

void
ck_feature(const struct cee_feature_sm *f, enum cee_out out, bool oper_mode,
    bool from_peer, bool error)
{
	ck_assert_int_eq(f->out, out);
	ck_assert_int_eq(f->oper_mode, oper_mode);
	ck_assert_int_eq(f->from_peer, from_peer);
	ck_assert_int_eq(f->error, error);
}

/* PG, PFC and APP advertised, enabled and willing; nobody there. */
void
begin(bool cin)
{
	in = (struct cee_in) { .presence = TLV_ABSENT, .now = 1000 };
	for (unsigned i = CEE_PG; i <= CEE_APP; i++)
		in.feature[i] = (struct cee_feature_in) {
			.advertise = true, .enable = true, .willing = true,
			.compatible = true,
		};
	cee_sm_start(&sm, cin, in.now);
}

/* What the peer sends from now on: all three, enabled, not willing. */
void
peer(uint32_t seq, uint32_t ack)
{
	in.presence = TLV_VALID;
	in.control = (struct cee_control) { .seq_no = seq, .ack_no = ack };
	for (unsigned i = CEE_PG; i <= CEE_APP; i++) {
		in.feature[i].presence = TLV_VALID;
		in.feature[i].peer = (struct cee_head) { .enable = true };
	}
}

/* Everything said and acknowledged at (1,1); we follow. */
void
agree(bool cin)
{
	begin(cin);
	ck_assert(run());
	peer(1, 1);
	ck_assert(run());
	ck_numbers(1, 1);
	ck_feature(pfc, CEE_FOLLOW, true, true, false);
}

/* The peer acknowledges our number of now. */
bool
acknowledge(void)
{
	in.control.ack_no = sm.seq_no;
	return run();
}
