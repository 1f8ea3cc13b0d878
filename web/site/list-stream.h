/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streamed Lists
 *
 * A list that is too long for the cache is rendered piece by piece while it is sent, from a
 * snapshot that is held until the end. Choosing and sorting ten thousand rows takes a millisecond
 * or more, so only a limited number of streams does it in each round of the server: many clients
 * that ask for lists do not delay other answers. A list that has begun is never cut for lack of
 * memory.
 */
#ifndef MEMTALLY_WEB_SITE_LIST_STREAM_H
#define MEMTALLY_WEB_SITE_LIST_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "render/json.h"
#include "snapshot/query.h"
#include "snapshot/view.h"

enum list_stream_end {
	LIST_STREAM_NOT_NOW = 0, /* not this stream's turn, or no memory: try again */
	LIST_STREAM_END = -1,
};

struct list_stream {
	struct view *view;   /* owned reference */
	struct query *query; /* owned; NULL after the rows have been chosen */
	uint32_t *rows;      /* owned; the chosen rows, in order */
	struct json_list list;
	struct buffer piece; /* the last rendered piece */
	size_t sent;         /* bytes of .piece that have been sent */
	bool is_done;        /* all rows are rendered */
	/* borrowed; how many more streams may choose their rows in this round */
	unsigned int *turns;
};

/*
 * Returns a stream of the rows of VIEW that QUERY selects; NULL if there is no memory. Takes a
 * reference to VIEW and copies QUERY. TURNS stays borrowed: it is how many more streams may choose
 * their rows in this round.
 */
struct list_stream *list_stream_new(
	struct view *view, const struct query *query, unsigned int *turns);
struct list_stream *list_stream_free(struct list_stream *s); /* accepts NULL; returns NULL */

/*
 * Returns the buffer for the text before the list. The caller fills it before list_stream_begin().
 */
static inline struct buffer *list_stream_head(struct list_stream *s)
{
	return &s->piece;
}

/*
 * Renders the first piece after the head if it is the stream's turn, so that lack of memory shows
 * before anything is sent. Call it once, before list_stream_read(). Returns 0; -ENOMEM, also if
 * filling the head failed, and then only list_stream_free() may follow.
 */
int list_stream_begin(struct list_stream *s);

/*
 * Writes the next bytes of the list to TO, at most ROOM. Returns how many, or a value of enum
 * list_stream_end.
 */
ssize_t list_stream_read(struct list_stream *s, char *to, size_t room);

#endif
