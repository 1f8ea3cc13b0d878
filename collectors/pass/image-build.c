/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/pass/image-build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "collectors/owners/owner-names.h"
#include "snapshot/owner.h"

static const char other_name[] = "(other)";

static int image_build_compare_names(const void *a_, const void *b_)
{
	const struct scope *a = *(struct scope *const *)a_, *b = *(struct scope *const *)b_;

	return strcmp(a->name, b->name);
}

static bool is_ambiguous(const char *name)
{
	return !name[strspn(name, "0123456789")] || strchr(name, ':') ||
	       !strcmp(name, other_name) || !strcmp(name, OWNER_NONE);
}

static uint32_t add_principal_name(
	struct builder *b, const struct scope *s, bool is_twice, struct buffer *text)
{
	char number[NUMBER_U64_DIGITS];

	if (s->id == OWNER_NO_ID)
		return builder_add_text(b, OWNER_NONE, strlen(OWNER_NONE));
	if (!s->name)
		return builder_add_text(b, number, number_format_u64(s->id, number));
	if (!is_twice && !is_ambiguous(s->name))
		return builder_add_text(b, s->name, strlen(s->name));
	buffer_clear(text);
	buffer_printf(text, "%s:%u", s->name, s->id);
	return text->error ? 0 : builder_add_text(b, text->data, text->len);
}

/*
 * Sets the names of users or groups. Sorts those that have a name, so that equal names are
 * neighbours.
 */
static int add_principal_names(struct owner_table *table, struct builder *b, struct buffer *scratch)
{
	AUTO_BUFFER struct buffer text = {0};
	struct scope **named;
	size_t n = 0;

	buffer_clear(scratch);
	named = (struct scope **)(void *)buffer_reserve(
		scratch, (table->count + 1) * sizeof(struct scope *));
	if (!named)
		return -ENOMEM;
	for (struct scope *s = NULL; (s = owner_table_next(table, s));) {
		if (s->name)
			named[n++] = s;
		else
			s->name_ref = add_principal_name(b, s, false, &text);
	}
	qsort((void *)named, n, sizeof(struct scope *), image_build_compare_names);
	for (size_t i = 0; i < n; i++) {
		bool is_twice = (i > 0 && !strcmp(named[i]->name, named[i - 1]->name)) ||
		                (i + 1 < n && !strcmp(named[i]->name, named[i + 1]->name));

		named[i]->name_ref = add_principal_name(b, named[i], is_twice, &text);
	}
	return text.error;
}

static void add_key_names(struct owner_table *table, struct builder *b)
{
	for (struct scope *s = NULL; (s = owner_table_next(table, s));)
		s->name_ref = builder_add_text(b, s->key, strlen(s->key));
}

uint32_t image_build_user_name(const struct owner_table *users, uint32_t uid, struct builder *b)
{
	const struct scope *user = owner_table_find(users, &uid, sizeof(uid));
	char number[NUMBER_U64_DIGITS];

	if (user)
		return user->name_ref;
	return builder_add_text(b, number, number_format_u64(uid, number));
}

static struct snapshot_scope *image_build_add_row(
	struct builder *b, enum metric_scope scope, const struct scope *s, uint32_t flags)
{
	struct snapshot_scope *row = builder_add_scope(b, scope);

	if (!row)
		return NULL;
	row->name = s->name_ref;
	row->id = s->id;
	row->flags = flags;
	row->created_ns = s->created_ns;
	row->present = s->sums.present;
	memcpy(row->q, s->sums.q, sizeof(row->q));
	return row;
}

static int image_build_add_owner(const struct owner_sums *t, enum metric_scope scope,
	const struct scope *s, struct builder *b)
{
	uint32_t user = s->has_user ? image_build_user_name(&t->table[OWNER_USER], s->user, b) : 0;
	uint32_t above = s->above ? builder_add_text(b, s->above, strlen(s->above)) : 0;
	struct snapshot_scope *row = image_build_add_row(
		b, scope, s, s->exported ? SCOPE_EXPORTED : 0);

	if (!row)
		return -ENOMEM;
	row->user = user;
	row->above = above;
	return 0;
}

