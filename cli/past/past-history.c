/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/past/past-history.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"
#include "base/saturate.h"
#include "base/text.h"
#include "base/when.h"
#include "cli/common/command.h"
#include "cli/common/past-session.h"
#include "cli/past/ledger-points.h"
#include "cli/past/past-series.h"
#include "cli/past/recorded-points.h"
#include "cli/table/output.h"
#include "snapshot/owner.h"

#define DEFAULT_SPAN_NS (UINT64_C(86400) * NS_PER_SEC)

enum {
	TABLE_POINTS = 300,
	POINTS_MIN = 60,
	POINTS_MAX = 600,
};

static int past_history_refuse(const char *what, char error[static CLI_OPTION_ERROR_SIZE])
{
	snprintf(error, CLI_OPTION_ERROR_SIZE, "%s", what);
	return -EINVAL;
}

/* Finds the scope NAME: host, process or a kind of owners. */
static int parse_scope(
	const char *name, enum metric_scope *ret, char error[static CLI_OPTION_ERROR_SIZE])
{
	enum owner_kind kind = owner_find(name);

	if (kind != OWNER_KINDS)
		*ret = metric_owner_scope(kind);
	else if (!strcmp(name, metric_scope_name(METRIC_PROCESS)))
		*ret = METRIC_PROCESS;
	else if (!strcmp(name, metric_scope_name(METRIC_HOST)))
		*ret = METRIC_HOST;
	else
		return cli_option_refuse("history", name,
			"host, process, user, program, unit or another kind of owner", error);
	return 0;
}

static int parse_pid(const char *text, uint32_t *ret, char error[static CLI_OPTION_ERROR_SIZE])
{
	uint64_t pid;

	if (number_parse_u64(text, strlen(text), &pid) < 0 || !pid || pid > INT32_MAX)
		return cli_option_refuse("history process", text, "a pid", error);
	*ret = (uint32_t)pid;
	return 0;
}

/* Takes NAME, which recordings have cleaned and cut. */
static int past_history_parse_name(
	const char *name, struct past_history *ret, char error[static CLI_OPTION_ERROR_SIZE])
{
	size_t len = strlen(name);

	if (!len || len > SNAPSHOT_NAME_MAX || !text_is_clean(name, len))
		return past_history_refuse("no owner can have this name", error);
	ret->name = name;
	return 0;
}

/* Parses what the history is of. */
static int parse_subject(const struct settings *settings, struct past_history *ret,
	char error[static CLI_OPTION_ERROR_SIZE])
{
	const struct text_list *operands = &settings->operands;
	size_t expected;
	int r;

	if (operands->count < 2)
		return past_history_refuse(
			"history needs a scope: host, process PID, user NAME, program NAME ...",
			error);
	r = parse_scope(operands->item[1], &ret->scope, error);
	if (r < 0)
		return r;
	expected = ret->scope == METRIC_HOST ? 2 : 3;
	if (operands->count > expected) {
		snprintf(error, CLI_OPTION_ERROR_SIZE, "unexpected argument '%.60s' after %.60s",
			operands->item[expected], operands->item[expected - 1]);
		return -EINVAL;
	}
	if (operands->count < expected) {
		snprintf(error, CLI_OPTION_ERROR_SIZE, "history %s needs a %s", operands->item[1],
			ret->scope == METRIC_PROCESS ? "pid" : "name");
		return -EINVAL;
	}
	if (ret->scope == METRIC_PROCESS)
		return parse_pid(operands->item[2], &ret->pid, error);
	return ret->scope == METRIC_HOST ? 0
	                                 : past_history_parse_name(operands->item[2], ret, error);
}

int past_history_parse(const struct settings *settings, uint64_t now_ns, struct past_history *ret,
	char error[static CLI_OPTION_ERROR_SIZE])
{
	int r = cli_option_check(settings, CLI_VIEW_HISTORY, error);

	*ret = (struct past_history){.to.at_ns = now_ns};
	if (r == 0)
		r = parse_subject(settings, ret, error);
	if (r == 0 && settings->to)
		r = past_moment_parse("--to", settings->to, now_ns, &ret->to, error);
	ret->from.at_ns = saturate_less(ret->to.at_ns, DEFAULT_SPAN_NS);
	if (r == 0 && settings->from)
		r = past_moment_parse("--from", settings->from, now_ns, &ret->from, error);
	/* A moment is the end of its second, and the snapshot of that second belongs to the time. */
	if (r == 0 && settings->from && !ret->from.is_oom)
		ret->from.at_ns = saturate_less(ret->from.at_ns, NS_PER_SEC - 1);
	if (r == 0 && !ret->from.is_oom && !ret->to.is_oom && ret->from.at_ns >= ret->to.at_ns)
		r = past_history_refuse("--from is not before --to", error);
	return r;
}

