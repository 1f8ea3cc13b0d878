/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What memtallyd is doing, in a page for people. Pure.
 */
#ifndef MEMTALLY_CLI_REPORT_H
#define MEMTALLY_CLI_REPORT_H

#include <stdint.h>

#include "base/buffer.h"
#include "snapshot/view.h"

/*
 * One line for each thing that is known: mode, passes, how much of the memory is measured, estimated or missing, how
 * good estimates were, CPU against its budget, what waits, rights. What the image does not have is left
 * out.
 */
void report_render(const struct view *view, uint64_t now_boottime_ns, struct buffer *to);

#endif
