/* SPDX-License-Identifier: Apache-2.0 */
/* How a query selects and orders the rows of a snapshot. */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "snapshot/owner.h"
#include "snapshot/query.h"

/*
 * A row's value of a field: a text, or a number if .text is NULL. Not .present: the row has no
 * value.
 */
struct key {
	const char *text;
	uint64_t number;
	double real;
	uint32_t row;
	bool present;
};

static void key_of_metric(const struct query *q, const struct metric *metric, uint64_t present,
	const uint64_t *values, struct key *key)
{
	const struct metric *end;
	size_t count;
	uint64_t v;

	assert(metric);
	if (!metric->label) {
		key->present = metric_get(metric, present, values, &v);
		key->number = key->present ? v : 0;
		if (metric_is_real(metric->kind))
			key->real = metric_real(key->number);
		return;
	}
	end = metric_table(q->scope, &count);
	end += count;
	for (const struct metric *m = metric; m < end && !strcmp(m->what, metric->what); m++)
		if (metric_get(m, present, values, &v)) {
			key->present = true;
			if (__builtin_add_overflow(key->number, v, &key->number))
				key->number = UINT64_MAX;
		}
}

static void key_set_text(struct key *key, const char *text)
{
	key->text = text;
	key->present = *text;
}

static void key_of_process(const struct query *q, const struct query_field *f,
	const struct view *view, uint32_t i, struct key *key)
{
	const struct snapshot_process *row = view_process(view, i);

	switch (f->kind) {
	case QUERY_METRIC: key_of_metric(q, f->metric, row->present, row->q, key); break;
	case QUERY_PID:
		key->number = row->pid;
		key->present = true;
		break;
	case QUERY_UID:
		key->number = row->uid;
		key->present = true;
		break;
	case QUERY_GID:
		key->number = row->gid;
		key->present = row->gid != OWNER_NO_ID;
		break;
	case QUERY_OWNER: key_set_text(key, view_owner(view, row, f->owner)); break;
	case QUERY_SOURCE:
		key->text = metric_source_name(row->source);
		key->present = row->source != SOURCE_NONE;
		break;
	case QUERY_REASON:
		key->text = metric_outcome_name(row->outcome);
		key->present = row->outcome != OUTCOME_MEASURED;
		break;
	default: break; /* of owners */
	}
}

static void key_of_owner(const struct query *q, const struct query_field *f,
	const struct view *view, uint32_t i, struct key *key)
{
	const struct owner *owner = owner_of(metric_owner_kind(q->scope));
	const struct snapshot_scope *row = view_scope(view, q->scope, i);

	switch (f->kind) {
	case QUERY_METRIC: key_of_metric(q, f->metric, row->present, row->q, key); break;
	case QUERY_ID:
		if (owner->words) {
			key_set_text(key, owner_word(owner, row->id));
		} else {
			key->number = row->id;
			key->present = row->id != OWNER_NO_ID;
		}
		break;
	case QUERY_ABOVE: key_set_text(key, view_text(view, row->above)); break;
	case QUERY_USER: key_set_text(key, view_text(view, row->user)); break;
	default: key_set_text(key, view_text(view, row->name)); break;
	}
}

static void key_of_file(const struct query *q, const struct query_field *f, const struct view *view,
	uint32_t i, struct key *key)
{
	const struct snapshot_file *row = view_file(view, i);

	key->present = true;
	switch (f->kind) {
	case QUERY_METRIC: key_of_metric(q, f->metric, row->present, row->q, key); break;
	case QUERY_DELETED: key->text = row->flags & FILE_DELETED ? "true" : "false"; break;
	case QUERY_EXECUTABLE: key->text = row->flags & FILE_EXECUTABLE ? "true" : "false"; break;
	case QUERY_DEVICE: key->number = (uint64_t)row->major << 32 | row->minor; break;
	case QUERY_INODE: key->number = row->inode; break;
	default: key_set_text(key, view_text(view, row->path)); break;
	}
}

