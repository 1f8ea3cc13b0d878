/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "web/http/params.h"
#include "web/site/site-private.h"
#include "web/sources/moment.h"

/* Makes a JSON answer from the head and the cached rest BODY. */
static struct answer *answer_cached(const struct site_task *t, enum cache_body body)
{
	AUTO_ANSWER struct answer *a = answer_new(MHD_HTTP_OK, SITE_TYPE_JSON);
	struct cache *cache = &t->site->cache;
	size_t slack;

	if (!a)
		return NULL;
	assert(!t->is_past);
	site_set_etag(t, a, "");
	if (cache_get(cache, body, &a->body) < 0)
		return NULL;
	site_add_head(&a->before, cache->view, t->now_ns, &slack);
	site_add_end(&a->after, slack);
	return TAKE_PTR(a);
}

static struct answer *answer_stream(const struct site_task *t, const struct query *query)
{
	AUTO_ANSWER struct answer *a = answer_new(MHD_HTTP_OK, SITE_TYPE_JSON);
	struct view *view = t->view;
	char variant[SITE_VARIANT_SIZE] = "";
	size_t slack;

	if (!a)
		return NULL;
	/* The stream keeps the snapshot until the client has read it. */
	if (t->is_past && !site_has_past_room(t))
		return site_postpone();
	if (site_has_parameters(t->rq))
		site_format_variant(t->rq, "", variant);
	site_set_etag(t, a, variant);
	a->stream = list_stream_new(view, query, &t->site->turns);
	if (!a->stream)
		return NULL;
	if (t->is_past)
		answer_count_view(a, view, SITE_PAST_BYTES(t));
	site_add_head(list_stream_head(a->stream), view, t->now_ns, &slack);
	return list_stream_begin(a->stream) < 0 ? NULL : TAKE_PTR(a);
}

/* Makes the answer with the host of a snapshot of the past. */
static struct answer *answer_past_host(const struct site_task *t)
{
	AUTO_ANSWER struct answer *a = answer_new(MHD_HTTP_OK, SITE_TYPE_JSON);
	size_t slack;

	if (!a)
		return NULL;
	site_add_head(&a->before, t->view, t->now_ns, &slack);
	json_render_host(t->view, &a->before);
	site_add_end(&a->before, slack);
	return TAKE_PTR(a);
}

static struct answer *refuse_processes(const struct site_task *t)
{
	return answer_new_error(MHD_HTTP_FORBIDDEN, site_why_no_processes(t));
}

/*
 * The kernel shows the mappings of other users' processes only to privileged users, and so does
 * memtally-web.
 */
static struct answer *refuse_files(const struct site_task *t)
{
	return answer_new_error(MHD_HTTP_FORBIDDEN,
		view_is_public(t->view)
			? "memtallyd does not show files to the user of this memtally-web" SITE_USER_REMEDY
			: "the files that processes map are shown to root and group memtally, at a UNIX socket "
			  "(web.listen-address)");
}

static struct answer *answer_list(const struct site_task *t, enum metric_scope scope)
{
	char key[PARAMS_KEY_SIZE], value[QUERY_VALUE_MAX], error[QUERY_ERROR_SIZE];
	struct cache *cache = &t->site->cache;
	struct params params;
	struct query query;
	int r;

	if (scope == METRIC_PROCESS && !site_shows_processes(t))
		return refuse_processes(t);
	if (scope == METRIC_FILE &&
		(view_is_public(t->view) || t->lacks_rows || t->sight.kind != SIGHT_ALL))
		return refuse_files(t);
	if (!site_has_parameters(t->rq) && cache_keeps_list(cache, scope, &t->sight))
		return answer_cached(t, cache_list(scope, &t->sight));
	query_init(&query, scope);
	query.sight = t->sight;
	params_init(&params, t->rq->query, t->rq->query ? strlen(t->rq->query) : 0);
	while ((r = params_next(&params, key, value, error)) == 0) {
		if (strcmp(key, MOMENT_KEY) != 0)
			r = query_set(&query, key, value, error);
		if (r < 0)
			break;
	}
	if (r < 0)
		return answer_new_error(MHD_HTTP_BAD_REQUEST, error);
	return answer_stream(t, &query);
}

static struct answer *answer_process(const struct site_task *t)
{
	AUTO_ANSWER struct answer *a = answer_new(MHD_HTTP_OK, SITE_TYPE_JSON);
	const struct view *view = t->view;
	const struct snapshot_process *row;
	char variant[16];
	size_t slack;

	if (!a)
		return NULL;
	if (!site_shows_processes(t))
		return refuse_processes(t);
	row = view_find_process(view, t->pid);
	if (!row || !sight_has(&t->sight, row)) /* does not tell which of the two */
		return answer_new_error(MHD_HTTP_NOT_FOUND,
			"the part of the snapshot that may be shown has no process with this pid");
	snprintf(variant, sizeof(variant), "p%u", t->pid);
	site_set_etag(t, a, variant);
	site_add_head(&a->before, view, t->now_ns, &slack);
	json_render_process(view, row, &a->before);
	site_add_end(&a->after, slack);
	return TAKE_PTR(a);
}

/* Returns the status of memtally-web for T: that of the present, with snapshots of the past, too. */
static struct status web_status_of(const struct site_task *t)
{
	const struct view *present = t->site->cache.view;
	struct status status = site_status(t);

	if (!t->is_past)
		return status;
	status.view = present;
	status.now_boottime_ns = clock_now_ns(CLOCK_BOOTTIME);
	status.is_fresh = present && !view_is_stale(present, status.now_boottime_ns);
	return status;
}

struct answer *site_answer_status(const struct site_task *t)
{
	AUTO_ANSWER struct answer *a = answer_new(MHD_HTTP_OK, SITE_TYPE_JSON);
	struct site *s = t->site;
	const struct view *view = t->view;
	struct status status = web_status_of(t);
	size_t slack = 0;

	if (!a)
		return NULL;
	if (self_read(&s->self, status.now_boottime_ns) < 0)
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

struct answer *site_answer_data(const struct site_task *t)
{
	if (!t->view)
		return answer_new_error(MHD_HTTP_SERVICE_UNAVAILABLE, "there is no snapshot yet");
	if (!t->is_fresh)
		return answer_new_error(MHD_HTTP_SERVICE_UNAVAILABLE, "the snapshot is stale");
	if (t->route == ROUTE_HOST)
		return t->is_past ? answer_past_host(t) : answer_cached(t, CACHE_HOST);
	if (t->route == ROUTE_PROCESS)
		return answer_process(t);
	return answer_list(t, routes_list_scope(t->route));
}
