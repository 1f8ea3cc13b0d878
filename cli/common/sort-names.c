/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/sort-names.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/table/list.h"

static char lower_of(char c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

size_t sort_names_lower(const char *text, char *to, size_t size)
{
	size_t len = 0;

	for (; len < size - 1 && text[len]; len++)
		to[len] = lower_of(text[len]);
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
	for (size_t at = 0; at < s->heads.len; at += strlen(s->heads.data + at) + 1)
		if (!strcmp(s->heads.data + at, head))
			return true;
	return false;
}

void sort_names_add(struct sort_names *s, const char *head, const char *field)
{
	if (head && !sort_names_has(s, head)) {
		buffer_add(&s->heads, head, strlen(head) + 1);
		sort_names_consider(s, head);
	}
	if (field)
		sort_names_consider(s, field);
}

void sort_names_add_columns(
	struct sort_names *s, const struct columns *columns, bool (*is_taken)(unsigned int index))
{
	const struct column *end = columns->column + columns->count;

	for (const struct column *c = columns->column; c < end; c++)
		if (c->flags & COLUMN_SORT && (!is_taken || is_taken(c->index)))
			sort_names_add(s, c->head, c->field);
}

void sort_names_list(
	const struct sort_names *s, const char *separator, bool is_lower, struct buffer *to)
{
	for (size_t i = 0; i < s->heads.len; i++) {
		char c = s->heads.data[i];

		if (c)
			buffer_add_char(to, is_lower ? lower_of(c) : c);
		else if (i + 1 < s->heads.len)
			buffer_add_text(to, separator);
	}
	if (s->heads.error)
		to->error = s->heads.error;
}

void sort_names_done(struct sort_names *s)
{
	buffer_done(&s->heads);
}

int sort_names_refuse(struct sort_names *s, char error[static CLI_OPTION_ERROR_SIZE])
{
	AUTO_BUFFER struct buffer heads = {0};
	char nearest[NEAREST_TEXT_SIZE];

	sort_names_list(s, ", ", false, &heads);
	snprintf(error, CLI_OPTION_ERROR_SIZE,
		"--sort: expected %.*s or a name of an amount in JSON, got '%.60s'%s",
		(int)heads.len, heads.data ? heads.data : "", s->got,
		nearest_text(&s->nearest, nearest));
	sort_names_done(s);
	return -EINVAL;
}

int sort_names_parse(const struct settings *settings, const struct columns *columns,
	bool (*is_taken)(unsigned int index), unsigned int *ret_index, bool *ret_ascending,
	char error[static CLI_OPTION_ERROR_SIZE])
{
	const char *sort = settings->sort;
	const struct column *found = sort ? list_find_sort(columns, sort) : NULL;
	struct sort_names names;

	if (sort && (!found || (is_taken && !is_taken(found->index)))) {
		sort_names_init(&names, sort);
		sort_names_add_columns(&names, columns, is_taken);
		return sort_names_refuse(&names, error);
	}
	if (found)
		*ret_index = found->index;
	return cli_option_parse_order(settings, ret_ascending, error);
}
