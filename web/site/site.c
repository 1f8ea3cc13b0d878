/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/site/site.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "web/assets/assets.h"
#include "web/history/history-inquiry.h"
#include "web/http/params.h"
#include "web/site/fixed-width.h"
#include "web/site/page.h"
#include "web/site/route-list.h"
#include "web/site/routes.h"
#include "web/site/status.h"

#define TYPE_JSON "application/json"
#define TYPE_TEXT "text/plain; charset=utf-8"
#define TYPE_HTML "text/html; charset=utf-8"

/*
 * The page loads its style sheet and its script, which reads what this server answers. There is no
 * code or style inside the page, and the script makes no HTML of texts.
 */
#define PAGE_POLICY                                                                                \
	"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "            \
	"img-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "            \
	"require-trusted-types-for 'script'; trusted-types 'none'"

/* The path of an asset has a hash of its content. */
#define ASSET_KEEPS "public, max-age=31536000, immutable"

/* memtallyd looks users up when it starts and when it reloads its configuration. */
#define USER_REMEDY "; run it as user memtally-web, and reload memtallyd if that user is new"

enum {
	LISTS_A_ROUND = 2,
	HISTORIES_A_ROUND = 1, /* each takes some milliseconds */
	SIGHT_TEXT_SIZE = 16,
};

/* One request while it is being answered. */
struct task {
	struct site *site;
	const struct request *rq;
	const struct caller *caller;
	const struct history_inquiry *inquiry; /* done; NULL: none was needed or possible */
	struct sight sight;
	uint64_t now_ns; /* CLOCK_BOOTTIME */
	bool is_fresh;
};

void site_init(struct site *s, const struct link *link, const struct settings *settings)
{
	*s = (struct site){.ring.bytes_max = RING_BYTES_MAX,
		.ledger = LEDGER_LINK_CLOSED,
		.link = link,
		.settings = settings};
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
	ledger_link_done(&s->ledger);
}

void site_take(struct site *s, struct view *view)
{
	(void)ring_take(&s->ring, view);
	cache_replace(&s->cache, view);
}

static struct status make_status(const struct task *t)
{
	const struct site *s = t->site;

	return (struct status){
		.view = s->cache.view,
		.is_fresh = t->is_fresh,
		.is_connected = link_is_connected(s->link),
		.snapshots_received = s->link->received,
		.snapshots_refused = s->link->refused,
		.history_bytes = s->ring.bytes,
		.counters = &s->counters,
		.self = &s->self,
		.now_boottime_ns = t->now_ns,
	};
}

/*
 * Writes the part of an ETag that stands for T's sight: clients that see different processes must
 * not share an ETag.
 */
static void format_sight(const struct task *t, char to[static SIGHT_TEXT_SIZE])
{
	switch (t->sight.kind) {
	case SIGHT_ALL: to[0] = 0; break;
	case SIGHT_EXPORTED: snprintf(to, SIGHT_TEXT_SIZE, "-exported"); break;
	case SIGHT_OWN: snprintf(to, SIGHT_TEXT_SIZE, "-uid%u", t->sight.uid); break;
	case SIGHT_NONE: snprintf(to, SIGHT_TEXT_SIZE, "-sums"); break;
	}
}

/*
 * Sets the ETag `W/"<instance>-<sequence>[-<variant>][-<sight>]"`. It is weak, because ages and
 * memtally-web's own figures change while the snapshot stays the same. If the client has this ETag,
 * the status becomes 304: the client gets the same answer without its body, so that the headers
 * tell the length that the body would have.
 */
static void set_etag(const struct task *t, struct answer *a, const char *variant)
{
	const struct view *view = t->site->cache.view;
	char instance[VIEW_INSTANCE_TEXT_SIZE], sight[SIGHT_TEXT_SIZE];

	view_format_instance(view, instance);
	format_sight(t, sight);
	snprintf(a->etag, sizeof(a->etag), "W/\"%s-%llu%s%s%s\"", instance,
		(unsigned long long)view->header->sequence, *variant ? "-" : "", variant, sight);
	if (t->rq->if_none_match && negotiate_etag_matches(t->rq->if_none_match, a->etag))
		a->status = MHD_HTTP_NOT_MODIFIED;
}

