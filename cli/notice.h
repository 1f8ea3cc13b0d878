/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a snapshot does not say of the selected processes, in sentences for the person who reads its figures. Pure.
 */
#ifndef MEMTALLY_CLI_NOTICE_H
#define MEMTALLY_CLI_NOTICE_H

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
 * How many of the processes that SUMS are of, which are ended, could not be measured, why, and what would
 * help, unless those who were refused have at most 1 % of the PSS as RSS; what /proc hides from who measured VIEW. One line each, empty where nothing is missing.
 */
void notice_render(const struct view *view, const struct sums *sums, enum notice_source source,
	struct buffer *to);

#endif
