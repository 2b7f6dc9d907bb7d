/* SPDX-License-Identifier: ISC */
/*
 * The `cee` member of the document: numbers and machines of CEE or CIN, what
 * the peer's sub-TLVs say of themselves, and what the operator wants that the
 * dialect has no words for.
 */
#include "report_room.h"

#include "cee_map.h"

static void
control(struct doc d, const struct cee_state *c, bool heard)
{
	const struct cee_control own = cee_sm_control(&c->sm);

	obj(d, "control");
	num(d, "oper_version", own.oper_version);
	num(d, "max_version", own.max_version);
	num(d, "seq_no", own.seq_no);
	num(d, "ack_no", own.ack_no);
	if (heard) {
		num(d, "peer_seq_no", c->info.control.seq_no);
		num(d, "peer_ack_no", c->info.control.ack_no);
	} else {
		null(d, "peer_seq_no");
		null(d, "peer_ack_no");
	}
	end(d);
}

static void
peer_head(struct doc d, const struct cee_sub *s, bool heard)
{
	if (!heard || s->presence != TLV_VALID) {
		null(d, "peer");
		return;
	}
	obj(d, "peer");
	flag(d, "enable", s->head.enable);
	flag(d, "willing", s->head.willing);
	flag(d, "error", s->head.error);
	end(d);
}

static void
feature(struct doc d, const struct cee_state *c, enum cee_feature f,
    bool cin, bool heard)
{
	const struct cee_feature_sm *sm = &c->sm.feature[f];

	obj(d, cee_feature_name(f, cin));
	flag(d, "advertise", c->said.has[f]);
	flag(d, "enable", c->said.head[f].enable);
	flag(d, "willing", c->said.head[f].willing);
	flag(d, "error", sm->error);
	flag(d, "oper_mode", sm->oper_mode);
	flag(d, "syncd", sm->syncd);
	peer_head(d, &c->info.sub[f], heard);
	end(d);
}

static void
unsaid_one(void *arg, const char *what)
{
	text(*(struct doc *)arg, NULL, what);
}

void
report_cee(struct doc d, const struct dcbx_agent *a)
{
	const struct cee_state *c = &a->cee;
	bool cin = speaks_cin(a), heard = a->peer >= 0 && a->spoken &&
	    c->info.presence == TLV_VALID;

	if (!speaks_cee(a)) {
		null(d, "cee");
		return;
	}
	obj(d, "cee");
	control(d, c, heard);
	obj(d, "features");
	for (enum cee_feature f = CEE_PG; f < CEE_FEATURES; f++)
		if (cee_feature_exists(f, cin) && (c->said.has[f] ||
		    (heard && c->info.sub[f].presence != TLV_ABSENT)))
			feature(d, c, f, cin, heard);
	end(d);
	arr(d, "unsaid");
	if (a->admin.mode >= DCBX_MODE_VERIFY)
		cee_unsaid(&a->admin, cin, unsaid_one, &d);
	end(d);
	end(d);
}
