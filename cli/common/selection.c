/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/selection.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "cli/common/aggregate.h"
#include "cli/common/cli-option.h"
#include "snapshot/owner.h"

/* The views that are not a kind of owner. */
static const struct {
	const char *name;
	enum metric_scope scope;
} views[] = {
	{"processes", METRIC_PROCESS},
	{"host", METRIC_HOST},
	{"status", METRIC_SELF},
};

int selection_find_view(const char *name, enum metric_scope *ret)
{
	enum owner_kind kind = owner_find_list(name);

	if (kind != OWNER_KINDS) {
		*ret = metric_owner_scope(kind);
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(views); i++)
		if (!strcmp(views[i].name, name)) {
			*ret = views[i].scope;
			return 0;
		}
	return -EINVAL;
}

static bool is_number(const char *word)
{
	uint64_t value;

	return number_parse_u64(word, strlen(word), &value) == 0;
}

/* Refuses WORD after the command of VIEW: a filter may choose rows of VIEW. */
static void refuse_second(enum metric_scope view, const char *command, const char *word,
	char error[static QUERY_ERROR_SIZE])
{
	const char *filter = metric_is_owner(view)    ? owner_of(metric_owner_kind(view))->name
	                     : view == METRIC_PROCESS ? is_number(word) ? "pid" : "program"
	                                              : NULL;
	int n = snprintf(
		error, QUERY_ERROR_SIZE, "unexpected argument '%.100s' after %.20s", word, command);

	if (filter)
		snprintf(error + n, QUERY_ERROR_SIZE - (size_t)n, "; did you mean --%s=%.100s?",
			filter, word);
}

static int parse_view(const struct text_list *operands, enum metric_scope *ret,
	char error[static QUERY_ERROR_SIZE])
{
	if (!operands->count) {
		*ret = METRIC_PROGRAM;
		return 0;
	}
	if (selection_find_view(operands->item[0], ret) < 0)
		snprintf(
			error, QUERY_ERROR_SIZE, "unexpected argument '%.100s'", operands->item[0]);
	else if (operands->count > 1)
		refuse_second(*ret, operands->item[0], operands->item[1], error);
	else
		return 0;
	return -EINVAL;
}

/*
 * Calls query_set() for the option of the same name. Its messages say parameter 'KEY'; this one
 * says --KEY.
 */
static int set_from_option(
	struct query *q, const char *key, const char *value, char error[static QUERY_ERROR_SIZE])
{
	char said[QUERY_ERROR_SIZE] = "";
	size_t len = strlen(key);
	int r = query_set(q, key, value, said);

	if (r < 0 && said[0] == '\'' && !strncmp(said + 1, key, len) && said[len + 1] == '\'')
		snprintf(error, QUERY_ERROR_SIZE, "--%s%.*s", key, QUERY_ERROR_SIZE / 2,
			said + len + 2);
	else if (r < 0)
		memcpy(error, said, sizeof(said));
	return r;
}

/*
 * The offset of each filter's values in struct settings: by kind of owner, and OWNER_KINDS for
 * --pid.
 */
static const size_t filter_values[OWNER_KINDS + 1] = {
	[OWNER_USER] = offsetof(struct settings, user),
	[OWNER_PROGRAM] = offsetof(struct settings, program),
	[OWNER_UNIT] = offsetof(struct settings, unit),
	[OWNER_USER_UNIT] = offsetof(struct settings, user_unit),
	[OWNER_SESSION] = offsetof(struct settings, session),
	[OWNER_SLICE] = offsetof(struct settings, slice),
	[OWNER_MACHINE] = offsetof(struct settings, machine),
	[OWNER_POD] = offsetof(struct settings, pod),
	[OWNER_CONTAINER] = offsetof(struct settings, container),
	[OWNER_GROUP] = offsetof(struct settings, group),
	[OWNER_NAMEGROUP] = offsetof(struct settings, namegroup),
	[OWNER_KINDS] = offsetof(struct settings, pid),
};

const struct text_list *selection_filter(const struct settings *settings, enum owner_kind kind)
{
	return (const struct text_list *)((const char *)settings + filter_values[kind]);
}

static const char *selection_key_of(enum owner_kind filter)
{
	return filter == OWNER_KINDS ? "pid" : owner_of(filter)->name;
}

void selection_add_filters(const struct settings *settings, struct buffer *to)
{
	for (unsigned int i = 0; i <= OWNER_KINDS; i++) {
		const struct text_list *values = selection_filter(settings, (enum owner_kind)i);

		for (size_t k = 0; k < values->count; k++)
			buffer_printf(to, " --%s=%s", selection_key_of((enum owner_kind)i),
				values->item[k]);
	}
	if (to->error)
		buffer_clear(to);
}

/* Returns the scope with rows that FILTER names directly. */
static enum metric_scope scope_of(enum owner_kind filter)
{
	return filter == OWNER_KINDS ? METRIC_PROCESS : metric_owner_scope(filter);
}

/* Adds the values of FILTER to Q. */
static int selection_parse_filter(struct query *q, const struct settings *settings,
	enum owner_kind filter, char error[static QUERY_ERROR_SIZE])
{
	const struct text_list *values = selection_filter(settings, filter);
	int r = 0;

	for (size_t i = 0; r == 0 && i < values->count; i++)
		r = set_from_option(q, selection_key_of(filter), values->item[i], error);
	return r;
}

/*
 * A filter by the rows' own name selects rows. Any other filter selects processes, and the result
 * is their sums; then all filters select processes.
 */
