/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/history/history-query.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/when.h"
#include "snapshot/owner.h"
#include "web/http/params.h"

/* A query while it is being read. */
struct history_reading {
	struct history_query *query;
	size_t text_len;   /* used bytes of .text */
	unsigned int seen; /* bits by number of the parameter */
	int64_t now_s;
	char *error; /* QUERY_ERROR_SIZE bytes */
};

static int set_scope(struct history_reading *h, const char *value)
{
	enum owner_kind kind = owner_find(value);
	int n;

	if (!strcmp(value, metric_scope_name(METRIC_HOST))) {
		h->query->scope = METRIC_HOST;
		return 0;
	}
	if (kind < OWNER_KINDS) {
		h->query->scope = metric_owner_scope(kind);
		return 0;
	}
	n = snprintf(h->error, QUERY_ERROR_SIZE, "'scope' must be host");
	for (unsigned int i = 0; i < OWNER_KINDS; i++)
		n += snprintf(h->error + n, QUERY_ERROR_SIZE - (size_t)n, "%s%s",
			i + 1 < OWNER_KINDS ? ", " : " or ", owner_of((enum owner_kind)i)->name);
	return -EINVAL;
}

static int history_set_name(struct history_reading *h, const char *value)
{
	struct history_query *q = h->query;
	size_t size = strlen(value) + 1;

	if (q->names == HISTORY_QUERY_NAMES_MAX || h->text_len + size > sizeof(q->text)) {
		snprintf(h->error, QUERY_ERROR_SIZE, "more than %d names, or they are too long",
			HISTORY_QUERY_NAMES_MAX);
		return -EINVAL;
	}
	memcpy(q->text + h->text_len, value, size);
	q->name[q->names++] = (uint32_t)h->text_len;
	h->text_len += size;
	return 0;
}

static int set_metric(struct history_reading *h, const char *value)
{
	int n;

	h->query->metric = history_metric_find(value);
	if (h->query->metric)
		return 0;
	n = snprintf(h->error, QUERY_ERROR_SIZE, "'metric' must be ");
	for (size_t i = 0; i < HISTORY_METRICS; i++)
		n += snprintf(h->error + n, QUERY_ERROR_SIZE - (size_t)n, "%s%s",
			!i                        ? ""
			: i + 1 < HISTORY_METRICS ? ", "
						  : " or ",
			history_metric_row(i)->name);
	return -EINVAL;
}

static int set_time(struct history_reading *h, const char *key, const char *value, int64_t *ret)
{
	uint64_t seconds;

	if (number_parse_u64(value, strlen(value), &seconds) == 0 &&
		seconds <= (uint64_t)USAGE_TIME_MAX) {
		*ret = (int64_t)seconds;
		return 0;
	}
	if (when_parse(value, h->now_s, ret) == 0 && *ret <= USAGE_TIME_MAX)
		return 0;
	snprintf(h->error, QUERY_ERROR_SIZE,
		"'%s' must be seconds since 1970, a date (2026-11-01), a date and a time "
		"(2026-11-01T08:00), now, today, yesterday or a duration ago (36h)",
		key);
	return -EINVAL;
}

static int set_from(struct history_reading *h, const char *value)
{
	return set_time(h, "from", value, &h->query->from_s);
}

static int set_to(struct history_reading *h, const char *value)
{
	return set_time(h, "to", value, &h->query->to_s);
}

static int set_step(struct history_reading *h, const char *value)
{
	uint64_t ns;

	if (number_parse_duration(value, strlen(value), &ns) == 0 && ns && ns % NS_PER_SEC == 0 &&
		ns / NS_PER_SEC <= HISTORY_QUERY_STEP_MAX_S) {
		h->query->step_s = (uint32_t)(ns / NS_PER_SEC);
		return 0;
	}
	snprintf(h->error, QUERY_ERROR_SIZE,
		"'step' must be whole seconds, such as 60 or 5m, up to 366d");
	return -EINVAL;
}

static int history_set_limit(struct history_reading *h, const char *value)
{
	uint64_t limit;

	if (number_parse_u64(value, strlen(value), &limit) == 0 && limit >= 1 &&
		limit <= HISTORY_QUERY_ROWS_MAX) {
		h->query->limit = (uint32_t)limit;
		return 0;
	}
	snprintf(h->error, QUERY_ERROR_SIZE, "'limit' must be a whole number from 1 to %d",
		HISTORY_QUERY_ROWS_MAX);
	return -EINVAL;
}

static const struct history_parameter {
	const char *name;
	int (*set)(struct history_reading *h, const char *value);
	bool may_repeat;
} parameters[HISTORY_QUERY_PARAMETERS] = {
	{"scope", set_scope, false},
	{"name", history_set_name, true},
	{"metric", set_metric, false},
	{"from", set_from, false},
	{"to", set_to, false},
	{"step", set_step, false},
	{"limit", history_set_limit, false},
};

const char *history_query_parameter(size_t i)
{
	return parameters[i].name;
}

static int history_query_set(struct history_reading *h, const char *key, const char *value)
{
	int n;

	for (size_t i = 0; i < HISTORY_QUERY_PARAMETERS; i++) {
		const struct history_parameter *p = &parameters[i];

		if (strcmp(p->name, key) != 0)
			continue;
		if (!p->may_repeat && (h->seen >> i) & 1) {
			snprintf(h->error, QUERY_ERROR_SIZE, "parameter '%s' is given twice", key);
			return -EINVAL;
		}
		h->seen |= 1U << i;
		return p->set(h, value);
	}
	n = snprintf(h->error, QUERY_ERROR_SIZE, "unknown parameter '%.64s'; known here: ", key);
	for (size_t i = 0; i < HISTORY_QUERY_PARAMETERS; i++)
		n += snprintf(h->error + n, QUERY_ERROR_SIZE - (size_t)n, "%s%s", i ? ", " : "",
			parameters[i].name);
	return -EINVAL;
}

/* Sets the times that were not given, and checks them. */
static int history_query_finish(struct history_reading *h)
{
	struct history_query *q = h->query;

	if (q->names && q->scope == METRIC_HOST) {
		snprintf(h->error, QUERY_ERROR_SIZE, "'name' does not go with scope=host");
		return -EINVAL;
	}
	if (q->to_s < 0 || q->to_s > h->now_s)
		q->to_s = h->now_s;
	if (q->from_s < 0)
		q->from_s = q->to_s > HISTORY_QUERY_SPAN_S ? q->to_s - HISTORY_QUERY_SPAN_S : 0;
	if (q->from_s < q->to_s)
		return 0;
	snprintf(h->error, QUERY_ERROR_SIZE, "'from' must be before 'to' and in the past");
	return -EINVAL;
}

int history_query_parse(const char *text, size_t len, int64_t now_s, struct history_query *ret,
	char error[static QUERY_ERROR_SIZE])
{
	char key[PARAMS_KEY_SIZE], value[QUERY_VALUE_MAX];
	struct history_reading h = {.query = ret, .now_s = now_s, .error = error};
	struct params params;
	int r;

	ret->scope = METRIC_USER;
	ret->metric = history_metric_row(0);
	ret->from_s = ret->to_s = -1;
	ret->step_s = 0;
	ret->limit = HISTORY_QUERY_ROWS;
	ret->names = 0;
	params_init(&params, text, len);
	while ((r = params_next(&params, key, value, error)) == 0) {
		r = history_query_set(&h, key, value);
		if (r < 0)
			return r;
	}
	return r < 0 ? r : history_query_finish(&h);
}
