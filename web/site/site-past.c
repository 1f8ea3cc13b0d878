/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/saturate.h"
#include "render/decimal.h"
#include "render/json.h"
#include "web/http/params.h"
#include "web/site/site-private.h"
#include "web/sources/moment.h"

/* A recorded snapshot of the past says nothing of the time that is later by more than this. */
#define GAP_NS (15 * 60 * NS_PER_SEC)

/* Returns whether the answer at ROUTE exists for each recorded moment. */
static bool takes_moment(enum route route)
{
	return route == ROUTE_PAGE || route == ROUTE_HOST || route == ROUTE_STATUS ||
	       route == ROUTE_PROCESS || routes_list_scope(route) != METRIC_SELF;
}

/* Marks, and their words. */
static const struct {
	enum past_mark mark;
	const char *word;
} mark_words[] = {
	{PAST_MARK_OOM, "oom"},
	{PAST_MARK_PRESSURE, "pressure"},
	{PAST_MARK_START, "start"},
	{PAST_MARK_GAP, "gap"},
};

/* Returns the mark of WORD; 0: there is none. */
static uint32_t find_mark(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(mark_words); i++)
		if (!strcmp(word, mark_words[i].word))
			return mark_words[i].mark;
	return 0;
}

/* Sets the field of RET for parameter KEY of /api/v1/coverage from VALUE. Returns false if it is wrong. */
static bool take_marks_parameter(
	const char *key, const char *value, int64_t now_s, struct past_request *ret)
{
	struct moment moment;

	if (!strcmp(key, "kind")) {
		ret->marks = find_mark(value);
		return ret->marks;
	}
	if (moment_parse(value, now_s, &moment) < 0 || moment.pick != PAST_AT)
		return false;
	*(strcmp(key, "to") ? &ret->at_ns : &ret->until_ns) = moment.at_ns;
	return true;
}

/* Reads the parameters of /api/v1/coverage: the time and the kind of the marks that are asked for. */
static int find_marks(const struct request *rq, int64_t now_s, struct past_request *ret,
	char error[static QUERY_ERROR_SIZE])
{
	static const char *const keys[] = {"from", "to", "kind"};
	char key[PARAMS_KEY_SIZE], value[QUERY_VALUE_MAX];
	bool is_given[ARRAY_SIZE(keys)] = {false};
	struct params params;
	int r;

	*ret = (struct past_request){.pick = PAST_MARKS, .until_ns = PAST_TIME_MAX_NS};
	params_init(&params, rq->query, rq->query ? strlen(rq->query) : 0);
	while ((r = params_next(&params, key, value, error)) == 0) {
		size_t i = 0;

		while (i < ARRAY_SIZE(keys) && strcmp(key, keys[i]) != 0)
			i++;
		if (i == ARRAY_SIZE(keys) || is_given[i] ||
			!take_marks_parameter(key, value, now_s, ret)) {
			snprintf(error, QUERY_ERROR_SIZE,
				"the parameters are 'kind' (oom, pressure, start or gap), 'from' "
				"and 'to', each at most once; times are " MOMENT_FORMS);
			return -EINVAL;
		}
		is_given[i] = true;
	}
	if (r < 0)
		return r;
	if (ret->at_ns <= ret->until_ns)
		return 0;
	snprintf(error, QUERY_ERROR_SIZE, "'from' must be before 'to'");
	return -EINVAL;
}

int site_find_request(const struct request *rq, enum route route, struct past_request *ret,
	char error[static QUERY_ERROR_SIZE])
{
	int64_t now_s = (int64_t)(clock_now_ns(CLOCK_REALTIME) / NS_PER_SEC);
	struct moment moment;
	int r;

	if (route == ROUTE_COVERAGE)
		return find_marks(rq, now_s, ret, error);
	if (!takes_moment(route))
		return MOMENT_NONE;
	r = moment_find(rq->query, rq->query ? strlen(rq->query) : 0, now_s, &moment, error);
	if (r == 0)
		*ret = (struct past_request){.pick = moment.pick, .at_ns = moment.at_ns};
	return r;
}

/* Appends which time the recording covers, by HEAD. */
static void site_add_covered(struct buffer *to, const struct past_head *head)
{
	char first[MOMENT_TEXT_SIZE], last[MOMENT_TEXT_SIZE];

	if (!head->first_ns) {
		buffer_add_text(to, "memtally-recorder has not recorded a snapshot yet");
		return;
	}
	moment_format(head->first_ns, first);
	moment_format(head->last_ns, last);
	buffer_printf(to, "memtally-recorder has snapshots from %s to %s, the host's local time",
		first, last);
}