/* Adds the rows of owners. A row without members is shown only as long as it has series. */
static int image_build_add_rows(struct owner_sums *t, enum owner_kind kind, struct builder *b)
{
	enum metric_scope scope = metric_owner_scope(kind);
	struct scope *other = &t->other[kind];

	for (struct scope *s = NULL; (s = owner_table_next(&t->table[kind], s));)
		if ((!s->empty_ns || s->exported) && image_build_add_owner(t, scope, s, b) < 0)
			return -ENOMEM;
	other->name_ref = builder_add_text(b, other_name, sizeof(other_name) - 1);
	return image_build_add_row(b, scope, other, SCOPE_OTHER) ? 0 : -ENOMEM;
}

int image_build_scopes(struct owner_sums *t, const struct meminfo *meminfo, struct builder *b,
	struct buffer *scratch)
{
	struct snapshot_scope *host = image_build_add_row(b, METRIC_HOST, &t->host, SCOPE_EXPORTED);
	int r = 0;

	if (!host)
		return -ENOMEM;
	if (ROW_HAS(meminfo, MEMINFO_TOTAL))
		ROW_SET(host, SCOPE_MEM_TOTAL, meminfo->q[MEMINFO_TOTAL]);
	if (ROW_HAS(meminfo, MEMINFO_AVAILABLE))
		ROW_SET(host, SCOPE_MEM_AVAILABLE, meminfo->q[MEMINFO_AVAILABLE]);
	for (unsigned int kind = 0; r == 0 && kind < OWNER_KINDS; kind++) {
		if (owner_names_are_of((enum owner_kind)kind))
			r = add_principal_names(&t->table[kind], b, scratch);
		else
			add_key_names(&t->table[kind], b);
		if (r == 0)
			r = image_build_add_rows(t, (enum owner_kind)kind, b);
	}
	return r;
}

int image_build_balance(const struct snapshot_balance *balance, struct builder *b)
{
	struct snapshot_balance *row = builder_add_balance(b);

	if (!row)
		return -ENOMEM;
	*row = *balance;
	return 0;
}

static void add_adaptive(const struct image_build_counts *counts,
	const struct image_build_adaptive *a, struct snapshot_self *row)
{
	const struct page_walks_counts *c = a->walks;

	ROW_SET(row, SELF_MEASUREMENTS_WHOLE, c->reads[WALK_COST_ROLLUP]);
	ROW_SET(row, SELF_MEASUREMENTS_SLICED, c->reads[WALK_COST_SLICES]);
	ROW_SET(row, SELF_MEASUREMENTS_DISCARDED, c->discarded);
	ROW_SET(row, SELF_SLICES, c->slices);
	ROW_SET(row, SELF_MEASUREMENT_CPU, c->used_ns);
	ROW_SET(row, SELF_MEASUREMENT_CPU_EXPECTED, c->predicted_ns);
	ROW_SET(row, SELF_DEFERRED_BUDGET, a->deferred[MEASURE_PLAN_BUDGET]);
	ROW_SET(row, SELF_DEFERRED_STALL, a->deferred[MEASURE_PLAN_STALL]);
	ROW_SET(row, SELF_DEFERRED_GIANT, a->deferred[MEASURE_PLAN_GIANT]);
	ROW_SET(row, SELF_WAITING_BUDGET, a->is_pressed ? 0 : counts->waiting);
	ROW_SET(row, SELF_WAITING_PRESSURE, a->is_pressed ? counts->waiting : 0);
	if (a->backlog_ns != UINT64_MAX)
		ROW_SET(row, SELF_BACKLOG, a->backlog_ns);
	ROW_SET(row, SELF_BUDGET_CPU, metric_real_bits(a->budget));
	if (a->needed > 0)
		ROW_SET(row, SELF_BUDGET_NEEDED, metric_real_bits(a->needed));
	ROW_SET(row, SELF_BUDGET_AVAILABLE, a->available_ns);
	ROW_SET(row, SELF_OLDEST_AGE, a->oldest_ns);
	ROW_SET(row, SELF_MAX_AGE, a->max_age_ns);
	if (a->longest_ns != UINT64_MAX)
		ROW_SET(row, SELF_LONGEST_UNMEASURED, a->longest_ns);
	ROW_SET(row, SELF_DEFERRED_PRESSURE, a->deferred[MEASURE_PLAN_PRESSURE]);
	ROW_SET(row, SELF_ESTIMATE_OFF, a->estimates->off_bytes);
	ROW_SET(row, SELF_ESTIMATE_FOUND, a->estimates->found_bytes);
	ROW_SET(row, SELF_ESTIMATE_OFF_RECENT, a->estimates->recent_off);
	ROW_SET(row, SELF_ESTIMATE_FOUND_RECENT, a->estimates->recent_found);
	ROW_SET(row, SELF_BUDGET_STALL, counts->holds->limit_ns);
	ROW_SET(row, SELF_HOLDS_ABOVE, counts->holds->above);
	ROW_SET(row, SELF_OUTCOME_ESTIMATED, counts->estimated);
	ROW_SET(row, SELF_OUTCOME_GUESSED, counts->guessed);
	if (a->lock_trial != LOCK_TRIAL_UNKNOWN)
		ROW_SET(row, SELF_WALKS_DISTURB, a->lock_trial == LOCK_TRIAL_YES);
	if (a->psi->is_known)
		ROW_SET(row, SELF_MEMORY_PRESSURE,
			metric_real_bits((double)a->psi->some_avg10 / PSI_WHOLE));
}

