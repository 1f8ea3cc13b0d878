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
#ifndef MEMTALLY_WEB_SITE_STREAM_H
#define MEMTALLY_WEB_SITE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "render/json.h"
#include "snapshot/query.h"
#include "snapshot/view.h"

enum stream_end {
	STREAM_NOT_NOW = 0, /* not this stream's turn, or no memory: try again */
	STREAM_END = -1,
};

struct stream {
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
struct stream *stream_new(struct view *view, const struct query *query, unsigned int *turns);
struct stream *stream_free(struct stream *s); /* accepts NULL; returns NULL */

/* Returns the buffer for the text before the list. The caller fills it before stream_begin(). */
static inline struct buffer *stream_head(struct stream *s)
{
	return &s->piece;
}

/*
 * Renders the first piece after the head if it is the stream's turn, so that lack of memory shows
 * before anything is sent. Call it once, before stream_read(). Returns 0; -ENOMEM, also if filling
 * the head failed, and then only stream_free() may follow.
 */
int stream_begin(struct stream *s);

/*
 * Writes the next bytes of the list to TO, at most ROOM. Returns how many, or a value of enum
 * stream_end.
 */
ssize_t stream_read(struct stream *s, char *to, size_t room);

#endif
