/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is sent back, put together from pieces without copying them: bytes of the answer's own before
 * and after a body that others send, too; or rows of a list that are rendered while they are sent.
 */
#ifndef MEMTALLY_WEB_ANSWER_H
#define MEMTALLY_WEB_ANSWER_H

#include <stdbool.h>

#include "base/buffer.h"
#include "web/cache.h"
#include "web/mhd.h"
#include "web/stream.h"

enum { ANSWER_ETAG_SIZE = 96 };

struct answer {
	unsigned int status;
	const char *content_type;
	const char *policy; /* Content-Security-Policy; NULL: nothing at all may be loaded */
	const char *vary;   /* NULL: the answer does not depend on headers */
	char etag[ANSWER_ETAG_SIZE]; /* empty: none */
	bool closes;                 /* the connection is closed behind it */
	bool is_head;                /* the head is all that is sent */
	bool is_gzip;
	bool challenges; /* asks for a name and a password */
	char *const *
		headers; /* the administrator's, as in struct webconfig; borrowed until it is a response; NULL: none */

	struct buffer before;
	struct body *body; /* a reference; NULL: none */
	struct buffer after;
	struct stream *stream; /* owned; all of the body, instead of the pieces above */
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

/*
 * The response for A, which is consumed and lives until the last byte is sent; the caller destroys the
 * response. NULL: out of memory, and A is gone.
 */
struct MHD_Response *answer_to_response(struct answer *a);

#endif
