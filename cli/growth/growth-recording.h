/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots of the past, one in five minutes, from memtally-recorder. */
#ifndef MEMTALLY_CLI_GROWTH_GROWTH_RECORDING_H
#define MEMTALLY_CLI_GROWTH_GROWTH_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "cli/common/past-session.h"
#include "snapshot/view.h"

struct growth_recording {
	struct past_session *session; /* borrowed; open */
	uint64_t now_ns;              /* CLOCK_REALTIME */
	bool is_own_only;             /* an answer had rows of the user's own processes alone */
	bool is_failing;              /* recording fails at present */
	size_t damaged;               /* snapshots that could not be read */
};

/*
 * Gives the newest snapshot in *RET, which the caller owns. Returns 0; or an error of
 * past_session_ask() with a sentence for the user in REASON.
 */
int growth_recording_newest(struct growth_recording *r, struct view **ret, struct buffer *reason);

/* Is given each snapshot, which it borrows. Returns 0 or a negative errno. */
typedef int growth_recording_each(const struct view *view, void *data);

/*
 * Calls EACH with DATA for the first snapshot of each five minutes from SINCE_NS on, in the order of
 * time. Snapshots that are damaged are left out and counted. Returns 0; an error of EACH; or an error
 * of past_session_ask() with a sentence for the user in REASON.
 */
int growth_recording_visit(struct growth_recording *r, uint64_t since_ns,
	growth_recording_each *each, void *data, struct buffer *reason);

#endif