static struct answer *answer_text(unsigned int status, const char *text)
{
	AUTO_ANSWER struct answer *a = answer_new(status, TYPE_TEXT);

	if (a)
		buffer_add_text(&a->before, text);
	return TAKE_PTR(a);
}

/* Adds how old the stale snapshot VIEW is and how old it may be, in seconds. */
static void add_stale(const struct view *view, uint64_t now_boottime_ns, struct buffer *to)
{
	const struct image_header *h = view->header;

	buffer_add_text(to, "the snapshot is ");
	buffer_add_u64(to, view_age_ns(view, now_boottime_ns) / NS_PER_SEC);
	buffer_add_text(to, " s old, at most ");
	buffer_add_u64(to, (h->stale_ns - h->boottime_ns) / NS_PER_SEC);
	buffer_add_text(to, " s are allowed");
}

/* Answers 200 if there is a fresh snapshot, else 503 with the reason. */
static struct answer *answer_readyz(const struct task *t)
{
	AUTO_ANSWER struct answer *a = NULL;
	AUTO_BUFFER struct buffer why = {0};
	const struct site *s = t->site;

	if (t->is_fresh)
		return answer_text(MHD_HTTP_OK, "ready\n");
	a = answer_text(MHD_HTTP_SERVICE_UNAVAILABLE, "");
	if (!a)
		return NULL;
	if (s->cache.view)
		add_stale(s->cache.view, t->now_ns, &a->before);
	link_explain(s->link, clock_now_ns(CLOCK_MONOTONIC), &why);
	if (why.error)
		a->before.error = why.error;
	if (why.len && s->cache.view)
		buffer_add_text(&a->before, "; ");
	buffer_add(&a->before, why.data, why.len);
	buffer_add_char(&a->before, '\n');
	return TAKE_PTR(a);
}

static struct answer *answer_page(const struct task *t)
{
	AUTO_ANSWER struct answer *a = answer_new(MHD_HTTP_OK, TYPE_HTML);
	struct status status = make_status(t);
	char error[QUERY_ERROR_SIZE];
	struct page_query query;

	if (!a)
		return NULL;
	if (page_query_parse(t->rq->query, t->rq->query ? strlen(t->rq->query) : 0, &query, error) <
		0)
		return answer_new_error(MHD_HTTP_BAD_REQUEST, error);
	a->policy = PAGE_POLICY;
	if (page_render(&status, &query, t->site->settings->web_telemetry_path, &a->before) < 0)
		return NULL;
	return TAKE_PTR(a);
}

/* Answers with the asset at the path, as it is kept if the client takes gzip. */
static struct answer *answer_asset(const struct task *t)
{
	const struct asset *asset = assets_find(t->rq->path, t->rq->path_len);
	AUTO_ANSWER struct answer *a = answer_new(MHD_HTTP_OK, asset->content_type);

	if (!a)
		return NULL;
	a->keeps = ASSET_KEEPS;
	a->vary = "Accept-Encoding";
	a->is_gzip = negotiate_gzip(&t->rq->negotiate);
	if (a->is_gzip)
		buffer_add(&a->before, asset->gzip, asset->gzip_len);
	else if (gzip_inflate(&a->before, asset->gzip, asset->gzip_len, asset->len) < 0)
		return NULL;
	return TAKE_PTR(a);
}

static struct answer *answer_index(const struct task *t)
{
	AUTO_ANSWER struct answer *a = answer_new(MHD_HTTP_OK, TYPE_JSON);

	if (!a)
		return NULL;
	route_list_render(t->site->settings->web_telemetry_path, &a->before);
	return TAKE_PTR(a);
}

/* Returns true if the client may see all processes that have series. */
static bool shows_exported(const struct task *t)
{
	return t->sight.kind == SIGHT_ALL || t->sight.kind == SIGHT_EXPORTED;
}

/*
 * Makes the metrics. The sums are the same for all clients and cached; one user's processes are
 * rendered after them.
 */
