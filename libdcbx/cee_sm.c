/* SPDX-License-Identifier: ISC */
/*
 * The CEE and CIN decisions; see cee_sm.h.  Rows are those of wire.md D9 (the
 * control machine) and D10 (a feature), in their order; first match wins.
 */
#include "cee_sm.h"

#define VERSION 0 /* of the protocol and of each feature, D3 */

static uint8_t
lower(uint8_t a, uint8_t b)
{
	return a < b ? a : b;
}

/* ---- feature machine: D10 ------------------------------------------- */

/* It is to be acknowledged; the number that says it is the next one. */
static void
unsync(const struct cee_sm *sm, struct cee_feature_sm *f)
{
	f->syncd = false;
	f->error_only = false;
	f->seq_no = sm->seq_no + 1;
}

static void
sync_up(struct cee_feature_sm *f)
{
	f->syncd = true;
	f->error_only = false;
}

/* A change of Error is as good as a local one, but nothing waits for it. */
static void
set_error(const struct cee_sm *sm, struct cee_feature_sm *f, bool error)
{
	bool only = f->syncd || f->error_only;

	if (f->error == error)
		return;
	f->error = error;
	unsync(sm, f);
	f->error_only = only;
}

static void
feature_init(const struct cee_sm *sm, struct cee_feature_sm *f)
{
	*f = (struct cee_feature_sm) {
		.advertised = true,
		.oper_version = sm->feature_max_version,
	};
	unsync(sm, f);
}

/* Not advertised: D10 stops here. */
static void
feature_stop(struct cee_feature_sm *f, bool enable)
{
	f->out = CEE_OFF;
	f->advertised = false;
	f->oper_mode = enable;
	f->from_peer = f->error = f->peer_error = false;
	sync_up(f);
}

/*
 * D10 from "one end !Enable" on.  What breaks a rule is an error whoever
 * follows whom; a peer that has the feature off may say what it likes.
 */
static enum cee_out
pair_row(const struct cee_feature_in *in)
{
	if (!in->enable || !in->peer.enable)
		return CEE_DISABLED;
	if (in->unusable)
		return CEE_UNUSABLE;
	if (in->willing != in->peer.willing)
		return in->willing ? CEE_FOLLOW : CEE_LEAD;
	return in->compatible ? CEE_COMPATIBLE : CEE_MISMATCH;
}

/*
 * D10 for a peer whose control we can use.  Acknowledged is what stands under
 * our SeqNo, and only by exactly that number.
 */
static enum cee_out
peer_row(const struct cee_sm *sm, struct cee_feature_sm *f,
    const struct cee_in *all, const struct cee_feature_in *in)
{
	uint8_t version = lower(sm->feature_max_version, in->peer.max_version);

	if (all->control.ack_no == sm->seq_no && f->seq_no == sm->seq_no)
		sync_up(f);
	if (in->presence == TLV_ABSENT || in->presence == TLV_MALFORMED) {
		/* nobody will compare what we changed: that is settled */
		f->oper_version = sm->feature_max_version;
		if (!f->error_only)
			sync_up(f);
		return CEE_NO_TLV;
	}
	if (!f->syncd && !f->error_only)
		return CEE_WAIT_ACK;
	if (in->presence == TLV_DUPLICATE)
		return CEE_MULTI_TLV;
	if (f->oper_version != version) {
		f->oper_version = version;
		unsync(sm, f);
		return CEE_WAIT_ACK;
	}
	if (in->peer.oper_version != f->oper_version)
		return CEE_WAIT_VERSION;
	return pair_row(in);
}

static enum cee_out
feature_row(const struct cee_sm *sm, struct cee_feature_sm *f,
    const struct cee_in *all, const struct cee_feature_in *in)
{
	switch (all->presence) {
	case TLV_ABSENT:
		return CEE_NO_PEER;
	case TLV_MALFORMED: /* the rest of "no TLV" is for a usable frame */
		return CEE_NO_TLV;
	case TLV_DUPLICATE:
		return CEE_MULTI_TLV;
	case TLV_VALID:
		break;
	}
	if (sm->version_wait)
		return CEE_WAIT_VERSION;
	return peer_row(sm, f, all, in);
}

static bool
is_error(enum cee_out out, bool cin)
{
	return out == CEE_MULTI_TLV || out == CEE_MISMATCH ||
	    out == CEE_UNUSABLE || (out == CEE_NO_TLV && !cin);
}

/* The rows that look at the peer's Error. */
static bool
is_agreed(enum cee_out out)
{
	return out == CEE_FOLLOW || out == CEE_LEAD || out == CEE_COMPATIBLE;
}

/*
 * CIN's "any Error or PeerError turns OperMode off" needs no row of its own:
 * is_agreed() and is_error() exclude each other.  The peer's Error never makes
 * an Error of ours, so that two ends cannot hold each other in it.
 */
static void
feature_run(const struct cee_sm *sm, struct cee_feature_sm *f,
    const struct cee_in *all, const struct cee_feature_in *in)
{
	if (!in->advertise) {
		feature_stop(f, in->enable);
		return;
	}
	if (!f->advertised)
		feature_init(sm, f);
	f->out = feature_row(sm, f, all, in);
	if (f->out == CEE_WAIT_ACK || f->out == CEE_WAIT_VERSION)
		return; /* what was decided last goes on */
	f->peer_error = is_agreed(f->out) && in->peer.error;
	f->oper_mode = is_agreed(f->out) && !f->peer_error;
	f->from_peer = f->out == CEE_FOLLOW && f->oper_mode;
	set_error(sm, f, is_error(f->out, sm->cin));
}

