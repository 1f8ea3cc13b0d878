/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a snapshot does not say of the host, in sentences for the person who reads its figures. Pure.
 */
#ifndef MEMTALLY_CLI_NOTICE_H
#define MEMTALLY_CLI_NOTICE_H

#include <stdbool.h>

#include "base/buffer.h"
#include "snapshot/view.h"

/*
 * How many processes could not be measured, of how many, why, and what would help; what /proc hides. One
 * line each, empty where nothing is missing. IS_LIVE: the reader measured by itself, not memtallyd.
 */
void notice_render(const struct view *view, bool is_live, struct buffer *to);

#endif
