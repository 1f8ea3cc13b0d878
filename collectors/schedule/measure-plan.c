/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pace of refreshing. Measuring every process within the maximum age at an even rate gives the
 * cost per pass: the pace. The cost of what is due until a point of time must fit in what the pace
 * brings by then. The largest excess of that over all points is needed now, of the oldest. So
 * processes that were measured at once drift apart over the following cycle, instead of being due
 * at once again, and a process that was measured for its doubt is not measured for its age, too.
 * The pace is slightly more than just sufficient, so that it is no reason to measure early. A read
 * that is larger than what is needed now waits until it is not: rounding down loses no deadline,
 * because what is in its last pass is needed whole.
 *
 * The items are divided in place: new, refresh, doubt, minor, rest. From each of the first four,
 * items are taken by a heap with its root at the end of the part, so that taken items gather at the
 * part's beginning.
 */
#include "config.h"

#include "collectors/schedule/measure-plan.h"

#include <assert.h>

#include "base/saturate.h"

#define MIB (UINT64_C(1) << 20)
#define KIB (UINT64_C(1) << 10)

enum {
	POINTS = 512,    /* points of time at which the excess is computed */
	LATE_PART = 8,   /* the part of an interval by which the next pass may be late */
	PATIENT_PART = 3 /* the part of the maximum age after which a smaller doubt matters */
};

#define PACE_MARGIN 1.125

enum kind { NEW, REFRESH, DOUBT, MINOR, KINDS };

/* The kinds below this one draw lots for the last tokens. */
#define DRAWING_KINDS MINOR

struct measure_plan;

/* The candidates of one kind: [start, taken) are chosen, [taken, end) are not. */
struct part {
	size_t start, taken, end;
	bool (*is_before)(const struct measure_plan *p, const struct measure_plan_item *a,
		const struct measure_plan_item *b);
};

struct measure_plan {
	struct measure_plan_item *items;
	const struct measure_plan_limits *limits;
	struct measure_plan_counts counts;
	struct part part[KINDS];
	uint64_t step_ns;   /* from one point of time to the next */
	size_t last_point;  /* refreshes that are due after this point are not needed now */
	uint64_t needed_ns; /* CPU for refreshes in this pass */
	/* the tokens suffice for measuring every process within the maximum age */
	bool is_enough;
};

static uint64_t cost_of(const struct measure_plan_item *i)
{
	return saturate_max(i->cost_ns, 1);
}

bool measure_plan_doubt_matters(
	uint64_t doubt_bytes, uint64_t pss_bytes, uint64_t age_ns, uint64_t max_age_ns)
{
	uint64_t matters = saturate_max(
		saturate_clamp(pss_bytes / 4, 256 * KIB, MIB), pss_bytes / 50);

	if (age_ns >= max_age_ns / PATIENT_PART)
		matters /= 2;
	return doubt_bytes >= matters;
}

static bool measure_plan_is_too_long(
	const struct measure_plan *p, const struct measure_plan_item *i)
{
	return i->is_giant || i->hold_ns > p->limits->stall_ns;
}

/*
 * Whether the stall budget allows to measure I at all. If its walk is too long, I must be new, or
 * have reached the age for giants.
 */
static bool is_allowed(const struct measure_plan *p, const struct measure_plan_item *i)
{
	if (!measure_plan_is_too_long(p, i))
		return true;
	return p->limits->giant_age_ns > 0 && (i->is_new || i->age_ns >= p->limits->giant_age_ns);
}

/* Returns the point of time by which I has to be measured: 0 is in this pass. */
static size_t point_of(const struct measure_plan *p, const struct measure_plan_item *i)
{
	uint64_t age_ns = saturate_add(i->age_ns, p->limits->interval_ns / LATE_PART);

	if (measure_plan_is_too_long(p, i) && !i->is_new)
		return 0;
	if (age_ns >= p->limits->max_age_ns)
		return 0;
	return (p->limits->max_age_ns - age_ns) / p->step_ns;
}

static bool measure_plan_is_new(const struct measure_plan *p, const struct measure_plan_item *i)
{
	return i->is_new && is_allowed(p, i) && point_of(p, i) > 0;
}

/* A new process that has waited for the maximum age counts by age. */
static bool is_refresh(const struct measure_plan *p, const struct measure_plan_item *i)
{
	return is_allowed(p, i) && point_of(p, i) <= p->last_point;
}

static bool is_doubtful(const struct measure_plan *p, const struct measure_plan_item *i)
{
	return is_allowed(p, i) && measure_plan_doubt_matters(i->doubt_bytes, i->pss_bytes,
					   i->age_ns, p->limits->max_age_ns);
}

static bool is_minor(const struct measure_plan *p, const struct measure_plan_item *i)
{
	return is_allowed(p, i) && i->is_in_pass && i->worth_bytes > 0;
}

