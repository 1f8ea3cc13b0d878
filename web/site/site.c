/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/site/site.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "render/json.h"
#include "web/http/params.h"
#include "web/own/fixed-width.h"
#include "web/site/site-private.h"
#include "web/sources/moment.h"

#define NO_PROCESSES_HERE                                                                          \
	"memtallyd does not show processes to the user of this memtally-web, so web.tcp_scope "    \
	"makes no difference" SITE_USER_REMEDY
#define NO_PROCESSES_CALLER                                                                        \
	"processes are not shown to clients that cannot be identified, as at a TCP listener "      \
	"(web.tcp_scope)"

#define NO_PAST_PROCESSES                                                                          \
	"memtally-recorder does not show processes to the user of this memtally-web; run it as "   \
	"user memtally-web, and restart memtally-recorder if that user is new"

enum {
	LISTS_A_ROUND = 2,
	HISTORIES_A_ROUND = 1, /* each takes some milliseconds */
	SIGHT_TEXT_SIZE = 16,
};

void site_init(struct site *s, const struct link *link, const struct settings *settings)
{
	*s = (struct site){.ring.bytes_max = RING_BYTES_MAX, .link = link, .settings = settings};
	ledger_link_init(&s->ledger);
	recorder_link_init(&s->recorder);
	self_init(&s->self);
}

void site_begin_round(struct site *s)
{
	s->turns = LISTS_A_ROUND;
	s->past_turns = HISTORIES_A_ROUND;
}

bool site_take_turn(struct site *s)
{
	if (!s->past_turns)
		return false;
	s->past_turns--;
	return true;
}

void site_done(struct site *s)
{
	cache_done(&s->cache);
	ring_done(&s->ring);
	source_link_done(&s->ledger.link);
	growth_counts_done(&s->growth, &s->recorder);
	recorder_link_done(&s->recorder);
}

void site_take(struct site *s, struct view *view)
{
	(void)ring_take(&s->ring, view);
	cache_replace(&s->cache, view);
}

struct status site_status(const struct site_task *t)
{
	const struct site *s = t->site;

	return (struct status){
		.view = t->view,
		.is_fresh = t->is_fresh,
		.is_connected = link_is_connected(s->link),
		.snapshots_received = s->link->received,
		.snapshots_refused = s->link->refused,
		.history_bytes = s->ring.bytes,
		.growth = s->growth.is_known ? s->growth.growth : NULL,
		.counters = &s->counters,
		.self = &s->self,
		.now_boottime_ns = t->now_ns,
	};
}

/*
 * Writes the part of an ETag that stands for T's sight: clients that see different processes must
 * not share an ETag.
 */
static void format_sight(const struct site_task *t, char to[static SIGHT_TEXT_SIZE])
{
	switch (t->sight.kind) {
	case SIGHT_ALL: to[0] = 0; break;
	case SIGHT_EXPORTED: snprintf(to, SIGHT_TEXT_SIZE, "-exported"); break;
	case SIGHT_OWN: snprintf(to, SIGHT_TEXT_SIZE, "-uid%u", t->sight.uid); break;
	case SIGHT_NONE: snprintf(to, SIGHT_TEXT_SIZE, "-sums"); break;
	}
}

void site_set_etag(const struct site_task *t, struct answer *a, const char *variant)
{
	const struct view *view = t->view;
	char instance[VIEW_INSTANCE_TEXT_SIZE], sight[SIGHT_TEXT_SIZE];

	if (t->is_past)
		return;
	view_format_instance(view, instance);
	format_sight(t, sight);
	snprintf(a->etag, sizeof(a->etag), "W/\"%s-%llu%s%s%s\"", instance,
		(unsigned long long)view->header->sequence, *variant ? "-" : "", variant, sight);
	if (t->rq->if_none_match && negotiate_etag_matches(t->rq->if_none_match, a->etag))
		a->status = MHD_HTTP_NOT_MODIFIED;
}

/* FNV-1a, 64 bits. It only tells queries apart in an ETag, and protects nothing. */
static uint64_t hash_text(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return hash;
}

void site_format_variant(
	const struct request *rq, const char *prefix, char to[static SITE_VARIANT_SIZE])
{
	snprintf(to, SITE_VARIANT_SIZE, "%.3s%016llx", prefix,
		(unsigned long long)hash_text(rq->query ? rq->query : ""));
}

bool site_has_parameters(const struct request *rq)
{
	return rq->query && *rq->query;
}

void site_add_head(struct buffer *to, const struct view *view, uint64_t now_ns, size_t *ret_slack)
{
	enum { AGE_DIGITS = 24 };
	size_t len;

	json_render_head(view, view->header->boottime_ns, true, to);
	len = to->len; /* the age has one digit here */
	buffer_clear(to);
	json_render_head(view, now_ns, true, to);
	*ret_slack = len + AGE_DIGITS > to->len ? len + AGE_DIGITS - to->len : 0;
}

void site_add_end(struct buffer *to, size_t slack)
{
	struct fixed_width fixed = {.to = to, .slack = slack};

	fixed_width_settle(&fixed);
	buffer_add_char(to, '\n');
}

