/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the terminal program's snapshot comes from: memtallyd, or a pass of its own.
 */
#ifndef MEMTALLY_CLI_SOURCE_H
#define MEMTALLY_CLI_SOURCE_H

#include <stdbool.h>

#include "base/buffer.h"
#include "cli/notice.h"
#include "config/settings.h"
#include "snapshot/sight.h"
#include "snapshot/view.h"

/* A snapshot, and who measured it. */
struct source {
	struct view *view; /* owned */
	struct view
		*sums; /* owned; memtallyd's of the same time: NOTICE_LIVE_BY_DAEMON; else NULL */
	enum notice_source who;
	struct sight sight; /* what of the processes in .view is to be shown */
};

/*
 * memtallyd's snapshot where the settings allow it, it may be had, it is fresh and, with NEEDS_PROCESSES,
 * it has processes; else one that is measured now. Where memtallyd has shown its sums alone, and its reader
 * may not look into the processes of others, only his own are to be shown: of the others the sums tell more.
 * SAID is appended which of the two it is and, where one expected the other, why: one line. The caller has
 * source_done() called on RET. Errors are those of the pass.
 */
int source_open(const struct settings *settings, bool needs_processes, struct source *ret,
	struct buffer *said);
void source_done(struct source *s);
#define AUTO_SOURCE CLEANUP(source_done)

/*
 * memtallyd's snapshot, however old. The caller owns *ret. A negative errno, with why in REASON, where there is
 * none.
 */
int source_open_daemon(const struct settings *settings, struct view **ret, struct buffer *reason);

/*
 * A snapshot of now, of one's own, for the sake of who is there, whose it is and what its counters say: nobody is kept waiting
 * for long, so what is not small has a guess for its PSS. The caller owns *ret. Errors are those of the pass.
 */
int source_list(const struct settings *settings, struct view **ret);

#endif
