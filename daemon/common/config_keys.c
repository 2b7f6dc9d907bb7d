/* SPDX-License-Identifier: ISC */
/*
 * THE KEY TABLE, and how values get into places of their own: see
 * config_keys.h.
 *
 * To add a key: a row here, a field in config.h or dcbx.h, its line in
 * conf/dcbxd.conf and its paragraph in dcbxd.conf(5).  The unit test takes
 * every row through its range, conf_keys.py compares the three texts.
 */
#include "config_keys.h"

#include <stdio.h>
#include <string.h>

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
		snprintf(p->backends[i], sizeof p->backends[i], "%s",
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

/* An empty list gives no rate: the device's are left alone. */
static void
maxrate_set(const struct config_value *v, struct config_values *out)
{
	struct config_setup *s = &out->port.setup;

	s->has_maxrate = v->n > 0;
	for (unsigned i = 0; i < DCB_TCS; i++)
		s->tc_maxrate[i] = i < v->n ? (uint64_t)v->number[i] : 0;
}

/* Of struct config_nic, which also says that the value was given. */
static void
nic_set(const struct config_value *v, struct config_nic *nic, size_t offset)
{
	size_t i = (v->key->offset - offset) / sizeof nic->value[0];

	nic->value[i] = (uint32_t)v->number[0];
	nic->set |= UINT32_C(1) << i;
}

static void
nic_rp_set(const struct config_value *v, struct config_values *out)
{
	nic_set(v, &out->port.setup.nic_rp,
	    offsetof(struct config_values, port.setup.nic_rp.value));
}

static void
nic_np_set(const struct config_value *v, struct config_values *out)
{
	nic_set(v, &out->port.setup.nic_np,
	    offsetof(struct config_values, port.setup.nic_np.value));
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
	{ "dcbnl", 2 },
	{ "roce", 3 },
	{ "exec", 4 },
	{ "datapath", 5 },
	{ NULL, 0 },
};
static const struct config_word on_drifts[] = {
	{ "report", false },
	{ "reapply", true },
	{ NULL, 0 },
};
static const struct config_word auto_word[] = {
	{ "auto", -1 },
	{ NULL, 0 },
};
static const struct config_word trusts[] = {
	{ "auto", CONFIG_TRUST_AUTO },
	{ "pcp", CONFIG_TRUST_PCP },
	{ "dscp", CONFIG_TRUST_DSCP },
	{ NULL, 0 },
};
static const struct config_word autos[] = {
	{ "auto", CONFIG_AUTO },
	{ "yes", CONFIG_YES },
	{ "no", CONFIG_NO },
	{ NULL, 0 },
};
static const struct config_word wd_actions[] = {
	{ "drop", CONFIG_WATCHDOG_DROP },
	{ "forward", CONFIG_WATCHDOG_FORWARD },
	{ "alert", CONFIG_WATCHDOG_ALERT },
	{ NULL, 0 },
};
static const struct config_word rps[] = {
	{ "connectx", CONFIG_RP_CONNECTX },
	{ "paper", CONFIG_RP_PAPER },
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
	{ "ecn", "profile", false },
	{ "buffer", "profile", false },
	{ "watchdog", "profile", false },
	{ "nic-rp", "profile", false },
	{ "nic-np", "profile", false },
	{ "datapath", "profile", false },
	{ "queue-map", "datapath", false },
	{ "exec", "profile", false },
};
const size_t config_n_sections =
    sizeof config_sections / sizeof config_sections[0];

/* Where a row's value goes: a member of struct config_values. */
#define AT(member)                                                             \
	.offset = offsetof(struct config_values, member),                      \
	.size = sizeof(((struct config_values *)NULL)->member)
#define GLOBAL(member) AT(global.member)
#define ADMIN(member) AT(port.admin.member)
#define SETUP(member) AT(port.setup.member)
#define NIC_RP(n) SETUP(nic_rp.value[n]), .set = nic_rp_set
#define NIC_NP(n) SETUP(nic_np.value[n]), .set = nic_np_set

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
#define RATES .type = CONFIG_RATES, .max = 1000000000, .min_n = 0, .max_n = 8
#define OCTETS NUMBER(0, 1073741824)
#define MBIT(least) NUMBER(least, 800000)

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
	{ "profile", "on-drift", WORD(on_drifts), .def = "report",
	    SETUP(reapply),
	    .help = "what is done where another program changes a value" },
	{ "profile", "apply-hold", NUMBER(0, 3600), .words = auto_word,
	    .def = "auto", SETUP(apply_hold),
	    .help = "least seconds between two writes into the port" },
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

	{ "ets", "tc-maxrate", RATES, .def = "{}", SETUP(tc_maxrate),
	    .set = maxrate_set,
	    .help = "most that class 0, 1 ... 7 may send; 0: no limit" },

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

	{ "profile", "trust", WORD(trusts), .def = "auto", SETUP(trust),
	    .help = "what of a received frame says its priority" },
	{ "profile", "rewrite", BOOL, .def = "no", SETUP(rewrite),
	    .help = "frames leave with the DSCP that leads to their priority" },

	{ "ecn", "enable", WORD(autos), .def = "auto", SETUP(ecn.enable),
	    .help = "congestion control of lossless RoCE priorities" },
	{ "ecn", "kmin", OCTETS, .def = "0", SETUP(ecn.kmin),
	    .help = "octets queued from which frames are marked; 0: derived" },
	{ "ecn", "kmax", OCTETS, .def = "0", SETUP(ecn.kmax),
	    .help = "octets queued from which all are marked; 0: derived" },
	{ "ecn", "pmax", NUMBER(1, 100), .def = "100", SETUP(ecn.pmax),
	    .help = "percent of frames marked just below kmax" },

	{ "buffer", "xoff", OCTETS, .def = "0", SETUP(buffer.xoff),
	    .help = "octets held at which the peer is paused; 0: derived" },
	{ "buffer", "xon", OCTETS, .def = "0", SETUP(buffer.xon),
	    .help = "octets held at which it may go on; 0: derived" },
	{ "buffer", "headroom", OCTETS, .def = "0", SETUP(buffer.headroom),
	    .help = "octets for what arrives after a pause; 0: derived" },
	{ "buffer", "reserved", OCTETS, .def = "0", SETUP(buffer.reserved),
	    .help = "octets of each lossless priority's own; 0: derived" },
	{ "buffer", "alpha", NUMBER(0, 128), .def = "0", SETUP(buffer.alpha),
	    .help = "share of the free buffer that one may take; 0: derived" },
	{ "buffer", "cable-m", NUMBER(1, 100000), .def = "10",
	    SETUP(buffer.cable_m),
	    .help = "length of the cable in metres" },
	{ "buffer", "mtu", NUMBER(0, 65535), .def = "0", SETUP(buffer.mtu),
	    .help = "octets of the largest frame; 0: the interface's" },

	{ "watchdog", "enable", BOOL, .def = "yes", SETUP(watchdog.enable),
	    .help = "end a pause that lasts too long" },
	{ "watchdog", "detect-ms", NUMBER(1, 60000), .def = "200",
	    SETUP(watchdog.detect_ms),
	    .help = "ms without progress that are a storm" },
	{ "watchdog", "restore-ms", NUMBER(0, 60000), .def = "200",
	    SETUP(watchdog.restore_ms),
	    .help = "ms without pauses that end it; 0: nothing does" },
	{ "watchdog", "poll-ms", NUMBER(1, 60000), .def = "200",
	    SETUP(watchdog.poll_ms),
	    .help = "ms between two looks; at most those of a storm" },
	{ "watchdog", "action", WORD(wd_actions), .def = "drop",
	    SETUP(watchdog.action),
	    .help = "what becomes of frames in a storm" },

	{ "nic-rp", "clamp-tgt-rate", NUMBER(0, 1), NIC_RP(0),
	    .help = "1: each cut sets the target rate to the current one" },
	{ "nic-rp", "clamp-tgt-rate-after-time-inc", NUMBER(0, 1), NIC_RP(1),
	    .help = "1: so does a cut behind an increase by the timer" },
	{ "nic-rp", "rpg-time-reset", NUMBER(0, 131071), NIC_RP(2),
	    .help = "us between two increases by the timer" },
	{ "nic-rp", "rpg-byte-reset", NUMBER(0, 32767), NIC_RP(3),
	    .help = "bytes between two increases by the counter; 0: off" },
	{ "nic-rp", "rpg-threshold", NUMBER(1, 31), NIC_RP(4),
	    .help = "increases before the additive ones begin" },
	{ "nic-rp", "rpg-max-rate", MBIT(0), NIC_RP(5),
	    .help = "Mbit/s above which nothing is limited; 0: the port's" },
	{ "nic-rp", "rpg-ai-rate", MBIT(1), NIC_RP(6),
	    .help = "Mbit/s of an additive increase" },
	{ "nic-rp", "rpg-hai-rate", MBIT(1), NIC_RP(7),
	    .help = "Mbit/s of a hyper increase" },
	{ "nic-rp", "rpg-gd", NUMBER(10, 11), NIC_RP(8),
	    .help = "10: a cut is by alpha, 11: by half of it" },
	{ "nic-rp", "rpg-min-dec-fac", NUMBER(0, 100), NIC_RP(9),
	    .help = "percent of the rate that one cut leaves at least" },
	{ "nic-rp", "rpg-min-rate", MBIT(1), NIC_RP(10),
	    .help = "Mbit/s below which no cut goes" },
	{ "nic-rp", "rate-to-set-on-first-cnp", MBIT(0), NIC_RP(11),
	    .help = "Mbit/s that the first CNP sets; 0: it cuts like others" },
	{ "nic-rp", "dce-tcp-g", NUMBER(0, 1023), NIC_RP(12),
	    .help = "weight of the old alpha, in 1024ths" },
	{ "nic-rp", "dce-tcp-rtt", NUMBER(1, 131071), NIC_RP(13),
	    .help = "us between two updates of alpha" },
	{ "nic-rp", "rate-reduce-monitor-period", NUMBER(1, 2147483647),
	    NIC_RP(14),
	    .help = "least us between two cuts" },
	{ "nic-rp", "initial-alpha-value", NUMBER(1, 1023), NIC_RP(15),
	    .help = "alpha at the first CNP, in 1024ths" },

	{ "nic-np", "cnp-dscp", NUMBER(0, DCB_DSCP_MAX),
	    NIC_NP(CONFIG_NP_CNP_DSCP),
	    .help = "DSCP of the CNPs sent" },
	{ "nic-np", "cnp-802p-prio", NUMBER(0, 7),
	    NIC_NP(CONFIG_NP_CNP_PRIO),
	    .help = "priority of the CNPs sent" },
	{ "nic-np", "min-time-between-cnps", NUMBER(0, 131071),
	    NIC_NP(CONFIG_NP_INTERVAL),
	    .help = "least us between two CNPs" },

	{ "datapath", "socket", .type = CONFIG_PATH, .min = 2, .max = 107,
	    .def = CONFIG_DATAPATH_SOCKET, SETUP(datapath.socket),
	    .help = "control socket of dcbx-datapath" },
	{ "datapath", "rp", WORD(rps), .def = "connectx", SETUP(datapath.rp),
	    .help = "how senders react to CNPs" },
	{ "datapath", "cnp-interval-us", NUMBER(0, 131071), .def = "50",
	    SETUP(datapath.cnp_interval_us),
	    .help = "least us between two CNPs of a flow" },
	{ "queue-map", "unicast", NUMBERS(0, 7), .def = "{0,1,2,3,4,5,6,7}",
	    SETUP(datapath.queue_unicast),
	    .help = "queue of priority 0, 1 ... 7" },
	{ "queue-map", "other", NUMBERS(0, 7), .def = "{0,1,1,1,2,2,6,6}",
	    SETUP(datapath.queue_other),
	    .help = "the same for groups and unknown addresses" },

	{ "exec", "command", .type = CONFIG_PATH, .min = 0, .max = 255,
	    .def = "", SETUP(exec.command),
	    .help = "program that backend exec runs; no shell, no arguments" },
	{ "exec", "timeout", NUMBER(1, 60), .def = "5", SETUP(exec.timeout),
	    .help = "seconds after which it is killed" },
};
const size_t config_n_keys = sizeof config_keys / sizeof config_keys[0];
_Static_assert(sizeof config_keys / sizeof config_keys[0] <= CONFIG_KEYS_MAX,
    "CONFIG_KEYS_MAX");
