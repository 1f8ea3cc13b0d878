/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list that is too long to be kept, rendered piece by piece while it is sent, from a snapshot that is held until the end.
 * Choosing and sorting ten thousand rows takes a millisecond or more, so a limited number of streams does it in each round of
 * the server: a crowd of clients that ask for lists does not delay other answers. A list that has begun is never cut for lack
 * of memory.
 */
#ifndef MEMTALLY_WEB_STREAM_H
#define MEMTALLY_WEB_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "render/json.h"
#include "snapshot/query.h"
#include "snapshot/view.h"

enum stream_end {
	STREAM_NOT_NOW = 0, /* it is not its turn, or there is no memory: try again */
	STREAM_END = -1,
};

struct stream {
	struct view *view;   /* a reference */
	struct query *query; /* owned; NULL: the rows are known */
	uint32_t *rows;      /* owned */
	struct json_list list;
	struct buffer piece; /* the rendered piece */
	size_t sent;         /* bytes of .piece that have been sent */
	bool is_done;        /* all rows are rendered */
	unsigned int
		*turns; /* borrowed; how many more streams may choose their rows in this round */
};

/* Returns a stream of the rows of VIEW (takes a reference) that QUERY selects. TURNS stays borrowed. NULL: out of memory. */
struct stream *stream_new(struct view *view, const struct query *query, unsigned int *turns);
struct stream *stream_free(struct stream *s); /* accepts NULL; returns NULL */

/* The text before the list, which the caller fills in before stream_begin(). */
static inline struct buffer *stream_head(struct stream *s)
{
	return &s->piece;
}

/*
 * Renders the first piece behind the head if it is the stream's turn, so that lack of memory shows before anything is sent.
 * Call it once before stream_read(). Returns 0; -ENOMEM, also for the head: only stream_free() may follow.
 */
int stream_begin(struct stream *s);

/* Writes up to ROOM further bytes to TO. Returns their number, or an enum stream_end. */
ssize_t stream_read(struct stream *s, char *to, size_t room);

#endif
