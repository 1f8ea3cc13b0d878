/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of the report (cli/lists/report.h) about memtallyd's work: its CPU time and budget, its
 * stalls, and its deferred measurements. Pure.
 */
#ifndef MEMTALLY_CLI_LISTS_EFFORT_H
#define MEMTALLY_CLI_LISTS_EFFORT_H

#include <stdint.h>

#include "base/buffer.h"
#include "snapshot/view.h"

/*
 * Appends the lines "CPU", "Stalls" and "Deferred" (or "Overdue"), as far as VIEW has their
 * quantities. AGE_NS is the age of VIEW in ns; UP_NS is for how long memtallyd had run at the time
 * of VIEW, in ns (0: not known). Errors are those of TO.
 */
void effort_render(const struct view *view, uint64_t age_ns, uint64_t up_ns, struct buffer *to);

#endif
