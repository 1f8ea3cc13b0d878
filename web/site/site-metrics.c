/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "snapshot/link.h"
#include "web/site/site-private.h"

#define TYPE_TEXT "text/plain; charset=utf-8"

struct answer *site_answer_text(unsigned int status, const char *text)
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
struct answer *site_answer_readyz(const struct site_task *t)
{
	AUTO_ANSWER struct answer *a = NULL;
	AUTO_BUFFER struct buffer why = {0};
	const struct site *s = t->site;

	if (t->is_fresh)
		return site_answer_text(MHD_HTTP_OK, "ready\n");
	a = site_answer_text(MHD_HTTP_SERVICE_UNAVAILABLE, "");
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

/* Returns true if the client may see all processes that have series. */
static bool shows_exported(const struct site_task *t)
{
	return t->sight.kind == SIGHT_ALL || t->sight.kind == SIGHT_EXPORTED;
}

/*
 * Makes the metrics. The sums are the same for all clients and cached; one user's processes are
 * rendered after them.
 */
struct answer *site_answer_metrics(const struct site_task *t)
{
	struct site *s = t->site;
	enum prometheus_format format = negotiate_openmetrics(&t->rq->negotiate)
	                                        ? PROMETHEUS_OPENMETRICS
	                                        : PROMETHEUS_TEXT;
	AUTO_ANSWER struct answer *a = answer_new(MHD_HTTP_OK, prometheus_content_type(format));
	AUTO_BUFFER struct buffer tail = {0};
	struct status status = site_status(t);
	struct buffer *end;

	if (!a)
		return NULL;
	a->vary = "Accept, Accept-Encoding";
	a->is_gzip = negotiate_gzip(&t->rq->negotiate);
	end = a->is_gzip ? &tail : &a->after;
	if (t->is_fresh) {
		site_set_etag(t, a, format == PROMETHEUS_OPENMETRICS ? "om" : "");
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
struct answer *site_answer_process_exporter(const struct site_task *t)
{
	struct site *s = t->site;
	AUTO_ANSWER struct answer *a = answer_new(
		MHD_HTTP_OK, prometheus_content_type(PROMETHEUS_TEXT));
	struct status status = site_status(t);

	if (!a)
		return NULL;
	if (t->is_fresh) {
		site_set_etag(t, a, "process-exporter");
		if (cache_get(&s->cache, CACHE_PROCESS_EXPORTER, &a->body) < 0)
			return NULL;
	}
	if (self_read(&s->self, t->now_ns) < 0)
		return NULL;
	status_render_metrics(&status, PROMETHEUS_TEXT, &a->after);
	return TAKE_PTR(a);
}
