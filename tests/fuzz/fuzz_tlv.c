/* SPDX-License-Identifier: ISC */
/*
 * The LLDPDU reader alone: decode, then every TLV by name and in words, and
 * its octets made safe for JSON and for a terminal.  What is usable of a DCBX
 * TLV of CEE or CIN can be written and read again.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "libdcbx/cee_tlv.h"
#include "libdcbx/dcbx.h"
#include "libdcbx/lldp_tlv.h"
#include "libdcbx/text.h"

static void
bytes_look(struct pdu_bytes v)
{
	char clean[DCBX_TEXT_MAX], safe[DCBX_TEXT_MAX];

	if (v.at == NULL)
		return;
	dcbx_text_clean(clean, sizeof clean, v.at, v.len);
	dcbx_text_safe(safe, sizeof safe, clean);
	for (const char *p = safe; *p != '\0'; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			abort();
}

static void
walk(const uint8_t *data, size_t size)
{
	struct pdu_reader pdu = pdu_reader(data, size);
	struct lldp_tlv tlv = { 0 };
	char text[8192];

	while (lldp_tlv_next(&pdu, &tlv) == LLDP_STEP_TLV) {
		if (lldp_tlv_name(&tlv)[0] == '\0')
			abort();
		lldp_tlv_text(&tlv, text, sizeof text);
		if (strlen(text) >= sizeof text)
			abort();
		bytes_look(pdu_rest(&tlv.body));
	}
}

static void
cee_write(bool cin, const struct cee_info *i)
{
	static struct cee_local l;
	static struct cee_info again;
	uint8_t octets[2 + 511];
	struct pdu_writer w = pdu_writer(octets, sizeof octets);

	l.control = i->control;
	l.values = i->values;
	for (unsigned f = 0; f < CEE_FEATURES; f++) {
		l.has[f] = i->sub[f].presence == TLV_VALID;
		l.head[f] = i->sub[f].head;
	}
	cee_tlv_put(&w, cin, &l);
	if (w.overflow)
		abort();
	cee_tlv_get(&again, cin, (struct pdu_bytes) { octets + 6, w.len - 6 },
	    false);
	for (unsigned f = 0; f < CEE_FEATURES; f++)
		if (again.presence != TLV_VALID ||
		    (again.sub[f].presence == TLV_VALID) != l.has[f])
			abort();
	if (l.has[CEE_PG] &&
	    !cee_pg_equal(&again.values.pg, &i->values.pg, cin))
		abort();
}

static void
cee_look(bool cin, struct pdu_bytes body, bool twice)
{
	static struct cee_info i;

	if (body.at == NULL)
		return;
	cee_tlv_get(&i, cin, body, twice);
	if (i.values.app.n > CEE_APP_MAX || i.presence == TLV_ABSENT ||
	    (i.dropped && i.presence == TLV_VALID))
		abort();
	for (unsigned f = 0; f < CEE_FEATURES; f++)
		if (i.sub[f].presence != TLV_ABSENT &&
		    (i.presence != TLV_VALID || !cee_feature_exists(f, cin)))
			abort();
	if (i.presence == TLV_VALID)
		cee_write(cin, &i);
}

static void
info_look(const struct lldp_info *i)
{
	char text[DCBX_TEXT_MAX];

	lldp_chassis_id_text(i->chassis_id, text, sizeof text);
	lldp_port_id_text(i->port_id, text, sizeof text);
	bytes_look(i->sys_name);
	bytes_look(i->sys_desc);
	bytes_look(i->port_desc);
	for (unsigned k = 0; k < i->n_mgmt; k++)
		lldp_mgmt_text(i->mgmt[k], text, sizeof text);
	cee_look(false, i->cee, i->two_cee);
	cee_look(true, i->cin, i->two_cin);
	if (i->dup_tlv > i->tlvs_discarded ||
	    i->ieee.app.table.n > DCB_APP_MAX)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct lldp_info info;
	char why[128];

	if (lldp_decode(data, size, &info) == 0)
		info_look(&info);
	else
		lldp_bad_text(&info, why, sizeof why);
	walk(data, size);
	return 0;
}
