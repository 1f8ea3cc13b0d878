/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums over chosen processes
 *
 * Makes from a snapshot one that has only some of its processes, with new sums of their owners and
 * the host, by the rules of snapshot/sums.h. Counters (growth, PSS over time) are left out, because
 * they contain processes that have exited. Pure, except for the memfd of the image.
 */
#ifndef MEMTALLY_CLI_COMMON_AGGREGATE_H
#define MEMTALLY_CLI_COMMON_AGGREGATE_H

#include <stddef.h>
#include <stdint.h>

#include "snapshot/view.h"

/*
 * Makes in *RET, which the caller owns, the snapshot of the COUNT processes of VIEW with the
 * indices ROWS: in any order, each once. Returns 0, -ENOMEM, or an error of builder_seal() or
 * view_open().
 */
int aggregate_processes(
	const struct view *view, const uint32_t *rows, size_t count, struct view **ret);

#endif
