/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The coefficients are fading least squares over memtallyd's own walks, with a ridge: walks of
 * similar processes cannot tell the terms apart, so without a ridge they would drift. The ridge
 * pulls to the prior at this host's speed, not to the prior itself, since a slower host walks
 * everything slower. Every walk weighs the same, whether it took 10 us or 10 ms, because noise
 * grows with the duration.
 *
 * Outliers: a walk counts as at most three times the usual spread off its prediction. The spread is
 * the median error; it follows by steps, so that the size of an error does not matter. A single
 * disturbed walk moves hardly anything. On a host of another speed all walks are off: the spread
 * widens with each, and they soon count in full.
 */
#include "config.h"

#include "collectors/schedule/walk-cost.h"

#include <assert.h>

#include "base/saturate.h"

enum { TERM_WALK, TERM_PAGE, TERM_HUGE, TERM_MAPPING };

#define PAGE_BYTES UINT64_C(4096)
#define HUGE_BYTES UINT64_C(2097152)

/*
 * Measured on Linux 6.18, caches cold. Slices open no file again, but print every mapping and
 * pause.
 */
static const double priors[WALK_COST_WAYS][WALK_COST_TERMS] = {
	[WALK_COST_ROLLUP] = {10000, 22, 36, 50},
	[WALK_COST_SLICES] = {10000, 27, 36, 900},
};

#define FADE           (1.0 - 1.0 / 128) /* weight that a walk keeps with each later one */
#define RIDGE          1.0               /* weight, in walks */
#define SPEED_RIDGE    4.0               /* weight, in walks */
#define SPREAD_START   0.3
#define SPREAD_FLOOR   0.05
#define SPREAD_STEP    0.06
#define SPREAD_FACTOR  3.0  /* spreads that a walk may be off */
#define PREDICTED_PART 1e-3 /* of the prior: the least prediction that a walk is compared with */
#define SWEEPS         8    /* each walk moves the solution little, so that few suffice */
#define PREDICTED_MAX  1e18

void walk_cost_init(struct walk_cost_model *m, enum walk_cost_way way)
{
	assert(way < WALK_COST_WAYS);
	*m = (struct walk_cost_model){.spread = SPREAD_START};
	for (int i = 0; i < WALK_COST_TERMS; i++) {
		m->prior_ns[i] = priors[way][i];
		m->factor[i] = 1;
	}
	m->slices = way == WALK_COST_SLICES;
}

struct walk_cost_work walk_cost_work_of(uint64_t rss_bytes, uint64_t huge_bytes)
{
	return (struct walk_cost_work){
		.pages = saturate_less(rss_bytes, huge_bytes) / PAGE_BYTES,
		.huge_pages = huge_bytes / HUGE_BYTES,
	};
}

/* Computes the cost of each term of W by the prior. */
static void terms_of(
	const struct walk_cost_model *m, const struct walk_cost_work *w, double to[WALK_COST_TERMS])
{
	to[TERM_WALK] = m->prior_ns[TERM_WALK];
	to[TERM_PAGE] = m->prior_ns[TERM_PAGE] * (double)w->pages;
	to[TERM_HUGE] = m->prior_ns[TERM_HUGE] * (double)w->huge_pages;
	to[TERM_MAPPING] = m->prior_ns[TERM_MAPPING] * (double)w->mappings;
}

static double walk_cost_weighed(
	const double factor[WALK_COST_TERMS], const double term[WALK_COST_TERMS])
{
	double sum = 0;

	for (int i = 0; i < WALK_COST_TERMS; i++)
		sum += factor[i] * term[i];
	return sum;
}

static double walk_cost_clamp(double value, double low, double high)
{
	return value < low ? low : value > high ? high : value;
}

/* Returns the excess that both of the last two walks had. */
static double walk_cost_believed(const struct walk_cost_habit *habit)
{
	double later, earlier;

	if (!habit)
		return 0;
	later = habit->excess_ns[0];
	earlier = habit->excess_ns[1];
	if ((later > 0) != (earlier > 0))
		return 0;
	if (later > 0)
		return later < earlier ? later : earlier;
	return later > earlier ? later : earlier;
}

