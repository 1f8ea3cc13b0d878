/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "growth/growth-rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "snapshot/owner.h"

/* A start that differs by less is the same: the clock may have been set between two snapshots. */
#define START_SLACK_NS (2 * NS_PER_SEC)

/* The key of a row. */
struct key {
	enum metric_scope scope;
	const char *name; /* of an owner; "" for a process */
	uint32_t id;      /* of an owner; the pid of a process */
};

void growth_rows_done(struct growth_rows *g)
{
	for (size_t i = 0; i < g->rows; i++)
		floors_done(&g->row[i].floors);
	free(g->row);
	buffer_done(&g->text);
	hashmap_done(&g->index);
	*g = (struct growth_rows){0};
}

const char *growth_rows_text(const struct growth_rows *g, size_t at)
{
	return g->text.data + at;
}

static uint64_t growth_rows_hash(const struct growth_rows *g, const struct key *k)
{
	uint32_t numbers[2] = {(uint32_t)k->scope, k->id};
	struct siphash s;

	siphash_init(&s, &g->secret);
	siphash_add(&s, numbers, sizeof(numbers));
	siphash_add(&s, k->name, strlen(k->name));
	return siphash_end(&s);
}

static struct key key_of(const struct growth_rows *g, const struct growth_row *row)
{
	bool is_process = row->scope == METRIC_PROCESS;

	return (struct key){.scope = row->scope,
		.name = is_process ? "" : growth_rows_text(g, row->name),
		.id = is_process ? row->pid : row->id};
}

/* Returns the row with the key K; NULL: there is none. */
static struct growth_row *growth_rows_find(struct growth_rows *g, const struct key *k)
{
	uint32_t at;

	for (size_t next = 0; hashmap_next(&g->index, growth_rows_hash(g, k), &next, &at);) {
		struct key other = key_of(g, &g->row[at]);

		if (other.scope == k->scope && other.id == k->id && !strcmp(other.name, k->name))
			return &g->row[at];
	}
	return NULL;
}

/* Sets *RET to the sum of the quantities PSS and SWAP; without a PSS there is none. */
static bool memory_of(
	uint64_t present, const uint64_t *q, unsigned int pss, unsigned int swap, uint64_t *ret)
{
	if (!(present >> pss & 1))
		return false;
	*ret = q[pss] + (present >> swap & 1 ? q[swap] : 0);
	return true;
}

static bool memory_of_scope(const struct snapshot_scope *row, uint64_t *ret)
{
	return memory_of(row->present, row->q, SCOPE_PSS, SCOPE_SWAP_PSS, ret);
}

static bool memory_of_process(const struct snapshot_process *row, uint64_t *ret)
{
	return snapshot_has_figure(row) &&
	       memory_of(row->present, row->q, PROCESS_PSS, PROCESS_SWAP_PSS, ret);
}

static size_t keep_text(struct growth_rows *g, const char *text)
{
	size_t at = g->text.len;

	if (!*text && at)
		return 0;
	buffer_add(&g->text, text, strlen(text) + 1);
	return at;
}

static int growth_rows_append(struct growth_rows *g, const struct growth_row *row)
{
	if (g->text.error)
		return g->text.error;
	if (ARRAY_RESERVE(g->row, g->room, g->rows + 1) < 0)
		return -ENOMEM;
	g->row[g->rows++] = *row;
	return 0;
}

static int take_process(struct growth_rows *g, const struct view *newest, uint32_t at)
{
	const struct snapshot_process *p = view_process(newest, at);
	struct growth_row row = {.scope = METRIC_PROCESS, .at = at, .id = p->uid, .pid = p->pid};

	if (!memory_of_process(p, &row.bytes) || row.bytes < GROWTH_ROWS_LEAST)
		return 0;
	row.name = keep_text(g, view_owner(newest, p, OWNER_PROGRAM));
	row.user = keep_text(g, view_owner(newest, p, OWNER_USER));
	if (ROW_HAS(p, PROCESS_START_TIME))
		row.start_ns = p->q[PROCESS_START_TIME];
	return growth_rows_append(g, &row);
}

static int take_owner(
	struct growth_rows *g, const struct view *newest, enum metric_scope scope, uint32_t at)
{
	const struct snapshot_scope *s = view_scope(newest, scope, at);
	const struct owner *owner = owner_of(metric_owner_kind(scope));
	const char *name = view_text(newest, s->name);
	struct growth_row row = {.scope = scope, .at = at, .id = s->id};

	if (s->flags & SCOPE_OTHER || !strcmp(name, OWNER_NONE))
		return 0;
	if (!memory_of_scope(s, &row.bytes) || row.bytes < GROWTH_ROWS_LEAST)
		return 0;
	row.name = keep_text(g, name);
	row.user = keep_text(g, view_text(newest, s->user));
	if (owner->is_cgroup && ROW_HAS(s, SCOPE_OLDEST_START))
		row.start_ns = s->q[SCOPE_OLDEST_START];
	return growth_rows_append(g, &row);
}