static bool measure_plan_is_older(
	const struct measure_plan_item *a, const struct measure_plan_item *b)
{
	if (a->age_ns != b->age_ns)
		return a->age_ns > b->age_ns;
	return a->id < b->id;
}

/* Items that are due now come first. */
static bool is_due_before(const struct measure_plan *p, const struct measure_plan_item *a,
	const struct measure_plan_item *b)
{
	bool is_now = point_of(p, a) == 0;

	return is_now != (point_of(p, b) == 0) ? is_now : measure_plan_is_older(a, b);
}

static bool is_later(const struct measure_plan *p, const struct measure_plan_item *a,
	const struct measure_plan_item *b)
{
	(void)p;
	return measure_plan_is_older(a, b);
}

/* Whether A has more bytes per cost (BYTES_OF_A) than B (BYTES_OF_B). */
static bool has_more(const struct measure_plan_item *a, uint64_t bytes_of_a,
	const struct measure_plan_item *b, uint64_t bytes_of_b)
{
	unsigned __int128 of_a = (unsigned __int128)bytes_of_a * cost_of(b);
	unsigned __int128 of_b = (unsigned __int128)bytes_of_b * cost_of(a);

	return of_a != of_b ? of_a > of_b : measure_plan_is_older(a, b);
}

static bool is_doubted_more(const struct measure_plan *p, const struct measure_plan_item *a,
	const struct measure_plan_item *b)
{
	(void)p;
	return has_more(a, a->doubt_bytes, b, b->doubt_bytes);
}

static bool is_worth_more(const struct measure_plan *p, const struct measure_plan_item *a,
	const struct measure_plan_item *b)
{
	(void)p;
	return has_more(a, a->worth_bytes, b, b->worth_bytes);
}

static void measure_plan_swap(struct measure_plan_item *a, struct measure_plan_item *b)
{
	struct measure_plan_item other = *a;

	*a = *b;
	*b = other;
}

/* Moves the WANTED items of [FROM, END) to its beginning. Returns where the others begin. */
static size_t measure_plan_divide(struct measure_plan *p, size_t from, size_t end,
	bool (*wanted)(const struct measure_plan *p, const struct measure_plan_item *i))
{
	for (size_t i = from; i < end; i++) {
		if (wanted(p, &p->items[i])) {
			if (i != from)
				measure_plan_swap(&p->items[i], &p->items[from]);
			from++;
		}
	}
	return from;
}

/* Node N of PART's heap is at .end - 1 - N. */
static void measure_plan_sift(struct measure_plan *p, const struct part *part, size_t n)
{
	size_t count = part->end - part->taken;
	struct measure_plan_item *root = &p->items[part->end - 1];

	for (;;) {
		size_t child = 2 * n + 1;

		if (child >= count)
			return;
		if (child + 1 < count && part->is_before(p, root - child - 1, root - child))
			child++;
		if (!part->is_before(p, root - child, root - n))
			return;
		measure_plan_swap(root - child, root - n);
		n = child;
	}
}

static void measure_plan_order(struct measure_plan *p, const struct part *part)
{
	for (size_t n = (part->end - part->taken) / 2; n-- > 0;)
		measure_plan_sift(p, part, n);
}

static bool has_next(const struct part *part)
{
	return part->taken < part->end;
}

static const struct measure_plan_item *next_of(
	const struct measure_plan *p, const struct part *part)
{
	return &p->items[part->end - 1];
}

static void measure_plan_take(struct measure_plan *p, struct part *part)
{
	measure_plan_swap(&p->items[part->taken++], &p->items[part->end - 1]);
	measure_plan_sift(p, part, 0);
}

static void measure_plan_choose_part(struct measure_plan *p, struct part *part)
{
	p->counts.chosen++;
	p->counts.chosen_ns = saturate_add(p->counts.chosen_ns, cost_of(next_of(p, part)));
	measure_plan_take(p, part);
}

