/* SPDX-License-Identifier: ISC */
/*
 * THE KEY TABLE and what needs only a row of it: see config_keys.h.
 *
 * To add a key: a row here, a field in config.h or dcbx.h, its line in
 * conf/dcbxd.conf and its paragraph in dcbxd.conf(5).  The unit test takes
 * every row through its range, conf_keys.py compares the three texts.
 */
#include "config_keys.h"

#include <stdio.h>
#include <string.h>

bool
config_section_holds(const char *section, const char *listed)
{
	if (strcmp(section, listed) == 0)
		return true;
	/* a port takes what a profile does, and the profile's name */
	return strcmp(section, "port") == 0 && strcmp(listed, "profile") == 0;
}

bool
config_is_list(const struct config_key *k)
{
	return k->type >= CONFIG_PRIOS;
}

const struct config_key *
config_key_find(const char *section, const char *name)
{
	for (size_t i = 0; i < config_n_keys; i++)
		if (config_section_holds(section, config_keys[i].section) &&
		    strcmp(name, config_keys[i].name) == 0)
			return &config_keys[i];
	return NULL;
}

const struct config_key *
config_key_at(size_t offset)
{
	for (size_t i = 0; i < config_n_keys; i++)
		if (config_keys[i].size != 0 && config_keys[i].offset == offset)
			return &config_keys[i];
	return NULL;
}

static void
number_store(void *to, size_t size, long number)
{
	uint8_t u8 = (uint8_t)number;
	uint16_t u16 = (uint16_t)number;
	uint32_t u32 = (uint32_t)number;

	if (size == sizeof u8)
		memcpy(to, &u8, sizeof u8);
	else if (size == sizeof u16)
		memcpy(to, &u16, sizeof u16);
	else
		memcpy(to, &u32, sizeof u32);
}

static uint8_t
prios_bitmap(const struct config_value *v)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < v->n; i++)
		bits |= 1u << v->number[i];
	return (uint8_t)bits;
}

static void
text_store(char *to, size_t size, const char *text)
{
	size_t len = strnlen(text, size - 1);

	memset(to, 0, size);
	memcpy(to, text, len);
}

void
config_value_store(const struct config_value *v, struct config_values *out)
{
	const struct config_key *k = v->key;
	uint8_t *to = (uint8_t *)out + k->offset;

	if (k->set != NULL) {
		k->set(v, out);
		return;
	}
	if (k->size == 0)
		return;
	switch (k->type) {
	case CONFIG_BOOL:
	case CONFIG_NUMBER:
	case CONFIG_WORD:
		number_store(to, k->size, v->number[0]);
		break;
	case CONFIG_STRING:
	case CONFIG_PATH:
	case CONFIG_ADDRESS:
		text_store((char *)to, k->size, v->text);
		break;
	case CONFIG_PRIOS:
		number_store(to, k->size, prios_bitmap(v));
		break;
	case CONFIG_NUMBERS:
	case CONFIG_WORDS:
		for (unsigned i = 0; i < v->n; i++)
			to[i] = (uint8_t)v->number[i];
		break;
	}
}

static const char *
word_of(const struct config_word *w, long number)
{
	while (w->number != number)
		w++;
	return w->word;
}

static void
backends_set(const struct config_value *v, struct config_values *out)
{
	struct config_port *p = &out->port;

	memset(p->backends, 0, sizeof p->backends);
	p->n_backends = v->n;
	for (unsigned i = 0; i < v->n; i++)
		text_store(p->backends[i], sizeof p->backends[i],
		    word_of(v->key->words, v->number[i]));
}

/* A later entry of the same selector and protocol takes the place. */
static void
app_set(const struct config_value *v, struct config_values *out)
{
	struct dcb_app_table *t = &out->port.admin.app.table;
	struct dcb_app a = v->app;

	a.priority = (uint8_t)v->number[0];
	for (unsigned i = 0; i < t->n; i++) {
		if (t->entry[i].selector == a.selector &&
		    t->entry[i].protocol == a.protocol) {
			t->entry[i] = a;
			return;
		}
	}
	dcb_app_add(t, a); /* config_resolve() notes one without room */
}

