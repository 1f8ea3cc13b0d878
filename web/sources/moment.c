/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/sources/moment.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/number.h"
#include "base/when.h"
#include "web/http/params.h"

#define DIGITS "0123456789"

enum { FRACTION_DIGITS = 9 };

/*
 * Parses ".25" at *AT, moves *AT behind it, and adds the fraction, or the whole second if there is
 * none, to *NS: the end of what was given. Returns false if there are no digits, or too many.
 */
static bool moment_scan_fraction(const char **at, uint64_t *ns)
{
	uint64_t unit = NS_PER_SEC, value = 0;
	size_t digits = 0;

	if (**at == '.') {
		digits = strspn(++*at, DIGITS);
		if (!digits || digits > FRACTION_DIGITS ||
			number_parse_u64(*at, digits, &value) < 0)
			return false;
		*at += digits;
	}
	for (; digits; digits--)
		unit /= 10;
	*ns += value * unit + unit - 1;
	return true;
}

static bool moment_set(struct moment *ret, enum past_pick pick, uint64_t ns)
{
	if (ns > PAST_TIME_MAX_NS)
		return false;
	*ret = (struct moment){.pick = pick, .at_ns = ns};
	return true;
}

static bool parse_seconds(const char *text, struct moment *ret)
{
	size_t digits = strspn(text, DIGITS);
	const char *at = text + digits;
	uint64_t s, ns;

	if (!digits || number_parse_u64(text, digits, &s) < 0 || s >= PAST_TIME_MAX_NS / NS_PER_SEC)
		return false;
	ns = s * NS_PER_SEC;
	return moment_scan_fraction(&at, &ns) && !*at && moment_set(ret, PAST_AT, ns);
}

/* Parses what the command line takes; a "+" that a query has turned into a blank is a "+" again. */
static bool parse_when(const char *text, int64_t now_s, struct moment *ret)
{
	uint64_t now_ns = (uint64_t)now_s * NS_PER_SEC + NS_PER_SEC - 1, ns;
	char zoned[QUERY_VALUE_MAX];
	size_t len = strlen(text);

	if (len >= sizeof(zoned))
		return false;
	memcpy(zoned, text, len + 1);
	if (len > strlen("T00:00:00 00:00") && zoned[len - strlen(" 00:00")] == ' ' &&
		memchr(zoned, 'T', len))
		zoned[len - strlen(" 00:00")] = '+';
	return when_parse_moment(zoned, now_ns, &ns) == 0 && moment_set(ret, PAST_AT, ns);
}

int moment_parse(const char *text, int64_t now_s, struct moment *ret)
{
	if (!strcmp(text, "oom")) {
		*ret = (struct moment){
			.pick = PAST_OOM, .at_ns = (uint64_t)now_s * NS_PER_SEC + NS_PER_SEC - 1};
		return 0;
	}
	return parse_seconds(text, ret) || parse_when(text, now_s, ret) ? 0 : -EINVAL;
}

int moment_find(const char *query, size_t len, int64_t now_s, struct moment *ret,
	char error[static QUERY_ERROR_SIZE])
{
	char key[PARAMS_KEY_SIZE], value[QUERY_VALUE_MAX], ignored[QUERY_ERROR_SIZE];
	struct params params;
	int found = MOMENT_NONE;

	params_init(&params, query, len);
	while (params_next(&params, key, value, ignored) == 0) {
		if (strcmp(key, MOMENT_KEY) != 0)
			continue;
		if (found == 0) {
			snprintf(error, QUERY_ERROR_SIZE, "parameter 'at' is given twice");
			return -EINVAL;
		}
		if (moment_parse(value, now_s, ret) < 0) {
			snprintf(error, QUERY_ERROR_SIZE, "'at' must be " MOMENT_FORMS ", or oom");
			return -EINVAL;
		}
		found = 0;
	}
	return found;
}

void moment_format(uint64_t ns, char to[static MOMENT_TEXT_SIZE])
{
	struct tm tm = when_local((int64_t)(ns / NS_PER_SEC));

	to[strftime(to, MOMENT_TEXT_SIZE, "%Y-%m-%d %H:%M:%S", &tm)] = 0;
}
