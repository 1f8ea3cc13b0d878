/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/growth/growth.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "cli/common/command.h"
#include "cli/common/past-moment.h"
#include "cli/common/selection.h"
#include "cli/growth/growth-limits.h"
#include "cli/growth/growth-recording.h"
#include "growth/growth-rows.h"
#include "cli/growth/growth-table.h"
#include "cli/table/output.h"
#include "snapshot/owner.h"
#include "snapshot/past.h"

enum { ROWS_MAX = 4000 };

/* More floors are not kept. */
#define SINCE_MOST_S ((int64_t)(FLOORS_MAX - 1) * FLOORS_SLOT_S)

static bool growth_has_filters(const struct settings *settings)
{
	for (unsigned int i = 0; i <= OWNER_KINDS; i++)
		if (selection_filter(settings, (enum owner_kind)i)->count)
			return true;
	return false;
}

/* Adds the values of FILTER, a kind of owners or OWNER_KINDS for --pid, to Q. */
static int growth_add_filter(struct query *q, const struct settings *settings,
	enum owner_kind filter, char error[static QUERY_ERROR_SIZE])
{
	const char *key = filter == OWNER_KINDS ? "pid" : owner_of(filter)->name;
	const struct text_list *values = selection_filter(settings, filter);
	char said[QUERY_ERROR_SIZE] = "";

	for (size_t i = 0; i < values->count; i++) {
		if (query_set(q, key, values->item[i], said) == 0)
			continue;
		snprintf(error, QUERY_ERROR_SIZE, "--%.40s: %.400s", key, said);
		return -EINVAL;
	}
	return 0;
}

/* Returns whether rows of SCOPE can be chosen by each filter that is set. */
static bool growth_can_filter(const struct settings *settings, enum metric_scope scope)
{
	if (scope == METRIC_PROCESS)
		return true;
	for (unsigned int i = 0; i <= OWNER_KINDS; i++)
		if (selection_filter(settings, (enum owner_kind)i)->count &&
			(i == OWNER_KINDS || metric_owner_scope((enum owner_kind)i) != scope))
			return false;
	return true;
}

/* Adds SCOPE to C, with its filters; leaves it out if it has rows that filters cannot choose. */
static int growth_add_scope(const struct settings *settings, enum metric_scope scope,
	struct growth_choice *c, char error[static QUERY_ERROR_SIZE])
{
	struct query *q = &c->query[c->scopes];
	int r = 0;

	if (!growth_can_filter(settings, scope))
		return 0;
	query_init(q, scope);
	for (unsigned int i = 0; r == 0 && i <= OWNER_KINDS; i++)
		r = growth_add_filter(q, settings, (enum owner_kind)i, error);
	c->scopes += r == 0;
	return r;
}

/* Reads the operand behind "growth", a list, into *RET. */
static int growth_parse_scope(const struct text_list *operands, enum metric_scope *ret,
	char error[static QUERY_ERROR_SIZE])
{
	if (operands->count > 2) {
		snprintf(error, QUERY_ERROR_SIZE, "unexpected argument '%.60s' after growth %.60s",
			operands->item[2], operands->item[1]);
		return -EINVAL;
	}
	if (selection_find_view(operands->item[1], ret) == 0 &&
		(metric_is_owner(*ret) || *ret == METRIC_PROCESS))
		return 0;
	snprintf(error, QUERY_ERROR_SIZE,
		"growth: expected a list such as users, programs, units or processes, got '%.60s'",
		operands->item[1]);
	return -EINVAL;
}

static int growth_parse_scopes(const struct settings *settings, struct growth_choice *c,
	char error[static QUERY_ERROR_SIZE])
{
	enum metric_scope scope;
	int r = 0;

	if (settings->operands.count > 1) {
		r = growth_parse_scope(&settings->operands, &scope, error);
		if (r == 0)
			r = growth_add_scope(settings, scope, c, error);
		if (r == 0 && !c->scopes) {
			snprintf(error, QUERY_ERROR_SIZE,
				"growth %s: a filter can choose processes, and owners by their own name only",
				settings->operands.item[1]);
			r = -EINVAL;
		}
		return r;
	}
	for (size_t i = 0; r == 0 && i < PAST_GROWTH_SCOPES; i++)
		r = growth_add_scope(settings, past_growth_scope[i], c, error);
	return r;
}

static int growth_parse_since(const struct settings *settings, int64_t now_s, int64_t *ret,
	char error[static QUERY_ERROR_SIZE])
{
	int r;

	*ret = now_s - GROWTH_ROWS_SPAN_S;
	if (!settings->since)
		return 0;
	r = past_moment_parse_second("--since", settings->since, now_s, ret, error);
	if (r < 0)
		return r;
	if (*ret < now_s - SINCE_MOST_S)
		*ret = now_s - SINCE_MOST_S;
	if (*ret <= now_s - TREND_LEAST_S)
		return 0;
	snprintf(error, QUERY_ERROR_SIZE, "--since: growth needs five hours at least");
	return -EINVAL;
}

