/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Of when a snapshot is, and what it does not say of the selected processes, in sentences for the person who reads its
 * figures. Pure.
 */
#ifndef MEMTALLY_CLI_NOTICE_H
#define MEMTALLY_CLI_NOTICE_H

#include <stdint.h>

#include "base/buffer.h"
#include "snapshot/sums.h"
#include "snapshot/view.h"

/* Who measured, which decides what would help. */
enum notice_source {
	NOTICE_DAEMON,         /* memtallyd */
	NOTICE_LIVE,           /* the reader, and nothing is known of a memtallyd */
	NOTICE_LIVE_BY_DAEMON, /* the reader, though memtallyd answered: it shows this to others only */
};

/*
 * "from memtallyd's snapshot of 9 s ago: 87 % estimated, measured up to 3 min 50 s ago, 3 % guessed": how old the figures
 * of the host in VIEW are. Nothing behind the snapshot's age where all of them were measured then.
 */
void notice_add_origin(const struct view *view, uint64_t now_boottime_ns, struct buffer *to);

/* The uid by which VIEW counts processes for users, as in accounting.user: "euid", "ruid" or "loginuid". */
const char *notice_users_by(const struct view *view);

/*
 * Appends a line for each of these that applies to VIEW and to SUMS of its processes (after sums_end()): how many processes
 * were denied, and what would help, unless their RSS is at most 1 % of the PSS; how many are blocked; how many were not
 * measured for other reasons; that /proc hides processes; that the kernel averages map counts.
 */
void notice_render(const struct view *view, const struct sums *sums, enum notice_source source,
	struct buffer *to);

#endif