static const struct config_word modes[] = {
	{ "off", DCBX_MODE_OFF },
	{ "observe", DCBX_MODE_OBSERVE },
	{ "verify", DCBX_MODE_VERIFY },
	{ "negotiate", DCBX_MODE_NEGOTIATE },
	{ NULL, 0 },
};
static const struct config_word dialects[] = {
	{ "auto", DCBX_AUTO },
	{ "ieee", DCBX_IEEE },
	{ "cee", DCBX_CEE },
	{ "cin", DCBX_CIN },
	{ NULL, 0 },
};
static const struct config_word multi_peer[] = {
	{ "tolerant", false },
	{ "strict", true },
	{ NULL, 0 },
};
static const struct config_word backends[] = {
	{ "auto", 0 },
	{ "none", 1 },
	{ NULL, 0 },
};
static const struct config_word on_exits[] = {
	{ "keep", false },
	{ "clear", true },
	{ NULL, 0 },
};
static const struct config_word ios[] = {
	{ "packet", false },
	{ "pcap", true },
	{ NULL, 0 },
};
static const struct config_word tiebreaks[] = {
	{ "auto", DCBX_TIEBREAK_AUTO },
	{ "lower", DCBX_TIEBREAK_LOWER },
	{ "higher", DCBX_TIEBREAK_HIGHER },
	{ NULL, 0 },
};
static const struct config_word tsas[] = {
	{ "strict", DCB_TSA_STRICT },
	{ "cbs", DCB_TSA_CBS },
	{ "ets", DCB_TSA_ETS },
	{ "vendor", DCB_TSA_VENDOR },
	{ NULL, 0 },
};
static const struct config_word adopts[] = {
	{ "never", DCBX_ADOPT_NEVER },
	{ "with-ets-or-pfc", DCBX_ADOPT_WITH_ETS_OR_PFC },
	{ "always", DCBX_ADOPT_ALWAYS },
	{ NULL, 0 },
};

const struct config_section config_sections[] = {
	{ "control", "root", false },
	{ "lldp", "root", false },
	{ "profile", "root", true },
	{ "port", "root", true },
	{ "pfc", "profile", false },
	{ "ets", "profile", false },
	{ "app", "profile", true },
	{ "cn", "profile", false },
};
const size_t config_n_sections =
    sizeof config_sections / sizeof config_sections[0];

/* Where a row's value goes: a member of struct config_values. */
#define AT(member)                                                             \
	.offset = offsetof(struct config_values, member),                      \
	.size = sizeof(((struct config_values *)NULL)->member)
#define GLOBAL(member) AT(global.member)
#define ADMIN(member) AT(port.admin.member)

#define BOOL .type = CONFIG_BOOL
#define NUMBER(a, b) .type = CONFIG_NUMBER, .min = (a), .max = (b)
#define WORD(w) .type = CONFIG_WORD, .words = (w)
#define STRING(a, b) .type = CONFIG_STRING, .min = (a), .max = (b)
#define PRIOS                                                                  \
	.type = CONFIG_PRIOS, .min = 0, .max = 7, .min_n = 0, .max_n = 8
#define NUMBERS(a, b)                                                          \
	.type = CONFIG_NUMBERS, .min = (a), .max = (b), .min_n = 8, .max_n = 8
#define WORDS(w, a, b)                                                         \
	.type = CONFIG_WORDS, .words = (w), .min_n = (a), .max_n = (b)

