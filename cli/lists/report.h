/* SPDX-License-Identifier: Apache-2.0 */
/* The report of `memtally status`: what memtallyd is doing, on one page. Pure. */
#ifndef MEMTALLY_CLI_LISTS_REPORT_H
#define MEMTALLY_CLI_LISTS_REPORT_H

#include <stdint.h>

#include "base/buffer.h"
#include "snapshot/view.h"

/*
 * Appends at most 14 lines, one for each of these that VIEW has: mode; passes; how much memory is
 * measured, estimated, guessed or unread; the errors of estimates; blocked reads; CPU time against
 * the budget; stalls; deferred measurements; the kernel; rights. NOW_BOOTTIME_NS is the current
 * CLOCK_BOOTTIME in ns. Errors are those of TO.
 */
void report_render(const struct view *view, uint64_t now_boottime_ns, struct buffer *to);

#endif
