/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Surveys between passes
 *
 * Reads smaps slowly and after all other work: of all processes for the survey of mapped files,
 * and of single processes if a pass wants their drivers' memory
 * (collectors/process/state/driver.h). It uses a quarter of the CPU budget at most, and a fortieth
 * while measurements use all of it, so that it always continues.
 */
#ifndef MEMTALLY_DAEMON_SURVEYOR_H
#define MEMTALLY_DAEMON_SURVEYOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collectors/pass/pass.h"
#include "collectors/pass/survey-result.h"
#include "inspect/files/survey-reader.h"

struct surveyor {
	struct pass *pass;    /* borrowed */
	uint64_t interval_ns; /* from the start of one survey to that of the next; 0: no surveys */
	uint32_t cpu_ppm;     /* of one core: the whole budget */
	struct survey_reader reader; /* of the survey */
	struct survey_result result; /* memory for the next result */
	bool is_under_way;
	/*
	 * Pid of the process that was read last, or the pid before the one that is to be read
	 * again; 0: none
	 */
	pid_t last_pid;
	pid_t lost_pid;      /* the process that was read when its worker was lost last; 0: none */
	unsigned int losses; /* how often that happened to .lost_pid in a row */
	uint64_t begun_ns;   /* CLOCK_MONOTONIC at which this survey began */
	uint64_t cpu_ns;     /* used by this survey */
	uint64_t next_ns;    /* CLOCK_MONOTONIC at which to continue, or to begin */
	struct survey_reader driver_reader; /* reads one process for its drivers' memory */
	pid_t driver_pid;                   /* the process that .driver_reader reads */
	uint64_t driver_ns; /* CLOCK_MONOTONIC at which to continue with it, or with the next one */
};

/*
 * Initialises S without surveys and without a budget: call surveyor_set() before surveyor_turn().
 * PASS stays borrowed. SEED is of hashes, and must be secret: users choose the names of files.
 * NOW_NS is CLOCK_MONOTONIC.
 */
void surveyor_init(struct surveyor *s, struct pass *pass, uint64_t seed, uint64_t now_ns);

/* Frees the memory of S. */
void surveyor_done(struct surveyor *s);

/*
 * Sets the interval of surveys, and the CPU budget in millionths of a core (not 0). If the interval
 * changes and no survey is under way, the next one begins an interval after NOW_NS, or a minute
 * after it if that is less. INTERVAL_NS 0: no surveys; drops the one under way, and the last result
 * is no longer shown. Single processes are still read.
 */
void surveyor_set(struct surveyor *s, uint64_t interval_ns, uint32_t cpu_ppm, uint64_t now_ns);

/* Returns the CLOCK_MONOTONIC time at which to call surveyor_turn() next; UINT64_MAX: never. */
uint64_t surveyor_next_ns(const struct surveyor *s);

enum surveyor_outcome {
	SURVEYOR_ENDED = 1, /* a survey is complete: its result is in the next snapshot */
};

/*
 * Reads for about a tenth of a millisecond; a read that blocks takes longer
 * (collectors/workers/workers.h). Not to be called within a pass. Returns 0; SURVEYOR_ENDED;
 * -ENOMEM or -EOVERFLOW: the survey, or the reading of the single process, is lost. The next survey
 * then begins after an interval.
 */
int surveyor_turn(struct surveyor *s);

#endif
