/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one's part of each segment (segments.h) counts by now. All that its sharers have resident is its pages, divided among
 * them: so one's part counts as much less as that sum has grown since it was measured, be it by births, by execs or by
 * others' touching, and as much more as it has fallen. That the pages themselves became more or fewer is what the bounds
 * allow for. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_PORTIONS_H
#define MEMTALLY_COLLECTORS_PORTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/estimate.h"
#include "collectors/flow.h"
#include "collectors/segments.h"

/* How much of what S shared of files and shmem, measured as BASE, is of segments, and its PSS. */
void portions_known(const struct sharer *s, const struct estimate_base *base, uint64_t *ret_rss,
	uint64_t *ret_pss);

/*
 * What others did to the files and shmem of S, measured as BASE and now with the counters NOW; REST is what others who
 * may share what is of no known segment did. False: nothing.
 */
bool portions_doubt(const struct sharer *s, const struct estimate_base *base,
	const struct estimate_now *now, const struct flow *rest, struct estimate_doubt *ret);

#endif