const struct config_key config_keys[] = {
	{ "control", "socket", .type = CONFIG_PATH, .min = 2, .max = 107,
	    .def = CONFIG_SOCKET, GLOBAL(socket),
	    .help = "control socket that dcbxctl talks to" },
	{ "control", "group", STRING(1, 31), .def = "dcbx", GLOBAL(group),
	    .help = "members of this group, and root, may change things" },

	{ "root", "state-dir", .type = CONFIG_PATH, .min = 2, .max = 255,
	    .def = CONFIG_STATE_DIR, GLOBAL(state_dir),
	    .help = "what a restart has to remember is kept there" },
	{ "root", "on-exit", WORD(on_exits), .def = "keep",
	    GLOBAL(clear_on_exit),
	    .help = "what becomes of the values in force when dcbxd ends" },
	{ "root", "recorder-kb", NUMBER(0, 1048576), .def = "4096",
	    GLOBAL(recorder_kb),
	    .help = "KiB for recorded frames, all ports together; 0: none" },
	{ "root", "chassis-id", STRING(0, DCBX_ID_MAX), .def = "",
	    GLOBAL(chassis_id),
	    .help = "Chassis ID, a MAC address or any name; empty: "
	    "the host's" },

	{ "lldp", "tx-interval", NUMBER(5, 32768), .def = "30",
	    ADMIN(timers.tx_interval),
	    .help = "seconds between two frames (msgTxInterval)" },
	{ "lldp", "tx-hold", NUMBER(2, 10), .def = "4",
	    ADMIN(timers.tx_hold),
	    .help = "TTL sent = tx-interval x tx-hold + 1 (msgTxHold)" },
	{ "lldp", "tx-fast", NUMBER(1, 3600), .def = "1",
	    ADMIN(timers.tx_fast),
	    .help = "seconds between frames after a change (msgFastTx)" },
	{ "lldp", "tx-fast-init", NUMBER(1, 8), .def = "4",
	    ADMIN(timers.tx_fast_init),
	    .help = "frames sent fast for a new neighbor (txFastInit)" },
	{ "lldp", "tx-credit-max", NUMBER(1, 100), .def = "5",
	    ADMIN(timers.tx_credit_max),
	    .help = "frames that may be sent in one second (txCreditMax)" },
	{ "lldp", "reinit-delay", NUMBER(1, 10), .def = "2",
	    ADMIN(timers.reinit_delay),
	    .help = "seconds of silence after disabling (reinitDelay)" },
	{ "lldp", "max-neighbors", NUMBER(1, DCBX_NEIGHBORS_MAX), .def = "8",
	    GLOBAL(max_neighbors),
	    .help = "neighbors remembered on each port" },
	{ "lldp", "system-name", STRING(0, DCBX_STRING_MAX), .def = "",
	    GLOBAL(system_name),
	    .help = "System Name; empty: the host's name" },
	{ "lldp", "system-description", STRING(0, DCBX_STRING_MAX), .def = "",
	    GLOBAL(system_desc),
	    .help = "System Description; empty: the host's" },
	{ "lldp", "management-address", .type = CONFIG_ADDRESS, .max = 63,
	    .def = "", GLOBAL(management_address),
	    .help = "Management Address; empty: the host's" },

	{ "port", "profile", STRING(0, 63), .def = "",
	    .help = "profile whose values this port takes; empty: none" },

	{ "profile", "mode", WORD(modes), .def = "negotiate", ADMIN(mode),
	    .help = "how much of DCBX the port does" },
	{ "profile", "dialect", WORD(dialects), .def = "auto", ADMIN(dialect),
	    .help = "DCBX version to speak" },
	{ "profile", "multi-peer", WORD(multi_peer), .def = "tolerant",
	    ADMIN(multi_peer_strict),
	    .help = "strict: a neighbor without DCBX counts as a second peer" },
	{ "profile", "backends",
	    WORDS(backends, 1, CONFIG_BACKENDS_MAX), .def = "{auto}",
	    .set = backends_set,
	    .help = "what programs the values in force" },
	{ "profile", "io", WORD(ios), .def = "packet",
	    AT(port.io_pcap),
	    .help = "how frames are sent and received" },
	{ "profile", "native-vid", NUMBER(0, 4094), .def = "0",
	    AT(port.native_vid),
	    .help = "accept frames with this VLAN tag, too; needs io = pcap" },

	{ "pfc", "prio-pfc", PRIOS, .def = "{}", ADMIN(pfc.prio_pfc),
	    .help = "lossless priorities" },
	{ "pfc", "enable", BOOL, .def = "yes", ADMIN(pfc.enable),
	    .help = "no: switched off at both ends; CEE and CIN only" },
	{ "pfc", "willing", BOOL, .def = "yes", ADMIN(pfc.willing),
	    .help = "take the peer's PFC priorities" },
	{ "pfc", "advertise", BOOL, .def = "yes", ADMIN(pfc.advertise),
	    .help = "send the PFC TLV" },
	{ "pfc", "tiebreak", WORD(tiebreaks), .def = "auto",
	    ADMIN(pfc.tiebreak),
	    .help = "both ends willing: whose values hold, by MAC address" },
	{ "pfc", "delay", NUMBER(0, 65535), .def = "0", ADMIN(pfc.delay),
	    .help = "delay allowance in bit times, for the backend" },
	{ "pfc", "cap", NUMBER(0, 8), .def = "0", ADMIN(pfc.cap),
	    .help = "lossless priorities possible at once; 0: the backend's" },

	{ "ets", "enable", BOOL, .def = "yes", ADMIN(ets.enable),
	    .help = "no: each end keeps its own; CEE and CIN only" },
	{ "ets", "willing", BOOL, .def = "yes", ADMIN(ets.willing),
	    .help = "take the table that the peer recommends" },
	{ "ets", "advertise", BOOL, .def = "yes", ADMIN(ets.advertise),
	    .help = "send the ETS Configuration TLV" },
	{ "ets", "recommend", BOOL, .def = "yes", ADMIN(ets.recommend),
	    .help = "send the ETS Recommendation TLV" },
	{ "ets", "prio-tc", NUMBERS(0, 7), .def = "{0,0,0,0,0,0,0,0}",
	    ADMIN(ets.table.prio_tc),
	    .help = "traffic class of priority 0, 1 ... 7" },
	{ "ets", "tc-bw", NUMBERS(0, 100), .def = "{0,0,0,0,0,0,0,0}",
	    ADMIN(ets.table.tc_bw),
	    .help = "percent of class 0, 1 ... 7; the ets classes sum to 100" },
	{ "ets", "tc-tsa", WORDS(tsas, 8, 8),
	    .def = "{strict,strict,strict,strict,strict,strict,strict,strict}",
	    ADMIN(ets.table.tc_tsa),
	    .help = "transmission selection of class 0, 1 ... 7" },

	{ "app", "priority", NUMBER(0, 7), .def = NULL, .set = app_set,
	    .help = "priority of the application in the title" },

	{ "profile", "app-enable", BOOL, .def = "yes", ADMIN(app.enable),
	    .help = "no: each end keeps its own; CEE and CIN only" },
	{ "profile", "app-advertise", BOOL, .def = "yes",
	    ADMIN(app.advertise),
	    .help = "send the Application Priority TLV" },
	{ "profile", "app-adopt", WORD(adopts), .def = "with-ets-or-pfc",
	    ADMIN(app.adopt),
	    .help = "when the peer's application priorities are taken" },

	{ "cn", "advertise", BOOL, .def = "no", ADMIN(cn.advertise),
	    .help = "send the Congestion Notification TLV" },
	{ "cn", "cnpv", PRIOS, .def = "{}", ADMIN(cn.cn.cnpv),
	    .help = "congestion notification priorities" },
	{ "cn", "ready", PRIOS, .def = "{}", ADMIN(cn.cn.ready),
	    .help = "those of them that are ready" },
};
const size_t config_n_keys = sizeof config_keys / sizeof config_keys[0];
_Static_assert(sizeof config_keys / sizeof config_keys[0] <= CONFIG_KEYS_MAX,
    "CONFIG_KEYS_MAX");