int growth_parse(const struct settings *settings, int64_t now_s, struct growth_choice *ret,
	char error[static QUERY_ERROR_SIZE])
{
	int r = cli_option_check(settings, CLI_VIEW_GROWTH, error);

	ret->scopes = 0;
	if (r == 0)
		r = growth_parse_scopes(settings, ret, error);
	if (r == 0)
		r = growth_parse_since(settings, now_s, &ret->since_s, error);
	ret->has_all = settings->all || growth_has_filters(settings);
	ret->look = command_look(settings, LIST_TABLE);
	return r;
}

static int growth_choose(
	const struct growth_choice *c, const struct view *newest, struct growth_rows *rows)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < c->scopes; i++) {
		AUTO_FREE uint32_t *chosen = NULL;
		size_t count = 0;

		r = query_run(&c->query[i], newest, &chosen, &count);
		for (size_t k = 0; r == 0 && k < count; k++)
			r = growth_rows_take(rows, newest, c->query[i].scope, chosen[k]);
	}
	return r == 0 ? growth_rows_ready(rows, ROWS_MAX) : r;
}

static int growth_add(const struct view *view, void *data)
{
	return growth_rows_add(data, view);
}

/* Logs what is missing in RECORDING, and how many of ROWS do not grow. */
static void growth_say(const struct growth_recording *recording, const struct growth_choice *c,
	const struct growth_rows *rows)
{
	size_t none = growth_rows_count(rows, TREND_NONE);
	size_t judged = none + growth_rows_count(rows, TREND_WATCH) +
	                growth_rows_count(rows, TREND_LEAK);

	if (recording->damaged)
		log_warning("%zu snapshots of memtally-recorder are damaged and left out",
			recording->damaged);
	if (recording->is_own_only)
		log_info("processes of others are shown to root and group memtally only");
	if (rows->left_out)
		log_warning("the smallest %zu owners and processes are left out", rows->left_out);
	if (c->look.form != LIST_TABLE)
		return;
	if (rows->rows > judged)
		log_info(
			"%zu of %zu owners and processes of 16 MiB or more are recorded for less than six hours, "
			"or with gaps",
			rows->rows - judged, rows->rows);
	if (judged)
		log_info("%zu of %zu owners and processes do not grow", none, judged);
}

static int growth_print(const struct growth_recording *recording, const struct growth_choice *c,
	const struct growth_rows *rows)
{
	const struct growth_table table = {.rows = rows,
		.look = c->look,
		.has_all = c->has_all,
		.is_own_only = recording->is_own_only,
		.is_failing = recording->is_failing,
		.damaged = recording->damaged};
	AUTO_BUFFER struct buffer text = {0};
	int r = 0;

	if (c->look.form != LIST_TABLE || growth_table_rows(&table))
		r = growth_table_print(&table, &text);
	return r == 0 ? output_flush(&text) : r;
}

/* Judges what C chooses. Errors without a sentence in REASON are those of memory or of writing. */
static int growth_report(const struct settings *settings, const struct growth_choice *c,
	uint64_t now_ns, struct buffer *reason)
{
	AUTO_PAST_SESSION struct past_session session = PAST_SESSION_CLOSED;
	struct growth_recording recording = {.session = &session, .now_ns = now_ns};
	AUTO_GROWTH_ROWS struct growth_rows rows = {.row = NULL};
	AUTO_VIEW struct view *newest = NULL;
	int r = past_session_open(settings, &session, reason);

	if (r == 0)
		r = growth_recording_newest(&recording, &newest, reason);
	if (r == 0)
		r = growth_choose(c, newest, &rows);
	if (r == 0)
		r = growth_recording_visit(
			&recording, (uint64_t)c->since_s * NS_PER_SEC, growth_add, &rows, reason);
	if (r == 0)
		r = growth_rows_judge(&rows);
	if (r < 0)
		return r;
	growth_limits_find(&rows, newest, settings);
	r = growth_print(&recording, c, &rows);
	if (r == 0)
		growth_say(&recording, c, &rows);
	return r;
}

int growth_run(const struct settings *settings, bool is_check)
{
	uint64_t now_ns = clock_now_ns(CLOCK_REALTIME);
	AUTO_FREE struct growth_choice *choice = calloc(1, sizeof(*choice));
	AUTO_BUFFER struct buffer reason = {0};
	char error[QUERY_ERROR_SIZE] = "";
	int r;

	if (!choice)
		return command_printed(-ENOMEM);
	if (growth_parse(settings, (int64_t)(now_ns / NS_PER_SEC), choice, error) < 0)
		return command_refuse(error);
	if (is_check)
		return COMMAND_GOOD;
	r = growth_report(settings, choice, now_ns, &reason);
	if (r < 0 && reason.len && !reason.error) {
		log_error("%.*s", (int)reason.len, reason.data);
		return COMMAND_FAILED;
	}
	return command_printed(r);
}
