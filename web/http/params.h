/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Query Parameters
 *
 * Reads the parameters after a request's "?" one by one (application/x-www-form-urlencoded). It is
 * strict: an escape without two hexadecimal digits ("%zz"), a NUL and invalid UTF-8 are errors.
 */
#ifndef MEMTALLY_WEB_HTTP_PARAMS_H
#define MEMTALLY_WEB_HTTP_PARAMS_H

#include <stddef.h>

#include "snapshot/query.h"

enum {
	PARAMS_KEY_SIZE = 64,
	PARAMS_END = 1, /* there is no further parameter */
};

/* The unread rest of the query; both pointers point into the request's text, which is borrowed. */
struct params {
	const char *at;
	const char *end;
};

/* Begins with LEN bytes at QUERY, borrowed. QUERY may be NULL if LEN is 0. */
void params_init(struct params *p, const char *query, size_t len);

/*
 * Decodes the next parameter into KEY and VALUE, which are then terminated and clean text
 * (base/text.h). Returns 0; PARAMS_END if there is none; or -EINVAL with a sentence for the client
 * in ERROR.
 */
int params_next(struct params *p, char key[static PARAMS_KEY_SIZE],
	char value[static QUERY_VALUE_MAX], char error[static QUERY_ERROR_SIZE]);

#endif