static struct answer *answer_metrics(const struct task *t)
{
	struct site *s = t->site;
	enum prometheus_format format = negotiate_openmetrics(&t->rq->negotiate)
	                                        ? PROMETHEUS_OPENMETRICS
	                                        : PROMETHEUS_TEXT;
	AUTO_ANSWER struct answer *a = answer_new(MHD_HTTP_OK, prometheus_content_type(format));
	AUTO_BUFFER struct buffer tail = {0};
	struct status status = make_status(t);
	struct buffer *end;

	if (!a)
		return NULL;
	a->vary = "Accept, Accept-Encoding";
	a->is_gzip = negotiate_gzip(&t->rq->negotiate);
	end = a->is_gzip ? &tail : &a->after;
	if (t->is_fresh) {
		set_etag(t, a, format == PROMETHEUS_OPENMETRICS ? "om" : "");
		if (cache_get(&s->cache, cache_metrics(format, a->is_gzip, shows_exported(t)),
			    &a->body) < 0)
			return NULL;
		if (t->sight.kind == SIGHT_OWN)
			prometheus_render_processes(s->cache.view, &t->sight, format, end);
	}
	if (self_read(&s->self, t->now_ns) < 0)
		return NULL;
	status_render_metrics(&status, format, end);
	if (a->is_gzip && !a->body) {
		struct gzip_front front;

		if (gzip_add_front(&a->before, NULL, 0, &front) < 0)
			return NULL;
		gzip_add_end(&a->after, &front, tail.data, tail.len);
	} else if (a->is_gzip) {
		gzip_add_end(&a->after, &a->body->front, tail.data, tail.len);
	}
	return tail.error ? NULL : TAKE_PTR(a);
}

/* Makes the metrics of process-exporter: sums, which all clients may see. */
static struct answer *answer_process_exporter(const struct task *t)
{
	struct site *s = t->site;
	AUTO_ANSWER struct answer *a = answer_new(
		MHD_HTTP_OK, prometheus_content_type(PROMETHEUS_TEXT));
	struct status status = make_status(t);

	if (!a)
		return NULL;
	if (t->is_fresh) {
		set_etag(t, a, "process-exporter");
		if (cache_get(&s->cache, CACHE_PROCESS_EXPORTER, &a->body) < 0)
			return NULL;
	}
	if (self_read(&s->self, t->now_ns) < 0)
		return NULL;
	status_render_metrics(&status, PROMETHEUS_TEXT, &a->after);
	return TAKE_PTR(a);
}

/*
 * Adds the head, which has the snapshot's age. *RET_SLACK is how many blanks to add at the end of
 * the body, so that its length stays the same when the age has more digits.
 */
static void site_add_head(
	struct buffer *to, const struct view *view, uint64_t now_ns, size_t *ret_slack)
{
	enum { AGE_DIGITS = 24 };
	size_t len;

	json_render_head(view, view->header->boottime_ns, true, to);
	len = to->len; /* the age has one digit here */
	buffer_clear(to);
	json_render_head(view, now_ns, true, to);
	*ret_slack = len + AGE_DIGITS > to->len ? len + AGE_DIGITS - to->len : 0;
}

static void site_add_end(struct buffer *to, size_t slack)
{
	struct fixed_width fixed = {.to = to, .slack = slack};

	fixed_width_settle(&fixed);
	buffer_add_char(to, '\n');
}

/* Makes a JSON answer from the head and the cached rest BODY. */
static struct answer *answer_cached(const struct task *t, enum cache_body body)
{
	AUTO_ANSWER struct answer *a = answer_new(MHD_HTTP_OK, TYPE_JSON);
	struct cache *cache = &t->site->cache;
	size_t slack;

	if (!a)
		return NULL;
	set_etag(t, a, "");
	if (cache_get(cache, body, &a->body) < 0)
		return NULL;
	site_add_head(&a->before, cache->view, t->now_ns, &slack);
	site_add_end(&a->after, slack);
	return TAKE_PTR(a);
}

/* FNV-1a, 64 bits. It only tells queries apart in an ETag, and protects nothing. */
static uint64_t hash_text(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return hash;
}

static bool has_parameters(const struct request *rq)
{
	return rq->query && *rq->query;
}

