/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notices about a snapshot
 *
 * Sentences for the reader of the figures: how old they are, and what is missing. Pure.
 */
#ifndef MEMTALLY_CLI_COMMON_NOTICE_H
#define MEMTALLY_CLI_COMMON_NOTICE_H

#include <stdint.h>

#include "base/buffer.h"
#include "snapshot/sight.h"
#include "snapshot/sums.h"
#include "snapshot/view.h"

/* The notice of a kernel that averages map counts. */
#define NOTICE_AVERAGES                                                                            \
	"this kernel averages the map counts of large folios (CONFIG_NO_PAGE_MAPCOUNT): PSS and "  \
	"USS are approximations"

/* The notice of a snapshot of a brief pass. */
#define NOTICE_BRIEF                                                                               \
	"processes waited for memory, on the host or in a cgroup, so memtallyd read their sizes "  \
	"alone: swap and charges may be of an earlier pass"

/* The program that measured; advice depends on it. */
enum notice_source {
	NOTICE_DAEMON, /* memtallyd measured */
	NOTICE_LIVE,   /* memtally itself: --live, or memtallyd has no fresh snapshot */
	/* memtally itself, though memtallyd answered: it shows processes only to others */
	NOTICE_LIVE_BY_DAEMON,
};

/*
 * Appends the age of VIEW and the shares of its host's PSS that are estimated and guessed: "from
 * memtallyd's snapshot of 9 s ago: 87 % estimated, measured up to 3 min 50 s ago, 3 % guessed".
 * Only the age if all was measured. NOW_BOOTTIME_NS is the current CLOCK_BOOTTIME in ns.
 */
void notice_add_origin(const struct view *view, uint64_t now_boottime_ns, struct buffer *to);

/*
 * Appends which recorded snapshot VIEW is, its age, and the same shares: "from the recorded snapshot
 * of 2026-11-28 03:12:40, 3 h 4 min ago: 87 % estimated, measured up to 3 min 50 s before".
 * NOW_REALTIME_NS is the current CLOCK_REALTIME in ns.
 */
void notice_add_recorded(const struct view *view, uint64_t now_realtime_ns, struct buffer *to);

/*
 * Returns the uid by which VIEW assigns processes to users, as in accounting.user: "euid", "ruid"
 * or "loginuid" (static).
 */
const char *notice_users_by(const struct view *view);

/*
 * Appends a line for each of these that applies to VIEW, and to SUMS of its processes (after
 * sums_end()): the number of denied processes and the remedy, unless their RSS is at most 1 % of
 * the PSS; the number of blocked processes; the numbers of processes that were not measured for
 * other reasons; that /proc hides processes; that the kernel averages map counts. Names denied
 * processes by pid if SUMS count all of VIEW, and so blocked ones if memtallyd measured. If
 * memtally measured, source_open() has named the blocked processes.
 */
void notice_render(const struct view *view, const struct sums *sums, enum notice_source source,
	struct buffer *to);

/*
 * Appends a line about the processes of VIEW that SIGHT hides, and how to see them: "297 processes
 * of 42 other users: no permission, RSS 16.0 GiB; ..."; nothing if it hides none. Processes without
 * memory of their own do not count.
 */
void notice_add_hidden(const struct view *view, const struct sight *sight, struct buffer *to);

#endif