/* Computes how much of the oldest is needed now, over COUNT items. */
static void set_pace(struct measure_plan *p, size_t count)
{
	const struct measure_plan_limits *limits = p->limits;
	uint64_t due_ns[POINTS] = {0}, total_ns = 0;
	double pace, sum = 0, needed = 0;

	p->step_ns = saturate_max(limits->max_age_ns / (POINTS - 1) + 1, limits->interval_ns);
	for (size_t n = 0; n < count; n++) {
		const struct measure_plan_item *i = &p->items[n];
		size_t point;

		if (!measure_plan_is_too_long(p, i))
			total_ns = saturate_add(total_ns, cost_of(i));
		if (!is_allowed(p, i))
			continue;
		point = point_of(p, i);
		assert(point < POINTS);
		if (point == 0 || !i->is_new)
			due_ns[point] = saturate_add(due_ns[point], cost_of(i));
	}
	if (limits->total_cost_ns > 0)
		total_ns = limits->total_cost_ns;

	pace = (double)total_ns * PACE_MARGIN * (double)p->step_ns / (double)limits->max_age_ns;
	for (size_t point = 0; point < POINTS; point++) {
		double excess;

		sum += (double)due_ns[point];
		excess = sum - pace * (double)point;
		if (excess > needed)
			needed = excess;
	}
	p->needed_ns = needed < 1e18 ? (uint64_t)needed : UINT64_MAX;
	p->is_enough = (double)total_ns * (double)limits->interval_ns <=
	               (double)limits->tokens_ns * (double)limits->max_age_ns;

	p->last_point = 0;
	if (limits->pressure == PSI_SEVERE)
		return; /* only what is due now */
	sum = 0;
	for (; p->last_point < POINTS - 1; p->last_point++) {
		sum += (double)due_ns[p->last_point];
		if (sum > needed)
			break;
	}
}

/*
 * Takes the oldest of the candidates [FROM, END), for .needed_ns of cost. Returns the end of what
 * it has taken.
 */
static size_t take_needed(struct measure_plan *p, size_t from, size_t end)
{
	struct part oldest = {from, from, end, is_due_before};
	const struct measure_plan_item *i;
	uint64_t sum = 0;

	measure_plan_order(p, &oldest);
	while (has_next(&oldest)) {
		i = next_of(p, &oldest);
		sum = saturate_add(sum, cost_of(i));
		if (sum > p->needed_ns && point_of(p, i) > 0)
			break;
		measure_plan_take(p, &oldest);
	}
	return oldest.taken;
}

/* Marks [FROM, END) as deferred for REASON. */
static void put_off(
	struct measure_plan *p, size_t from, size_t end, enum measure_plan_reason reason)
{
	p->counts.deferred[reason] += end - from;
	for (size_t i = from; i < end; i++)
		p->items[i].is_deferred = true;
}

static void part_items(struct measure_plan *p, size_t count)
{
	struct part *new = &p->part[NEW], *refresh = &p->part[REFRESH], *doubt = &p->part[DOUBT];
	size_t end = measure_plan_divide(p, 0, count, measure_plan_is_new), minor;

	*new = (struct part){0, 0, end, is_doubted_more};
	end = take_needed(p, end, measure_plan_divide(p, end, count, is_refresh));
	*refresh = (struct part){new->end, new->end, end, is_later};
	end = measure_plan_divide(p, end, count, is_doubtful);
	*doubt = (struct part){refresh->end, refresh->end, end, is_doubted_more};
	if (p->limits->pressure == PSI_SEVERE) {
		put_off(p, refresh->end, end, MEASURE_PLAN_PRESSURE);
		doubt->end = doubt->start;
	}
	minor = p->limits->spare_ns ? measure_plan_divide(p, end, count, is_minor) : end;
	p->part[MINOR] = (struct part){end, end, minor, is_worth_more};

	for (size_t n = end; n < count; n++) {
		const struct measure_plan_item *i = &p->items[n];

		if (is_allowed(p, i))
			continue;
		if (i->is_new || i->age_ns >= p->limits->max_age_ns ||
			measure_plan_doubt_matters(
				i->doubt_bytes, i->pss_bytes, i->age_ns, p->limits->max_age_ns))
			p->counts.deferred[i->is_giant ? MEASURE_PLAN_GIANT : MEASURE_PLAN_STALL]++;
	}
}

/*
 * Chooses items of PART until SHARE_NS does not pay for the next one. Later, cheaper items do not
 * overtake it.
 */
static void choose_within(struct measure_plan *p, struct part *part, uint64_t share_ns)
{
	while (has_next(part) && cost_of(next_of(p, part)) <= share_ns) {
		share_ns -= cost_of(next_of(p, part));
		measure_plan_choose_part(p, part);
	}
}

/*
 * Returns the kind that gets the remaining tokens first. Every second round is for new processes,
 * because their figures are guesses, and one read of another kind may cost as much as many of
 * theirs. The other rounds are for refreshes and doubts, in random order.
 */
static enum kind measure_plan_draw(uint64_t round)
{
	uint64_t z = round * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	if (round % 2)
		return NEW;
	return (z ^ (z >> 31)) % 2 ? REFRESH : DOUBT;
}

static uint64_t measure_plan_left(const struct measure_plan *p)
{
	return saturate_less(p->limits->tokens_ns, p->counts.chosen_ns);
}