static void query_key_of(const struct query *q, const struct query_field *f,
	const struct view *view, uint32_t i, struct key *key)
{
	*key = (struct key){.row = i};
	switch (q->scope) {
	case METRIC_PROCESS: key_of_process(q, f, view, i, key); break;
	case METRIC_FILE: key_of_file(q, f, view, i, key); break;
	default: key_of_owner(q, f, view, i, key); break;
	}
}

static int key_compare(const void *a_, const void *b_, void *query)
{
	const struct key *a = a_, *b = b_;
	const struct query *q = query;
	int order = 0;

	if (a->present != b->present)
		return a->present ? -1 : 1;
	if (a->text && b->text)
		order = strcmp(a->text, b->text);
	else if (q->sort.kind == QUERY_METRIC && metric_is_real(q->sort.metric->kind))
		order = (a->real > b->real) - (a->real < b->real);
	else
		order = (a->number > b->number) - (a->number < b->number);
	if (order)
		return q->ascending ? order : -order;
	return (a->row > b->row) - (a->row < b->row);
}

static bool filter_matches(const struct query *q, const struct query_filter *filter,
	const struct view *view, uint32_t i)
{
	const char *value = q->text + filter->value;
	struct key key;
	uint64_t number;

	query_key_of(q, &filter->field, view, i, &key);
	if (!key.text)
		return number_parse_u64(value, strlen(value), &number) == 0 && number == key.number;
	return !strcmp(key.text, value);
}

static bool is_same_key(const struct query_field *a, const struct query_field *b)
{
	return a->kind == b->kind && a->owner == b->owner;
}

/*
 * Whether an earlier filter has the same key as filter F: then is_selected() has tried F already.
 */
static bool is_tried(const struct query *q, size_t f)
{
	for (size_t g = 0; g < f; g++)
		if (is_same_key(&q->filter[g].field, &q->filter[f].field))
			return true;
	return false;
}

/* Whether row I may be seen. Files have no known owner: only SIGHT_ALL shows them. */
static bool is_in_sight(const struct query *q, const struct view *view, uint32_t i)
{
	switch (q->scope) {
	case METRIC_PROCESS: return sight_has(&q->sight, view_process(view, i));
	case METRIC_FILE: return q->sight.kind == SIGHT_ALL;
	default: return !(view_scope(view, q->scope, i)->flags & SCOPE_OTHER);
	}
}

/* Filters with the same key may stand anywhere in the list: a key passes if one of them matches. */
static bool is_selected(const struct query *q, const struct view *view, uint32_t i)
{
	if (!is_in_sight(q, view, i))
		return false;
	for (size_t f = 0; f < q->filters; f++) {
		bool matches = false;

		if (is_tried(q, f))
			continue;
		for (size_t g = f; g < q->filters && !matches; g++)
			matches = is_same_key(&q->filter[g].field, &q->filter[f].field) &&
			          filter_matches(q, &q->filter[g], view, i);
		if (!matches)
			return false;
	}
	return true;
}

int query_run(
	const struct query *q, const struct view *view, uint32_t **ret_rows, size_t *ret_count)
{
	uint32_t total = view_count(view, q->scope);
	AUTO_FREE struct key *keys = NULL;
	AUTO_FREE uint32_t *rows = NULL;
	size_t n = 0;

	keys = calloc((size_t)total + 1, sizeof(*keys));
	if (!keys)
		return -ENOMEM;
	for (uint32_t i = 0; i < total; i++)
		if (is_selected(q, view, i))
			query_key_of(q, &q->sort, view, i, &keys[n++]);
	qsort_r(keys, n, sizeof(*keys), key_compare, (void *)(uintptr_t)q);
	if (q->limit && n > q->limit)
		n = q->limit;
	rows = calloc(n + 1, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		rows[i] = keys[i].row;
	*ret_rows = TAKE_PTR(rows);
	*ret_count = n;
	return 0;
}
