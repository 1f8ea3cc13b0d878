/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of Owners on the Page
 *
 * The users and the programs, as tables with bars. The heads of columns are links that sort. The
 * script shows newer rows in the same tables and reads from the heads which fields they have. Owners
 * without processes are left out. Pure.
 */
#ifndef MEMTALLY_WEB_PAGE_OWNER_PART_H
#define MEMTALLY_WEB_PAGE_OWNER_PART_H

#include "base/buffer.h"
#include "snapshot/view.h"
#include "web/page/page-query.h"

enum { OWNER_PART_ROWS = 50 }; /* rows of a table at most */

/*
 * Appends the section of TABLE for VIEW to TO, in the order of QUERY. Returns 0 or -ENOMEM, and
 * then what TO has is to be thrown away.
 */
int owner_part_render(const struct view *view, enum page_table table,
	const struct page_query *query, struct buffer *to);

#endif
