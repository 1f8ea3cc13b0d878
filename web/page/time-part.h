/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Choice of the time on the page
 *
 * A form for a moment of the past, which works without scripts, and the way back to the present.
 */
#ifndef MEMTALLY_WEB_PAGE_TIME_PART_H
#define MEMTALLY_WEB_PAGE_TIME_PART_H

#include "base/buffer.h"
#include "web/page/page-query.h"

/*
 * Appends the part to TO: Q has the shown moment and the order of the tables, which stays. IS_PAST:
 * a moment was asked for, whether or not it is shown.
 */
void time_part_render(const struct page_query *q, bool is_past, struct buffer *to);

#endif
