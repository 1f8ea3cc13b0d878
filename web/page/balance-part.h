/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Balance Sheet on the Page
 *
 * Where the host's memory is: a bar and a table of a few groups of lines of the balance sheet
 * (snapshot/balance.h), and all lines one by one. Pure.
 */
#ifndef MEMTALLY_WEB_PAGE_BALANCE_PART_H
#define MEMTALLY_WEB_PAGE_BALANCE_PART_H

#include "base/buffer.h"
#include "snapshot/view.h"

/*
 * Appends the section "balance" for VIEW to TO. Without a balance sheet or MemTotal it says that
 * these are not known.
 */
void balance_part_render(const struct view *view, struct buffer *to);

#endif
