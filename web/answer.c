/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/answer.h"

#include <stdlib.h>
#include <string.h>

enum { STREAM_PIECE = 64 * 1024 }; /* bytes rendered at a time */

static struct answer_stream *stream_free(struct answer_stream *s)
{
	if (!s)
		return NULL;
	free(s->rows);
	view_unref(s->view);
	free(s);
	return NULL;
}

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
	buffer_done(&a->before);
	body_unref(a->body);
	buffer_done(&a->after);
	stream_free(a->stream);
	free(a);
	return NULL;
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

void answer_set_not_modified(struct answer *a)
{
	a->status = MHD_HTTP_NOT_MODIFIED;
	a->content_type = NULL;
	a->is_gzip = false;
	buffer_done(&a->before);
	a->body = body_unref(a->body);
	buffer_done(&a->after);
	a->stream = stream_free(a->stream);
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
		{"Cache-Control", "no-store"},
		{"X-Content-Type-Options", "nosniff"},
		{"Cross-Origin-Resource-Policy", "same-origin"},
		{"Content-Security-Policy",
			a->policy ? a->policy : "default-src 'none'; frame-ancestors 'none'"},
		{"Allow", a->status == MHD_HTTP_METHOD_NOT_ALLOWED ? "GET, HEAD" : NULL},
		{"Connection", a->closes ? "close" : NULL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(headers); i++)
		if (headers[i].value && MHD_add_response_header(response, headers[i].name,
						headers[i].value) != MHD_YES)
			return false;
	return true;
}

static void free_answer(void *answer)
{
	answer_free(answer);
}

/* Hands out .before, and fills it again from the list when it is empty. */
static ssize_t read_stream(void *answer, uint64_t position, char *to, size_t room)
{
	struct answer *a = answer;
	size_t n;

	(void)position;
	if (a->sent == a->before.len) {
		if (a->stream->is_done)
			return MHD_CONTENT_READER_END_OF_STREAM;
		buffer_clear(&a->before);
		a->sent = 0;
		a->stream->is_done = !json_list_render(&a->stream->list, STREAM_PIECE, &a->before);
		if (a->stream->is_done)
			buffer_add_char(&a->before, '\n');
		if (a->before.error)
			return MHD_CONTENT_READER_END_WITH_ERROR;
	}
	n = a->before.len - a->sent;
	if (n > room)
		n = room;
	memcpy(to, a->before.data + a->sent, n);
	a->sent += n;
	return (ssize_t)n;
}

/* Never read: a 304 has no body, and of a response of unknown length no length is told. */
static ssize_t read_nothing(void *answer, uint64_t position, char *to, size_t room)
{
	(void)answer;
	(void)position;
	(void)to;
	(void)room;
	return MHD_CONTENT_READER_END_OF_STREAM;
}

static struct MHD_Response *make_response(struct answer *a)
{
	struct MHD_IoVec pieces[3];
	unsigned int count = 0;

	if (a->status == MHD_HTTP_NOT_MODIFIED)
		return MHD_create_response_from_callback(
			MHD_SIZE_UNKNOWN, 1, read_nothing, a, free_answer);
	if (a->stream)
		return MHD_create_response_from_callback(
			MHD_SIZE_UNKNOWN, STREAM_PIECE, read_stream, a, free_answer);
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
		MHD_destroy_response(response); /* and the answer with it */
		return NULL;
	}
	return response;
}
