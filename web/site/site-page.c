/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <string.h>

#include "web/assets/assets.h"
#include "web/site/page.h"
#include "web/site/route-list.h"
#include "web/site/site-private.h"

#define TYPE_HTML "text/html; charset=utf-8"

/*
 * The page loads its style sheet and its script, which reads what this server answers. There is no
 * code or style inside the page, and the script makes no HTML of texts.
 */
#define PAGE_POLICY                                                                                \
	"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "            \
	"img-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "            \
	"require-trusted-types-for 'script'; trusted-types 'none'"

/* The path of an asset has a hash of its content. */
#define ASSET_KEEPS "public, max-age=31536000, immutable"

struct answer *site_answer_page(const struct site_task *t, const struct site_problem *problem)
{
	AUTO_ANSWER struct answer *a = answer_new(
		problem->status ? problem->status : MHD_HTTP_OK, TYPE_HTML);
	struct status status = site_status(t);
	char error[QUERY_ERROR_SIZE];
	struct page_query query;

	if (!a)
		return NULL;
	if (page_query_parse(t->rq->query, t->rq->query ? strlen(t->rq->query) : 0, &query, error) <
		0)
		return answer_new_error(MHD_HTTP_BAD_REQUEST, error);
	a->policy = PAGE_POLICY;
	a->retry_after = problem->retry_after;
	if (problem->status) {
		status.past_problem = problem->why.data;
		status.view = NULL;
		status.is_fresh = false;
	}
	if (t->is_past && status.view)
		query.at_ns = status.view->header->realtime_ns;
	status.sums_only = status.is_fresh ? site_why_no_processes(t) : NULL;
	if (page_render(&status, &query, t->site->settings->web_telemetry_path, &a->before) < 0)
		return NULL;
	return TAKE_PTR(a);
}

/* Answers with the asset at the path, as it is kept if the client takes gzip. */
struct answer *site_answer_asset(const struct site_task *t)
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

struct answer *site_answer_index(const struct site_task *t)
{
	AUTO_ANSWER struct answer *a = answer_new(MHD_HTTP_OK, SITE_TYPE_JSON);

	if (!a)
		return NULL;
	route_list_render(t->site->settings->web_telemetry_path, &a->before);
	return TAKE_PTR(a);
}
