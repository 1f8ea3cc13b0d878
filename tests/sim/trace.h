/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Simulated memory of processes over days
 *
 * A trace is the memory of one process, in MiB, sampled each TRACE_STEP_S: healthy behaviour of
 * several kinds, noise, and a leak if there is one. All of it is drawn from a seed.
 */
#ifndef MEMTALLY_TESTS_SIM_TRACE_H
#define MEMTALLY_TESTS_SIM_TRACE_H

#include <stdbool.h>
#include <stdint.h>

enum { TRACE_STEP_S = 30 };

enum trace_part {
	TRACE_SAWTOOTH =
		1 << 0,       /* a garbage collector: 20 seconds to 8 hours from one to the next */
	TRACE_CACHE = 1 << 1, /* a cache that fills and levels off, within 10 minutes to 12 hours */
	TRACE_WAVE = 1 << 2,  /* a daily wave, other at weekends and a little other each day */
	TRACE_BURSTS = 1 << 3,   /* two or so a day, of minutes to hours */
	TRACE_RESTARTS = 1 << 4, /* each 2 to 48 hours, with a warm-up */
	TRACE_ALL = (1 << 5) - 1,
};

struct trace {
	uint64_t random;
	unsigned int parts; /* of enum trace_part */
	double now_s;       /* since the process was started */
	double base;        /* MiB */
	/* A leak, from .leak_from_s on. */
	double leak, leak_from_s; /* MiB an hour, seconds */
	/* Noise: what changes with each sample, and what lasts .noise_s; parts of .base. */
	double white, slow, slow_now, noise_s;
	/* The sawtooth: its height as a part of the rest, its period, when it began. */
	double saw_height, saw_s, saw_from_s, saw_end_s;
	double cache, cache_s;                /* MiB, seconds */
	bool is_cache_even;                   /* it fills evenly up to a limit */
	double wave, wave_phase_s, wave_rise; /* part of the rest, seconds, part of the day */
	double weekend;                       /* the wave's factor at weekends */
	int weekday;                          /* of the first day: 5 and 6 are the weekend */
	double day_wave, day_level;
	int day;
	double burst, burst_from_s, burst_end_s; /* part of the rest */
	double restart_s, started_s;             /* the next restart; the last one */
	double warm_s;
};

/* Makes a trace of PARTS, a mask of enum trace_part, from SEED. It has no leak. */
void trace_init(struct trace *t, unsigned int parts, uint64_t seed);

/* Returns the memory now, in MiB, and goes on to the next sample. */
double trace_next(struct trace *t);

/* Returns a number from LOW to HIGH; their logarithms are equally likely. */
double trace_draw(struct trace *t, double low, double high);

#endif
