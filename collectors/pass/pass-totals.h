/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The totals of a pass: adds every row to its owners and the host, then decides which owners and
 * processes have series of their own.
 */
#ifndef MEMTALLY_COLLECTORS_PASS_PASS_TOTALS_H
#define MEMTALLY_COLLECTORS_PASS_PASS_TOTALS_H

#include <stddef.h>

struct pass;

/*
 * Adds row I to its owners, the host and the balance sheet, with the growth of its process. Call it
 * once for each row.
 */
void pass_totals_add(struct pass *pass, size_t i);

/*
 * Ends the pass after all rows were added: reads the host's files, sets .end_ns, completes the
 * totals and chooses the series. Returns 0 or -ENOMEM. After -ENOMEM the pass is lost, but counters
 * that span passes stay right.
 */
int pass_totals_end(struct pass *pass);

#endif
