/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all processes of the host do to files that nobody keeps account of: any other may share these. Whoever was
 * measured is told what others did since. Each counts only once, for no more than it has gained of what it has, and
 * lost of what it had: the same pages that come again and again are not more, and whoever came and went again has
 * changed nothing. For that the last minutes are divided into epochs; for what is older each move counts. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_CROWD_H
#define MEMTALLY_COLLECTORS_CROWD_H

#include <stdint.h>

#include "collectors/flow.h"

enum { CROWD_EPOCHS = 6 };
#define CROWD_EPOCH_NS UINT64_C(64000000000)

struct crowd {
	struct flow_crowd ever; /* each move of anybody; wraps */
	struct flow_crowd once
		[CROWD_EPOCHS]; /* each process once, since an epoch began: by its number modulo these */
	uint64_t epoch;         /* since CLOCK_BOOTTIME 0 */
};

/* Its part in that; all zeros has done nothing. */
struct crowd_member {
	struct flow_crowd ever;
	struct flow_crowd others; /* what others did ever, when it was measured */
	struct flow once[CROWD_EPOCHS];
	uint32_t most;  /* that it ever had, in FLOW_UNIT */
	uint32_t epoch; /* the last of .once that is its; wraps */
};

/* It is NOW_NS (CLOCK_BOOTTIME). */
void crowd_begin(struct crowd *c, uint64_t now_ns);

/* M did F, and has NOW by that, in FLOW_UNIT. */
void crowd_move(struct crowd *c, struct crowd_member *m, const struct flow *f, uint32_t now);

/* M has NOW, and none of that has come by a move. */
void crowd_has(struct crowd_member *m, uint32_t now);

/* M was measured at NOW_NS: what others do from now on counts. It shares SHARED with somebody, in FLOW_UNIT. */
void crowd_measured(struct crowd *c, struct crowd_member *m, uint32_t shared, uint64_t now_ns);

/* M, who has NOW, ends; it was not there before SINCE_NS. It is then all zeros. */
void crowd_end(struct crowd *c, struct crowd_member *m, uint32_t now, uint64_t since_ns);

/* What others may have done since M's measurement at MEASURED_NS. */
struct flow_crowd crowd_others(
	const struct crowd *c, const struct crowd_member *m, uint64_t measured_ns);

#endif
