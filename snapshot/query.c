/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "snapshot/query.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "snapshot/owner.h"

/* Fields of rows other than quantities and the names of owners. */
struct known_field {
	const char *key;
	enum query_field_kind kind;
	bool filter; /* it may also be a filter */
};

static const struct known_field process_fields[] = {
	{"pid", QUERY_PID, true},
	{"uid", QUERY_UID, false},
	{"gid", QUERY_GID, false},
	{"source", QUERY_SOURCE, false},
	{"reason", QUERY_REASON, false},
};

static const struct known_field file_fields[] = {
	{"path", QUERY_NAME, true},
	{"deleted", QUERY_DELETED, true},
	{"executable", QUERY_EXECUTABLE, true},
	{"device", QUERY_DEVICE, false},
	{"inode", QUERY_INODE, false},
};

void query_init(struct query *q, enum metric_scope scope)
{
	*q = (struct query){.scope = scope};
	q->sort.metric = metric_find_field(scope, "pss_bytes");
}

static int find_known(const struct known_field *fields, size_t count, const char *key, bool filter,
	struct query_field *ret)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(fields[i].key, key) && (!filter || fields[i].filter)) {
			*ret = (struct query_field){.kind = fields[i].kind};
			return 0;
		}
	return -EINVAL;
}

static int find_process_field(const char *key, bool filter, struct query_field *ret)
{
	enum owner_kind owner = owner_find(key);

	if (owner != OWNER_KINDS) {
		*ret = (struct query_field){.kind = QUERY_OWNER, .owner = owner};
		return 0;
	}
	return find_known(process_fields, ARRAY_SIZE(process_fields), key, filter, ret);
}

/* Finds a field of OWNER other than its quantities: name, user, above or id. */
static int find_owner_field(
	const struct owner *owner, const char *key, bool filter, struct query_field *ret)
{
	if (!strcmp(key, owner->name))
		*ret = (struct query_field){.kind = QUERY_NAME};
	else if (owner->has_user && !strcmp(key, "user"))
		*ret = (struct query_field){.kind = QUERY_USER};
	else if (owner->above && !strcmp(key, owner->above))
		*ret = (struct query_field){.kind = QUERY_ABOVE};
	else if (owner->id && (owner->words || !filter) && !strcmp(key, owner->id))
		*ret = (struct query_field){.kind = QUERY_ID};
	else
		return -EINVAL;
	return 0;
}

/* Finds a field of rows of SCOPE that is no quantity. */
static int find_own_field(
	enum metric_scope scope, const char *key, bool filter, struct query_field *ret)
{
	switch (scope) {
	case METRIC_PROCESS: return find_process_field(key, filter, ret);
	case METRIC_FILE: return find_known(file_fields, ARRAY_SIZE(file_fields), key, filter, ret);
	default: return find_owner_field(owner_of(metric_owner_kind(scope)), key, filter, ret);
	}
}

/* The field that identifies rows of SCOPE. */
static const char *name_field(enum metric_scope scope)
{
	switch (scope) {
	case METRIC_PROCESS: return "pid";
	case METRIC_FILE: return "path";
	default: return metric_scope_name(scope);
	}
}

static int query_find_field(
	enum metric_scope scope, const char *key, bool filter, struct query_field *ret)
{
	const struct metric *table;
	size_t count;
	int r = find_own_field(scope, key, filter, ret);

	if (r == 0 || filter)
		return r;
	table = metric_table(scope, &count);
	for (size_t i = 0; i < count; i++) {
		char name[METRIC_NAME_SIZE];

		metric_field(&table[i], name);
		if ((table[i].flags & METRIC_IN_JSON) && metric_applies(&table[i], scope) &&
			!strcmp(name, key)) {
			*ret = (struct query_field){.kind = QUERY_METRIC, .metric = &table[i]};
			return 0;
		}
	}
	return -EINVAL;
}

static int set_once(bool *has, const char *key, char error[static QUERY_ERROR_SIZE])
{
	if (*has) {
		snprintf(error, QUERY_ERROR_SIZE, "parameter '%s' is given twice", key);
		return -EINVAL;
	}
	*has = true;
	return 0;
}

static int set_sort(struct query *q, const char *value, char error[static QUERY_ERROR_SIZE])
{
	int r = set_once(&q->has_sort, "sort", error);

	if (r < 0)
		return r;
	r = query_find_field(q->scope, value, false, &q->sort);
	if (r < 0) {
		snprintf(error, QUERY_ERROR_SIZE,
			"'sort' must be a field of the rows, such as pss_bytes, rss_bytes or %s",
			name_field(q->scope));
		return r;
	}
	if (!q->has_order) /* names ascending, quantities descending */
		q->ascending = q->sort.kind != QUERY_METRIC;
	return 0;
}

static int query_set_order(struct query *q, const char *value, char error[static QUERY_ERROR_SIZE])
{
	int r = set_once(&q->has_order, "order", error);

	if (r < 0)
		return r;
	if (strcmp(value, "asc") != 0 && strcmp(value, "desc") != 0) {
		snprintf(error, QUERY_ERROR_SIZE, "'order' must be asc or desc");
		return -EINVAL;
	}
	q->ascending = !strcmp(value, "asc");
	return 0;
}

