/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sources of snapshots
 *
 * Gets a snapshot for the terminal program: memtallyd's over its socket, or one that memtally
 * measures itself.
 */
#ifndef MEMTALLY_CLI_COMMON_SOURCE_H
#define MEMTALLY_CLI_COMMON_SOURCE_H

#include <stdbool.h>

#include "base/buffer.h"
#include "cli/common/past-moment.h"
#include "cli/common/notice.h"
#include "config/settings.h"
#include "snapshot/sight.h"
#include "snapshot/view.h"

/* A snapshot and its origin. */
struct source {
	struct view *view; /* owned */
	/*
	 * owned; a snapshot of the same time with the sums of all users, if .view has processes of
	 * one user only: memtallyd's public one, or the same recorded one; else NULL
	 */
	struct view *sums;
	enum notice_source origin; /* the program that measured it */
	struct sight sight;        /* the processes of .view to show */
	/* CLOCK_BOOTTIME for ages: the present; the end of the pass of a recorded snapshot */
	uint64_t now_ns;
};

/* The rows that a list needs. */
enum source_rows {
	SOURCE_HOST,      /* the host's */
	SOURCE_OWNERS,    /* those of owners */
	SOURCE_PROCESSES, /* those of processes, perhaps to sum them */
};

/*
 * Opens memtallyd's snapshot in *RET if --live is not set, memtallyd answers, its snapshot is not
 * stale and has ROWS. Otherwise measures one now, which blocks for that time, and logs a warning if
 * readers of some processes were blocked. If that is not for --live, and the user may not read other
 * users' processes, RET->sight limits the rows of owners and processes to the user's own.
 *
 * Appends to SAID one line that names the source; if memtallyd's snapshot was wanted and not used,
 * also the reason. The caller calls source_done(RET). Returns 0, an error of the pass, or the error
 * of SAID.
 */
int source_open(const struct settings *settings, enum source_rows rows, struct source *ret,
	struct buffer *said);

/*
 * Opens the recorded snapshot of MOMENT in *RET. If it shows only the user's own processes, and ROWS
 * are those of processes, RET->sight limits the rows of owners and processes to these.
 *
 * Appends to SAID one line that names the snapshot, and how long before MOMENT it was made if that
 * is more than a minute. Warns if nothing was recorded for a quarter of an hour at MOMENT. The caller
 * calls source_done(RET). Returns 0, an error of past_session_open() or past_session_get() with a sentence
 * for the user in REASON, or the error of SAID.
 */
int source_open_recorded(const struct settings *settings, const struct past_moment *moment,
	enum source_rows rows, struct source *ret, struct buffer *said, struct buffer *reason);

/* Returns true if S may not show other users' processes, or /proc hides them from memtally. */
bool source_hides_others(const struct source *s);

/* Frees what S owns. */
void source_done(struct source *s);
#define AUTO_SOURCE CLEANUP(source_done)

/*
 * Gets memtallyd's snapshot in *RET, which the caller owns, however old it is. Returns 0, or a
 * negative errno with a message in REASON.
 */
int source_open_daemon(const struct settings *settings, struct view **ret, struct buffer *reason);

/*
 * Measures a snapshot now and gives it in *RET, which the caller owns. It is for the list of
 * processes, their owners and counters: no walk stalls a process for more than about 1 ms, so the
 * PSS of large processes is a guess. Logs the same warning as source_open() about blocked readers.
 * Returns 0 or an error of the pass.
 */
int source_list(const struct settings *settings, struct view **ret);

/*
 * Measures a snapshot now, as source_open() does, and gives its image in *RET_FD, which the caller
 * owns. The image says that the next one comes after INTERVAL_NS. Returns 0 or an error of the pass.
 */
int source_measure(const struct settings *settings, uint64_t interval_ns, int *ret_fd);

/* Returns true if VIEW, measured by memtally itself, has figures of other users' processes. */
bool source_sees_others(const struct view *view);

/*
 * For commands that read map counts themselves: logs a warning if the running kernel averages them
 * over large folios (collectors/process/self/mapcounts.h). Returns true if it does. Takes at most 0.5 s.
 */
bool source_warn_averages(void);

#endif
