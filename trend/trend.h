/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is it a leak?
 *
 * Judges whether the floors of a series (trend/floors.h) grow, and whether they grow as a leak
 * does: steadily, and beyond all that a day of the series has shown. docs/growth.md states the
 * rules and what they cannot tell. Pure.
 */
#ifndef MEMTALLY_TREND_TREND_H
#define MEMTALLY_TREND_TREND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trend/floors.h"

enum trend_verdict {
	TREND_NONE,  /* no steady growth */
	TREND_WATCH, /* steady growth, which may still be a daily wave, a cache or a long cycle */
	TREND_LEAK,  /* consistent with a leak */
	TREND_VERDICTS
};

enum trend_outcome {
	TREND_TOO_SHORT =
		1, /* less than TREND_LEAST_S since the start or a restart, or too many gaps */
};

enum {
	TREND_WARM_UP_S = 3600,      /* after a start, which are ignored */
	TREND_LEAST_S = 5 * 3600,    /* the shortest span that is judged */
	TREND_HISTORY_S = 24 * 3600, /* what a series has to have shown before it grew, or else */
	TREND_UNKNOWN_S = 24 * 3600, /* it has to grow for so long */
};

struct trend {
	enum trend_verdict verdict;
	int64_t begin_s; /* the floors from here on were judged, seconds since the epoch */
	double level;    /* the median of the last hour, in the unit of the series */
	/* Only if .verdict is not TREND_NONE: */
	double slope, low, high; /* units a second, and bounds with a confidence of 95 % */
	int64_t since_s;         /* when the growth began, seconds since the epoch */
};

struct trend_judge;

/* Returns memory for trend_judge(), 350 KiB, which serves any number of series; NULL: there is none. */
struct trend_judge *trend_judge_new(void);

/* Frees J. Accepts NULL. Returns NULL. */
struct trend_judge *trend_judge_free(struct trend_judge *j);

/*
 * Judges the COUNT floors FLOOR, at most FLOORS_MAX. START_S is when the process started, in
 * seconds since the epoch; 0: that is not known. LEAST is the growth within a window that matters,
 * in the unit of the series. Returns 0 or an enum trend_outcome.
 */
int trend_judge(struct trend_judge *j, const struct trend_floor *floor, size_t count,
	int64_t start_s, double least, struct trend *ret);

/* Returns the name of VERDICT: "none", "watch" or "consistent with a leak". */
const char *trend_name(enum trend_verdict verdict);

/*
 * Gives in *RET_S how many seconds T takes, from its level, to grow by ROOM, in the unit of the series. Returns
 * whether it gets there: T grows, and ROOM is not negative.
 */
bool trend_time_until(const struct trend *t, double room, double *ret_s);

#endif
