/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parameters behind a request's "?", as application/x-www-form-urlencoded, one by one and without
 * any tolerance: what a lenient decoder would swallow ("%zz", a NUL, half a character) is an error.
 */
#ifndef MEMTALLY_WEB_PARAMS_H
#define MEMTALLY_WEB_PARAMS_H

#include <stddef.h>

#include "snapshot/query.h"

enum {
	PARAMS_KEY_SIZE = 64,
	PARAMS_END = 1, /* an outcome: there is no further parameter */
};

/* What is left of the query; both pointers are into the request's text, which is borrowed. */
struct params {
	const char *at;
	const char *end;
};

/* QUERY may be NULL where LEN is 0. */
void params_init(struct params *p, const char *query, size_t len);

/*
 * Decodes the next parameter; both parts are clean text (base/text.h), terminated. 0, PARAMS_END, or
 * -EINVAL with a sentence for the client in ERROR.
 */
int params_next(struct params *p, char key[static PARAMS_KEY_SIZE],
	char value[static QUERY_VALUE_MAX], char error[static QUERY_ERROR_SIZE]);

#endif
