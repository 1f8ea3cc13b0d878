/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/why/facts/growers.h"

#include "base/saturate.h"
#include "cli/why/facts/same-row.h"

/* The quantities that an amount is made of. */
struct basis {
	bool has_swap; /* with VmSwap */
	bool has_pss;  /* with PSS and its bounds, */
	bool has_rss;  /* or RSS */
};

/* The same of a row of a process or owner. */
struct parts {
	uint64_t present; /* bits of the enumerators below */
	uint64_t q[5];
};
enum part { PART_PSS, PART_LOW, PART_HIGH, PART_RSS, PART_SWAP };

static void growers_add_part(struct parts *to, enum part part, bool has, uint64_t bytes)
{
	if (has)
		ROW_SET(to, part, bytes);
}

#define ADD_PART(to, part, row, quantity)                                                          \
	growers_add_part(to, part, ROW_HAS(row, quantity), (row)->q[quantity])

/* The memory of a process with another's address space counts there. */
static struct parts process_parts(const struct snapshot_process *row)
{
	struct parts p = {.present = 0};

	if (row->outcome == OUTCOME_SHARED_MM || row->outcome == OUTCOME_NO_MM)
		return p;
	if (snapshot_has_figure(row)) {
		ADD_PART(&p, PART_PSS, row, PROCESS_PSS);
		ADD_PART(&p, PART_LOW, row, PROCESS_PSS_LOW);
		ADD_PART(&p, PART_HIGH, row, PROCESS_PSS_HIGH);
	}
	ADD_PART(&p, PART_RSS, row, PROCESS_RSS);
	ADD_PART(&p, PART_SWAP, row, PROCESS_VM_SWAP);
	return p;
}

static struct parts owner_parts(const struct snapshot_scope *row)
{
	struct parts p = {.present = 0};

	ADD_PART(&p, PART_PSS, row, SCOPE_PSS);
	ADD_PART(&p, PART_LOW, row, SCOPE_PSS_LOW);
	ADD_PART(&p, PART_HIGH, row, SCOPE_PSS_HIGH);
	ADD_PART(&p, PART_RSS, row, SCOPE_RSS);
	ADD_PART(&p, PART_SWAP, row, SCOPE_VM_SWAP);
	return p;
}

static struct trace_point growers_point_of(
	const struct parts *p, const struct basis *b, uint64_t at_ns)
{
	enum part main = b->has_pss ? PART_PSS : PART_RSS;
	bool has_main = b->has_pss || b->has_rss;
	uint64_t swap = b->has_swap && ROW_HAS(p, PART_SWAP) ? p->q[PART_SWAP] : 0;
	struct trace_point to = {.at_ns = at_ns};

	to.is_known = (!has_main || ROW_HAS(p, main)) && (!b->has_swap || ROW_HAS(p, PART_SWAP));
	if (!to.is_known)
		return to;
	to.bytes = to.low_bytes = to.high_bytes = saturate_add(has_main ? p->q[main] : 0, swap);
	to.has_low = !b->has_pss || ROW_HAS(p, PART_LOW);
	to.has_high = !b->has_pss || ROW_HAS(p, PART_HIGH);
	if (b->has_pss && to.has_low)
		to.low_bytes = saturate_add(p->q[PART_LOW], swap);
	if (b->has_pss && to.has_high)
		to.high_bytes = saturate_add(p->q[PART_HIGH], swap);
	return to;
}

/* A row over all moments. */
struct course {
	struct parts parts[MOMENTS_BEFORE_MAX];
	uint64_t at_ns[MOMENTS_BEFORE_MAX];
	bool is_there[MOMENTS_BEFORE_MAX];
	size_t moments;
	bool has_begin; /* it began with 0 bytes at .begin_ns, before its first moment */
	uint64_t begin_ns;
};

static size_t course_first(const struct course *c)
{
	size_t i = 0;

	while (i < c->moments && !c->is_there[i])
		i++;
	return i;
}