bool site_shows_processes(const struct site_task *t)
{
	return !view_is_public(t->view) && !t->lacks_rows && t->sight.kind != SIGHT_NONE;
}

const char *site_why_no_processes(const struct site_task *t)
{
	if (site_shows_processes(t))
		return NULL;
	if (t->lacks_rows)
		return NO_PAST_PROCESSES;
	return view_is_public(t->view) ? NO_PROCESSES_HERE : NO_PROCESSES_CALLER;
}

struct answer *site_refuse(const struct site_problem *p)
{
	struct answer *a = p->why.error ? NULL : answer_new_error(p->status, p->why.data);

	if (a)
		a->retry_after = p->retry_after;
	return a;
}

bool site_has_past_room(const struct site_task *t)
{
	size_t all = 0;

	for (size_t i = 0; i < CALLER_PLACES; i++)
		all += t->site->past_bytes[i];
	return all < SITE_PAST_BYTES_MAX && *SITE_PAST_BYTES(t) < SITE_PAST_BYTES_MAX / 2;
}

struct answer *site_postpone(void)
{
	struct answer *a = answer_new_error(MHD_HTTP_SERVICE_UNAVAILABLE,
		"too many answers of this path are not read yet; try again");

	if (a)
		a->retry_after = "1";
	return a;
}

/* Returns true if RQ has parameters, and one of them is not KEY. KEY may be NULL. */
static bool has_others(const struct request *rq, const char *key)
{
	char found[PARAMS_KEY_SIZE], value[QUERY_VALUE_MAX], error[QUERY_ERROR_SIZE];
	struct params params;
	int r;

	if (!site_has_parameters(rq))
		return false;
	params_init(&params, rq->query, strlen(rq->query));
	while ((r = params_next(&params, found, value, error)) == 0)
		if (!key || strcmp(found, key) != 0)
			return true;
	return r < 0;
}

/*
 * Returns why the parameters of RQ are refused at ROUTE, where they can only be a mistake; NULL: they
 * are not. A scraper may add parameters to the metrics.
 */
static const char *refuse_parameters(const struct request *rq, enum route route)
{
	switch (route) {
	case ROUTE_INDEX: return has_others(rq, NULL) ? "this path takes no parameters" : NULL;
	case ROUTE_STATUS:
	case ROUTE_HOST:
	case ROUTE_PROCESS:
		return has_others(rq, MOMENT_KEY)
		               ? "this path takes no parameters but at, a time of the past"
		               : NULL;
	default: return NULL;
	}
}

static enum route find_route(const struct site *s, const struct request *rq, uint32_t *ret_pid)
{
	enum route route = routes_find(
		rq->path, rq->path_len, s->settings->web_telemetry_path, ret_pid);

	if (route == ROUTE_PROCESS_EXPORTER &&
		s->settings->web_compat != WEB_COMPAT_PROCESS_EXPORTER)
		return ROUTE_NONE;
	return route;
}

static struct answer *answer_route(const struct site_task *t)
{
	switch (t->route) {
	case ROUTE_METRICS: return site_answer_metrics(t);
	case ROUTE_PROCESS_EXPORTER: return site_answer_process_exporter(t);
	case ROUTE_ASSET: return site_answer_asset(t);
	case ROUTE_HEALTHZ: return site_answer_text(MHD_HTTP_OK, "alive\n");
	case ROUTE_READYZ: return site_answer_readyz(t);
	case ROUTE_INDEX: return site_answer_index(t);
	case ROUTE_STATUS: return site_answer_status(t);
	case ROUTE_HISTORY: return site_answer_history(t);
	case ROUTE_COVERAGE: return site_answer_coverage(t);
	default: return site_answer_data(t);
	}
}

/* Answers T from the present snapshot, unless its parameters ask for another. */
static struct answer *site_answer_task(struct site_task *t)
{
	const char *refusal = refuse_parameters(t->rq, t->route);
	AUTO_SITE_PROBLEM struct site_problem problem = {0};

	if (t->route == ROUTE_NONE)
		return answer_new_error(MHD_HTTP_NOT_FOUND,
			"there is nothing at this path; /api/v1/ and the page at / list all paths");
	if (refusal)
		return answer_new_error(MHD_HTTP_BAD_REQUEST, refusal);
	if (site_find_moment(t, &problem) < 0)
		return NULL;
	if (t->route == ROUTE_PAGE)
		return site_answer_page(t, &problem);
	return problem.status ? site_refuse(&problem) : answer_route(t);
}

/* Begins to ask memtally-recorder for I if the answer to RQ of CALLER at ROUTE needs that. */
static void inquire_past(struct site *s, const struct request *rq, enum route route,
	const struct caller *caller, uint64_t now_ns, struct inquiry *i)
{
	char error[QUERY_ERROR_SIZE];
	struct past_request request;

	if (refuse_parameters(rq, route) || site_find_request(rq, route, &request, error) != 0)
		return; /* site_answer() says what is wrong */
	i->question = recorder_question_new(caller, &request);
	if (i->question)
		recorder_link_add(&s->recorder, s->settings->recorder_socket, i->question, now_ns);
}

