/* SPDX-License-Identifier: Apache-2.0 */
/* The report of `memtally status`: what memtallyd is doing, on one page. Pure. */
#ifndef MEMTALLY_CLI_LISTS_REPORT_H
#define MEMTALLY_CLI_LISTS_REPORT_H

#include <stdint.h>

#include "base/buffer.h"
#include "snapshot/view.h"

/*
 * Appends a line for each of these that VIEW has: mode, passes, blocked reads, how much memory is
 * measured, estimated or missing, the errors of estimates, CPU time against the budget, deferred
 * measurements, rights. NOW_BOOTTIME_NS is the current CLOCK_BOOTTIME in ns. Errors are those of
 * TO.
 */
void report_render(const struct view *view, uint64_t now_boottime_ns, struct buffer *to);

#endif
