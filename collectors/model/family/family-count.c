/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parent of each member of a family, and how many members have come and gone since the member's
 * measurement.
 *
 * A process that forks has a record, which outlives it and which its children refer to. Children
 * find their nearest ancestor that is left when the family is counted. So the exit of a process
 * with thousands of children costs no more than other exits.
 */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/saturate.h"
#include "collectors/model/family/fork-families-private.h"

enum {
	TICK_NS = 10000000, /* start times are in clock ticks, rounded down */
};

/* A process that has forked. */
struct family_ancestor {
	struct family_member *member;   /* NULL: exited */
	struct family_ancestor *parent; /* NULL: not known */
	uint64_t root_ns;               /* birth of the first known process of its lineage */
	/* if exited: the lowest .line of itself and of exited ancestors between it and .parent */
	uint64_t line;
	uint32_t uses; /* references, from .parent and .ancestor */
};

uint64_t family_ancestry_root_ns(const struct family_member *m)
{
	return m->ancestor ? m->ancestor->root_ns : m->born_ns;
}

struct family_ancestor *family_ancestry_begin(struct family_member *m)
{
	struct family_ancestor *a = m->has_forked ? m->ancestor : malloc(sizeof(*a));

	if (!a || m->has_forked)
		return a;
	*a = (struct family_ancestor){.member = m,
		.parent = m->ancestor,
		.root_ns = family_ancestry_root_ns(m),
		.uses = 1};
	m->ancestor = a;
	m->has_forked = true;
	return a;
}

struct family_ancestor *family_ancestry_use(struct family_ancestor *a)
{
	if (a)
		a->uses++;
	return a;
}

static void family_ancestry_drop(struct family_ancestor *a)
{
	while (a && !--a->uses) {
		struct family_ancestor *parent = a->parent;

		free(a);
		a = parent;
	}
}

/*
 * Whether A has exited and is skipped. The first of a lineage is not skipped: its birth time still
 * counts.
 */
static bool is_passed(const struct family_ancestor *a)
{
	return a && !a->member && a->parent;
}

/* Unlinks the exited ancestor above A, which has exited itself, so that it is skipped only once. */
static void family_ancestry_shorten(struct family_ancestor *a)
{
	struct family_ancestor *above = a->parent;

	if (!is_passed(above))
		return;
	a->line = saturate_min(a->line, above->line);
	a->parent = family_ancestry_use(above->parent);
	family_ancestry_drop(above);
}

uint64_t family_ancestry_settle(struct family_member *m)
{
	struct family_ancestor **parent = m->has_forked ? &m->ancestor->parent : &m->ancestor;
	uint64_t steps = 0;

	while (is_passed(*parent)) {
		struct family_ancestor *a = *parent;

		family_ancestry_shorten(a);
		m->line = saturate_min(m->line, a->line);
		*parent = family_ancestry_use(a->parent);
		family_ancestry_drop(a);
		steps++;
	}
	return steps;
}

struct family_member *family_ancestry_parent(const struct family_member *m)
{
	const struct family_ancestor *a = m->has_forked ? m->ancestor->parent : m->ancestor;

	for (unsigned int i = 0; is_passed(a) && i < FAMILY_ANCESTRY_GENERATIONS; i++)
		a = a->parent;
	return a ? a->member : NULL;
}

void family_ancestry_leave(struct family_member *m)
{
	if (m->has_forked) {
		m->ancestor->member = NULL;
		m->ancestor->line = m->line;
	}
	family_ancestry_drop(m->ancestor);
	m->ancestor = NULL;
	m->has_forked = false;
}

/* Returns how many of the COUNT ascending numbers are at most LIMIT. */
static uint32_t count_up_to(const uint64_t *number, uint32_t count, uint64_t limit)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (number[middle] <= limit)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool family_count_reserve(struct family_count *c, size_t capacity)
{
	uint64_t *number;

	if (capacity <= c->capacity)
		return true;
	capacity += capacity / 4;
	number = reallocarray(c->number, capacity, sizeof(*number));
	if (!number)
		return false;
	c->number = number;
	c->capacity = capacity;
	return true;
}

static uint32_t family_count_less(uint32_t *from, uint32_t by)
{
	uint32_t taken = *from < by ? *from : by;

	*from -= taken;
	return taken;
}

/*
 * Matches the unlisted sharers of M's measurement with members that became known since: JOINED were
 * there at the measurement, EARLY may have been. An unlisted sharer that is not known in the pass
 * after the measurement, begun at LISTED_NS, is gone.
 */
static void settle_unseen(
	struct family_member *m, uint32_t joined, uint32_t early, uint64_t listed_ns)
{
	bool is_past = m->measured_ns <= listed_ns;
	uint32_t back;

	joined -= family_count_less(&m->unseen, joined);
	early -= family_count_less(&m->unseen, early);
	back = family_count_less(&m->gone, joined);
	m->then -= back;
	family_count_less(&m->unsure, back);
	family_count_less(&m->lasting, joined - back + early);
	if (!is_past)
		return;
	m->gone += m->unseen;
	m->then += m->unseen;
	m->unsure += m->unseen;
	m->unseen = 0;
}

