/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads smaps between passes, slowly and after all other work: of all processes for the survey of mapped files, and of single
 * processes if a pass wants their drivers' memory (collectors/driver.h). It uses a quarter of the CPU budget at most, and a
 * fortieth while measurements use all of it, so that it always continues.
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
		interval_ns; /* from the start of one survey to the start of the next; 0: no surveys */
	uint32_t cpu_ppm;    /* of one core: the whole budget */
	struct perusal perusal;
	struct catalogue catalogue; /* memory for the next result */
	bool is_under_way;
	pid_t at; /* the process that was read last, or the pid before that of one that is to be read again */
	pid_t lost;          /* the process that lost its worker last, */
	unsigned int losses; /* and how often it has */
	uint64_t begun_ns;   /* CLOCK_MONOTONIC */
	uint64_t cpu_ns;     /* used by this survey */
	uint64_t next_ns;    /* CLOCK_MONOTONIC at which to continue, or to begin */
	struct perusal look; /* of a process for its drivers' memory */
	pid_t looked_at;     /* that process */
	uint64_t look_ns; /* CLOCK_MONOTONIC at which to continue with it, or with the next one */
};

/* The first survey is due soon after NOW_NS (CLOCK_MONOTONIC). PASS stays borrowed. */
void surveyor_init(struct surveyor *s, struct pass *pass, uint64_t seed, uint64_t now_ns);
void surveyor_done(struct surveyor *s);

/*
 * Sets the interval of surveys and the CPU budget, in millionths of a core, from NOW_NS on. INTERVAL_NS 0: no surveys, only
 * single processes are read, and the last survey is no longer shown.
 */
void surveyor_set(struct surveyor *s, uint64_t interval_ns, uint32_t cpu_ppm, uint64_t now_ns);

/* The CLOCK_MONOTONIC time at which to call surveyor_turn() next; UINT64_MAX: never. */
uint64_t surveyor_next_ns(const struct surveyor *s);

enum surveyor_outcome {
	SURVEYOR_ENDED = 1, /* a survey is complete: its result is in the next snapshot */
};

/*
 * Reads for about a tenth of a millisecond; a read that blocks takes longer (collectors/workers.h). Not to be called within a
 * pass. Returns 0; SURVEYOR_ENDED; -ENOMEM or -EOVERFLOW: the survey is lost, and the next one begins after an interval.
 */
int surveyor_turn(struct surveyor *s);

#endif