/* Returns the number of points of C by B. */
static size_t course_points(const struct course *c, const struct basis *b,
	struct trace_point to[static MOMENTS_BEFORE_MAX + 1])
{
	size_t count = 0;

	if (c->has_begin)
		to[count++] = (struct trace_point){
			.at_ns = c->begin_ns, .is_known = true, .has_low = true, .has_high = true};
	for (size_t i = course_first(c); i < c->moments; i++)
		to[count++] = c->is_there[i] ? growers_point_of(&c->parts[i], b, c->at_ns[i])
		                             : (struct trace_point){.at_ns = c->at_ns[i]};
	return count;
}

static bool course_measure(const struct course *c, const struct basis *b, struct trace_growth *ret)
{
	struct trace_point point[MOMENTS_BEFORE_MAX + 1];
	size_t count = course_points(c, b, point);

	return trace_measure(point, count, ret);
}

/* Returns true if PART is known whenever the row is there. */
static bool course_has(const struct course *c, enum part part)
{
	for (size_t i = 0; i < c->moments; i++)
		if (c->is_there[i] && !ROW_HAS(&c->parts[i], part))
			return false;
	return true;
}

/* Puts G in its place among the largest. */
static void growers_offer(struct growers *to, const struct grower *g)
{
	size_t at = to->count;

	while (at && to->item[at - 1].growth.bytes < g->growth.bytes)
		at--;
	if (at == GROWERS_MAX || g->growth.bytes < GROWERS_LEAST_BYTES)
		return;
	if (to->count < GROWERS_MAX)
		to->count++;
	for (size_t i = to->count - 1; i > at; i--)
		to->item[i] = to->item[i - 1];
	to->item[at] = *g;
}

/*
 * Measures the growth of C in G. If the PSS was not always known, and has no growth where it was,
 * RSS may tell.
 */
static bool measure_grower(const struct course *c, enum growers_amount amount, struct grower *g)
{
	struct basis b = {.has_swap = true};
	bool has_grown;

	if (amount == GROWERS_SWAP)
		return course_measure(c, &b, &g->growth);
	b = (struct basis){.has_pss = true, .has_swap = course_has(c, PART_SWAP)};
	has_grown = course_measure(c, &b, &g->growth);
	if (!has_grown && !course_has(c, PART_PSS)) {
		b = (struct basis){.has_rss = true, .has_swap = b.has_swap};
		has_grown = course_measure(c, &b, &g->growth);
		g->is_rss = true;
	}
	return has_grown;
}

static void offer_course(
	struct growers *to, const struct course *c, enum growers_amount amount, struct grower *g)
{
	if (!measure_grower(c, amount, g))
		return;
	g->is_new = c->has_begin && g->growth.since_ns == c->begin_ns;
	growers_offer(to, g);
}

static void begin_course(const struct moments *m, struct course *ret)
{
	*ret = (struct course){.moments = m->befores};
	for (size_t i = 0; i < m->befores; i++)
		ret->at_ns[i] = moments_time_ns(m->before[i]);
}

static void set_moment(struct course *c, size_t i, const struct parts *p)
{
	c->is_there[i] = true;
	c->parts[i] = *p;
}

/*
 * A process that is in no early snapshot has grown from nothing if it started since then. Otherwise
 * it was there, but not shown.
 */
static void begin_process(struct course *c, const struct snapshot_process *row)
{
	size_t first = course_first(c);
	uint64_t within_ns;

	if (!first || first == c->moments || !ROW_HAS(row, PROCESS_START_TIME))
		return;
	/* not the time of a snapshot: it would be another if other snapshots are compared */
	c->begin_ns = row->q[PROCESS_START_TIME];
	within_ns = saturate_clamp(c->begin_ns, c->at_ns[first - 1], c->at_ns[first]);
	c->has_begin = saturate_distance(c->begin_ns, within_ns) < SAME_ROW_NOISE_NS;
}

