/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/page/page-query.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "web/http/params.h"

static const char *const words[PAGE_ORDERS] = {
	[PAGE_ORDER_NAME] = "name",
	[PAGE_ORDER_PSS] = "pss",
	[PAGE_ORDER_DOUBT] = "doubt",
	[PAGE_ORDER_GROWTH] = "growth",
	[PAGE_ORDER_RSS] = "rss",
	[PAGE_ORDER_SWAP] = "swap",
	[PAGE_ORDER_PROCESSES] = "processes",
};

static const char *const names[PAGE_TABLES] = {
	[PAGE_TABLE_USERS] = "users",
	[PAGE_TABLE_PROGRAMS] = "programs",
};

const char *page_query_word(enum page_order order)
{
	return words[order];
}

const char *page_query_name(enum page_table table)
{
	return names[table];
}

void page_query_format_at(
	const struct page_query *q, const char *before, char to[static PAGE_QUERY_AT_SIZE])
{
	uint64_t ms = q->at_ns / NS_PER_MSEC;

	to[0] = 0;
	if (q->at_ns)
		snprintf(to, PAGE_QUERY_AT_SIZE, "%.8sat=%llu.%03llu", before,
			(unsigned long long)(ms / 1000), (unsigned long long)(ms % 1000));
}

/* Returns the table with the parameter KEY; PAGE_TABLES: there is none. */
static enum page_table page_query_find_table(const char *key)
{
	enum page_table table = 0;

	while (table < PAGE_TABLES && strcmp(names[table], key) != 0)
		table++;
	return table;
}

static int page_query_set(enum page_order *order, const char *key, const char *value,
	char error[static QUERY_ERROR_SIZE])
{
	size_t used;

	for (enum page_order i = 0; i < PAGE_ORDERS; i++)
		if (!strcmp(words[i], value)) {
			*order = i;
			return 0;
		}
	used = (size_t)snprintf(error, QUERY_ERROR_SIZE, "%s is one of:", key);
	for (enum page_order i = 0; i < PAGE_ORDERS && used < QUERY_ERROR_SIZE; i++)
		used += (size_t)snprintf(error + used, QUERY_ERROR_SIZE - used, " %s", words[i]);
	return -EINVAL;
}

int page_query_parse(
	const char *query, size_t len, struct page_query *ret, char error[static QUERY_ERROR_SIZE])
{
	struct page_query parsed = {.order = {PAGE_ORDER_PSS, PAGE_ORDER_PSS}};
	char key[PARAMS_KEY_SIZE], value[QUERY_VALUE_MAX], ignored[QUERY_ERROR_SIZE];
	bool is_named[PAGE_TABLES] = {false};
	struct params params;

	params_init(&params, query, len);
	/* Whatever follows a parameter that cannot be read is ignored with it. */
	while (params_next(&params, key, value, ignored) == 0) {
		enum page_table table = page_query_find_table(key);
		int r;

		if (table == PAGE_TABLES)
			continue;
		if (is_named[table]) {
			snprintf(error, QUERY_ERROR_SIZE, "%s is given twice", names[table]);
			return -EINVAL;
		}
		is_named[table] = true;
		r = page_query_set(&parsed.order[table], key, value, error);
		if (r < 0)
			return r;
	}
	*ret = parsed;
	return 0;
}
