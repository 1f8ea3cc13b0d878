/* SPDX-License-Identifier: Apache-2.0 */
/* Why the figures of memtally and process-exporter differ, as texts for people. Pure. */
#ifndef MEMTALLY_CLI_COMPARE_REASON_TEXT_H
#define MEMTALLY_CLI_COMPARE_REASON_TEXT_H

#include "base/buffer.h"
#include "cli/compare/comparison.h"

/*
 * Appends the reason of ROW as a short text, such as "within rounding". If some of our processes
 * were not measured, says so: "within rounding; of ours not measured: 1 denied".
 */
void reason_text_add(const struct comparison_row *row, struct buffer *to);

#endif
