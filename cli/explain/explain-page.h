/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page of `memtally explain` for one process, in plain words. Pure, except for LC_CTYPE, which
 * says which characters of names can be printed.
 */
#ifndef MEMTALLY_CLI_EXPLAIN_EXPLAIN_PAGE_H
#define MEMTALLY_CLI_EXPLAIN_EXPLAIN_PAGE_H

#include "base/buffer.h"
#include "cli/explain/explanation.h"

/*
 * Appends the page of E to TO: each list with at most E->limit rows, amounts exact if E->bytes.
 * Sorts E->breakdown and E->sharers. Errors are those of TO.
 */
void explain_page_add_page(const struct explanation *e, struct buffer *to);

#endif
