/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/model/family/family-count.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/saturate.h"
#include "collectors/model/family/family-ancestry.h"

enum {
	TICK_NS = 10000000, /* start times are in clock ticks, rounded down */
};

void family_count_done(struct family_count *c)
{
	free(c->number);
	*c = (struct family_count){0};
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
static uint32_t count_unsure(
	const struct family_member *m, const struct family_count_deaths *deaths)
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
static void count_members(const struct family_count *c, struct family_member *first, uint32_t count,
	const struct family_count_deaths *deaths)
{
	uint64_t *serial = c->number, *born = c->number + count, *leaving = born + count;
	uint64_t latest = 0, leave = 0;
	uint32_t i = 0;

	for (struct family_member *m = first; m; m = m->next, i++) {
		latest = saturate_max(latest, m->born_ns);
		serial[i] = m->serial;
		born[i] = latest;
		leaving[i] = leave += m->is_leaving;
		m->children = 0;
	}
	for (struct family_member *m = first; m; m = m->next) {
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
		m->unsure += saturate_max(gone, count_unsure(m, deaths));
		settle_unseen(
			m, joined, (uint32_t)saturate_less(early, m->early), deaths->until_ns);
		m->early = early;
	}
}

/*
 * Counts each member for all ancestors that were measured before its lineage left them: it shares
 * their own memory.
 */
static void count_children(struct family_member *first)
{
	for (struct family_member *m = first; m; m = m->next) {
		const struct family_member *child = m;
		struct family_member *a = family_ancestry_parent(m);

		for (unsigned int i = 0; a && i < FAMILY_ANCESTRY_GENERATIONS; i++) {
			if (child->line > a->seen && a->family == first->family)
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
static void count_strays(
	const struct family_count *c, struct family_member *first, uint64_t *ret_oldest_ns)
{
	uint64_t oldest = UINT64_MAX;
	uint32_t found = 0;

	for (const struct family_member *m = first; m; m = m->next)
		if (m->measured_ns)
			oldest = saturate_min(oldest, m->measured_ns);
	*ret_oldest_ns = oldest;
	for (struct family_member *m = first; m; m = m->next) {
		uint64_t root_ns = family_ancestry_root_ns(m);

		m->strays = 0;
		if (saturate_add(root_ns, TICK_NS) > oldest)
			c->number[found++] = root_ns;
	}
	if (!found)
		return;
	qsort(c->number, found, sizeof(*c->number), compare_ns);
	for (struct family_member *m = first; m; m = m->next)
		m->strays = found -
		            count_up_to(c->number, found, saturate_less(m->measured_ns, TICK_NS));
}

/* Counts without memory: only missing members have exited, and all new ones were born since. */
static void count_roughly(struct family_member *first, uint32_t count)
{
	for (struct family_member *m = first; m; m = m->next) {
		m->kept = m->then < count ? m->then : count;
		m->fresh = count - m->kept;
		m->early = m->leaving = m->children = 0;
		m->strays = m->fresh;
	}
}

int family_count_take(struct family_count *c, struct family_member *first, uint32_t count,
	const struct family_count_deaths *deaths, uint64_t *ret_oldest_ns)
{
	for (struct family_member *m = first; m; m = m->next)
		c->steps += family_ancestry_settle(m);
	if (!family_count_reserve(c, 3 * (size_t)count)) {
		count_roughly(first, count);
		return -ENOMEM;
	}
	count_members(c, first, count, deaths);
	count_children(first);
	count_strays(c, first, ret_oldest_ns);
	return 0;
}