static int selection_parse_filters(
	const struct settings *settings, struct selection *s, char error[static QUERY_ERROR_SIZE])
{
	int r = 0;

	for (unsigned int i = 0; i <= OWNER_KINDS; i++)
		if (selection_filter(settings, (enum owner_kind)i)->count &&
			s->scope != METRIC_PROCESS && s->scope != scope_of((enum owner_kind)i))
			s->has_members = true;
	for (unsigned int i = 0; r == 0 && i <= OWNER_KINDS; i++)
		r = selection_parse_filter(s->has_members ? &s->members : &s->query, settings,
			(enum owner_kind)i, error);
	return r;
}

int selection_parse_processes(const struct settings *settings, struct selection *ret,
	bool *ret_has_filters, char error[static QUERY_ERROR_SIZE])
{
	struct selection s = {.scope = METRIC_PROCESS};
	int r = 0;

	*ret_has_filters = false;
	query_init(&s.query, s.scope);
	for (unsigned int i = 0; r == 0 && i < OWNER_KINDS; i++) {
		*ret_has_filters |= selection_filter(settings, (enum owner_kind)i)->count > 0;
		r = selection_parse_filter(&s.query, settings, (enum owner_kind)i, error);
	}
	if (r == 0)
		*ret = s;
	return r;
}

static int selection_parse_order(
	const struct settings *settings, struct selection *s, char error[static QUERY_ERROR_SIZE])
{
	int r = 0;

	if (settings->sort)
		r = query_set(&s->query, "sort", settings->sort, error) < 0 ? SELECTION_BAD_SORT
		                                                            : 0;
	if (r == 0 && settings->order)
		r = set_from_option(&s->query, "order", settings->order, error);
	return r;
}

static enum cli_view view_of(enum metric_scope scope)
{
	switch (scope) {
	case METRIC_HOST: return CLI_VIEW_HOST;
	case METRIC_SELF: return CLI_VIEW_STATUS;
	default: return CLI_VIEW_LIST;
	}
}

int selection_parse(
	const struct settings *settings, struct selection *ret, char error[static QUERY_ERROR_SIZE])
{
	struct selection s = {.limit = (uint32_t)settings->limit};
	int r = parse_view(&settings->operands, &s.scope, error);

	if (r == 0)
		r = cli_option_check(settings, view_of(s.scope), error);
	if (r == 0 && s.scope == METRIC_SELF)
		*ret = s;
	if (r < 0 || s.scope == METRIC_SELF)
		return r;
	query_init(&s.query, s.scope);
	query_init(&s.members, METRIC_PROCESS);
	r = selection_parse_order(settings, &s, error);
	if (r == SELECTION_BAD_SORT)
		ret->scope = s.scope;
	if (r == 0)
		r = selection_parse_filters(settings, &s, error);
	if (r == 0)
		*ret = s;
	return r;
}

void selection_set_sight(struct selection *s, const struct sight *sight)
{
	s->query.sight = s->members.sight = *sight;
	s->has_members |= sight->kind != SIGHT_ALL && metric_is_owner(s->scope);
}

enum source_rows selection_needs(const struct selection *s)
{
	if (s->has_members || s->scope == METRIC_PROCESS)
		return SOURCE_PROCESSES;
	return s->scope == METRIC_HOST ? SOURCE_HOST : SOURCE_OWNERS;
}

bool selection_has_filters(const struct selection *s)
{
	return s->query.filters || s->members.filters;
}

static int selection_narrow(const struct selection *s, struct view *view, struct view **ret)
{
	AUTO_FREE uint32_t *rows = NULL;
	size_t count;
	int r;

	if (!s->has_members) {
		*ret = view_ref(view);
		return 0;
	}
	r = query_run(&s->members, view, &rows, &count);
	return r == 0 ? aggregate_processes(view, rows, count, ret) : r;
}

int selection_run(const struct selection *s, struct view *view, struct view **ret_view,
	uint32_t **ret_rows, size_t *ret_count)
{
	AUTO_VIEW struct view *narrowed = NULL;
	AUTO_FREE uint32_t *rows = NULL;
	size_t count = 0;
	int r = selection_narrow(s, view, &narrowed);

	if (r == 0 && s->scope != METRIC_HOST)
		r = query_run(&s->query, narrowed, &rows, &count);
	if (r < 0)
		return r;
	*ret_view = TAKE_PTR(narrowed);
	*ret_rows = TAKE_PTR(rows);
	*ret_count = count;
	return 0;
}

void selection_sum(const struct selection *s, const struct view *view, const uint32_t *rows,
	size_t count, struct sums *ret)
{
	*ret = (struct sums){0};
	if (s->scope == METRIC_HOST)
		sums_merge_row(ret, view_host(view));
	for (size_t i = 0; i < count; i++)
		if (s->scope == METRIC_PROCESS)
			sums_add(ret, view_process(view, rows[i]));
		else
			sums_merge_row(ret, view_scope(view, s->scope, rows[i]));
	sums_end(ret);
	/* A part of the host cannot have more than the host. */
	if (ROW_HAS(view_host(view), SCOPE_PSS_HIGH))
		sums_cap(ret, view_host(view)->q[SCOPE_PSS_HIGH]);
	/* If all processes of the host are selected, the host's lower bound holds. */
	if (ROW_HAS(view_host(view), SCOPE_PSS_LOW) &&
		ret->q[SCOPE_PROCESSES] == view_host(view)->q[SCOPE_PROCESSES])
		sums_raise(ret, view_host(view)->q[SCOPE_PSS_LOW]);
}
