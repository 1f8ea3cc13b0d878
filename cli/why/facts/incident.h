/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Incidents
 *
 * OOM kills and memory pressure, found among the marks of a recording (snapshot/past.h). Marks that
 * follow each other within INCIDENT_GAP_NS belong to one incident: brief passes, which mark memory
 * pressure, pause for up to four minutes while it goes on. Each mark of an OOM kill is an incident of
 * its own: what two kills have in common is for the reader to judge. Pure.
 */
#ifndef MEMTALLY_CLI_WHY_FACTS_INCIDENT_H
#define MEMTALLY_CLI_WHY_FACTS_INCIDENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "snapshot/past.h"

#define INCIDENT_GAP_NS (300 * NS_PER_SEC)
/* Memory pressure between two OOM kills belongs to the one that it is so near to. */
#define INCIDENT_KILL_NS (90 * NS_PER_SEC)
#define INCIDENT_NEAR_NS (300 * NS_PER_SEC) /* incident_near() looks so far to both sides */

enum incident_kind {
	INCIDENT_NONE, /* no event: a moment that the user chose */
	INCIDENT_PRESSURE,
	INCIDENT_OOM,
};

/* Times are those of snapshots, in nanoseconds since the epoch. */
struct incident {
	enum incident_kind kind;
	/* the first and the last snapshot with its marks; INCIDENT_NONE: the moment that was asked for */
	uint64_t first_ns, last_ns;
	/* the first and the last snapshot under memory pressure; 0: there was none */
	uint64_t pressure_first_ns, pressure_last_ns;
	/* INCIDENT_OOM: the marks of the kills before it and after it; 0: none is among the marks */
	uint64_t earlier_kill_ns, later_kill_ns;
	uint64_t asked_ns; /* the time that the user asked for; 0: none */
};

/*
 * Finds the last incident among the COUNT marks at POINT, by ascending time; with ONLY_OOM, the last
 * one with an OOM kill. An incident with an OOM kill is INCIDENT_OOM, even if memory pressure was the
 * last of it. Returns false if there is none.
 */
bool incident_last(
	const struct past_point *point, size_t count, bool only_oom, struct incident *ret);

/*
 * Finds the incident at AT_NS, at most INCIDENT_NEAR_NS away: the nearest OOM kill, without one the
 * nearest memory pressure. NEXT_NS is the time of the first snapshot at AT_NS or later; 0: there is
 * none. An OOM kill with its mark there is that of AT_NS, unless one has its mark in that very second,
 * even if the mark of another one is nearer: a kill comes before the snapshot with its mark. Returns false if there is none. Sets
 * .asked_ns to AT_NS.
 */
bool incident_near(const struct past_point *point, size_t count, uint64_t at_ns, uint64_t next_ns,
	struct incident *ret);

/*
 * Returns how far the time that the user asked for is from the event of I, in whole seconds as nanoseconds; 0: nothing
 * was asked for, or it is within the event. *RET_IS_EARLIER: the event was before it.
 */
uint64_t incident_asked_away_ns(const struct incident *i, bool *ret_is_earlier);

#endif
