/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the report of `memtally sharing` from a scan: rows, their total and the matrix. Pure. */
#ifndef MEMTALLY_CLI_SHARING_SHARING_REPORT_H
#define MEMTALLY_CLI_SHARING_SHARING_REPORT_H

#include "cli/sharing/sharing-row.h"
#include "cli/sharing/sharing-walk.h"

/* Returns a report for A without groups. It owns nothing. */
struct sharing_report sharing_report_empty(const struct inspection *a);

/*
 * Makes the report in *RET, which sharing_report_done() frees, from W: sharing_walk_all() has
 * returned 0. *RET borrows names from the view of W, and the name of a set from its options. Returns
 * 0 or -ENOMEM.
 */
int sharing_report_make(const struct sharing_walk *w, struct sharing_report *ret);

#endif