static struct answer *answer_stream(const struct task *t, const struct query *query)
{
	AUTO_ANSWER struct answer *a = answer_new(MHD_HTTP_OK, TYPE_JSON);
	struct view *view = t->site->cache.view;
	char variant[17] = "";
	size_t slack;

	if (!a)
		return NULL;
	if (has_parameters(t->rq))
		snprintf(variant, sizeof(variant), "%016llx",
			(unsigned long long)hash_text(t->rq->query));
	set_etag(t, a, variant);
	a->stream = list_stream_new(view, query, &t->site->turns);
	if (!a->stream)
		return NULL;
	site_add_head(list_stream_head(a->stream), view, t->now_ns, &slack);
	return list_stream_begin(a->stream) < 0 ? NULL : TAKE_PTR(a);
}

static bool shows_processes(const struct task *t)
{
	return !view_is_public(t->site->cache.view) && t->sight.kind != SIGHT_NONE;
}

static struct answer *refuse_processes(const struct task *t)
{
	return answer_new_error(MHD_HTTP_FORBIDDEN,
		view_is_public(t->site->cache.view)
			? "memtallyd does not show processes to the user of this memtally-web" USER_REMEDY
			: "processes are not shown to clients that cannot be identified, as at a TCP listener "
			  "(web.tcp_scope)");
}

/*
 * The kernel shows the mappings of other users' processes only to privileged users, and so does
 * memtally-web.
 */
static struct answer *refuse_files(const struct task *t)
{
	return answer_new_error(MHD_HTTP_FORBIDDEN,
		view_is_public(t->site->cache.view)
			? "memtallyd does not show files to the user of this memtally-web" USER_REMEDY
			: "the files that processes map are shown to root and group memtally, at a UNIX socket "
			  "(web.listen-address)");
}

static struct answer *answer_list(const struct task *t, enum metric_scope scope)
{
	char key[PARAMS_KEY_SIZE], value[QUERY_VALUE_MAX], error[QUERY_ERROR_SIZE];
	struct cache *cache = &t->site->cache;
	struct params params;
	struct query query;
	int r;

	if (scope == METRIC_PROCESS && !shows_processes(t))
		return refuse_processes(t);
	if (scope == METRIC_FILE && (view_is_public(cache->view) || t->sight.kind != SIGHT_ALL))
		return refuse_files(t);
	if (!has_parameters(t->rq) && cache_keeps_list(cache, scope, &t->sight))
		return answer_cached(t, cache_list(scope, &t->sight));
	query_init(&query, scope);
	query.sight = t->sight;
	params_init(&params, t->rq->query, t->rq->query ? strlen(t->rq->query) : 0);
	while ((r = params_next(&params, key, value, error)) == 0) {
		r = query_set(&query, key, value, error);
		if (r < 0)
			break;
	}
	if (r < 0)
		return answer_new_error(MHD_HTTP_BAD_REQUEST, error);
	return answer_stream(t, &query);
}

static struct answer *answer_process(const struct task *t, uint32_t pid)
{
	AUTO_ANSWER struct answer *a = answer_new(MHD_HTTP_OK, TYPE_JSON);
	const struct view *view = t->site->cache.view;
	const struct snapshot_process *row;
	char variant[16];
	size_t slack;

	if (!a)
		return NULL;
	if (!shows_processes(t))
		return refuse_processes(t);
	row = view_find_process(view, pid);
	if (!row || !sight_has(&t->sight, row)) /* does not tell which of the two */
		return answer_new_error(MHD_HTTP_NOT_FOUND,
			"the part of the snapshot that may be shown has no process with this pid");
	snprintf(variant, sizeof(variant), "p%u", pid);
	set_etag(t, a, variant);
	site_add_head(&a->before, view, t->now_ns, &slack);
	json_render_process(view, row, &a->before);
	site_add_end(&a->after, slack);
	return TAKE_PTR(a);
}

static struct answer *answer_status(const struct task *t)
{
	AUTO_ANSWER struct answer *a = answer_new(MHD_HTTP_OK, TYPE_JSON);
	struct site *s = t->site;
	const struct view *view = s->cache.view;
	struct status status = make_status(t);
	size_t slack = 0;

