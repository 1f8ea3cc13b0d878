/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshots of the past, one in five minutes, from memtally-recorder
 */
#ifndef MEMTALLY_CLI_GROWTH_GROWTH_RECORDING_H
#define MEMTALLY_CLI_GROWTH_GROWTH_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "config/settings.h"
#include "snapshot/past-client.h"

struct growth_recording {
	const struct settings *settings; /* borrowed */
	int fd;
	uint64_t now_ns;  /* CLOCK_REALTIME */
	bool is_own_only; /* an answer had rows of the user's own processes alone */
	bool is_failing;  /* recording fails at present */
	size_t damaged;   /* snapshots that could not be read */
};

/*
 * Connects to memtally-recorder, at the socket that SETTINGS say, which stay borrowed. NOW_NS is the
 * present (CLOCK_REALTIME). The caller calls growth_recording_close(). Returns 0; or a negative errno
 * with a sentence for the user in REASON.
 */
int growth_recording_open(const struct settings *settings, uint64_t now_ns,
	struct growth_recording *ret, struct buffer *reason);

/* Closes the connection. Accepts a zeroed R. */
void growth_recording_close(struct growth_recording *r);
#define AUTO_GROWTH_RECORDING CLEANUP(growth_recording_close)

/*
 * Gives the newest snapshot in *RET, which the caller owns. Returns 0; or a negative errno with a
 * sentence for the user in REASON: -ENODATA if nothing is recorded.
 */
int growth_recording_newest(struct growth_recording *r, struct view **ret, struct buffer *reason);

/* Is given each snapshot, which it borrows. Returns 0 or a negative errno. */
typedef int growth_recording_each(const struct view *view, void *data);

/*
 * Calls EACH with DATA for the first snapshot of each five minutes from SINCE_NS on, in the order of
 * time. Snapshots that are damaged are left out and counted. Returns 0; an error of EACH; or a negative
 * errno with a sentence for the user in REASON.
 */
int growth_recording_visit(struct growth_recording *r, uint64_t since_ns,
	growth_recording_each *each, void *data, struct buffer *reason);

#endif
