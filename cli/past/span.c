/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/past/span.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/saturate.h"
#include "base/when.h"
#include "cli/common/command.h"
#include "cli/common/no-match.h"
#include "cli/common/past-session.h"
#include "cli/common/sort-names.h"
#include "cli/past/change-table.h"
#include "cli/table/output.h"
#include "render/json.h"
#include "snapshot/owner.h"

/* The kinds of rows of diff before the other kinds of owners. */
static const char *const first_kinds[] = {"program", "process"};

const char *span_by(unsigned int i)
{
	unsigned int kind = i - (unsigned int)ARRAY_SIZE(first_kinds);

	if (i < ARRAY_SIZE(first_kinds))
		return first_kinds[i];
	kind += kind >= OWNER_PROGRAM; /* which stands before */
	return kind < OWNER_KINDS ? owner_of((enum owner_kind)kind)->name : NULL;
}

/* Returns the list of the kind NAME, one of span_by(). */
static const char *list_of(const char *name)
{
	enum owner_kind kind = owner_find(name);

	return kind == OWNER_KINDS ? json_list_name(METRIC_PROCESS) : owner_of(kind)->list;
}

/* Parses --sort and --order for rows of SCOPE: amounts are descending, names ascending. */
static int span_parse_order(const struct settings *settings, enum metric_scope scope,
	struct span *ret, char error[static CLI_OPTION_ERROR_SIZE])
{
	bool is_process = scope == METRIC_PROCESS;
	const struct owner *owner = owner_of(is_process ? OWNER_PROGRAM : metric_owner_kind(scope));
	struct settings own = *settings;
	unsigned int index = CHANGE_GROWTH;
	int r;

	if (own.sort &&
		(!strcasecmp(own.sort, owner->name) || !strcasecmp(own.sort, owner->title))) {
		own.sort = NULL;
		index = CHANGE_NAME;
	}
	r = sort_names_parse(&own, &change_table_columns, NULL, &index, &ret->is_ascending, error);
	if (r < 0)
		return r;
	ret->sort = (enum change_field)index;
	if (!settings->order)
		ret->is_ascending = index == CHANGE_NAME;
	return 0;
}

/* Parses the rows, which are not sorted by the columns of a snapshot. */
static int span_parse_rows(
	const struct settings *settings, struct span *ret, char error[static CLI_OPTION_ERROR_SIZE])
{
	struct settings own = *settings;

	own.sort = own.order = NULL;
	return selection_parse(&own, &ret->selection, error);
}

static int span_parse_times(const char *from_option, const char *from, const char *to_option,
	const char *to, uint64_t now_ns, struct span *ret, char error[static CLI_OPTION_ERROR_SIZE])
{
	int r = past_moment_parse(from_option, from, now_ns, &ret->from, error);

	ret->to = (struct past_moment){.at_ns = now_ns};
	if (r == 0 && to)
		r = past_moment_parse(to_option, to, now_ns, &ret->to, error);
	if (r < 0 || ret->from.is_oom || ret->to.is_oom || ret->from.at_ns < ret->to.at_ns)
		return r;
	snprintf(error, CLI_OPTION_ERROR_SIZE, "%s is not before %s", from_option,
		to ? to_option : "now");
	return -EINVAL;
}

static int span_parse_list(const struct settings *settings, uint64_t now_ns, struct span *ret,
	char error[static CLI_OPTION_ERROR_SIZE])
{
	int r = span_parse_rows(settings, ret, error);

	if (r == 0 && !settings->from) {
		snprintf(error, CLI_OPTION_ERROR_SIZE, "--to needs --from");
		r = -EINVAL;
	}
	if (r == 0)
		r = span_parse_times(
			"--from", settings->from, "--to", settings->to, now_ns, ret, error);
	return r;
}

static int span_parse_diff(const struct settings *settings, uint64_t now_ns, struct span *ret,
	char error[static CLI_OPTION_ERROR_SIZE])
{
	const struct text_list *operands = &settings->operands;
	struct settings own = *settings;
	unsigned int by = 0;
	char *list;
	int r = cli_option_check(settings, CLI_VIEW_DIFF, error);

	if (r == 0 && operands->count < 2) {
		snprintf(error, CLI_OPTION_ERROR_SIZE, "diff needs a time, such as 15m");
		r = -EINVAL;
	}
	if (r == 0 && operands->count > 3) {
		snprintf(error, CLI_OPTION_ERROR_SIZE, "unexpected argument '%.60s' after diff",
			operands->item[3]);
		r = -EINVAL;
	}
	if (r == 0)
		r = cli_option_parse_by(settings, span_by,
			"program, process, user, unit or another kind of owner", &by, error);
	list = (char *)(uintptr_t)list_of(span_by(by)); /* which is only read */
	own.by = NULL;
	own.operands = (struct text_list){.item = &list, .count = 1};
	if (r == 0)
		r = span_parse_rows(&own, ret, error);
	if (r == 0)
		r = span_parse_times("the first time", operands->item[1], "the second time",
			operands->count > 2 ? operands->item[2] : NULL, now_ns, ret, error);
	return r;
}

