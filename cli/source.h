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
#include "snapshot/view.h"

/*
 * memtallyd's snapshot where the settings allow it, it may be had, it is fresh and, with NEEDS_PROCESSES,
 * it has processes; else one that is measured now. The caller owns *ret. SAID is appended which of the two
 * it is and, where one expected the other, why: one line. *ret_source: who measured. Errors are those of
 * the pass.
 */
int source_open(const struct settings *settings, bool needs_processes, struct view **ret,
	enum notice_source *ret_source, struct buffer *said);

/*
 * memtallyd's snapshot, however old. The caller owns *ret. A negative errno, with why in REASON, where there is
 * none.
 */
int source_open_daemon(const struct settings *settings, struct view **ret, struct buffer *reason);

#endif