/* ---- control machine: D9 -------------------------------------------- */

/*
 * D9 has this after the features and ends there for this frame.  Here it
 * comes first, so that the frame need not come again to be taken.
 */
static void
control_version(struct cee_sm *sm, const struct cee_in *in)
{
	if (in->presence != TLV_VALID) {
		sm->version_wait = false;
		return;
	}
	sm->oper_version = lower(sm->max_version, in->control.max_version);
	sm->version_wait = in->control.oper_version != sm->oper_version;
}

static bool
all_syncd(const struct cee_sm *sm)
{
	for (unsigned i = 0; i < CEE_FEATURES; i++)
		if (!sm->feature[i].syncd)
			return false;
	return true;
}

/*
 * D9 sends also while the peer has acknowledged nothing (MyAckNo 0).  We do
 * not: each refresh would make both ends answer.  If our acknowledgement was
 * lost the peer does not raise its SeqNo, and our next refresh brings the same
 * AckNo again.  A peer that falls back to 0 is answered once; see has_news().
 */
static void
control_numbers(struct cee_sm *sm, const struct cee_in *in)
{
	bool waited = sm->waits;
	uint32_t said = sm->seq_no;

	if (in->presence == TLV_VALID && !sm->version_wait) {
		sm->my_ack_no = in->control.ack_no;
		sm->ack_no = in->control.seq_no;
	}
	if (sm->seq_no == sm->my_ack_no && !all_syncd(sm))
		sm->seq_no++;
	sm->waits = sm->seq_no != sm->my_ack_no;
	if (sm->waits && (!waited || sm->seq_no != said))
		sm->waits_since = in->now;
}

/* ---- door ----------------------------------------------------------- */

void
cee_sm_start(struct cee_sm *sm, bool cin, dcbx_ms now)
{
	*sm = (struct cee_sm) {
		.cin = cin,
		.max_version = VERSION,
		.oper_version = VERSION,
		.feature_max_version = VERSION,
		.waits_since = now,
	};
	/* not advertised until a run says so: that makes each one new */
	for (unsigned i = 0; i < CEE_FEATURES; i++) {
		feature_init(sm, &sm->feature[i]);
		sm->feature[i].advertised = false;
	}
}

bool
cee_sm_change(struct cee_sm *sm, enum cee_feature which, bool heard)
{
	struct cee_feature_sm *f = &sm->feature[which];

	if (!f->advertised)
		return true;
	if (f->syncd)
		unsync(sm, f);
	else if (heard)
		return false;
	f->error_only = false;
	return true;
}

bool
cee_sm_forgets(const struct cee_sm *sm, uint32_t ack_no)
{
	return ack_no == 0 && sm->my_ack_no != 0 && sm->my_ack_no == sm->seq_no;
}

/* Does the TLV we send differ, values aside, or does the peer need it? */
static bool
has_news(const struct cee_sm *sm, const struct cee_sm *before)
{
	if (sm->seq_no != before->seq_no || sm->ack_no != before->ack_no ||
	    sm->oper_version != before->oper_version ||
	    cee_sm_forgets(before, sm->my_ack_no))
		return true;
	for (unsigned i = 0; i < CEE_FEATURES; i++) {
		const struct cee_feature_sm *f = &sm->feature[i];
		const struct cee_feature_sm *b = &before->feature[i];

		if (f->advertised != b->advertised || f->error != b->error ||
		    f->oper_version != b->oper_version)
			return true;
	}
	return false;
}

/*
 * D9 has PFC run before PG.  The machines do not see each other, so that the
 * order is for those who program the values.
 */
bool
cee_sm_run(struct cee_sm *sm, const struct cee_in *in)
{
	const struct cee_sm before = *sm;

	control_version(sm, in);
	for (unsigned i = 0; i < CEE_FEATURES; i++)
		feature_run(sm, &sm->feature[i], in, &in->feature[i]);
	control_numbers(sm, in);
	return has_news(sm, &before);
}

void
cee_sm_resume(struct cee_sm *sm, uint32_t seq_no, uint32_t ack_no,
    unsigned advertised, unsigned acked, unsigned errors)
{
	sm->seq_no = sm->my_ack_no = seq_no;
	sm->ack_no = ack_no;
	for (unsigned i = 0; i < CEE_FEATURES; i++) {
		struct cee_feature_sm *f = &sm->feature[i];

		f->advertised = advertised >> i & 1;
		f->error = errors >> i & 1;
		f->seq_no = seq_no;
		if (acked >> i & 1)
			sync_up(f);
		else
			unsync(sm, f);
	}
}

struct cee_control
cee_sm_control(const struct cee_sm *sm)
{
	return (struct cee_control) {
		.oper_version = sm->oper_version,
		.max_version = sm->max_version,
		.seq_no = sm->seq_no,
		.ack_no = sm->ack_no,
	};
}

bool
cee_sm_waits(const struct cee_sm *sm, enum cee_feature which)
{
	return sm->feature[which].out == CEE_WAIT_ACK;
}