int span_parse(const struct settings *settings, bool is_diff, uint64_t now_ns, struct span *ret,
	char error[static CLI_OPTION_ERROR_SIZE])
{
	int r;

	*ret = (struct span){.is_diff = is_diff};
	r = is_diff ? span_parse_diff(settings, now_ns, ret, error)
	            : span_parse_list(settings, now_ns, ret, error);
	return r == 0 ? span_parse_order(settings, ret->selection.scope, ret, error) : r;
}

uint64_t span_next_ns(uint64_t from_ns, uint64_t to_ns, uint64_t after_ns)
{
	const uint64_t steps = SPAN_SNAPSHOTS_MAX - 1;
	uint64_t step;

	if (!after_ns || after_ns > to_ns)
		return 0;
	if (after_ns <= from_ns)
		return from_ns;
	step = saturate_part(after_ns - from_ns, steps, to_ns - from_ns);
	while (from_ns + saturate_part(to_ns - from_ns, step, steps) < after_ns)
		step++;
	return from_ns + saturate_part(to_ns - from_ns, step, steps);
}

/* A span that is being read. */
struct reading {
	struct span *span;
	struct past_session recording;
	struct change change;
	uint64_t first_ns, last_ns; /* of the snapshots that were added; 0: none */
	size_t damaged;             /* snapshots that could not be read */
	bool is_own_only;
};

static void reading_done(struct reading *r)
{
	past_session_close(&r->recording);
	change_done(&r->change);
}
#define AUTO_READING CLEANUP(reading_done)

/* Adds the rows of VIEW. Returns 0, or a negative errno with the reason in REASON. */
static int reading_add(struct reading *r, struct view *view, struct buffer *reason)
{
	AUTO_VIEW struct view *narrowed = NULL;
	AUTO_FREE uint32_t *rows = NULL;
	size_t count;
	int e = selection_run(&r->span->selection, view, &narrowed, &rows, &count);

	if (e == 0)
		e = change_add(&r->change, narrowed, rows, count);
	if (e < 0) {
		buffer_printf(reason, "cannot sum up: %s", strerror(-e));
		return e;
	}
	r->last_ns = view->header->realtime_ns;
	if (!r->first_ns)
		r->first_ns = r->last_ns;
	return 0;
}

/*
 * Takes the answer A to Q, with the result E of past_session_ask(), and frees it. Returns E; or an error
 * of reading_add(). Gives the time of the next snapshot in *RET_AFTER_NS; 0: there is none.
 */
static int reading_take(struct reading *r, int e, struct past_answer *a, uint64_t *ret_after_ns,
	struct buffer *reason)
{
	bool is_own_only = a->head.flags & PAST_OWN_ONLY &&
	                   selection_needs(&r->span->selection) == SOURCE_PROCESSES;

	*ret_after_ns = a->head.after_ns;
	if (e == -EIO)
		r->damaged++;
	if (e == 0 && is_own_only) {
		r->is_own_only = true;
		selection_set_sight(
			&r->span->selection, &(struct sight){.kind = SIGHT_OWN, .uid = geteuid()});
	}
	if (e == 0)
		e = reading_add(r, a->view, reason);
	past_answer_done(a);
	return e;
}

static int read_moment(struct reading *r, const struct past_moment *moment, uint64_t *ret_after_ns,
	struct buffer *reason)
{
	struct past_answer answer;
	int e = past_session_get(&r->recording, moment, &answer, reason);

	return reading_take(r, e, &answer, ret_after_ns, reason);
}

/*
 * Reads the first snapshot: that of .from or, if the recording begins later or the snapshot is
 * damaged, the next one until TO_NS. If there is none, the reason is that of the first try.
 */
static int read_first(
	struct reading *r, uint64_t to_ns, uint64_t *ret_after_ns, struct buffer *reason)
{
	const struct past_moment *from = &r->span->from;
	const struct past_request q = {.pick = PAST_AFTER, .at_ns = from->at_ns};
	int e = read_moment(r, from, ret_after_ns, reason);
	AUTO_BUFFER struct buffer unused = {0};
	struct past_answer answer;

	if ((e != -ENODATA && e != -EIO) || from->is_oom || r->span->is_diff)
		return e;
	if (past_session_ask(&r->recording, &q, &answer, &unused) < 0 || !answer.view ||
		answer.view->header->realtime_ns > to_ns) {
		past_answer_done(&answer);
		return e;
	}
	buffer_clear(reason);
	return reading_take(r, 0, &answer, ret_after_ns, reason);
}