static int set_limit(struct query *q, const char *value, char error[static QUERY_ERROR_SIZE])
{
	uint64_t limit;
	int r = set_once(&q->has_limit, "limit", error);

	if (r < 0)
		return r;
	r = number_parse_u64(value, strlen(value), &limit);
	if (r < 0 || !limit || limit > QUERY_LIMIT_MAX) {
		snprintf(error, QUERY_ERROR_SIZE, "'limit' must be a whole number from 1 to %d",
			QUERY_LIMIT_MAX);
		return -EINVAL;
	}
	q->limit = (uint32_t)limit;
	return 0;
}

static size_t add_known_filters(
	const struct known_field *fields, size_t count, const char **to, size_t n)
{
	for (size_t i = 0; i < count; i++)
		if (fields[i].filter)
			to[n++] = fields[i].key;
	return n;
}

static size_t add_owner_filters(const struct owner *owner, const char **to, size_t n)
{
	to[n++] = owner->name;
	if (owner->has_user)
		to[n++] = "user";
	if (owner->above)
		to[n++] = owner->above;
	if (owner->words)
		to[n++] = owner->id;
	return n;
}

size_t query_parameters(enum metric_scope scope, const char *ret[static QUERY_PARAMETERS_MAX])
{
	static const char *const common[] = {"sort", "order", "limit"};
	size_t n = 0;

	for (; n < ARRAY_SIZE(common); n++)
		ret[n] = common[n];
	switch (scope) {
	case METRIC_PROCESS:
		for (unsigned int kind = 0; kind < OWNER_KINDS; kind++)
			ret[n++] = owner_of((enum owner_kind)kind)->name;
		return add_known_filters(process_fields, ARRAY_SIZE(process_fields), ret, n);
	case METRIC_FILE: return add_known_filters(file_fields, ARRAY_SIZE(file_fields), ret, n);
	default: return add_owner_filters(owner_of(metric_owner_kind(scope)), ret, n);
	}
}

static void refuse_parameter(
	enum metric_scope scope, const char *key, char error[static QUERY_ERROR_SIZE])
{
	const char *known[QUERY_PARAMETERS_MAX];
	size_t count = query_parameters(scope, known);
	int n = snprintf(error, QUERY_ERROR_SIZE, "unknown parameter '%.64s'; known here: ", key);

	for (size_t i = 0; i < count && n > 0 && n < QUERY_ERROR_SIZE; i++)
		n += snprintf(
			error + n, QUERY_ERROR_SIZE - (size_t)n, "%s%s", i ? ", " : "", known[i]);
}

static int add_filter(
	struct query *q, const char *key, const char *value, char error[static QUERY_ERROR_SIZE])
{
	struct query_field field;
	uint64_t pid;
	size_t len = strlen(value);

	if (query_find_field(q->scope, key, true, &field) < 0) {
		refuse_parameter(q->scope, key, error);
		return -EINVAL;
	}
	if (q->filters == QUERY_FILTERS_MAX) {
		snprintf(error, QUERY_ERROR_SIZE, "more than %d filters", QUERY_FILTERS_MAX);
		return -EINVAL;
	}
	if (len >= QUERY_VALUE_MAX) {
		snprintf(error, QUERY_ERROR_SIZE, "'%s' is longer than %d bytes", key,
			QUERY_VALUE_MAX - 1);
		return -EINVAL;
	}
	if (len >= QUERY_TEXT_SIZE - q->text_len) {
		snprintf(error, QUERY_ERROR_SIZE, "the filters have more than %d bytes",
			QUERY_TEXT_SIZE - 1);
		return -EINVAL;
	}
	if (field.kind == QUERY_PID && number_parse_u64(value, len, &pid) < 0) {
		snprintf(error, QUERY_ERROR_SIZE, "'pid' must be a whole number");
		return -EINVAL;
	}
	if ((field.kind == QUERY_DELETED || field.kind == QUERY_EXECUTABLE) &&
		strcmp(value, "true") != 0 && strcmp(value, "false") != 0) {
		snprintf(error, QUERY_ERROR_SIZE, "'%s' must be true or false", key);
		return -EINVAL;
	}
	q->filter[q->filters].field = field;
	q->filter[q->filters].value = (uint32_t)q->text_len;
	memcpy(q->text + q->text_len, value, len + 1);
	q->text_len += len + 1;
	q->filters++;
	return 0;
}

int query_set(
	struct query *q, const char *key, const char *value, char error[static QUERY_ERROR_SIZE])
{
	if (!strcmp(key, "sort"))
		return set_sort(q, value, error);
	if (!strcmp(key, "order"))
		return query_set_order(q, value, error);
	if (!strcmp(key, "limit"))
		return set_limit(q, value, error);
	return add_filter(q, key, value, error);
}

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
