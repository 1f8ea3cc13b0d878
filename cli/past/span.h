/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans of the recording
 *
 * The growth of owners or processes between two moments, from recorded snapshots: lists with --from
 * and --to, and `memtally diff`.
 */
#ifndef MEMTALLY_CLI_PAST_SPAN_H
#define MEMTALLY_CLI_PAST_SPAN_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/common/cli-option.h"
#include "cli/common/past-moment.h"
#include "cli/common/selection.h"
#include "cli/past/change.h"
#include "config/settings.h"

/* Snapshots of a span at most; those between the first and the last are evenly spread. */
enum { SPAN_SNAPSHOTS_MAX = 300 };

struct span {
	struct selection selection;
	struct past_moment from, to;
	bool is_diff; /* only the first and the last snapshot */
	enum change_field sort;
	bool is_ascending;
};

/*
 * Reads a span from SETTINGS in *RET: of a list with --from and --to or, if IS_DIFF, of `memtally
 * diff`. NOW_NS is the present (CLOCK_REALTIME). Returns 0, or -EINVAL with a sentence for the user
 * in ERROR. Pure except for TZ.
 */
int span_parse(const struct settings *settings, bool is_diff, uint64_t now_ns, struct span *ret,
	char error[static CLI_OPTION_ERROR_SIZE]);

/*
 * Returns the moment to ask for next, in ns, after a snapshot of a span from FROM_NS to TO_NS: the
 * first one of SPAN_SNAPSHOTS_MAX evenly spread moments at or after AFTER_NS, the time of the next
 * snapshot. TO_NS is the last of these moments. Returns 0 if there is none: AFTER_NS is 0 or after
 * TO_NS. Pure.
 */
uint64_t span_next_ns(uint64_t from_ns, uint64_t to_ns, uint64_t after_ns);

/* The run() of struct command (cli/common/command.h): of lists with --from or --to, and of diff. */
int span_run(const struct settings *settings, bool is_check);
int span_run_diff(const struct settings *settings, bool is_check);

/* The by() of struct command for diff. */
const char *span_by(unsigned int i);

#endif
