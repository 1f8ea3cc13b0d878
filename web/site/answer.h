/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers
 *
 * One HTTP answer before libmicrohttpd sends it. Its body is put together without copying: bytes of
 * this answer, then a shared body that other answers send, too (web/site/cache.h), then bytes of this
 * answer. Or it is a list that is rendered while it is sent (web/site/list-stream.h).
 */
#ifndef MEMTALLY_WEB_SITE_ANSWER_H
#define MEMTALLY_WEB_SITE_ANSWER_H

#include <stdbool.h>

#include "base/buffer.h"
#include "web/http/mhd.h"
#include "web/site/cache.h"
#include "web/site/list-stream.h"

enum { ANSWER_ETAG_SIZE = 96 };

struct answer {
	unsigned int status;
	const char *content_type;
	const char *policy;          /* Content-Security-Policy; NULL: nothing may be loaded */
	const char *vary;            /* the header Vary; NULL: none */
	const char *keeps;           /* Cache-Control; NULL: the answer must not be stored */
	char etag[ANSWER_ETAG_SIZE]; /* empty: none */
	bool closes;                 /* the connection is closed after the answer */
	bool is_head;                /* only the head is sent */
	bool is_gzip;
	bool challenges;         /* sends WWW-Authenticate */
	const char *retry_after; /* Retry-After, in seconds; NULL: none */
	/*
	 * The configured headers, as in struct webconfig; borrowed until answer_to_response();
	 * NULL: none.
	 */
	char *const *headers;

	struct buffer before;
	struct body *body; /* owned reference; NULL: none */
	struct buffer after;
	struct list_stream *stream; /* owned; the whole body, instead of the three pieces above */
	bool lacks_body;            /* a 304 without the length that the body would have */

	size_t *total; /* borrowed; NULL: none. Has .counted bytes of this answer (answer_count()) */
	size_t counted;
};

/*
 * Returns an answer with an empty body, for the caller to fill in. CONTENT_TYPE is borrowed.
 * Returns NULL if there is no memory.
 */
struct answer *answer_new(unsigned int status, const char *content_type);
struct answer *answer_free(struct answer *a); /* accepts NULL; returns NULL */

static inline void cleanup_answer(struct answer **a)
{
	answer_free(*a);
}
#define AUTO_ANSWER CLEANUP(cleanup_answer)

/*
 * Adds the bytes of A's own body, which is complete, to *TOTAL. They are subtracted when A is
 * freed, after its last byte. TOTAL stays borrowed until then.
 */
void answer_count(struct answer *a, size_t *total);

/*
 * Adds the bytes of VIEW, which the stream of A keeps, to *TOTAL, until A is freed. TOTAL stays
 * borrowed until then.
 */
void answer_count_view(struct answer *a, const struct view *view, size_t *total);

/* Returns the JSON answer `{"error":"WHY"}` with STATUS; NULL if there is no memory. */
struct answer *answer_new_error(unsigned int status, const char *why);

/*
 * Makes the library's response from A, including its headers. The response owns A and frees it
 * after the last byte. The caller destroys the response (MHD_destroy_response()). Returns NULL and
 * frees A if there is no memory, also if one of A's buffers failed before.
 */
struct MHD_Response *answer_to_response(struct answer *a);

#endif
