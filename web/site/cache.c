/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/site/cache.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "render/json.h"
#include "render/process-exporter.h"
#include "snapshot/query.h"

enum { LIST_ROWS_MAX = 512 };

static_assert(CACHE_TEXT == (int)PROMETHEUS_TEXT &&
		      CACHE_OPENMETRICS == (int)PROMETHEUS_OPENMETRICS && PROMETHEUS_FORMATS == 2,
	"metrics are found by their format");
static_assert(CACHE_TEXT_GZIP == 2 && CACHE_SUMS_TEXT == 4 && CACHE_SUMS_TEXT_GZIP == 6 &&
		      CACHE_HOST == 8,
	"and by whether they are compressed, and without processes");
static_assert(CACHE_PROCESSES - CACHE_OWNERS == (int)METRIC_PROCESS - (int)METRIC_USER,
	"lists are found by their scope");

struct body *body_unref(struct body *body)
{
	if (!body || --body->refs)
		return NULL;
	buffer_done(&body->data);
	free(body);
	return NULL;
}

void cache_drop(struct cache *c)
{
	for (size_t i = 0; i < CACHE_BODIES; i++)
		c->body[i] = body_unref(c->body[i]);
}

void cache_done(struct cache *c)
{
	cache_drop(c);
	c->view = view_unref(c->view);
}

void cache_replace(struct cache *c, struct view *view)
{
	cache_done(c);
	c->view = view;
	c->exported = 0;
	for (uint32_t i = 0; view && i < view_count(view, METRIC_PROCESS); i++)
		c->exported += view_process(view, i)->flags & PROCESS_EXPORTED ? 1 : 0;
}

bool cache_keeps_list(const struct cache *c, enum metric_scope scope, const struct sight *sight)
{
	if (scope == METRIC_FILE) /* rarely asked for */
		return false;
	if (scope == METRIC_PROCESS && sight->kind == SIGHT_EXPORTED)
		return c->exported <= LIST_ROWS_MAX;
	if (scope == METRIC_PROCESS && sight->kind != SIGHT_ALL)
		return false;
	return view_count(c->view, scope) <= LIST_ROWS_MAX;
}

static int render_list(
	const struct view *view, enum metric_scope scope, enum sight_kind sight, struct buffer *to)
{
	AUTO_FREE uint32_t *rows = NULL;
	struct json_list list = {.view = view, .scope = scope};
	struct query query;
	int r;

	query_init(&query, scope);
	query.sight.kind = sight;
	r = query_run(&query, view, &rows, &list.count);
	if (r < 0)
		return r;
	list.rows = rows;
	while (json_list_render(&list, SIZE_MAX, to) && !to->error)
		;
	return 0;
}

static void render_metrics(
	struct cache *c, enum prometheus_format format, bool has_processes, struct buffer *to)
{
	const struct sight sight = {.kind = has_processes ? SIGHT_ALL : SIGHT_NONE};

	prometheus_render(c->view, &sight, format, to);
}

/*
 * Renders the compressed body. It compresses the plain body if that is cached; else it renders a
 * plain body and does not keep it.
 */
static int render_gzip(
	struct cache *c, enum prometheus_format format, bool has_processes, struct body *to)
{
	const struct body *plain = c->body[cache_metrics(format, false, has_processes)];
	AUTO_BUFFER struct buffer text = {0};

	if (plain)
		return gzip_add_front(&to->data, plain->data.data, plain->data.len, &to->front);
	render_metrics(c, format, has_processes, &text);
	if (text.error)
		return text.error;
	return gzip_add_front(&to->data, text.data, text.len, &to->front);
}

static int cache_render(struct cache *c, enum cache_body which, struct body *to)
{
	enum prometheus_format format = (enum prometheus_format)(which % PROMETHEUS_FORMATS);
	bool has_processes = which < CACHE_SUMS_TEXT;

	switch (which) {
	case CACHE_TEXT:
	case CACHE_OPENMETRICS:
	case CACHE_SUMS_TEXT:
	case CACHE_SUMS_OPENMETRICS: render_metrics(c, format, has_processes, &to->data); return 0;
	case CACHE_TEXT_GZIP:
	case CACHE_OPENMETRICS_GZIP:
	case CACHE_SUMS_TEXT_GZIP:
	case CACHE_SUMS_OPENMETRICS_GZIP: return render_gzip(c, format, has_processes, to);
	case CACHE_HOST: json_render_host(c->view, &to->data); return 0;
	case CACHE_PROCESS_EXPORTER: process_exporter_render(c->view, &to->data); return 0;
	case CACHE_EXPORTED: return render_list(c->view, METRIC_PROCESS, SIGHT_EXPORTED, &to->data);
	default:
		return render_list(c->view,
			(enum metric_scope)(METRIC_USER + (int)which - CACHE_OWNERS), SIGHT_ALL,
			&to->data);
	}
}

int cache_get(struct cache *c, enum cache_body which, struct body **ret)
{
	if (!c->body[which]) {
		AUTO_BODY struct body *body = calloc(1, sizeof(*body));
		int r;

		if (!body)
			return -ENOMEM;
		body->refs = 1;
		r = cache_render(c, which, body);
		if (r < 0 || body->data.error)
			return -ENOMEM;
		buffer_trim(&body->data);
		c->body[which] = TAKE_PTR(body);
	}
	c->body[which]->refs++;
	*ret = c->body[which];
	return 0;
}
