/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What memtallyd does for its figures, for people: its CPU against its budget, how it measures, whom that keeps waiting,
 * and what has to wait for it. Pure.
 */
#ifndef MEMTALLY_CLI_EFFORT_H
#define MEMTALLY_CLI_EFFORT_H

#include <stdint.h>

#include "base/buffer.h"
#include "snapshot/view.h"

/*
 * Lines "CPU" to "Shortage", AGE_NS after the snapshot. UP_NS is for how long memtallyd had run at it; 0: not known. What
 * the image does not have is left out.
 */
void effort_render(const struct view *view, uint64_t age_ns, uint64_t up_ns, struct buffer *to);

#endif
