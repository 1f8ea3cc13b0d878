/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/compare/comparison.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/saturate.h"
#include "snapshot/owner.h"

enum {
	KIB = 1024,
	MIB = 1024 * KIB,
	/*
	 * Roundings for each process. The kernel rounds the PSS down to KiB. Its counters of RSS
	 * are late by up to 64 pages.
	 */
	PSS_ROUNDING = KIB,
	RSS_ROUNDING = 256 * KIB,
	/* Amounts are near if they differ by at most 1 MiB or one part in 20. */
	NEAR_PARTS = 20,
	/* Among more rows without a reason no pairs are searched for: the files differ. */
	PAIRED_MAX = 1000,
};

static const char *const names[COMPARISON_REASONS] = {
	[COMPARISON_EQUAL] = "equal",
	[COMPARISON_ROUNDING] = "rounding",
	[COMPARISON_BOUNDS] = "bounds",
	[COMPARISON_TIME] = "time",
	[COMPARISON_NO_MEMORY] = "no_memory",
	[COMPARISON_OWN] = "own",
	[COMPARISON_EMPTY] = "empty",
	[COMPARISON_EXEC] = "exec",
	[COMPARISON_NO_PSS] = "no_pss",
	[COMPARISON_DENIED] = "denied",
	[COMPARISON_UNMEASURED] = "unmeasured",
	[COMPARISON_ONLY_OURS] = "only_ours",
	[COMPARISON_ONLY_THEIRS] = "only_theirs",
	[COMPARISON_PROCESSES] = "processes",
	[COMPARISON_MEMORY] = "memory",
};

const char *comparison_reason_name(enum comparison_reason reason)
{
	return names[reason];
}

bool comparison_is_explained(enum comparison_reason reason)
{
	return reason < COMPARISON_UNMEASURED;
}

uint64_t comparison_unmeasured(const struct comparison_row *row)
{
	uint64_t count = 0;

	for (size_t i = 0; i < SUMS_REASONS; i++)
		count = saturate_add(count, row->unmeasured[i]);
	return count;
}

void comparison_done(struct comparison *c)
{
	free(c->row);
	*c = (struct comparison){0};
}

static uint64_t comparison_processes(const struct scrape_group *g)
{
	return g->q[SCRAPE_PROCESSES];
}

/* Returns the amount by which amounts up to LARGEST may differ and still be near. */
static uint64_t comparison_margin(uint64_t largest)
{
	return saturate_max(MIB, largest / NEAR_PARTS);
}

static uint64_t comparison_rss_apart(const struct comparison_row *row)
{
	return saturate_distance(row->ours.q[SCRAPE_RSS], row->theirs.q[SCRAPE_RSS]);
}

static bool comparison_is_rss_rounded(const struct comparison_row *row)
{
	uint64_t processes = comparison_processes(&row->theirs);

	return comparison_rss_apart(row) <= saturate_part(processes, RSS_ROUNDING, 1);
}

/* Returns by how much their PSS is outside of the bounds of ours. */
static uint64_t comparison_pss_outside(const struct comparison_row *row)
{
	uint64_t theirs = row->theirs.q[SCRAPE_PSS];
	uint64_t rounding = saturate_part(comparison_processes(&row->theirs), PSS_ROUNDING, 1);
	uint64_t low = saturate_less(row->pss_low_bytes, rounding);

	return theirs < low ? low - theirs : saturate_less(theirs, row->pss_high_bytes);
}

static bool comparison_is_pss_rounded(const struct comparison_row *row)
{
	uint64_t processes = comparison_processes(&row->theirs);

	return saturate_distance(row->ours.q[SCRAPE_PSS], row->theirs.q[SCRAPE_PSS]) <=
	       saturate_part(processes, PSS_ROUNDING, 1);
}

/* Among many small processes 64 pages of each are more than 5 %. */
static bool comparison_is_rss_near(const struct comparison_row *row)
{
	uint64_t largest = saturate_max(row->ours.q[SCRAPE_RSS], row->theirs.q[SCRAPE_RSS]);

	return comparison_is_rss_rounded(row) ||
	       comparison_rss_apart(row) <= comparison_margin(largest);
}

