/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "snapshot/query.h"

#include <errno.h>
#include <stdio.h>
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