int growth_rows_take(
	struct growth_rows *g, const struct view *newest, enum metric_scope scope, uint32_t at)
{
	if (!g->text.len)
		keep_text(g, "");
	return scope == METRIC_PROCESS ? take_process(g, newest, at)
	                               : take_owner(g, newest, scope, at);
}

static int compare_sizes(const void *a, const void *b)
{
	const struct growth_row *left = a, *right = b;

	return (left->bytes < right->bytes) - (left->bytes > right->bytes);
}

int growth_rows_ready(struct growth_rows *g, size_t most)
{
	g->secret = siphash_new_key();
	if (g->rows)
		qsort(g->row, g->rows, sizeof(*g->row), compare_sizes);
	if (g->rows > most) {
		g->left_out = g->rows - most;
		g->rows = most;
	}
	for (size_t i = 0; i < g->rows; i++) {
		struct key k = key_of(g, &g->row[i]);

		if (hashmap_add(&g->index, growth_rows_hash(g, &k), i) < 0)
			return -ENOMEM;
	}
	return 0;
}

static bool is_same_start(const struct growth_row *row, const struct snapshot_process *p)
{
	uint64_t start_ns = ROW_HAS(p, PROCESS_START_TIME) ? p->q[PROCESS_START_TIME] : 0;

	if (!row->start_ns || !start_ns)
		return row->start_ns == start_ns;
	return row->start_ns < start_ns ? start_ns - row->start_ns < START_SLACK_NS
	                                : row->start_ns - start_ns < START_SLACK_NS;
}

static int growth_rows_add_scope(
	struct growth_rows *g, const struct view *view, enum metric_scope scope, int64_t at_s)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < view_count(view, scope); i++) {
		const struct snapshot_scope *s = view_scope(view, scope, i);
		struct key k = {scope, view_text(view, s->name), s->id};
		struct growth_row *row = growth_rows_find(g, &k);
		uint64_t bytes;

		if (row && !(s->flags & SCOPE_OTHER) && memory_of_scope(s, &bytes))
			r = floors_add(&row->floors, at_s, (double)bytes);
	}
	return r;
}

static int growth_rows_add_processes(struct growth_rows *g, const struct view *view, int64_t at_s)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < view_count(view, METRIC_PROCESS); i++) {
		const struct snapshot_process *p = view_process(view, i);
		struct key k = {METRIC_PROCESS, "", p->pid};
		struct growth_row *row = growth_rows_find(g, &k);
		uint64_t bytes;

		if (row && is_same_start(row, p) && memory_of_process(p, &bytes))
			r = floors_add(&row->floors, at_s, (double)bytes);
	}
	return r;
}

int growth_rows_add(struct growth_rows *g, const struct view *view)
{
	int64_t at_s = (int64_t)(view->header->realtime_ns / NS_PER_SEC);
	int r = growth_rows_add_processes(g, view, at_s);

	for (enum metric_scope scope = METRIC_USER; r == 0 && metric_is_owner(scope); scope++)
		r = growth_rows_add_scope(g, view, scope, at_s);
	if (!g->snapshots++)
		g->first_s = at_s;
	g->last_s = at_s;
	return r;
}

/* Rows without a verdict come last. */
static int compare_verdicts(const void *a, const void *b)
{
	const struct growth_row *left = a, *right = b;
	int ranks[2] = {left->is_judged ? (int)left->trend.verdict : -1,
		right->is_judged ? (int)right->trend.verdict : -1};

	if (ranks[0] != ranks[1])
		return ranks[1] - ranks[0];
	if (ranks[0] > TREND_NONE && left->trend.slope != right->trend.slope)
		return left->trend.slope < right->trend.slope ? 1 : -1;
	return compare_sizes(a, b);
}

void growth_row_judge(struct trend_judge *j, struct growth_row *row)
{
	row->is_judged = trend_judge(j, row->floors.item, row->floors.count,
				 (int64_t)(row->start_ns / NS_PER_SEC), (double)GROWTH_ROWS_MATTERS,
				 &row->trend) == 0;
}

int growth_rows_judge(struct growth_rows *g)
{
	struct trend_judge *judge = trend_judge_new();

	if (!judge)
		return -ENOMEM;
	for (size_t i = 0; i < g->rows; i++)
		growth_row_judge(judge, &g->row[i]);
	trend_judge_free(judge);
	hashmap_clear(&g->index); /* the rows change their places */
	if (g->rows)
		qsort(g->row, g->rows, sizeof(*g->row), compare_verdicts);
	return 0;
}

size_t growth_rows_count(const struct growth_rows *g, enum trend_verdict verdict)
{
	size_t count = 0;

	for (size_t i = 0; i < g->rows; i++)
		count += g->row[i].is_judged && g->row[i].trend.verdict == verdict;
	return count;
}