/*
 * Returns how many of DEATHS M's measurement may have seen as exited already, or that were no
 * exits.
 */
static uint32_t count_unsure(const struct family_member *m, const struct family_deaths *deaths)
{
	if (m->measured_ns > deaths->until_ns)
		return m->measured_ns <= deaths->late_ns ? deaths->late : 0;
	return m->measured_ns > deaths->after_ns ? deaths->count : deaths->moved;
}

/*
 * Counts for each member the ones that were there at its measurement, and the ones that came later.
 * Births become known roughly in their order: a member that became known after one that was born
 * too late counts as fresh, too.
 */
static void count_members(const struct family_count *c, const struct fork_family *family)
{
	uint32_t count = family->count, i = 0;
	uint64_t *serial = c->number, *born = c->number + count, *leaving = born + count;
	uint64_t latest = 0, leave = 0;

	for (struct family_member *m = family->first; m; m = m->next, i++) {
		latest = saturate_max(latest, m->born_ns);
		serial[i] = m->serial;
		born[i] = latest;
		leaving[i] = leave += m->is_leaving;
		m->children = 0;
	}
	for (struct family_member *m = family->first; m; m = m->next) {
		uint32_t known, there, early, joined = 0, gone;

		if (!m->measured_ns)
			continue;
		known = count_up_to(serial, count, m->seen);
		there = count_up_to(born, count, saturate_less(m->measured_ns, TICK_NS));
		if (there > known) {
			joined = there - known;
			m->then += joined;
			m->seen = serial[there - 1];
			known = there;
		}
		m->kept = known;
		m->leaving = known ? (uint32_t)leaving[known - 1] : 0;
		m->fresh = count - known;
		early = count_up_to(born, count, m->measured_ns);
		early = early > known ? early - known : 0;
		/* Of the early ones, some have exited since. The measurement may have seen them;
		 * its mean tells. Others have joined. */
		gone = (uint32_t)saturate_less(m->early, (uint64_t)early + joined);
		m->then += gone;
		m->unsure += saturate_max(gone, count_unsure(m, &family->deaths));
		settle_unseen(m, joined, (uint32_t)saturate_less(early, m->early),
			family->deaths.until_ns);
		m->early = early;
	}
}

/*
 * Counts each member for all ancestors that were measured before its lineage left them: it shares
 * their own memory.
 */
static void count_children(const struct fork_family *family)
{
	for (struct family_member *m = family->first; m; m = m->next) {
		const struct family_member *child = m;
		struct family_member *a = family_ancestry_parent(m);

		for (unsigned int i = 0; a && i < FAMILY_ANCESTRY_GENERATIONS; i++) {
			if (child->line > a->seen && a->family == family)
				a->children++;
			child = a;
			a = family_ancestry_parent(a);
		}
	}
}

static int compare_ns(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/*
 * A process that was renamed, or left by its parent, before it became known is in the family by its
 * range alone. Any member that was measured before the process was born may be its parent, and so
 * the parent of its lineage.
 */
static void count_strays(const struct family_count *c, struct fork_family *family)
{
	uint32_t found = 0;

	family->oldest_ns = UINT64_MAX;
	for (const struct family_member *m = family->first; m; m = m->next)
		if (m->measured_ns)
			family->oldest_ns = saturate_min(family->oldest_ns, m->measured_ns);
	for (struct family_member *m = family->first; m; m = m->next) {
		uint64_t root_ns = family_ancestry_root_ns(m);

		m->strays = 0;
		if (saturate_add(root_ns, TICK_NS) > family->oldest_ns)
			c->number[found++] = root_ns;
	}
	if (!found)
		return;
	qsort(c->number, found, sizeof(*c->number), compare_ns);
	for (struct family_member *m = family->first; m; m = m->next)
		m->strays = found -
		            count_up_to(c->number, found, saturate_less(m->measured_ns, TICK_NS));
}

/* Counts without memory: only missing members have exited, and all new ones were born since. */
static void count_roughly(const struct fork_family *family)
{
	for (struct family_member *m = family->first; m; m = m->next) {
		m->kept = (uint32_t)saturate_min(m->then, family->count);
		m->fresh = family->count - m->kept;
		m->early = m->leaving = m->children = 0;
		m->strays = m->fresh;
	}
}

void family_count_take(struct family_count *c, struct fork_family *family)
{
	for (struct family_member *m = family->first; m; m = m->next)
		c->steps += family_ancestry_settle(m);
	if (!family_count_reserve(c, 3 * (size_t)family->count)) {
		count_roughly(family);
		return;
	}
	count_members(c, family);
	count_children(family);
	count_strays(c, family);
	/* Departures are counted once, however often the family is visited in a pass. */
	family->deaths.count = family->deaths.late = family->deaths.moved = 0;
}
