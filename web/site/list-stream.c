/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/site/list-stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

enum {
	PIECE = 32 * 1024, /* bytes rendered at a time */
	NOT_CHOSEN = 1,    /* outcome of choose_rows() */
};

struct list_stream *list_stream_free(struct list_stream *s)
{
	if (!s)
		return NULL;
	buffer_done(&s->piece);
	free(s->rows);
	free(s->query);
	view_unref(s->view);
	free(s);
	return NULL;
}

struct list_stream *list_stream_new(
	struct view *view, const struct query *query, unsigned int *turns)
{
	struct list_stream *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->view = view_ref(view);
	s->turns = turns;
	s->list = (struct json_list){.view = view, .scope = query->scope};
	s->query = malloc(sizeof(*s->query));
	if (!s->query)
		return list_stream_free(s);
	*s->query = *query;
	return s;
}

/*
 * Chooses and sorts the rows, if not done yet; this takes one turn. Returns 0; NOT_CHOSEN if there
 * is no turn left in this round; or -ENOMEM.
 */
static int choose_rows(struct list_stream *s)
{
	int r;

	if (!s->query)
		return 0;
	if (!*s->turns)
		return NOT_CHOSEN;
	--*s->turns;
	r = query_run(s->query, s->view, &s->rows, &s->list.count);
	if (r < 0)
		return r;
	s->list.rows = s->rows;
	free(TAKE_PTR(s->query));
	return 0;
}

/* Appends rows to the piece. Returns 0; -ENOMEM, and then the piece and the list are unchanged. */
static int list_stream_add_rows(struct list_stream *s)
{
	const struct json_list before = s->list;
	size_t len = s->piece.len;
	bool is_done = !json_list_render(&s->list, PIECE, &s->piece);

	if (is_done)
		buffer_add_char(&s->piece, '\n');
	if (s->piece.error) {
		s->list = before;
		buffer_clear(&s->piece);
		s->piece.len = len;
		return -ENOMEM;
	}
	s->is_done = is_done;
	return 0;
}

int list_stream_begin(struct list_stream *s)
{
	int r = s->piece.error;

	if (r == 0)
		r = choose_rows(s);
	if (r == 0)
		r = list_stream_add_rows(s);
	return r < 0 ? r : 0;
}

/*
 * Renders the next piece. A body that has begun must not be cut, so lack of memory means to try
 * again later.
 */
static ssize_t list_stream_next_piece(struct list_stream *s)
{
	if (s->is_done)
		return LIST_STREAM_END;
	if (choose_rows(s) != 0)
		return LIST_STREAM_NOT_NOW;
	buffer_clear(&s->piece);
	s->sent = 0;
	return list_stream_add_rows(s) < 0 ? LIST_STREAM_NOT_NOW : (ssize_t)s->piece.len;
}

ssize_t list_stream_read(struct list_stream *s, char *to, size_t room)
{
	size_t n;

	if (s->sent == s->piece.len) {
		ssize_t r = list_stream_next_piece(s);

		if (r <= 0)
			return r;
	}
	n = s->piece.len - s->sent;
	if (n > room)
		n = room;
	memcpy(to, s->piece.data + s->sent, n);
	s->sent += n;
	return (ssize_t)n;
}