/* A history that is being put together. */
struct history {
	const struct past_history *subject; /* borrowed */
	uint64_t from_ns, until_ns;
	size_t count;            /* points to show of each source */
	bool is_chart;           /* which shows the largest point of each column itself */
	uint64_t first_ns;       /* the beginning of the recording; 0: it is not known */
	bool has_failed;         /* the recorder runs, and its points are missing nevertheless */
	bool has_damaged;        /* damaged snapshots are left out */
	bool is_own_only;        /* the recorder shows the user's own processes alone */
	size_t recorded, ledger; /* points with a figure by their source */
	struct past_series series;
	struct buffer no_recorder, no_ledger; /* why there are no points; empty: there are */
};

static void past_history_done(struct history *h)
{
	past_series_done(&h->series);
	buffer_done(&h->no_recorder);
	buffer_done(&h->no_ledger);
}
#define AUTO_HISTORY CLEANUP(past_history_done)

static void past_history_question(const struct history *h, struct past_request *ret)
{
	const struct past_history *t = h->subject;

	*ret = (struct past_request){
		.pick = PAST_SERIES,
		.at_ns = h->from_ns,
		.until_ns = h->until_ns,
		.scope = t->scope,
		.quantity = t->scope == METRIC_PROCESS ? (uint32_t)PROCESS_PSS
	                                               : (uint32_t)SCOPE_PSS,
		.pid = t->pid,
	};
	if (t->name)
		snprintf(ret->name, sizeof(ret->name), "%s", t->name);
}

/* Adds the recorded points to SERIES: for a chart all of them, for a table at most .count or so. */
static int past_history_record(
	struct history *h, struct past_session *recording, struct past_series *series)
{
	AUTO_RECORDED_POINTS struct recorded_points points = {.points = 0};
	struct past_request q;
	uint64_t all_ns;
	int r;

	past_history_question(h, &q);
	r = recorded_points_ask(recording, &q, &points, &h->no_recorder);
	h->first_ns = points.head.first_ns;
	h->has_damaged = points.has_damaged;
	h->is_own_only = points.is_own_only;
	if (r < 0 || !points.points)
		return r;
	all_ns = points.point[points.points - 1].at_ns - points.point[0].at_ns;
	if (!h->is_chart)
		recorded_points_thin(&points, h->count);
	return past_series_add_recorded(
		series, points.point, points.points, all_ns / h->count, h->until_ns);
}

/* Returns true if memtally-recorder shows the user's own processes alone: only an image says so. */
static bool past_history_is_own_only(const struct history *h, struct past_session *recording)
{
	AUTO_PAST_ANSWER struct past_answer answer = {.points = NULL};
	AUTO_BUFFER struct buffer unused = {0};

	return past_session_get(recording, &(struct past_moment){.at_ns = h->until_ns}, &answer,
		       &unused) == 0 &&
	       answer.head.flags & PAST_OWN_ONLY;
}

/* Adds the ledger's points of the time before the recording. */
static void past_history_add_ledger(const struct settings *settings, struct history *h)
{
	uint64_t until_ns = h->first_ns ? saturate_min(h->first_ns, h->until_ns) : h->until_ns;
	size_t count;

	if (until_ns <= h->from_ns)
		return;
	count = (size_t)saturate_part(h->count, until_ns - h->from_ns, h->until_ns - h->from_ns);
#if ENABLE_LEDGER
	ledger_points_add(settings, h->subject->scope, h->subject->name, h->from_ns, until_ns,
		count, &h->series, &h->no_ledger);
#else
	(void)settings;
	(void)count;
#endif
}

