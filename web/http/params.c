/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/http/params.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

void params_init(struct params *p, const char *query, size_t len)
{
	*p = (struct params){.at = query, .end = len ? query + len : query};
}

enum decode_outcome {
	DECODE_OK,
	DECODE_BAD_PERCENT,
	DECODE_BAD_TEXT,
	DECODE_TOO_LONG,
};

/* Decodes the text from FROM to END into TO, which has SIZE bytes, and terminates it. */
static enum decode_outcome params_decode(const char *from, const char *end, char *to, size_t size)
{
	size_t n = 0;

	for (; from < end; from++, n++) {
		char c = *from;

		if (n + 1 >= size)
			return DECODE_TOO_LONG;
		if (c == '%') {
			uint64_t byte;

			if (end - from <= 2 || number_scan_hex(from + 1, 2, &byte) != 2)
				return DECODE_BAD_PERCENT;
			c = (char)byte;
			from += 2;
		} else if (c == '+') {
			c = ' ';
		}
		if (!c)
			return DECODE_BAD_TEXT;
		to[n] = c;
	}
	to[n] = 0;
	return text_is_clean(to, n) ? DECODE_OK : DECODE_BAD_TEXT;
}

static int params_explain(
	enum decode_outcome outcome, const char *what, char error[static QUERY_ERROR_SIZE])
{
	switch (outcome) {
	case DECODE_OK: return 0;
	case DECODE_BAD_PERCENT:
		snprintf(error, QUERY_ERROR_SIZE,
			"a parameter's %s has a '%%' without two hexadecimal digits", what);
		break;
	case DECODE_BAD_TEXT:
		snprintf(error, QUERY_ERROR_SIZE,
			"a parameter's %s is not UTF-8 text without control characters", what);
		break;
	case DECODE_TOO_LONG:
		snprintf(error, QUERY_ERROR_SIZE, "a parameter's %s is too long", what);
		break;
	}
	return -EINVAL;
}

int params_next(struct params *p, char key[static PARAMS_KEY_SIZE],
	char value[static QUERY_VALUE_MAX], char error[static QUERY_ERROR_SIZE])
{
	const char *end, *equals;
	int r;

	if (p->at == p->end)
		return PARAMS_END;
	end = memchr(p->at, '&', (size_t)(p->end - p->at));
	if (!end)
		end = p->end;
	equals = memchr(p->at, '=', (size_t)(end - p->at));
	if (!equals || equals == p->at) {
		snprintf(error, QUERY_ERROR_SIZE, "parameters must be of the form name=value");
		return -EINVAL;
	}
	r = params_explain(params_decode(p->at, equals, key, PARAMS_KEY_SIZE), "name", error);
	if (r == 0)
		r = params_explain(
			params_decode(equals + 1, end, value, QUERY_VALUE_MAX), "value", error);
	if (r < 0)
		return r;
	if (end == p->end) {
		p->at = end;
	} else if (end + 1 == p->end) {
		snprintf(error, QUERY_ERROR_SIZE, "the query ends in '&'");
		return -EINVAL;
	} else {
		p->at = end + 1;
	}
	return 0;
}
