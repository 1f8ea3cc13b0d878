/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verdicts on growth, from memtally-recorder
 *
 * Asks memtally-recorder once a minute how many rows have which verdict. Metrics show its last
 * answer, and wait for none.
 */
#ifndef MEMTALLY_WEB_SOURCES_GROWTH_COUNTS_H
#define MEMTALLY_WEB_SOURCES_GROWTH_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "web/sources/recorder-link.h"

/* From one question to the next. */
#define GROWTH_COUNTS_EACH_NS (60 * NS_PER_SEC)

/* So long an answer counts if memtally-recorder waits for its disk and answers no further question. */
#define GROWTH_COUNTS_KEPT_NS (300 * NS_PER_SEC)

/* Starts zeroed. */
struct growth_counts {
	struct recorder_question *question; /* owned; NULL: none waits */
	uint64_t due_ns;                    /* the next question; CLOCK_MONOTONIC */
	uint64_t until_ns; /* .growth counts so long without a further answer; CLOCK_MONOTONIC */
	bool is_known;     /* .growth counts */
	struct past_growth growth[PAST_GROWTH_SCOPES];
};

/* Frees what C owns. L is the link of its question. */
void growth_counts_done(struct growth_counts *c, struct recorder_link *l);

/*
 * Takes the answer that has come, and asks over L, at the socket PATH, if a question is due at NOW_NS
 * (CLOCK_MONOTONIC). C knows no counts if memtally-recorder does not run, does not know any, or has
 * not answered for GROWTH_COUNTS_KEPT_NS.
 */
void growth_counts_run(
	struct growth_counts *c, struct recorder_link *l, const char *path, uint64_t now_ns);

#endif
