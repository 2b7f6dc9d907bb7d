/* SPDX-License-Identifier: ISC */
/*
 * The event bus, and the log that is one of its readers.
 *
 * An event is a JSON object as contract says: time, mono_us, seq, port, event
 * and what belongs to the kind.  Each goes to every subscriber and, as one
 * short line, to the log; the journal gets its members as fields as well.  The
 * bus keeps nothing.
 */
#ifndef EVENTS_H
#define EVENTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/backend/backend.h"
#include "daemon/common/config.h"
#include "libdcbx/dcbx.h"
#include "log.h"

struct events;
struct events_sub;

/* port is "" for an event of the whole daemon.  Must not unsubscribe. */
typedef void events_fn(void *arg, const char *port, json_t *event);

struct events *events_new(void);
void events_free(struct events *);

struct events_sub *events_subscribe(struct events *, events_fn *, void *arg);
void events_unsubscribe(struct events *, struct events_sub *);

/* An event to be filled and posted; port "" for none.  NULL: no memory. */
json_t *events_make(struct events *, const char *port, const char *name);
/* The same for one reader alone: it has the number of the last one posted. */
json_t *events_make_snapshot(struct events *, json_t *ports);
/* Steals event; NULL only says on the log that one was lost. */
void events_post(struct events *, json_t *event);

/* An agent's event, at the time it happens. */
void events_post_agent(struct events *, const char *port,
    const struct dcbx_agent *, const struct dcbx_event *, dcbx_ms now);
/* Discarded LLDPDU; suppressed: how many more since the last one told. */
void events_post_bad_frame(struct events *, const char *port,
    const char *reason, uint64_t suppressed);
void events_post_backend(struct events *, const char *port,
    const char *from, const struct dcbx_backend_view *to);
/* Somebody else changed a device: an event for each write that would undo
 * it. */
void events_post_drift(struct events *, const char *port,
    const char *backend, const struct backend_plan *);
/* The watchdog took a queue's pauses for a storm; or that is over. */
void events_post_storm(struct events *, const char *port, unsigned prio,
    bool on);
void events_post_link(struct events *, const char *port, bool up);
/* An interface floods and is not heard, or is heard again. */
void events_post_flood(struct events *, const char *port, bool muted);
/* What reading the configuration had to say; file NULL: built in. */
void events_post_config(struct events *, const char *file,
    const struct config_errors *);
/* Its "errors"; NULL when memory is out. */
json_t *events_config_errors(const struct config_errors *);
/* Something did not reach its reader; what: "frames" or "replies". */
void events_post_lost(struct events *, const char *what, uint64_t count);

#endif
