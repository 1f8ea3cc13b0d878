/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/procfs/keyvalue.h"

#include <errno.h>
#include <string.h>

#include "base/number.h"

int keyvalue_next(const char **at, const char *end, struct keyvalue *ret)
{
	const char *start = *at, *newline, *colon, *value;

	if (start == end)
		return KEYVALUE_END;
	newline = memchr(start, '\n', (size_t)(end - start));
	if (!newline)
		return -EBADMSG;
	*at = newline + 1;
	colon = memchr(start, ':', (size_t)(newline - start));
	value = colon ? colon + 1 : start;
	while (value < newline && (*value == ' ' || *value == '\t'))
		value++;
	*ret = (struct keyvalue){
		.key = start,
		.key_len = colon ? (size_t)(colon - start) : 0,
		.value = value,
		.value_len = (size_t)(newline - value),
	};
	return 0;
}

const struct keyvalue_key *keyvalue_find(
	const struct keyvalue *line, const struct keyvalue_key *table, size_t count, size_t *hint)
{
	for (size_t i = 0; i < count; i++) {
		size_t k = *hint + i < count ? *hint + i : *hint + i - count;

		/*
		 * Most keys of status are in no table: comparing the first letter saves most calls
		 * of memcmp().
		 */
		if (table[k].len == line->key_len && table[k].name[0] == *line->key &&
			!memcmp(table[k].name, line->key, line->key_len)) {
			*hint = k + 1 < count ? k + 1 : 0;
			return &table[k];
		}
	}
	return NULL;
}

int keyvalue_kib(const struct keyvalue *line, uint64_t *ret_bytes)
{
	uint64_t kib;
	int n = number_scan_u64(line->value, line->value_len, &kib);

	if (n <= 0 || line->value_len != (size_t)n + 3 || memcmp(line->value + n, " kB", 3) != 0 ||
		kib > INT64_MAX / 1024)
		return -EBADMSG;
	*ret_bytes = kib * 1024;
	return 0;
}

/*
 * Returns the last line of TEXT, without its newline. *RET_LEN is 0 if TEXT does not end with a
 * newline.
 */
static const char *last_line(const char *text, size_t len, size_t *ret_len)
{
	const char *before;

	*ret_len = 0;
	if (!len || text[len - 1] != '\n')
		return text;
	before = memrchr(text, '\n', len - 1);
	before = before ? before + 1 : text;
	*ret_len = (size_t)(text + len - 1 - before);
	return before;
}

bool keyvalue_is_whole(const char *text, size_t len, const void *context)
{
	const struct keyvalue_end_key *e = context;
	size_t line_len;
	const char *line = last_line(text, len, &line_len);

	return e->len && line_len >= e->len && !memcmp(line, e->key, e->len);
}

void keyvalue_learn_end(struct keyvalue_end_key *e, const char *text, size_t len)
{
	size_t line_len;
	const char *line = last_line(text, len, &line_len);
	const char *colon = memchr(line, ':', line_len);

	if (!colon || (size_t)(colon + 1 - line) > sizeof(e->key))
		return;
	e->len = (uint8_t)(colon + 1 - line);
	memcpy(e->key, line, e->len);
}
