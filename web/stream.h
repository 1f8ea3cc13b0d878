/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list that is too long to be kept, on its way out: rendered piece by piece while it is sent, from a
 * snapshot that is held until the end. Choosing and sorting the rows of ten thousand takes a millisecond
 * or more; it is done when the first piece is due, by a limited number of streams at a time, so that a
 * crowd that asks for lists does not keep everybody else waiting.
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
	STREAM_NOT_NOW = 0, /* it is not its turn */
	STREAM_END = -1,
	STREAM_FAILED = -2, /* out of memory */
};

struct stream {
	struct view *view;   /* a reference */
	struct query *query; /* owned; NULL: the rows are known */
	uint32_t *rows;      /* owned */
	struct json_list list;
	struct buffer piece; /* rendered, */
	size_t sent;         /* and this much of it sent */
	bool is_done;        /* nothing is left to render */
	unsigned int *turns; /* borrowed; how many streams may yet choose their rows */
};

/* The rows of VIEW (a reference is taken) that QUERY selects. NULL: out of memory. */
struct stream *stream_new(struct view *view, const struct query *query, unsigned int *turns);
struct stream *stream_free(struct stream *s); /* accepts NULL; returns NULL */

/* What goes before the list, to be filled by the caller before the first stream_read(). */
static inline struct buffer *stream_head(struct stream *s)
{
	return &s->piece;
}

/* Up to ROOM bytes more to TO: how many, or an enum stream_end. */
ssize_t stream_read(struct stream *s, char *to, size_t room);

#endif