/* Asks the next question of the history of I. Returns false if the recorder has no more to answer. */
static bool ask_recorder(struct site *s, struct inquiry *i, uint64_t now_ns)
{
	struct history_inquiry *h = i->history;
	struct past_request request;

	if (h->recorder.is_done)
		return false;
	recorder_part_next(&h->recorder, &h->query, &request);
	i->question = recorder_question_new(&h->wait.caller, &request);
	if (!i->question)
		return false;
	i->question->is_single = true;
	recorder_link_add(&s->recorder, s->settings->recorder_socket, i->question, now_ns);
	return true;
}

/* Takes the answer to the question of the history of I. */
static void site_take_answer(struct inquiry *i, uint64_t now_ns)
{
	struct history_inquiry *h = i->history;

	recorder_part_take(&h->recorder, &h->query, i->question);
	i->question = recorder_question_free(i->question);
	if (h->recorder.is_done)
		return;
	if (now_ns >= i->end_ns)
		recorder_part_give_up(&h->recorder);
	else
		recorder_part_hurry(&h->recorder, now_ns + SOURCE_LINK_TIMEOUT_NS - i->end_ns,
			i->end_ns - now_ns);
}

void site_continue(struct site *s, struct inquiry *i, uint64_t now_monotonic_ns)
{
	struct history_inquiry *h = i->history;

	while (h && !h->has_planned && (!i->question || i->question->wait.is_done)) {
		if (i->question)
			site_take_answer(i, now_monotonic_ns);
		if (ask_recorder(s, i, now_monotonic_ns))
			continue;
		site_plan_ledger(s, h);
		if (!h->wait.is_done)
			source_link_add(&s->ledger.link, s->settings->ledger_socket, &h->wait,
				now_monotonic_ns);
	}
}

/* Begins to ask for I if the history that RQ of CALLER asks for needs that. */
static void inquire_history(struct site *s, const struct request *rq, const struct caller *caller,
	uint64_t now_ns, struct inquiry *i)
{
	char error[QUERY_ERROR_SIZE];
	struct history_inquiry *h;

	if (site_begin_history(s, rq, caller, &i->history, error) != 0)
		return; /* site_answer() says what is wrong */
	h = i->history;
	i->end_ns = now_ns + SOURCE_LINK_TIMEOUT_NS;
	if (h->has_planned && !h->wait.is_done)
		source_link_add(&s->ledger.link, s->settings->ledger_socket, &h->wait, now_ns);
	site_continue(s, i, now_ns);
}

struct inquiry *site_inquire(struct site *s, const struct request *rq, const struct caller *caller,
	uint64_t now_monotonic_ns)
{
	AUTO_INQUIRY struct inquiry *i = NULL;
	uint32_t pid;
	enum route route = find_route(s, rq, &pid);

	if (route != ROUTE_HISTORY && route != ROUTE_COVERAGE && !site_has_parameters(rq))
		return NULL; /* most requests */
	i = inquiry_new();
	if (!i)
		return NULL;
	if (route == ROUTE_HISTORY && s->cache.view)
		inquire_history(s, rq, caller, now_monotonic_ns, i);
	else
		inquire_past(s, rq, route, caller, now_monotonic_ns, i);
	return i->history || i->question ? TAKE_PTR(i) : NULL;
}

void site_ask(struct site *s, uint64_t now_monotonic_ns)
{
	source_link_run(&s->ledger.link, s->settings->ledger_socket, now_monotonic_ns);
	recorder_link_run(&s->recorder, s->settings->recorder_socket, now_monotonic_ns);
}

void site_count_growth(struct site *s, uint64_t now_monotonic_ns)
{
	growth_counts_run(&s->growth, &s->recorder, s->settings->recorder_socket, now_monotonic_ns);
}

void site_forget(struct site *s, struct inquiry *i)
{
	if (i && i->history && i->history->has_planned && !i->history->wait.is_done)
		source_link_remove(&s->ledger.link, &i->history->wait);
	if (i && i->question && !i->question->wait.is_done)
		source_link_remove(&s->recorder.link, &i->question->wait);
	inquiry_free(i);
}

struct answer *site_answer(struct site *s, const struct request *rq, const struct caller *caller,
	const struct inquiry *inquiry, uint64_t now_boottime_ns)
{
	struct site_task t = {.site = s,
		.rq = rq,
		.caller = caller,
		.inquiry = inquiry,
		.view = s->cache.view,
		.sight = caller_sight(
			caller, (enum tcp_scope)s->settings->web_tcp_scope, s->cache.view),
		.now_ns = now_boottime_ns};
	struct answer *a;

	t.route = find_route(s, rq, &t.pid);
	t.is_fresh = t.view && !view_is_stale(t.view, now_boottime_ns);
	if (!t.is_fresh)
		cache_drop(&s->cache);
	a = site_answer_task(&t);
	if (a)
		a->is_head = rq->is_head;
	return a;
}