/* Finds the points. Errors leave the series shorter, and are in .no_recorder and .no_ledger. */
static int past_history_find(const struct settings *settings, struct history *h)
{
	AUTO_PAST_SESSION struct past_session recording = PAST_SESSION_CLOSED;
	AUTO_PAST_SERIES struct past_series recorded = {.points = 0};
	int r = past_session_open(settings, &recording, &h->no_recorder);

	h->from_ns = h->subject->from.at_ns;
	h->until_ns = h->subject->to.at_ns;
	if (r == 0)
		r = past_session_find(&recording, &h->subject->to, &h->until_ns, &h->no_recorder);
	if (r == 0 && h->subject->from.is_oom)
		r = past_session_find(&recording, &h->subject->from, &h->from_ns, &h->no_recorder);
	if (h->from_ns >= h->until_ns)
		return -EINVAL;
	if (r == 0) {
		r = past_history_record(h, &recording, &recorded);
		h->has_failed = r < 0 && r != -ENODATA;
	}
	past_history_add_ledger(settings, h);
	h->ledger = h->series.points;
	for (size_t i = 0; i < recorded.points; i++) {
		h->recorded += recorded.point[i].has_pss;
		if (past_series_add(&h->series, &recorded.point[i]) < 0)
			return -ENOMEM;
	}
	if (r == 0 && !h->recorded && h->subject->scope == METRIC_PROCESS)
		h->is_own_only |= past_history_is_own_only(h, &recording);
	return 0;
}

/* Logs which source the points are from, and why others are missing. */
static void say_sources(const struct history *h)
{
	char begin[WHEN_TEXT_SIZE];

	when_format(h->recorded ? h->series.point[h->ledger].from_ns : h->until_ns, begin);
	if (h->recorded && h->ledger)
		log_info("from memtally-recorder since %s, before that means of memtally-ledger",
			begin);
	else if (h->recorded)
		log_info("from memtally-recorder since %s", begin);
	else
		log_info("means of memtally-ledger");
	if (h->has_damaged && !h->no_recorder.len)
		log_warning("damaged recorded snapshots were left out");
	if (h->no_recorder.len)
		log_warning("%.*s", (int)h->no_recorder.len, h->no_recorder.data);
	if (h->no_ledger.len)
		log_warning("%.*s", (int)h->no_ledger.len, h->no_ledger.data);
}

/* Logs why there is no point. */
static int past_history_say_nothing(const struct history *h)
{
	const struct past_history *t = h->subject;
	char from[WHEN_TEXT_SIZE], until[WHEN_TEXT_SIZE];

	when_format(h->from_ns, from);
	when_format(h->until_ns, until);
	if (h->no_recorder.len)
		log_error("%.*s", (int)h->no_recorder.len, h->no_recorder.data);
	else if (t->scope == METRIC_PROCESS)
		log_error("no process %u is recorded from %s to %s%s", t->pid, from, until,
			h->is_own_only ? "; other users' processes are hidden from you" : "");
	else
		log_error("no %s%s%s is recorded from %s to %s%s", metric_scope_name(t->scope),
			t->name ? " " : "", t->name ? t->name : "", from, until,
			h->is_own_only ? "; other users' owners are hidden from you" : "");
	if (h->no_ledger.len)
		log_error("%.*s", (int)h->no_ledger.len, h->no_ledger.data);
	return COMMAND_FAILED;
}

static int past_history_print(const struct settings *settings, const struct history *h)
{
	const struct past_history *t = h->subject;
	const struct past_series_subject subject = {
		.scope = metric_scope_name(t->scope),
		.name = t->name,
		.pid = t->pid,
		.from_ns = h->from_ns,
		.until_ns = h->until_ns,
	};
	struct list_look look = command_look(settings, LIST_TABLE);
	AUTO_BUFFER struct buffer text = {0};
	int r;

	if (h->is_chart)
		r = past_series_draw(&h->series, &subject, look.width, look.bytes, &text);
	else
		r = past_series_print(&h->series, &subject, &look, &text);
	return r == 0 ? output_flush(&text) : r;
}

static int past_history_show(const struct settings *settings, const struct past_history *subject)
{
	size_t width = settings->json || settings->csv || settings->all ? 0 : command_width();
	AUTO_HISTORY struct history h = {.subject = subject, .is_chart = width > 0};
	int r;

	h.count = width ? saturate_clamp(2 * width, POINTS_MIN, POINTS_MAX) : TABLE_POINTS;
	r = past_history_find(settings, &h);
	if (r == -ENOMEM)
		return command_printed(r);
	if (!h.recorded && !h.ledger)
		return past_history_say_nothing(&h);
	say_sources(&h);
	r = command_printed(past_history_print(settings, &h));
	return r == COMMAND_GOOD && h.has_failed ? COMMAND_FAILED : r;
}

int past_history_run(const struct settings *settings, bool is_check)
{
	char error[CLI_OPTION_ERROR_SIZE] = "";
	struct past_history subject;

	if (past_history_parse(settings, clock_now_ns(CLOCK_REALTIME), &subject, error) < 0)
		return command_refuse(error);
	return is_check ? COMMAND_GOOD : past_history_show(settings, &subject);
}
