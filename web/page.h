/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index page: what is served, and how old the snapshot is. Plain HTML without
 * scripts, of one size whatever its numbers are.
 */
#ifndef MEMTALLY_WEB_PAGE_H
#define MEMTALLY_WEB_PAGE_H

#include "base/buffer.h"
#include "web/status.h"

/* TELEMETRY_PATH is one that the option table takes. */
void page_render(const struct status *s, const char *telemetry_path, struct buffer *to);

#endif