/* Sets *RET: no snapshot of the time that Q asks for is recorded. */
static void explain_not_covered(const struct recorder_question *q, struct site_problem *ret)
{
	char at[MOMENT_TEXT_SIZE];

	ret->status = MHD_HTTP_NOT_FOUND;
	moment_format(q->request.at_ns, at);
	if (q->request.pick == PAST_OOM)
		buffer_add_text(&ret->why, "no OOM kill is recorded; ");
	else
		buffer_printf(&ret->why, "there is no snapshot of %s; ", at);
	site_add_covered(&ret->why, &q->head);
}

/* Sets *RET: the time that Q asks for is in a gap of the recording. */
static void explain_gap(const struct recorder_question *q, struct site_problem *ret)
{
	char from[MOMENT_TEXT_SIZE], to[MOMENT_TEXT_SIZE];

	ret->status = MHD_HTTP_NOT_FOUND;
	moment_format(q->head.at_ns, from);
	buffer_printf(&ret->why, "nothing was recorded after %s", from);
	if (q->head.after_ns) {
		moment_format(q->head.after_ns, to);
		buffer_printf(&ret->why, " until %s", to);
	}
	buffer_add_text(&ret->why, "; ");
	site_add_covered(&ret->why, &q->head);
}

/*
 * Returns whether Q asks for a time in a gap: the snapshot before that time is older than it would
 * be if recording had gone on. Older recordings are thinned to one in five minutes.
 */
static bool is_gap(const struct recorder_question *q)
{
	const struct image_header *h = q->view->header;
	uint64_t span_ns = saturate_max(GAP_NS, 2 * saturate_less(h->stale_ns, h->boottime_ns));

	return q->request.pick == PAST_AT && q->request.at_ns > q->head.at_ns &&
	       q->request.at_ns - q->head.at_ns > span_ns;
}

/* Sets *RET to why memtally-recorder has not answered Q. */
static void explain_refusal(const struct recorder_question *q, struct site_problem *ret)
{
	ret->status = MHD_HTTP_SERVICE_UNAVAILABLE;
	if (*q->wait.problem) {
		buffer_add_text(&ret->why, q->wait.problem);
		return;
	}
	switch (q->head.status) {
	case PAST_NONE: explain_not_covered(q, ret); break;
	case PAST_DAMAGED:
		ret->status = MHD_HTTP_NOT_FOUND;
		buffer_add_text(&ret->why, "the recorded snapshot of that time is damaged; ask for "
					   "a time before or after it");
		break;
	case PAST_BUSY:
		ret->retry_after = "1";
		buffer_add_text(&ret->why, "memtally-recorder is busy; try again");
		break;
	default:
		buffer_add_text(&ret->why,
			"memtally-recorder does not show the past to the user of this memtally-web; "
			"run it as user memtally-web, and restart memtally-recorder if that user is "
			"new");
	}
}

static bool is_refused(const struct recorder_question *q)
{
	return *q->wait.problem || q->head.status != PAST_GOOD;
}

/*
 * Returns true if a client of a TCP listener sees no process of the present: /proc is restricted, or
 * export.processes is 0. Without a present snapshot only an explicit web.tcp_scope shows the past ones.
 */
static bool hides_now(const struct site *s, enum tcp_scope scope)
{
	const struct caller anybody = {.kind = CALLER_ANYBODY};

	return caller_sight(&anybody, scope, s->cache.view).kind == SIGHT_NONE ||
	       (s->cache.view && !s->cache.exported);
}

/*
 * Returns which processes of the snapshot of Q the caller may see: those that it could have seen when
 * the snapshot was the present one; over TCP none if those of the present are hidden.
 */
static struct sight sight_of_past(const struct site_task *t, const struct recorder_question *q)
{
	enum tcp_scope scope = (enum tcp_scope)t->site->settings->web_tcp_scope;

	if (t->caller->kind == CALLER_ANYBODY && hides_now(t->site, scope))
		return (struct sight){.kind = SIGHT_NONE};
	return caller_sight(t->caller, scope, q->view);
}

/* Makes the snapshot of Q that of T. */
static void take_past(struct site_task *t, const struct recorder_question *q)
{
	uint64_t now_ns = clock_now_ns(CLOCK_REALTIME);
	const struct image_header *h = q->view->header;

	t->view = q->view;
	t->is_fresh = true;
	/* Its own CLOCK_BOOTTIME may be that of an earlier boot. */
	t->now_ns = h->boottime_ns + (now_ns > h->realtime_ns ? now_ns - h->realtime_ns : 0);
	t->lacks_rows = !q->request.has_uid && q->head.flags & PAST_OWN_ONLY;
	t->sight = sight_of_past(t, q);
	if (t->lacks_rows)
		t->sight = (struct sight){.kind = SIGHT_NONE};
}