/* Returns the reason for the difference in memory of a group that both have. */
static enum comparison_reason comparison_memory_reason(const struct comparison_row *row)
{
	const uint64_t *ours = row->ours.q, *theirs = row->theirs.q;
	uint64_t rss_apart = comparison_rss_apart(row), outside = comparison_pss_outside(row);

	if (!comparison_is_rss_near(row))
		return COMPARISON_MEMORY;
	if (!ROW_HAS(&row->theirs, SCRAPE_PSS))
		return COMPARISON_NO_PSS;
	if (!ROW_HAS(&row->ours, SCRAPE_PSS))
		return COMPARISON_UNMEASURED;
	if (!theirs[SCRAPE_PSS] && theirs[SCRAPE_RSS] && !comparison_is_pss_rounded(row))
		return COMPARISON_DENIED;
	if (ours[SCRAPE_PSS] == theirs[SCRAPE_PSS] && !rss_apart)
		return COMPARISON_EQUAL;
	if (comparison_is_rss_rounded(row) && comparison_is_pss_rounded(row))
		return COMPARISON_ROUNDING;
	if (comparison_is_rss_rounded(row) && !outside)
		return COMPARISON_BOUNDS;
	return outside <= saturate_add(rss_apart, comparison_margin(saturate_max(
							  ours[SCRAPE_PSS], theirs[SCRAPE_PSS])))
	               ? COMPARISON_TIME
	               : COMPARISON_MEMORY;
}

static enum comparison_reason comparison_reason_of(const struct comparison_row *row)
{
	uint64_t ours = comparison_processes(&row->ours);
	uint64_t theirs = comparison_processes(&row->theirs);
	bool has_memory = row->theirs.q[SCRAPE_RSS];
	enum comparison_reason reason;

	if (!ours)
		return has_memory ? COMPARISON_ONLY_THEIRS
		       : theirs   ? COMPARISON_NO_MEMORY
		                  : COMPARISON_EMPTY;
	if (!theirs)
		return ROW_HAS(&row->theirs, SCRAPE_PROCESSES) ? COMPARISON_PROCESSES
		                                               : COMPARISON_ONLY_OURS;
	reason = comparison_memory_reason(row);
	if (ours == theirs)
		return reason;
	return theirs > ours && comparison_is_rss_rounded(row) && comparison_is_explained(reason) &&
	                       reason != COMPARISON_TIME
	               ? COMPARISON_NO_MEMORY
	               : COMPARISON_PROCESSES;
}

static void comparison_add_side(struct scrape_group *sum, const struct scrape_group *g)
{
	if (!comparison_processes(g))
		return;
	sum->present &= g->present;
	for (unsigned int i = 0; i < SCRAPE_QUANTITIES; i++)
		sum->q[i] = saturate_add(sum->q[i], g->q[i]);
}

static void comparison_add(struct comparison_row *sum, const struct comparison_row *row)
{
	comparison_add_side(&sum->ours, &row->ours);
	comparison_add_side(&sum->theirs, &row->theirs);
	sum->pss_low_bytes = saturate_add(sum->pss_low_bytes, row->pss_low_bytes);
	sum->pss_high_bytes = saturate_add(sum->pss_high_bytes, row->pss_high_bytes);
}

/* Returns whether the sums of the COUNT ROWS agree. */
static bool comparison_sums_agree(struct comparison_row *const *row, size_t count)
{
	struct comparison_row sum = {
		.ours.present = UINT64_MAX,
		.theirs.present = UINT64_MAX,
	};

	for (size_t i = 0; i < count; i++)
		comparison_add(&sum, row[i]);
	return comparison_processes(&sum.ours) == comparison_processes(&sum.theirs) &&
	       comparison_is_explained(comparison_memory_reason(&sum));
}

/* Returns whether both programs have processes in the group. */
static bool comparison_is_common(const struct comparison_row *row)
{
	return comparison_processes(&row->ours) && comparison_processes(&row->theirs);
}

static bool comparison_is_larger_there(const struct comparison_row *row)
{
	return comparison_processes(&row->theirs) > comparison_processes(&row->ours);
}

/*
 * Gives A and B their reason if processes of one are in the other there. Two groups that each only
 * one program has may as well be one group under two names.
 */
