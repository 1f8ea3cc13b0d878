/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Object Share
 *
 * The PSS of a process's share of each mapped object (mapped-objects.h) now. The PSS of all sharers
 * together is the size of the object's pages in memory. So if the sum of the sharers' resident
 * memory has grown since a process was measured (by births, execs or touched pages), the share of
 * the process counts less in the same proportion; if the sum has fallen, it counts more. That pages
 * were added or removed is covered by the bounds. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_MODEL_OBJECT_SHARE_H
#define MEMTALLY_COLLECTORS_MODEL_OBJECT_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/model/counter-flow.h"
#include "collectors/model/estimate.h"
#include "collectors/model/mapped-objects.h"

/*
 * Computes in *RET_RSS and *RET_PSS how much of the shared files and shmem of S, measured as BASE,
 * belongs to known objects, and its PSS. In bytes.
 */
void object_share_known(const struct sharer *s, const struct estimate_base *base, uint64_t *ret_rss,
	uint64_t *ret_pss);

/*
 * Computes in *RET by how much other processes may have changed the PSS of S's files and shmem. S
 * was measured as BASE and has the counters NOW. REST is the flow of other processes that may share
 * S's memory of no known object. Returns false, and leaves *RET unchanged, if the others did
 * nothing.
 */
bool object_share_doubt(const struct sharer *s, const struct estimate_base *base,
	const struct estimate_now *now, const struct counter_flow *rest,
	struct estimate_doubt *ret);

#endif