static void offer_process(struct growers *to, const struct moments *m, enum growers_amount amount,
	const struct snapshot_process *row)
{
	struct grower g = {.scope = METRIC_PROCESS,
		.process = row,
		.is_estimated = row->source == SOURCE_ESTIMATE};
	struct course c;

	begin_course(m, &c);
	for (size_t i = 0; i < m->befores; i++) {
		const struct snapshot_process *found = same_row_process(m->before[i], row);
		struct parts p = {.present = 0};

		if (found)
			p = process_parts(found);
		if (p.present)
			set_moment(&c, i, &p);
	}
	begin_process(&c, row);
	offer_course(to, &c, amount, &g);
}

void growers_find_processes(const struct moments *m, enum growers_amount amount,
	const struct growers_within *within, struct growers *ret)
{
	const struct view *last = moments_last(m);
	uint32_t count = view_count(last, METRIC_PROCESS);

	ret->count = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct snapshot_process *row = view_process(last, i);

		if (!within->row ||
			same_row_is_member(last, row, within->kind, within->of, within->row))
			offer_process(ret, m, amount, row);
	}
}

/* An owner that is in no early snapshot had no processes then. */
static void begin_owner(struct course *c)
{
	size_t first = course_first(c);

	if (!first || first == c->moments)
		return;
	c->has_begin = true;
	c->begin_ns = c->at_ns[first - 1];
}

static void offer_owner(struct growers *to, const struct moments *m,
	const struct same_row_index *index, enum owner_kind kind, const struct snapshot_scope *row)
{
	struct grower g = {.scope = metric_owner_scope(kind),
		.owner = row,
		.is_estimated = ROW_HAS(row, SCOPE_PSS_ESTIMATED) && row->q[SCOPE_PSS_ESTIMATED]};
	struct course c;

	begin_course(m, &c);
	for (size_t i = 0; i < m->befores; i++) {
		const struct snapshot_scope *found = same_row_owner(
			&index[i], moments_last(m), row);
		struct parts p = {.present = 0};

		if (found && ROW_HAS(found, SCOPE_PROCESSES) && found->q[SCOPE_PROCESSES])
			p = owner_parts(found);
		if (p.present)
			set_moment(&c, i, &p);
	}
	begin_owner(&c);
	offer_course(to, &c, GROWERS_MEMORY, &g);
}

static int offer_owners(struct growers *to, const struct moments *m, enum owner_kind kind)
{
	struct same_row_index index[MOMENTS_BEFORE_MAX] = {0};
	const struct same_row_index *last = &index[m->befores - 1];
	int r = 0;

	for (size_t i = 0; r == 0 && i < m->befores; i++)
		r = same_row_index_make(m->before[i], kind, &index[i]);
	for (size_t i = 0; r == 0 && i < last->rows; i++)
		offer_owner(to, m, index, kind, last->row[i]);
	for (size_t i = 0; i < m->befores; i++)
		same_row_index_done(&index[i]);
	return r;
}

int growers_find_owners(const struct moments *m, struct growers *ret)
{
	static const enum owner_kind kinds[] = {
		OWNER_USER, OWNER_PROGRAM, OWNER_UNIT, OWNER_USER_UNIT, OWNER_CONTAINER};
	int r = 0;

	ret->count = 0;
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(kinds); i++)
		r = offer_owners(ret, m, kinds[i]);
	return r;
}

bool growers_process_bytes(
	const struct snapshot_process *row, uint64_t *ret_bytes, bool *ret_is_rss)
{
	struct parts p = process_parts(row);

	if (!ROW_HAS(&p, PART_PSS) && !ROW_HAS(&p, PART_RSS))
		return false;
	*ret_is_rss = !ROW_HAS(&p, PART_PSS);
	*ret_bytes = saturate_add(p.q[*ret_is_rss ? PART_RSS : PART_PSS],
		ROW_HAS(&p, PART_SWAP) ? p.q[PART_SWAP] : 0);
	return true;
}
