/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/lines.h"

#include <errno.h>
#include <string.h>

#include "base/number.h"

int line_next(const char **at, const char *end, struct line *ret)
{
	const char *start = *at, *newline, *colon, *value;

	if (start == end)
		return LINE_END;
	newline = memchr(start, '\n', (size_t)(end - start));
	if (!newline)
		return -EBADMSG;
	*at = newline + 1;
	colon = memchr(start, ':', (size_t)(newline - start));
	if (!colon) {
		*ret = (struct line){.value = start, .value_len = (size_t)(newline - start)};
		return LINE_OTHER;
	}
	value = colon + 1;
	while (value < newline && (*value == ' ' || *value == '\t'))
		value++;
	*ret = (struct line){
		.key = start,
		.key_len = (size_t)(colon - start),
		.value = value,
		.value_len = (size_t)(newline - value),
	};
	return 0;
}

const struct line_key *line_find(
	const struct line *line, const struct line_key *table, size_t count, size_t *hint)
{
	for (size_t i = 0; i < count; i++) {
		size_t k = *hint + i < count ? *hint + i : *hint + i - count;

		if (table[k].len == line->key_len &&
			!memcmp(table[k].name, line->key, line->key_len)) {
			*hint = k + 1 < count ? k + 1 : 0;
			return &table[k];
		}
	}
	return NULL;
}

int line_kib(const struct line *line, uint64_t *ret_bytes)
{
	uint64_t kib;
	int n = number_scan_u64(line->value, line->value_len, &kib);

	if (n <= 0 || line->value_len != (size_t)n + 3 || memcmp(line->value + n, " kB", 3) != 0 ||
		kib > INT64_MAX / 1024)
		return -EBADMSG;
	*ret_bytes = kib * 1024;
	return 0;
}