	if (!a)
		return NULL;
	if (self_read(&s->self, t->now_ns) < 0)
		return NULL;
	if (view)
		site_add_head(&a->before, view, t->now_ns, &slack);
	buffer_add_char(&a->before, view ? ',' : '{');
	status_render_json(&status, &a->before, &slack);
	if (view)
		json_render_status(view, &a->before);
	else
		buffer_add_char(&a->before, '}');
	site_add_end(&a->after, slack);
	return TAKE_PTR(a);
}

static struct history_context context_of(const struct site *s, const struct caller *caller)
{
	return (struct history_context){.ring = &s->ring,
		.view = s->cache.view,
		.caller = caller,
		.tcp_scope = (enum tcp_scope)s->settings->web_tcp_scope};
}

/* Begins an inquiry about the past: parameters and results are those of history_inquiry_new(). */
static int begin_inquiry(const struct site *s, const struct request *rq,
	const struct caller *caller, struct history_inquiry **ret,
	char error[static QUERY_ERROR_SIZE])
{
	const struct history_context context = context_of(s, caller);
	int64_t now_s = (int64_t)(clock_now_ns(CLOCK_REALTIME) / NS_PER_SEC);

	return history_inquiry_new(
		&context, rq->query, rq->query ? strlen(rq->query) : 0, now_s, ret, error);
}

/* Answers that a history is to be asked for later. */
static struct answer *postpone_history(void)
{
	struct answer *a = answer_new_error(MHD_HTTP_SERVICE_UNAVAILABLE,
		"too many answers of this path are not read yet; try again");

	if (a)
		a->retry_after = "1";
	return a;
}

/*
 * Sets the ETag of the answer to INQUIRY if the same question has the same answer until the next
 * snapshot: memtally-ledger was not asked. Without snapshots the time of a relative question would
 * move on, so a stale one has no ETag.
 */
static void tag_history(
	const struct task *t, const struct history_inquiry *inquiry, struct answer *a)
{
	char variant[20];

	if (!t->is_fresh || inquiry->plan.ledger_from_s < inquiry->plan.ledger_to_s)
		return;
	snprintf(variant, sizeof(variant), "h%016llx",
		(unsigned long long)hash_text(t->rq->query ? t->rq->query : ""));
	set_etag(t, a, variant);
}

/* Answers also with a stale snapshot, since the past does not become stale. */
static struct answer *answer_history(const struct task *t)
{
	const struct history_context context = context_of(t->site, t->caller);
	AUTO_HISTORY_INQUIRY struct history_inquiry *made = NULL;
	AUTO_ANSWER struct answer *a = answer_new(MHD_HTTP_OK, TYPE_JSON);
	const struct history_inquiry *inquiry = t->inquiry;
	char error[QUERY_ERROR_SIZE];
	int r = 0;

	if (!context.view)
		return answer_new_error(MHD_HTTP_SERVICE_UNAVAILABLE, "there is no snapshot yet");
	if (!inquiry) {
		r = begin_inquiry(t->site, t->rq, t->caller, &made, error);
		inquiry = made;
	}
	if (r == HISTORY_INQUIRY_HIDDEN || r == -EINVAL)
		return answer_new_error(r < 0 ? MHD_HTTP_BAD_REQUEST : MHD_HTTP_FORBIDDEN, error);
	if (r < 0 || !a)
		return NULL;
	tag_history(t, inquiry, a);
	a->lacks_body = a->status == MHD_HTTP_NOT_MODIFIED;
	if (a->lacks_body)
		return TAKE_PTR(a); /* rendering it only for its length would cost too much */
	if (t->site->past_bytes >= SITE_PAST_BYTES_MAX)
		return postpone_history();
	json_render_head(context.view, t->now_ns, true, &a->before);
	if (history_inquiry_render(inquiry, &context, &a->before) < 0)
		return NULL;
	buffer_add_char(&a->before, '\n');
	answer_count(a, &t->site->past_bytes);
	return TAKE_PTR(a);
}

