/* SPDX-License-Identifier: ISC */
/*
 * The methods of the control socket.  THE METHOD TABLE at the end has a row
 * for each: name, parameters, whether it is a stream, whether it changes
 * something, the function, and its line of the interface description.
 * daemon/common/server.h says what becomes of a row.
 */
#include <string.h>

#include "control_cmds.h"
#include "port.h"
#include "ports.h"

bool
call_ports(const struct server_call *call, size_t *first, size_t *end)
{
	const char *name = server_text(call, "port");
	const struct ports *ports = call_daemon(call)->ports;

	*first = 0;
	*end = ports_count(ports);
	if (name == NULL)
		return true;
	for (; *first < *end; (*first)++)
		if (strcmp(port_name(ports_at(ports, *first)), name) == 0) {
			*end = *first + 1;
			return true;
		}
	server_error(call, "org.dcbx.NoSuchPort",
	    json_pack("{ss}", "port", name));
	return false;
}

const struct server_interface control_interfaces[] = {
	{ "org.dcbx",
	    "LLDP and DCBX on the ports of this host, as dcbxd sees them.",
	    "error NoSuchPort (port: string)\n"
	    "error BadValue (key: string, found: string, allowed: string)\n"
	    "error Busy ()\n" },
	{ NULL, NULL, NULL },
};

/* ---- THE METHOD TABLE ----------------------------------------------- */

#define DOCUMENT "(schema: int, ports: []object)"

const struct server_method control_methods[] = {
	{ "org.dcbx", "GetStatus", "(port: ?string) -> " DOCUMENT,
	    { { "port", SERVER_STRING, false } }, SERVER_READ, call_get_status,
	    "Each port, or one, whole.  With more: one port a reply." },
	{ "org.dcbx", "GetPeers", "(port: ?string) -> " DOCUMENT,
	    { { "port", SERVER_STRING, false } }, SERVER_READ, call_get_peers,
	    "The neighbours heard on each port, or on one." },
	{ "org.dcbx", "GetTlvs", "(port: string, sent: ?bool) -> " DOCUMENT,
	    { { "port", SERVER_STRING, true }, { "sent", SERVER_BOOL, false } },
	    SERVER_READ, call_get_tlvs,
	    "Every TLV of each neighbour's last frame, or of ours." },
	{ "org.dcbx", "GetCounters", "(port: ?string) -> " DOCUMENT,
	    { { "port", SERVER_STRING, false } }, SERVER_READ,
	    call_get_counters,
	    "LLDP, TLV, backend and frame counters of each port, or of one." },
	{ "org.dcbx", "Diff", "(port: ?string) -> " DOCUMENT,
	    { { "port", SERVER_STRING, false } }, SERVER_READ, call_diff,
	    "The values that applying would write: on each port, or on one." },
	{ "org.dcbx", "GetConfig",
	    "() -> (schema: int, values: []object, ports: []object)",
	    { { NULL, SERVER_STRING, false } }, SERVER_READ, call_get_config,
	    "Every value with its file and line, and what is in force." },
	{ "org.dcbx", "Record",
	    "(port: string) -> (schema: int, port: string, "
	    "frames: []object)",
	    { { "port", SERVER_STRING, true } }, SERVER_READ, call_record,
	    "The LLDP frames of a port that the flight recorder has." },
	{ "org.dcbx", "Set", "(port: string, words: []string) -> ()",
	    { { "port", SERVER_STRING, true },
		{ "words", SERVER_STRINGS, true } },
	    SERVER_CHANGE, call_set,
	    "Change values of a port until the next reload: words as those\n"
	    "# of dcb(8), all of them or none." },
	{ "org.dcbx", "Reset", "(port: string) -> ()",
	    { { "port", SERVER_STRING, true } }, SERVER_CHANGE, call_reset,
	    "Forget what was learnt of the peer, and negotiate anew." },
	{ "org.dcbx", "Reload", "() -> (errors: int, messages: []object)",
	    { { NULL, SERVER_STRING, false } }, SERVER_CHANGE, call_reload,
	    "Read the configuration again.  With errors nothing changes." },
	{ "org.dcbx", "Watch",
	    "(port: ?string) -> (time: string, mono_us: int, seq: int, "
	    "port: ?string, event: string, ports: ?[]object, peer: ?object, "
	    "feature: ?string, name: ?string, from: ?string, to: ?string, "
	    "reason: ?object, text: ?string, error: ?string, writes: ?int, "
	    "attribute: ?string, want: ?string, found: ?string, "
	    "up: ?bool, muted: ?bool, file: ?string, errors: ?[]object, "
	    "count: ?int, what: ?string, suppressed: ?int)",
	    { { "port", SERVER_STRING, false } }, SERVER_STREAM, call_watch,
	    "With more only: an event snapshot, then each as it happens.\n"
	    "# What belongs to it depends on its kind; where reason is a\n"
	    "# sentence it is a string." },
	{ NULL, NULL, NULL, { { NULL, SERVER_STRING, false } }, SERVER_READ,
	    NULL, NULL },
};