/* Gives each kind its guaranteed part. The part of a kind that has to wait is not given away. */
static void share_out(struct measure_plan *p)
{
	struct part *new = &p->part[NEW], *refresh = &p->part[REFRESH], *doubt = &p->part[DOUBT];
	uint64_t reserve_ns, rest_ns, before_ns;

	measure_plan_order(p, new);
	measure_plan_order(p, refresh);
	while (p->is_enough && has_next(refresh) && measure_plan_left(p) > 0)
		measure_plan_choose_part(p, refresh);
	reserve_ns = measure_plan_left(p) / 2;
	before_ns = p->counts.chosen_ns;
	choose_within(p, new, reserve_ns);
	reserve_ns = has_next(new) ? reserve_ns - (p->counts.chosen_ns - before_ns) : 0;

	rest_ns = measure_plan_left(p) - reserve_ns;
	choose_within(p, refresh, rest_ns / 2);
	measure_plan_order(p, doubt);
	choose_within(
		p, doubt, has_next(refresh) ? rest_ns / 2 : measure_plan_left(p) - reserve_ns);
	if (!has_next(doubt))
		choose_within(p, refresh, measure_plan_left(p) - reserve_ns);
}

/*
 * Chooses minor doubts only if no other kind has to wait. They overdraw nothing; one that does not
 * fit does not keep the others waiting.
 */
static void choose_minor(struct measure_plan *p)
{
	struct part *minor = &p->part[MINOR];
	size_t chosen = minor->start;

	/* Tokens that are saved now pay for the waiting ones. */
	for (enum kind k = NEW; k < DRAWING_KINDS; k++)
		if (has_next(&p->part[k]))
			return;
	measure_plan_order(p, minor);
	while (has_next(minor) && p->counts.chosen_ns < p->limits->spare_ns) {
		uint64_t cost_ns = cost_of(next_of(p, minor));

		measure_plan_take(p, minor);
		if (saturate_add(p->counts.chosen_ns, cost_ns) > p->limits->spare_ns)
			continue;
		measure_plan_swap(&p->items[chosen++], &p->items[minor->taken - 1]);
		p->counts.chosen++;
		p->counts.chosen_ns += cost_ns;
	}
	minor->taken = chosen;
}

static bool is_excused(const struct measure_plan *p, const struct measure_plan_item *i)
{
	return i->is_excused && is_allowed(p, i);
}

static bool is_larger(const struct measure_plan *p, const struct measure_plan_item *a,
	const struct measure_plan_item *b)
{
	(void)p;
	return a->pss_bytes != b->pss_bytes ? a->pss_bytes > b->pss_bytes
	                                    : measure_plan_is_older(a, b);
}

/* Moves the excused items to the beginning. Returns their number; *RET_NS becomes their cost. */
static size_t take_excused(struct measure_plan *p, size_t count, uint64_t *ret_ns)
{
	struct part excused = {0, 0, measure_plan_divide(p, 0, count, is_excused), is_larger};

	*ret_ns = 0;
	measure_plan_order(p, &excused);
	while (has_next(&excused)) {
		*ret_ns = saturate_add(*ret_ns, cost_of(next_of(p, &excused)));
		measure_plan_take(p, &excused);
	}
	return excused.end;
}

/* Moves the chosen items of all parts to the beginning. */
static void measure_plan_gather(struct measure_plan *p)
{
	size_t to = 0;

	for (enum kind k = NEW; k < KINDS; k++) {
		for (size_t i = p->part[k].start; i < p->part[k].taken; i++, to++) {
			if (i != to)
				measure_plan_swap(&p->items[i], &p->items[to]);
		}
	}
}

size_t measure_plan_choose(struct measure_plan_item *items, size_t count,
	const struct measure_plan_limits *limits, struct measure_plan_counts *ret_counts)
{
	struct measure_plan p = {.items = items, .limits = limits};
	enum kind first = measure_plan_draw(limits->round);
	uint64_t excused_ns;
	size_t excused;

	assert(limits->interval_ns > 0 && limits->max_age_ns > 0);
	excused = take_excused(&p, count, &excused_ns);
	if (excused)
		p.items += excused; /* p.items is NULL if there are no items */
	count -= excused;
	set_pace(&p, count);
	part_items(&p, count);

	share_out(&p);

	for (int k = 0; k < DRAWING_KINDS; k++) {
		struct part *part = &p.part[(first + (enum kind)k) % DRAWING_KINDS];

		while (has_next(part) && measure_plan_left(&p) > 0)
			measure_plan_choose_part(&p, part);
	}
	choose_minor(&p);
	for (enum kind k = NEW; k < DRAWING_KINDS; k++)
		put_off(&p, p.part[k].taken, p.part[k].end,
			limits->pressure ? MEASURE_PLAN_PRESSURE : MEASURE_PLAN_BUDGET);
	measure_plan_gather(&p);
	p.counts.chosen += excused;
	p.counts.chosen_ns = saturate_add(p.counts.chosen_ns, excused_ns);
	*ret_counts = p.counts;
	return p.counts.chosen;
}
