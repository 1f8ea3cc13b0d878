/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evidence
 *
 * Asks memtally-recorder for an incident and for the snapshots around it. Functions that fail append
 * a sentence for the user to .reason.
 */
#ifndef MEMTALLY_CLI_WHY_EVIDENCE_H
#define MEMTALLY_CLI_WHY_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "cli/common/past-session.h"
#include "cli/why/facts/incident.h"
#include "cli/why/facts/moments.h"

enum evidence_wish {
	EVIDENCE_LAST,     /* the last OOM kill or memory pressure */
	EVIDENCE_LAST_OOM, /* the last OOM kill */
	EVIDENCE_AT,       /* what happened at .at_ns, or that moment itself */
};

enum evidence_outcome {
	EVIDENCE_NO_INCIDENT = 1, /* none is recorded */
	EVIDENCE_NO_SNAPSHOT = 2, /* none is recorded, or none of the time that was asked for */
};

struct evidence {
	struct past_session session;
	struct buffer *reason; /* borrowed: why there is no answer */
	struct past_head
		head; /* of the last answer: which time is recorded, and whether it fails */
	/* The snapshots of .moments: copies, because clients may hold few images of the recording. */
	struct evidence_copy {
		void *data;        /* owned: the image */
		struct view *view; /* owned */
	} copy[MOMENTS_BEFORE_MAX + MOMENTS_AFTER_MAX];
	size_t copies;
	struct moments moments;
	bool is_own_only; /* the snapshots have rows of the caller's own processes alone */
	size_t damaged;   /* snapshots that could not be read */
};

/*
 * Connects to memtally-recorder, and asks which time it covers. SETTINGS and REASON stay borrowed. The
 * caller gives RET to evidence_close(), also after an error. Returns 0; EVIDENCE_NO_SNAPSHOT; or an error of
 * past_session_open() or past_session_ask().
 */
int evidence_open(const struct settings *settings, struct evidence *ret, struct buffer *reason);

/* Frees what E owns. */
void evidence_close(struct evidence *e);
#define AUTO_EVIDENCE CLEANUP(evidence_close)

/*
 * Finds the incident of WISH in *RET; at EVIDENCE_AT there is always one. Returns 0; -ENOMEM; an
 * error of past_session_ask(); or EVIDENCE_NO_INCIDENT.
 */
int evidence_find(
	struct evidence *e, enum evidence_wish wish, uint64_t at_ns, struct incident *ret);

/*
 * Fills E->moments with the snapshots of the minutes before INCIDENT, and the first ones after it.
 * Takes later ones until the cgroups of all OOM kills are known, because memtallyd may read their
 * counters a minute later, and until the killed processes are gone. Returns 0; -ENOMEM; an error of past_session_ask(); or EVIDENCE_NO_SNAPSHOT.
 */
int evidence_load(struct evidence *e, const struct incident *incident);

#endif
