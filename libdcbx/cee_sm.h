/* SPDX-License-Identifier: ISC */
/*
 * The machines of CEE 1.01 and CIN 1.00: one control machine, which numbers
 * what we say and acknowledges what the peer says (wire.md D9), and one
 * feature machine per feature (D10).
 *
 * Plain functions on plain state: facts in, verdict and "send" out.  A run is
 * a function of the state and of the peer's last frame, so that running again
 * changes nothing.  What the values are, and which of them is programmed, is
 * features_cee.c's; here a feature is only advertised, enabled, willing,
 * compatible or not.
 *
 * Unlike IEEE a TLV carries what its sender desires, never what it took over,
 * and two willing ends compare: there is no tie-break.
 */
#ifndef CEE_SM_H
#define CEE_SM_H

#include "cee_tlv.h"
#include "dcbx.h"

/* The row of D10 that decided. */
enum cee_out {
	CEE_OFF,	  /* we do not advertise it: own value, stopped */
	CEE_NO_PEER,	  /* nobody with this dialect, or several: own value */
	CEE_NO_TLV,	  /* the peer sends none of this feature */
	CEE_WAIT_ACK,	  /* it has not acknowledged what we say now */
	CEE_MULTI_TLV,	  /* two of them in one frame */
	CEE_WAIT_VERSION, /* it runs another version of the feature */
	CEE_DISABLED,	  /* Enable is off at one end */
	CEE_FOLLOW,	  /* we are willing, it is not: its value */
	CEE_LEAD,	  /* it is willing, we are not: own value */
	CEE_COMPATIBLE,	  /* equally willing, values agree: own value */
	CEE_MISMATCH,	  /* equally willing, values differ */
	CEE_UNUSABLE,	  /* its value breaks a rule, or we cannot do it */
	CEE_OUTS
};

struct cee_feature_sm {
	enum cee_out out;
	bool advertised; /* as the last run saw it */
	bool oper_mode; /* OperMode */
	bool from_peer; /* OperCfg = Peer; else Desired */
	bool error;	/* Error, as sent */
	bool peer_error; /* PeerError, where it was looked at */
	bool syncd;	/* Syncd */
	bool error_only; /* !Syncd for a change of Error, which hides nothing */
	uint32_t seq_no; /* FeatureSeqNo */
	uint8_t oper_version; /* OperVersion */
};

struct cee_sm {
	bool cin;
	uint8_t max_version, oper_version; /* of the protocol */
	uint8_t feature_max_version;
	bool version_wait; /* the peer runs another; features keep theirs */
	uint32_t seq_no, ack_no, my_ack_no;
	bool waits;	   /* seq_no is not acknowledged */
	dcbx_ms waits_since;
	struct cee_feature_sm feature[CEE_FEATURES];
};

/* Facts of one feature. */
struct cee_feature_in {
	bool advertise, enable, willing; /* ours, as sent */
	enum tlv_presence presence;	 /* of the peer's sub-TLV */
	struct cee_head peer;		 /* if VALID */
	bool compatible; /* our desired value and the peer's */
	bool unusable;	 /* the peer's may not be taken: D8, or beyond us */
};

struct cee_in {
	/*
	 * ABSENT: no peer with this dialect, or several of them; MALFORMED:
	 * there, but nothing of it counts; DUPLICATE: Error on all features.
	 */
	enum tlv_presence presence;
	struct cee_control control; /* the peer's, if VALID */
	struct cee_feature_in feature[CEE_FEATURES];
	dcbx_ms now;
};

/*
 * A peer lifetime starts: link up, peer lost, another MSAP or dialect.  The
 * next run makes SeqNo 1 where anything is advertised; but a peer that is
 * there and still acknowledges an earlier life is told 0 first, as its number
 * could pass for an answer to the new one.
 *
 * Error is off: a peer that comes back must not first be told of an error
 * that is none (D10 has it set after a loss; a willing peer would switch PFC
 * off and on for it).
 */
void cee_sm_start(struct cee_sm *, bool cin, dcbx_ms now);

/*
 * What we desire of a feature, or one of its bits, is to change.  True: the
 * change is taken: put the new value in, run, and send it whatever the run
 * says.  False: not before the peer has acknowledged the last one (D10 `local
 * change`).  heard: a peer is there; with nobody to acknowledge it is always
 * taken.
 */
bool cee_sm_change(struct cee_sm *, enum cee_feature, bool heard);

/*
 * Had it acknowledged all that we said, and says this AckNo now: has the peer
 * started anew?
 */
bool cee_sm_forgets(const struct cee_sm *, uint32_t ack_no);

/* Decide.  True: what we say has changed and is to be sent. */
bool cee_sm_run(struct cee_sm *, const struct cee_in *);

/*
 * After a start: go on with these numbers (D9: a quiet restart alone).  Bit n
 * of each set is feature n's; what is not acked gets the next SeqNo.
 */
void cee_sm_resume(struct cee_sm *, uint32_t seq_no, uint32_t ack_no,
    unsigned advertised, unsigned acked, unsigned errors);

/* The control sub-TLV to send. */
struct cee_control cee_sm_control(const struct cee_sm *);

/*
 * Is a decision held back until the peer acknowledges what we say: the first
 * one of a lifetime, or one after a change of ours?  Then no hardware change.
 */
bool cee_sm_waits(const struct cee_sm *, enum cee_feature);

#endif