int site_find_moment(struct site_task *t, struct site_problem *ret)
{
	char error[QUERY_ERROR_SIZE];
	const struct recorder_question *q = t->inquiry ? t->inquiry->question : NULL;
	struct past_request request;
	int r = site_find_request(t->rq, t->route, &request, error);

	if (r == MOMENT_NONE || t->route == ROUTE_COVERAGE)
		return 0;
	t->is_past = true;
	if (r < 0) {
		ret->status = MHD_HTTP_BAD_REQUEST;
		buffer_add_text(&ret->why, error);
	} else if (!q) {
		return -ENOMEM;
	} else if (is_refused(q)) {
		explain_refusal(q, ret);
	} else if (!q->view) {
		explain_not_covered(q, ret);
	} else if (is_gap(q)) {
		explain_gap(q, ret);
	} else {
		take_past(t, q);
	}
	buffer_add_char(&ret->why, 0);
	return ret->why.error;
}

/* Appends the words for MARKS, a mask of enum past_mark. */
static void site_add_marks(struct buffer *to, uint32_t marks)
{
	const char *between = "";

	buffer_add_char(to, '[');
	for (size_t i = 0; i < ARRAY_SIZE(mark_words); i++)
		if (marks & mark_words[i].mark) {
			buffer_printf(to, "%s\"%s\"", between, mark_words[i].word);
			between = ",";
		}
	buffer_add_char(to, ']');
}

static void site_add_time(struct buffer *to, const char *name, uint64_t ns)
{
	if (!ns)
		return;
	buffer_printf(to, "\"%s\":", name);
	decimal_add_seconds(to, ns - ns % NS_PER_MSEC);
	buffer_add_char(to, ',');
}

static void site_add_coverage(struct buffer *to, const struct recorder_question *q)
{
	const struct past_head *head = &q->head;

	site_add_time(to, "first_seconds", head->first_ns);
	site_add_time(to, "last_seconds", head->last_ns);
	buffer_printf(to, "\"recording\":%s,\"complete\":%s,\"marks\":[",
		head->flags & PAST_FAILING ? "false" : "true",
		head->flags & PAST_CUT ? "false" : "true");
	for (uint32_t i = 0; i < head->points; i++) {
		buffer_add_text(to, i ? ",{" : "{");
		site_add_time(to, "time_seconds", q->points[i].at_ns);
		buffer_add_text(to, "\"kinds\":");
		site_add_marks(to, q->points[i].marks);
		buffer_add_char(to, '}');
	}
	buffer_add_text(to, "]}}\n");
}

/* Appends why there is no coverage: the page asks for it on hosts without a recorder, too. */
static void site_add_no_coverage(struct buffer *to, const struct recorder_question *q)
{
	AUTO_SITE_PROBLEM struct site_problem problem = {0};

	explain_refusal(q, &problem);
	buffer_add_char(&problem.why, 0);
	if (problem.why.error) {
		to->error = problem.why.error;
		return;
	}
	buffer_add_text(to, "\"problem\":");
	json_render_string(problem.why.data, to);
	buffer_add_text(to, ",\"recording\":false,\"complete\":false,\"marks\":[]}}\n");
}

struct answer *site_answer_coverage(const struct site_task *t)
{
	AUTO_ANSWER struct answer *a = answer_new(MHD_HTTP_OK, SITE_TYPE_JSON);
	const struct recorder_question *q = t->inquiry ? t->inquiry->question : NULL;
	const struct view *view = t->site->cache.view;
	char error[QUERY_ERROR_SIZE];
	struct past_request request;
	int r = site_find_request(t->rq, t->route, &request, error);

	if (r < 0)
		return answer_new_error(MHD_HTTP_BAD_REQUEST, error);
	if (!a || !q)
		return NULL;
	if (view)
		json_render_head(view, t->now_ns, true, &a->before);
	buffer_add_text(&a->before, view ? ",\"coverage\":{" : "{\"coverage\":{");
	if (is_refused(q) && (*q->wait.problem || q->head.status != PAST_NONE))
		site_add_no_coverage(&a->before, q);
	else
		site_add_coverage(&a->before, q);
	return TAKE_PTR(a);
}
