/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Index Page
 *
 * The page at "/": links to what memtally-web serves, and how old the snapshot is. Plain HTML
 * without scripts. Its length does not depend on its numbers.
 */
#ifndef MEMTALLY_WEB_SITE_PAGE_H
#define MEMTALLY_WEB_SITE_PAGE_H

#include "base/buffer.h"
#include "web/site/status.h"

/*
 * Appends the page to TO. TELEMETRY_PATH is the path of the metrics; the option table
 * (config/option.c) accepts only paths that need no escaping.
 */
void page_render(const struct status *s, const char *telemetry_path, struct buffer *to);

#endif
