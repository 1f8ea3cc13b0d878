/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What figures are worth, for people: how much of the memory was measured, how much is estimated, guessed or missing, and
 * how far off estimates were. Pure.
 */
#ifndef MEMTALLY_CLI_QUALITY_H
#define MEMTALLY_CLI_QUALITY_H

#include "base/buffer.h"
#include "snapshot/view.h"

/* Lines "Memory" and "Accuracy". What the image does not have is left out. */
void quality_render(const struct view *view, struct buffer *to);

#endif
