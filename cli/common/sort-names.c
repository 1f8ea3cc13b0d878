/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/sort-names.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Copies at most SIZE - 1 bytes of TEXT, in small letters. Returns the length of the copy. */
static size_t sort_names_lower(const char *text, char *to, size_t size)
{
	size_t len = 0;

	for (; len < size - 1 && text[len]; len++)
		to[len] = (char)(text[len] >= 'A' && text[len] <= 'Z' ? text[len] - 'A' + 'a'
								      : text[len]);
	to[len] = '\0';
	return len;
}

void sort_names_init(struct sort_names *s, const char *got)
{
	*s = (struct sort_names){.got = got};
	sort_names_lower(got, s->lower, sizeof(s->lower));
	nearest_init(&s->nearest, s->lower);
}

static void sort_names_consider(struct sort_names *s, const char *name)
{
	char lower[NEAREST_WORD_MAX + 2];

	nearest_consider(&s->nearest, lower, sort_names_lower(name, lower, sizeof(lower)));
}

static bool sort_names_has(const struct sort_names *s, const char *head)
{
	for (size_t at = 0, len; at < s->heads.len; at += len + strlen(", ")) {
		const char *known = s->heads.data + at;
		const char *comma = memchr(known, ',', s->heads.len - at);

		len = comma ? (size_t)(comma - known) : s->heads.len - at;
		if (len == strlen(head) && !memcmp(known, head, len))
			return true;
	}
	return false;
}

void sort_names_add(struct sort_names *s, const char *head, const char *field)
{
	if (head && !sort_names_has(s, head)) {
		buffer_printf(&s->heads, "%s%s", s->heads.len ? ", " : "", head);
		sort_names_consider(s, head);
	}
	if (field)
		sort_names_consider(s, field);
}

void sort_names_add_columns(struct sort_names *s, const struct column *column, size_t columns,
	bool (*is_taken)(unsigned int index))
{
	for (const struct column *c = column; c < column + columns; c++)
		if (c->flags & COLUMN_SORT && (!is_taken || is_taken(c->index)))
			sort_names_add(s, c->head, c->field);
}

void sort_names_done(struct sort_names *s)
{
	buffer_done(&s->heads);
}

int sort_names_refuse(struct sort_names *s, char error[static CLI_OPTION_ERROR_SIZE])
{
	char nearest[NEAREST_TEXT_SIZE];

	snprintf(error, CLI_OPTION_ERROR_SIZE,
		"--sort: expected %.*s or a name of an amount in JSON, got '%.60s'%s",
		(int)s->heads.len, s->heads.data ? s->heads.data : "", s->got,
		nearest_text(&s->nearest, nearest));
	sort_names_done(s);
	return -EINVAL;
}

int sort_names_refuse_columns(const char *got, const struct column *column, size_t columns,
	bool (*is_taken)(unsigned int index), char error[static CLI_OPTION_ERROR_SIZE])
{
	struct sort_names s;

	sort_names_init(&s, got);
	sort_names_add_columns(&s, column, columns, is_taken);
	return sort_names_refuse(&s, error);
}
