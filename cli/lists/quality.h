/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of the report (cli/lists/report.h) about the quality of figures: how much memory is
 * measured, estimated, guessed or missing, and the errors of estimates. Pure.
 */
#ifndef MEMTALLY_CLI_LISTS_QUALITY_H
#define MEMTALLY_CLI_LISTS_QUALITY_H

#include <stdint.h>

#include "base/buffer.h"
#include "snapshot/view.h"

/*
 * Appends the lines "Memory" and "Accuracy", as far as VIEW has their quantities. AGE_NS is the age
 * of VIEW in ns; UP_NS is for how long memtallyd had run at the time of VIEW, in ns (0: not known).
 * Errors are those of TO.
 */
void quality_render(const struct view *view, uint64_t age_ns, uint64_t up_ns, struct buffer *to);

#endif
