/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/sim/trace.h"

#include <math.h>

enum { DAY_S = 86400, HOUR_S = 3600, MINUTE_S = 60 };

/* Returns a number from 0 to 1. */
static double uniform(struct trace *t)
{
	return (double)(unit_random(&t->random) >> 11) / 9007199254740992.0;
}

/* Returns a number of the normal distribution (Box and Muller). */
static double normal(struct trace *t)
{
	double radius = sqrt(-2 * log(1 - uniform(t)));

	return radius * cos(2 * M_PI * uniform(t));
}

double trace_draw(struct trace *t, double low, double high)
{
	return low * pow(high / low, uniform(t));
}

void trace_init(struct trace *t, unsigned int parts, uint64_t seed)
{
	*t = (struct trace){.random = seed, .parts = parts, .day = -1};
	t->base = trace_draw(t, 50, 8192);
	t->white = trace_draw(t, 0.001, 0.01);
	t->slow = trace_draw(t, 0.002, 0.02);
	t->noise_s = trace_draw(t, 10 * MINUTE_S, 3 * HOUR_S);
	t->slow_now = t->slow * normal(t);
	t->saw_height = trace_draw(t, 0.1, 1.5);
	t->saw_s = trace_draw(t, 20, 8 * HOUR_S);
	t->saw_from_s = -t->saw_s * uniform(t);
	t->saw_end_s = t->saw_from_s + t->saw_s;
	t->cache = t->base * trace_draw(t, 0.3, 20);
	t->is_cache_even = uniform(t) < 0.5;
	t->cache_s = trace_draw(t, 10 * MINUTE_S, 12 * HOUR_S);
	t->wave = trace_draw(t, 0.05, 0.9);
	t->wave_phase_s = DAY_S * uniform(t);
	t->wave_rise = 1.0 / 3 + uniform(t) / 3;
	t->weekend = 0.4 + 0.6 * uniform(t);
	t->weekday = (int)(7 * uniform(t));
	t->burst_end_s = trace_draw(t, HOUR_S, DAY_S);
	t->burst_from_s = t->burst_end_s;
	t->restart_s = parts & TRACE_RESTARTS ? trace_draw(t, 2 * HOUR_S, 2 * DAY_S) : HUGE_VAL;
	t->warm_s = trace_draw(t, 2 * MINUTE_S, 20 * MINUTE_S);
}

/* Returns the wave now, from -1 to 1. It rises for .wave_rise of the day. */
static double wave_now(struct trace *t)
{
	double in_days = (t->now_s + t->wave_phase_s) / DAY_S, part = in_days - floor(in_days);
	int day = (int)floor(in_days);

	if (day != t->day) {
		t->day = day;
		t->day_wave = (1 + 0.1 * normal(t)) *
		              ((day + t->weekday) % 7 >= 5 ? t->weekend : 1);
		t->day_level = t->slow * normal(t);
	}
	part = part < t->wave_rise ? part / t->wave_rise / 2
	                           : 0.5 + (part - t->wave_rise) / (1 - t->wave_rise) / 2;
	/* The trough is the same each day, the peak is not. */
	return t->day_wave * (1 - cos(2 * M_PI * part)) - 1;
}

static double cache_now(const struct trace *t)
{
	double part = (t->now_s - t->started_s) / t->cache_s;

	if (t->is_cache_even)
		return t->cache * (part < 1 ? part : 1);
	return t->cache * (1 - exp(-2 * part));
}

static double saw_now(struct trace *t)
{
	if (t->now_s >= t->saw_end_s) {
		t->saw_from_s = t->now_s;
		t->saw_end_s = t->now_s + t->saw_s * (0.8 + 0.4 * uniform(t));
	}
	return t->saw_height * (t->now_s - t->saw_from_s) / t->saw_s;
}

static double burst_now(struct trace *t)
{
	if (t->now_s >= t->burst_end_s) {
		t->burst = trace_draw(t, 0.1, 3);
		t->burst_from_s = t->now_s + trace_draw(t, HOUR_S, DAY_S);
		t->burst_end_s = t->burst_from_s + trace_draw(t, 2 * MINUTE_S, 3 * HOUR_S);
	}
	return t->now_s >= t->burst_from_s ? t->burst : 0;
}

double trace_next(struct trace *t)
{
	double keep = exp(-TRACE_STEP_S / t->noise_s), rest, value;

	if (t->now_s >= t->restart_s) {
		t->started_s = t->now_s;
		t->restart_s = t->now_s + trace_draw(t, 2 * HOUR_S, 2 * DAY_S);
	}
	t->slow_now = keep * t->slow_now + sqrt(1 - keep * keep) * t->slow * normal(t);
	rest = t->base;
	if (t->parts & TRACE_CACHE)
		rest += cache_now(t);
	value = rest * (1 + t->slow_now + t->white * normal(t));
	if (t->parts & TRACE_WAVE)
		value += rest * (t->wave * wave_now(t) + t->day_level);
	if (t->parts & TRACE_SAWTOOTH)
		value += rest * saw_now(t);
	if (t->parts & TRACE_BURSTS)
		value += rest * burst_now(t);
	if (t->now_s > t->leak_from_s)
		value += t->leak *
		         (t->now_s -
				 (t->leak_from_s > t->started_s ? t->leak_from_s : t->started_s)) /
		         HOUR_S;
	if (t->parts & TRACE_RESTARTS)
		value *= 1 - 0.8 * exp(-(t->now_s - t->started_s) / t->warm_s);
	t->now_s += TRACE_STEP_S;
	return value > 1 ? value : 1;
}
