/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Index Page
 *
 * The page at "/": how old the snapshot is and how sure, the host's balance sheet, users and
 * programs, and links to what memtally-web serves. All of this works without scripts; the script in
 * web/assets adds pictures and keeps the figures up to date. The length of the page depends on the
 * snapshot and not on the time, so that HEAD tells the length that the next GET has.
 */
#ifndef MEMTALLY_WEB_SITE_PAGE_H
#define MEMTALLY_WEB_SITE_PAGE_H

#include "base/buffer.h"
#include "web/page/page-query.h"
#include "web/own/status.h"

/*
 * Appends the page to TO, with its tables in the order of QUERY. TELEMETRY_PATH is the path of the
 * metrics; the option table (config/option.c) accepts only paths that need no escaping. Returns 0
 * or -ENOMEM.
 */
int page_render(const struct status *s, const struct page_query *query, const char *telemetry_path,
	struct buffer *to);

#endif