/* Answers the routes that need a fresh snapshot. */
static struct answer *answer_data(const struct task *t, enum route route, uint32_t pid)
{
	if (!t->site->cache.view)
		return answer_new_error(MHD_HTTP_SERVICE_UNAVAILABLE, "there is no snapshot yet");
	if (!t->is_fresh)
		return answer_new_error(MHD_HTTP_SERVICE_UNAVAILABLE, "the snapshot is stale");
	if (route == ROUTE_HOST)
		return answer_cached(t, CACHE_HOST);
	if (route == ROUTE_PROCESS)
		return answer_process(t, pid);
	return answer_list(t, routes_list_scope(route));
}

/*
 * Returns true if parameters are refused at ROUTE, where they can only be a mistake. A scraper may
 * add parameters to the metrics.
 */
static bool refuses_parameters(enum route route)
{
	return route == ROUTE_INDEX || route == ROUTE_STATUS || route == ROUTE_HOST ||
	       route == ROUTE_PROCESS;
}

static struct answer *answer_route(const struct task *t)
{
	const struct settings *settings = t->site->settings;
	const struct request *rq = t->rq;
	uint32_t pid = 0;
	enum route route = routes_find(rq->path, rq->path_len, settings->web_telemetry_path, &pid);

	if (route == ROUTE_PROCESS_EXPORTER && settings->web_compat != WEB_COMPAT_PROCESS_EXPORTER)
		route = ROUTE_NONE;
	if (route == ROUTE_NONE)
		return answer_new_error(MHD_HTTP_NOT_FOUND,
			"there is nothing at this path; /api/v1/ and the page at / list all paths");
	if (has_parameters(rq) && refuses_parameters(route))
		return answer_new_error(MHD_HTTP_BAD_REQUEST, "this path takes no parameters");
	switch (route) {
	case ROUTE_METRICS: return answer_metrics(t);
	case ROUTE_PROCESS_EXPORTER: return answer_process_exporter(t);
	case ROUTE_PAGE: return answer_page(t);
	case ROUTE_ASSET: return answer_asset(t);
	case ROUTE_HEALTHZ: return answer_text(MHD_HTTP_OK, "alive\n");
	case ROUTE_READYZ: return answer_readyz(t);
	case ROUTE_INDEX: return answer_index(t);
	case ROUTE_STATUS: return answer_status(t);
	case ROUTE_HISTORY: return answer_history(t);
	default: return answer_data(t, route, pid);
	}
}

struct history_inquiry *site_inquire(struct site *s, const struct request *rq,
	const struct caller *caller, uint64_t now_monotonic_ns)
{
	struct history_inquiry *inquiry = NULL;
	char error[QUERY_ERROR_SIZE];
	uint32_t pid;

	if (!s->cache.view || routes_find(rq->path, rq->path_len, s->settings->web_telemetry_path,
				      &pid) != ROUTE_HISTORY)
		return NULL;
	if (begin_inquiry(s, rq, caller, &inquiry, error) != 0)
		return NULL; /* site_answer() says what is wrong */
	if (!inquiry->is_done)
		ledger_link_add(&s->ledger, s->settings->ledger_socket, inquiry, now_monotonic_ns);
	return inquiry;
}

void site_ask(struct site *s, uint64_t now_monotonic_ns)
{
	ledger_link_run(&s->ledger, s->settings->ledger_socket, now_monotonic_ns);
}

void site_forget(struct site *s, struct history_inquiry *inquiry)
{
	if (inquiry && !inquiry->is_done)
		ledger_link_remove(&s->ledger, inquiry);
	history_inquiry_free(inquiry);
}

struct answer *site_answer(struct site *s, const struct request *rq, const struct caller *caller,
	const struct history_inquiry *inquiry, uint64_t now_boottime_ns)
{
	struct task t = {.site = s,
		.rq = rq,
		.caller = caller,
		.inquiry = inquiry,
		.sight = caller_sight(
			caller, (enum tcp_scope)s->settings->web_tcp_scope, s->cache.view),
		.now_ns = now_boottime_ns};
	struct answer *a;

	t.is_fresh = s->cache.view && !view_is_stale(s->cache.view, now_boottime_ns);
	if (!t.is_fresh)
		cache_drop(&s->cache);
	a = answer_route(&t);
	if (a)
		a->is_head = rq->is_head;
	return a;
}