static void comparison_pair(struct comparison_row *a, struct comparison_row *b)
{
	struct comparison_row *both[] = {a, b};

	if (comparison_is_explained(a->reason) || comparison_is_explained(b->reason) ||
		(!comparison_is_common(a) && !comparison_is_common(b)) ||
		!comparison_sums_agree(both, ARRAY_SIZE(both)))
		return;
	a->reason = b->reason = COMPARISON_EXEC;
	a->other = b->name;
	b->other = a->name;
}

/*
 * Gives the COUNT ROWS their reason if processes of one or more groups, each of which we have too,
 * are in several others there.
 */
static void comparison_regroup(struct comparison_row *const *row, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (comparison_is_larger_there(row[i]) && !comparison_is_common(row[i]))
			return;
	if (!comparison_sums_agree(row, count))
		return;
	for (size_t i = 0; i < count; i++)
		row[i]->reason = COMPARISON_EXEC;
}

/* Puts the rows with other numbers of processes and no reason yet into TO. Returns how many. */
static size_t comparison_list_moved(struct comparison *c, struct comparison_row **to)
{
	size_t count = 0;

	for (size_t i = 0; i < c->count; i++)
		if (!comparison_is_explained(c->row[i].reason) &&
			c->row[i].reason != COMPARISON_MEMORY)
			to[count++] = &c->row[i];
	return count;
}

/*
 * Gives the row of which memtally itself makes the difference its reason: one process more there,
 * and of all such rows the one with the RSS nearest to OWN_RSS_BYTES more.
 */
static void comparison_find_own(struct comparison *c, uint64_t own_rss_bytes)
{
	struct comparison_row *found = NULL;
	uint64_t nearest = comparison_margin(own_rss_bytes);

	for (size_t i = 0; own_rss_bytes && i < c->count; i++) {
		struct comparison_row *row = &c->row[i];
		uint64_t more = saturate_less(row->theirs.q[SCRAPE_RSS], row->ours.q[SCRAPE_RSS]);

		if (comparison_processes(&row->theirs) !=
				saturate_add(comparison_processes(&row->ours), 1) ||
			saturate_distance(more, own_rss_bytes) > nearest)
			continue;
		nearest = saturate_distance(more, own_rss_bytes);
		found = row;
	}
	if (found)
		found->reason = COMPARISON_OWN;
}

/* Returns 0 or -ENOMEM. */
static int comparison_explain(struct comparison *c, uint64_t own_rss_bytes)
{
	AUTO_FREE struct comparison_row **row = calloc(
		c->count + 1, sizeof(struct comparison_row *));
	size_t count;

	if (!row)
		return -ENOMEM;
	for (size_t i = 0; i < c->count; i++)
		c->row[i].reason = comparison_reason_of(&c->row[i]);
	comparison_find_own(c, own_rss_bytes);
	count = comparison_list_moved(c, row);
	for (size_t i = 0; count <= PAIRED_MAX && i < count; i++)
		for (size_t j = i + 1; j < count; j++)
			comparison_pair(row[i], row[j]);
	comparison_regroup(row, comparison_list_moved(c, row));
	for (size_t i = 0; i < c->count; i++)
		c->unexplained += !comparison_is_explained(c->row[i].reason);
	return 0;
}

static void comparison_take(struct scrape_group *to, enum scrape_quantity i,
	const struct snapshot_scope *row, enum scope_quantity from)
{
	if (ROW_HAS(row, from))
		ROW_SET(to, i, row->q[from]);
}

