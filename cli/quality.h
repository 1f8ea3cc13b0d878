/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What figures are worth, for people: how much of the memory was measured, how much is estimated, guessed or missing, and
 * how far off estimates were. Pure.
 */
#ifndef MEMTALLY_CLI_QUALITY_H
#define MEMTALLY_CLI_QUALITY_H

#include <stdint.h>

#include "base/buffer.h"
#include "snapshot/view.h"

/* Lines "Memory" and "Accuracy", AGE_NS after the snapshot. What the image does not have is left out. */
void quality_render(const struct view *view, uint64_t age_ns, struct buffer *to);

#endif
