/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is sent back, put together from pieces without copying them: bytes of the answer's own before
 * and after a body that others send, too; or rows of a list that are rendered while they are sent.
 */
#ifndef MEMTALLY_WEB_ANSWER_H
#define MEMTALLY_WEB_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "render/json.h"
#include "snapshot/view.h"
#include "web/cache.h"
#include "web/mhd.h"

enum { ANSWER_ETAG_SIZE = 96 };

/* A list on its way out. */
struct answer_stream {
	struct view *view; /* a reference */
	uint32_t *rows;    /* owned */
	struct json_list list;
	bool is_done; /* nothing is left to render */
};

struct answer {
	unsigned int status;
	const char *content_type;
	const char *policy; /* Content-Security-Policy; NULL: nothing at all may be loaded */
	const char *vary;   /* NULL: the answer does not depend on headers */
	char etag[ANSWER_ETAG_SIZE]; /* empty: none */
	bool closes;                 /* the connection is closed behind it */
	bool is_gzip;

	struct buffer before;
	struct body *body; /* a reference; NULL: none */
	struct buffer after;
	struct answer_stream *stream; /* owned; follows .before, instead of .body and .after */
	size_t sent;                  /* bytes of .before that the stream has handed out */
};

/* An empty one of STATUS, to be filled in. NULL: out of memory. */
struct answer *answer_new(unsigned int status, const char *content_type);
struct answer *answer_free(struct answer *a); /* accepts NULL; returns NULL */

static inline void cleanup_answer(struct answer **a)
{
	answer_free(*a);
}
#define AUTO_ANSWER CLEANUP(cleanup_answer)

/* `{"error":"WHY"}` with STATUS. NULL: out of memory. */
struct answer *answer_new_error(unsigned int status, const char *why);

/* Makes A an empty 304 with the same ETag. */
void answer_set_not_modified(struct answer *a);

/*
 * The response for A, which is consumed and lives until the last byte is sent; the caller destroys the
 * response. NULL: out of memory, and A is gone.
 */
struct MHD_Response *answer_to_response(struct answer *a);

#endif