/* Reads the snapshots between the first and the last one, and the last one. */
static int read_others(struct reading *r, uint64_t to_ns, uint64_t after_ns, struct buffer *reason)
{
	uint64_t from_ns = r->first_ns, at_ns;
	int e = 0;

	while (e == 0 && (at_ns = span_next_ns(from_ns, to_ns, after_ns))) {
		uint64_t next_ns;

		e = read_moment(r, &(struct past_moment){.at_ns = at_ns}, &next_ns, reason);
		after_ns = next_ns > at_ns ? next_ns : e == -EIO && at_ns < to_ns ? at_ns + 1 : 0;
		if (e == -EIO) {
			buffer_clear(reason);
			e = 0;
		}
	}
	return e;
}

static int read_span(struct reading *r, struct buffer *reason)
{
	uint64_t to_ns = 0, after_ns = 0;
	int e = past_session_find(&r->recording, &r->span->to, &to_ns, reason);

	if (e == 0)
		e = read_first(r, to_ns, &after_ns, reason);
	if (e == 0 && r->span->is_diff)
		return read_moment(r, &(struct past_moment){.at_ns = to_ns}, &after_ns, reason);
	return e == 0 ? read_others(r, to_ns, after_ns, reason) : e;
}

/* Logs which snapshots the figures are from. */
static void say_span(const struct reading *r)
{
	char first[WHEN_TEXT_SIZE], last[WHEN_TEXT_SIZE];
	bool is_late = !r->span->from.is_oom && r->first_ns > r->span->from.at_ns;

	when_format(r->first_ns, first);
	when_format(r->last_ns, last);
	log_info("%sfrom %zu recorded snapshots from %s%s to %s",
		r->is_own_only ? "your own processes, " : "", r->change.snapshots, first,
		is_late ? ", when the recording begins," : "", last);
	if (r->damaged)
		log_warning("%zu recorded snapshots are damaged and were left out", r->damaged);
}

static int print_span(const struct settings *settings, struct reading *r)
{
	const struct change_table table = {
		.change = &r->change,
		.title = r->span->is_diff ? "diff" : "span",
		.has_range = !r->span->is_diff,
		.is_own_only = r->is_own_only,
		.sort = r->span->sort,
		.look = command_look(settings, LIST_TABLE),
		.first_ns = r->first_ns,
		.last_ns = r->last_ns,
	};
	AUTO_BUFFER struct buffer text = {0};
	int e;

	change_sort(&r->change, r->span->sort, r->span->is_ascending);
	e = change_table_print(&table, &text);
	return e == 0 ? output_flush(&text) : e;
}

static int span_fail(const struct buffer *reason)
{
	log_error("%.*s", (int)reason->len, reason->len ? reason->data : "out of memory");
	return COMMAND_FAILED;
}

static int span_show(const struct settings *settings, struct span *span)
{
	AUTO_READING struct reading reading = {.span = span, .recording = PAST_SESSION_CLOSED};
	AUTO_BUFFER struct buffer reason = {0};
	bool is_none;
	int e;

	reading.change.scope = span->selection.scope;
	e = past_session_open(settings, &reading.recording, &reason);
	if (e == 0)
		e = read_span(&reading, &reason);
	if (e == 0 && reading.last_ns <= reading.first_ns) {
		buffer_add_text(&reason, "no two snapshots are recorded from ");
		past_session_add_time(reading.first_ns, &reason);
		buffer_add_text(&reason, " to the end of that time");
		e = -ENODATA;
	}
	if (e < 0)
		return span_fail(&reason);
	say_span(&reading);
	is_none = !reading.change.rows && selection_has_filters(&span->selection);
	if (is_none) {
		AUTO_BUFFER struct buffer filters = {0};

		selection_add_filters(settings, &filters);
		log_error("no process with memory matched%.*s in that time", (int)filters.len,
			filters.len ? filters.data : "");
	}
	e = is_none && !settings->json && !settings->csv ? 0 : print_span(settings, &reading);
	return e < 0 || !is_none ? command_printed(e) : COMMAND_FAILED;
}

static int run_span(const struct settings *settings, bool is_diff, bool is_check)
{
	uint64_t now_ns = clock_now_ns(CLOCK_REALTIME);
	char error[CLI_OPTION_ERROR_SIZE] = "";
	struct span span;

	if (span_parse(settings, is_diff, now_ns, &span, error) < 0)
		return command_refuse(error);
	return is_check ? COMMAND_GOOD : span_show(settings, &span);
}

int span_run(const struct settings *settings, bool is_check)
{
	return run_span(settings, false, is_check);
}

int span_run_diff(const struct settings *settings, bool is_check)
{
	return run_span(settings, true, is_check);
}