/* Appends the namegroups of VIEW that have processes. */
static void comparison_take_ours(const struct view *view, uint64_t now_ns, struct comparison *c)
{
	enum metric_scope scope = metric_owner_scope(OWNER_NAMEGROUP);

	for (uint32_t i = 0; i < view_count(view, scope); i++) {
		const struct snapshot_scope *from = view_scope(view, scope, i);
		struct comparison_row row = {
			.name = view_text(view, from->name),
			.has_low = ROW_HAS(from, SCOPE_PSS_LOW),
			.has_high = ROW_HAS(from, SCOPE_PSS_HIGH),
			.pss_low_bytes = ROW_HAS(from, SCOPE_PSS_LOW) ? from->q[SCOPE_PSS_LOW] : 0,
			.pss_high_bytes = ROW_HAS(from, SCOPE_PSS_HIGH) ? from->q[SCOPE_PSS_HIGH]
		                                                        : INT64_MAX,
			.age_ns = view_age_ns(view, now_ns),
		};

		if (from->flags & SCOPE_OTHER || !strcmp(row.name, OWNER_NONE))
			continue;
		comparison_take(&row.ours, SCRAPE_PROCESSES, from, SCOPE_PROCESSES);
		comparison_take(&row.ours, SCRAPE_RSS, from, SCOPE_RSS);
		comparison_take(&row.ours, SCRAPE_PSS, from, SCOPE_PSS);
		if (!comparison_processes(&row.ours))
			continue;
		for (size_t k = 0; k < SUMS_REASONS; k++)
			if (ROW_HAS(from, sums_reason(k)->count))
				row.unmeasured[k] = from->q[sums_reason(k)->count];
		sums_merge_row(&c->ours, from);
		c->row[c->count++] = row;
	}
	sums_end(&c->ours);
}

static int comparison_compare_names(const void *a_, const void *b_)
{
	const struct comparison_row *a = a_, *b = b_;

	return strcmp(a->name, b->name);
}

/* Returns the row NAME of the first COUNT, which are sorted by name; NULL: there is none. */
static struct comparison_row *comparison_find(
	const struct comparison *c, size_t count, const char *name)
{
	size_t at = ARRAY_FIRST(count, i, strcmp(c->row[i].name, name) >= 0);

	return at < count && !strcmp(c->row[at].name, name) ? &c->row[at] : NULL;
}

/* Adds the age of the oldest measurement to that of the snapshot, if VIEW has single processes. */
static void comparison_take_ages(const struct view *view, uint64_t now_ns, struct comparison *c)
{
	uint64_t age_ns = view_age_ns(view, now_ns);

	for (uint32_t i = 0; i < view_count(view, METRIC_PROCESS); i++) {
		const struct snapshot_process *p = view_process(view, i);
		struct comparison_row *row = ROW_HAS(p, PROCESS_PSS_AGE)
		                                     ? comparison_find(c, c->count,
							       view_owner(view, p, OWNER_NAMEGROUP))
		                                     : NULL;

		if (!row)
			continue;
		row->has_age = true;
		row->age_ns = saturate_max(
			row->age_ns, saturate_add(age_ns, p->q[PROCESS_PSS_AGE]));
	}
}

static void comparison_take_theirs(const struct scrape *scrape, struct comparison *c)
{
	size_t ours = c->count;

	for (size_t i = 0; i < scrape->count; i++) {
		struct comparison_row *row = comparison_find(c, ours, scrape->group[i].name);

		if (!row) {
			row = &c->row[c->count++];
			row->name = scrape->group[i].name;
		}
		row->theirs = scrape->group[i];
	}
}

static uint64_t comparison_largest(const struct comparison_row *row)
{
	return saturate_max(row->ours.q[SCRAPE_PSS], row->theirs.q[SCRAPE_PSS]);
}

static int comparison_compare_pss(const void *a_, const void *b_)
{
	const struct comparison_row *a = a_, *b = b_;
	uint64_t x = comparison_largest(a), y = comparison_largest(b);

	return x == y ? strcmp(a->name, b->name) : x < y ? 1 : -1;
}

int comparison_make(const struct view *view, uint64_t now_boottime_ns, const struct scrape *scrape,
	uint64_t own_rss_bytes, struct comparison *ret)
{
	size_t most = view_count(view, metric_owner_scope(OWNER_NAMEGROUP)) + scrape->count;
	AUTO_COMPARISON struct comparison c = {.row = calloc(most + 1, sizeof(*c.row))};
	int r;

	if (!c.row)
		return -ENOMEM;
	comparison_take_ours(view, now_boottime_ns, &c);
	if (!c.count)
		return COMPARISON_NONE;
	qsort(c.row, c.count, sizeof(*c.row), comparison_compare_names);
	comparison_take_ages(view, now_boottime_ns, &c);
	comparison_take_theirs(scrape, &c);
	r = comparison_explain(&c, own_rss_bytes);
	if (r < 0)
		return r;
	qsort(c.row, c.count, sizeof(*c.row), comparison_compare_pss);
	*ret = c;
	c = (struct comparison){0};
	return 0;
}
