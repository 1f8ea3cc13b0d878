/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot of some of its processes: users, programs, units and the host summed up anew over those,
 * by the rules of the whole. What is absent stays absent and the processes without a measurement are
 * counted. Counters (growth, PSS over time) are left out: they tell of former members, too, whom no
 * row remembers. Pure but for the memory file that holds the image.
 */
#ifndef MEMTALLY_CLI_AGGREGATE_H
#define MEMTALLY_CLI_AGGREGATE_H

#include <stddef.h>
#include <stdint.h>

#include "snapshot/view.h"

/*
 * The snapshot of the COUNT processes of VIEW at the indices ROWS, in any order, each once. The caller
 * owns *ret. -ENOMEM, or the errors of builder_seal() and view_open().
 */
int aggregate_processes(
	const struct view *view, const uint32_t *rows, size_t count, struct view **ret);

#endif
