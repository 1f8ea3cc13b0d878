/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/site/answer.h"

#include <stdlib.h>
#include <string.h>

#include "config/webconfig.h"
#include "render/json.h"

enum {
	LIST_STREAM_BLOCK = 16 * 1024
}; /* bytes of the library's memory, if it cannot send in chunks */

struct answer *answer_new(unsigned int status, const char *content_type)
{
	struct answer *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->status = status;
	a->content_type = content_type;
	return a;
}

struct answer *answer_free(struct answer *a)
{
	if (!a)
		return NULL;
	if (a->total)
		*a->total -= a->counted;
	buffer_done(&a->before);
	body_unref(a->body);
	buffer_done(&a->after);
	list_stream_free(a->stream);
	free(a);
	return NULL;
}

void answer_count(struct answer *a, size_t *total)
{
	buffer_trim(&a->before);
	buffer_trim(&a->after);
	a->total = total;
	a->counted = a->before.capacity + a->after.capacity;
	*total += a->counted;
}

void answer_count_view(struct answer *a, const struct view *view, size_t *total)
{
	a->total = total;
	a->counted = view->size;
	*total += a->counted;
}

struct answer *answer_new_error(unsigned int status, const char *why)
{
	AUTO_ANSWER struct answer *a = answer_new(status, "application/json");

	if (!a)
		return NULL;
	json_render_error(why, &a->before);
	buffer_add_char(&a->before, '\n');
	return a->before.error ? NULL : TAKE_PTR(a);
}

/* Returns the value that the web configuration sets for the header NAME; NULL if there is none. */
static const char *answer_configured(const struct answer *a, const char *name)
{
	for (size_t i = 0; a->headers && i < WEBCONFIG_HEADERS; i++)
		if (!strcmp(webconfig_header_name(i), name))
			return a->headers[i];
	return NULL;
}

static bool answer_add(struct MHD_Response *response, const char *name, const char *value)
{
	return MHD_add_response_header(response, name, value) == MHD_YES;
}

static bool add_headers(struct MHD_Response *response, const struct answer *a)
{
	const struct {
		const char *name, *value;
	} headers[] = {
		{"Content-Type", a->content_type},
		{"Content-Encoding", a->is_gzip ? "gzip" : NULL},
		{"Vary", a->vary},
		{"ETag", *a->etag ? a->etag : NULL},
		{"Cache-Control", a->keeps ? a->keeps : "no-store"},
		{"X-Content-Type-Options", "nosniff"},
		{"Cross-Origin-Resource-Policy", "same-origin"},
		{"Content-Security-Policy",
			a->policy ? a->policy : "default-src 'none'; frame-ancestors 'none'"},
		{"Allow", a->status == MHD_HTTP_METHOD_NOT_ALLOWED ? "GET, HEAD" : NULL},
		{"Connection", a->closes ? "close" : NULL},
		{"Retry-After", a->retry_after},
		{"WWW-Authenticate",
			a->challenges ? "Basic realm=\"memtally\", charset=\"UTF-8\"" : NULL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(headers); i++)
		if (headers[i].value && !answer_configured(a, headers[i].name) &&
			!answer_add(response, headers[i].name, headers[i].value))
			return false;
	for (size_t i = 0; a->headers && i < WEBCONFIG_HEADERS; i++)
		if (a->headers[i] && !answer_add(response, webconfig_header_name(i), a->headers[i]))
			return false;
	return true;
}

static void free_answer(void *answer)
{
	answer_free(answer);
}

static ssize_t read_stream(void *answer, uint64_t position, char *to, size_t room)
{
	const struct answer *a = answer;
	ssize_t n = a->stream ? list_stream_read(a->stream, to, room) : LIST_STREAM_END;

	(void)position;
	/* 0: the library asks again in the next round */
	return n == LIST_STREAM_END ? MHD_CONTENT_READER_END_OF_STREAM : n;
}

/*
 * The length of a list is not known before it is rendered, so it is sent in chunks; that of a body
 * that is not rendered is not told. If only the
 * head is sent, libmicrohttpd 0.9.75 would still send the last chunk, and the client would take it
 * for the next answer. So the end of that answer is the end of the connection.
 */
static struct MHD_Response *make_stream(struct answer *a)
{
	struct MHD_Response *response = MHD_create_response_from_callback(
		MHD_SIZE_UNKNOWN, LIST_STREAM_BLOCK, read_stream, a, free_answer);

	if (response && (a->is_head || a->status == MHD_HTTP_NOT_MODIFIED))
		MHD_set_response_options(
			response, (enum MHD_ResponseFlags)MHD_WITHOUT_CHUNKS, MHD_RO_END);
	return response;
}

static struct MHD_Response *make_response(struct answer *a)
{
	struct MHD_IoVec pieces[3];
	unsigned int count = 0;

	if (a->stream || a->lacks_body)
		return make_stream(a);
	if (a->before.len)
		pieces[count++] = (struct MHD_IoVec){a->before.data, a->before.len};
	if (a->body && a->body->data.len)
		pieces[count++] = (struct MHD_IoVec){a->body->data.data, a->body->data.len};
	if (a->after.len)
		pieces[count++] = (struct MHD_IoVec){a->after.data, a->after.len};
	return MHD_create_response_from_iovec(pieces, count, free_answer, a);
}

struct MHD_Response *answer_to_response(struct answer *a)
{
	struct MHD_Response *response = a->before.error || a->after.error ? NULL : make_response(a);

	if (!response) {
		answer_free(a);
		return NULL;
	}
	if (!add_headers(response, a)) {
		MHD_destroy_response(response); /* frees A, too */
		return NULL;
	}
	return response;
}