struct walk_cost_prediction walk_cost_predict(const struct walk_cost_model *m,
	const struct walk_cost_work *w, const struct walk_cost_habit *habit)
{
	double term[WALK_COST_TERMS], model, excess, hold;

	terms_of(m, w, term);
	model = walk_cost_weighed(m->factor, term);
	excess = walk_cost_believed(habit);
	if (m->slices && w->largest_pages > 0) {
		hold = m->factor[TERM_PAGE] * m->prior_ns[TERM_PAGE] * (double)w->largest_pages +
		       m->factor[TERM_MAPPING] * m->prior_ns[TERM_MAPPING];
	} else {
		hold = model - m->factor[TERM_WALK] * term[TERM_WALK];
		if (excess > 0)
			hold += excess;
	}
	return (struct walk_cost_prediction){
		.cpu_ns = (uint64_t)walk_cost_clamp(model + excess, model / 4 + 1, PREDICTED_MAX),
		.hold_ns = (uint64_t)walk_cost_clamp(hold, 0, PREDICTED_MAX),
	};
}

static void keep_excess(struct walk_cost_habit *habit, double excess_ns)
{
	int32_t excess = (int32_t)walk_cost_clamp(excess_ns, INT32_MIN, INT32_MAX);
	bool is_first = habit->excess_ns[0] == 0 && habit->excess_ns[1] == 0;

	habit->excess_ns[1] = is_first ? excess : habit->excess_ns[0];
	habit->excess_ns[0] = excess;
}

/*
 * Minimises the sum of (walk - prediction)^2 + RIDGE x (factor - SPEED)^2 over factors >= 0: each
 * factor in turn to its own optimum. With a ridge this converges to the common optimum.
 */
static void walk_cost_solve(struct walk_cost_model *m, double speed)
{
	for (int sweep = 0; sweep < SWEEPS; sweep++) {
		for (int i = 0; i < WALK_COST_TERMS; i++) {
			double rest = m->product[i] + RIDGE * speed;

			for (int j = 0; j < WALK_COST_TERMS; j++) {
				if (j != i)
					rest -= m->square[i][j] * m->factor[j];
			}
			rest /= m->square[i][i] + RIDGE;
			m->factor[i] = rest > 0 ? rest : 0;
		}
	}
}

void walk_cost_learn(struct walk_cost_model *m, const struct walk_cost_work *w,
	struct walk_cost_habit *habit, uint64_t cpu_ns)
{
	double term[WALK_COST_TERMS], prior = 0, predicted, off, most, read;

	terms_of(m, w, term);
	predicted = walk_cost_weighed(m->factor, term);
	if (habit)
		keep_excess(habit, (double)cpu_ns - predicted);
	for (int i = 0; i < WALK_COST_TERMS; i++)
		prior += term[i];

	if (predicted < prior * PREDICTED_PART)
		predicted = prior * PREDICTED_PART;
	off = ((double)cpu_ns - predicted) / predicted;
	most = SPREAD_FACTOR * m->spread;
	m->spread *= off > m->spread || off < -m->spread ? 1 + SPREAD_STEP : 1 - SPREAD_STEP;
	if (m->spread < SPREAD_FLOOR)
		m->spread = SPREAD_FLOOR;
	off = walk_cost_clamp(off, -most, most);

	/* Relative to the prior, so that a long walk weighs no more than a short one. */
	read = predicted * (1 + off) / prior;
	for (int i = 0; i < WALK_COST_TERMS; i++) {
		double part = term[i] / prior;

		for (int j = 0; j < WALK_COST_TERMS; j++)
			m->square[i][j] = m->square[i][j] * FADE + part * (term[j] / prior);
		m->product[i] = m->product[i] * FADE + part * read;
	}
	m->reads = m->reads * FADE + 1;
	m->read_sum = m->read_sum * FADE + read;
	walk_cost_solve(m, (SPEED_RIDGE + m->read_sum) / (SPEED_RIDGE + m->reads));
}