static int image_build_add_histogram(struct builder *b, const struct snapshot_histogram *h)
{
	struct snapshot_histogram *row = builder_add_histogram(b);

	if (!row)
		return -ENOMEM;
	*row = *h;
	return 0;
}

/* The processes of the pass by outcome and source, and the reads that the kernel blocks. */
static void image_build_add_processes(
	const struct image_build_counts *counts, struct snapshot_self *row)
{
	for (unsigned int i = 0; i < OUTCOME_COUNT_; i++)
		ROW_SET(row, snapshot_outcome_count((enum process_outcome)i), counts->outcome[i]);
	ROW_SET(row, SELF_READ_ROLLUP, counts->source[SOURCE_ROLLUP]);
	ROW_SET(row, SELF_READ_SMAPS, counts->source[SOURCE_SMAPS]);
	ROW_SET(row, SELF_READ_RSS, counts->source[SOURCE_RSS]);
	ROW_SET(row, SELF_READ_ESTIMATE, counts->source[SOURCE_ESTIMATE]);
	ROW_SET(row, SELF_BLOCKED_READS, counts->blocked_now);
	ROW_SET(row, SELF_BLOCKED_OLDEST, counts->blocked_oldest_ns);
	ROW_SET(row, SELF_BLOCKED_READS_TOTAL, counts->blocked_total);
	ROW_SET(row, SELF_WORKERS_REPLACED, counts->workers_replaced);
}

int image_build_self(const struct image_build_counts *counts,
	const struct image_build_adaptive *adaptive, const struct self_usage *self, uint32_t flags,
	const char *version, struct builder *b)
{
	struct snapshot_histogram holds = counts->holds->times;
	int r = image_build_add_histogram(b, &counts->durations);
	struct snapshot_self *row;
	uint64_t span_ns;
	double recent;

	holds.id = HISTOGRAM_HOLD;
	if (r == 0 && adaptive)
		r = image_build_add_histogram(b, &adaptive->estimates->errors);
	if (r == 0)
		r = image_build_add_histogram(b, &holds);
	row = r == 0 ? builder_add_self(b) : NULL;
	if (!row)
		return -ENOMEM;
	row->version = builder_add_text(b, version, strlen(version));
	row->flags = flags;
	ROW_SET(row, SELF_LAST_PASS_DURATION, counts->duration_ns);
	ROW_SET(row, SELF_INTERVAL, counts->interval_ns);
	ROW_SET(row, SELF_PERIOD, counts->period_ns);
	ROW_SET(row, SELF_PASSES, counts->passes);
	ROW_SET(row, SELF_PASS_OVERRUNS, counts->overruns);
	image_build_add_processes(counts, row);
	for (unsigned int i = 0; counts->charges && i < CHARGE_OUTCOMES; i++)
		ROW_SET(row, SELF_CHARGE_FIRST + i, counts->charges[i]);
	ROW_SET(row, SELF_CPU, self->cpu_ns);
	if (cpu_recent_ratio(&self->recent, &recent, &span_ns)) {
		ROW_SET(row, SELF_CPU_RECENT, metric_real_bits(recent));
		ROW_SET(row, SELF_CPU_RECENT_SPAN, span_ns);
	}
	ROW_SET(row, SELF_RESIDENT, self->resident_bytes);
	ROW_SET(row, SELF_OPEN_FDS, self->open_fds);
	ROW_SET(row, SELF_MAX_FDS, self->max_fds);
	if (self->start_realtime_ns)
		ROW_SET(row, SELF_START_TIME, self->start_realtime_ns);
	if (adaptive)
		add_adaptive(counts, adaptive, row);
	return 0;
}
