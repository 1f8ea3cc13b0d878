/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When which process is read for the survey of mapped files: between passes, behind everything else, and so slowly that
 * nobody notices. What it costs is paid from the budget, of which it takes a quarter at most, and while measurements have
 * none left a fortieth: then it takes longer, but does not stand still.
 */
#ifndef MEMTALLY_DAEMON_SURVEYOR_H
#define MEMTALLY_DAEMON_SURVEYOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collectors/catalogue.h"
#include "collectors/pass.h"
#include "inside/perusal.h"

struct surveyor {
	struct pass *pass; /* borrowed */
	uint64_t
		interval_ns; /* from the beginning of one survey to that of the next; 0: there is none */
	uint32_t cpu_ppm; /* of one core: the whole budget */
	struct perusal perusal;
	struct catalogue catalogue; /* memory for the next one */
	bool is_under_way;
	pid_t at;          /* who was read last */
	uint64_t begun_ns; /* CLOCK_MONOTONIC */
	uint64_t cpu_ns;   /* that it has used */
	uint64_t next_ns;  /* likewise: when to go on, or to begin */
};

/* The first survey is due soon after NOW_NS (CLOCK_MONOTONIC). PASS stays borrowed. */
void surveyor_init(struct surveyor *s, struct pass *pass, uint64_t seed, uint64_t now_ns);
void surveyor_done(struct surveyor *s);

/* From now on. INTERVAL_NS 0: there are no surveys, and nothing of the last one is shown any more. */
void surveyor_set(struct surveyor *s, uint64_t interval_ns, uint32_t cpu_ppm, uint64_t now_ns);

/* When to call surveyor_turn() next, CLOCK_MONOTONIC; UINT64_MAX: not at all. */
uint64_t surveyor_next_ns(const struct surveyor *s);

enum surveyor_outcome {
	SURVEYOR_ENDED = 1, /* a survey: what it has found is in the next snapshot */
};

/*
 * Goes on a little, not within a pass. 0, SURVEYOR_ENDED; -ENOMEM, -EOVERFLOW: what was under way is lost, the next survey
 * comes after an interval.
 */
int surveyor_turn(struct surveyor *s);

#endif
