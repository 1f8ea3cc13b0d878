/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of web/page/page-query.h: the order of the page's tables. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>

#include "web/page/page-query.h"

static const struct page_query untouched = {.order = {PAGE_ORDERS, PAGE_ORDERS}};

static void parses_orders(void **state)
{
	static const struct {
		const char *text;
		enum page_order users, programs;
	} cases[] = {
		{"", PAGE_ORDER_PSS, PAGE_ORDER_PSS},
		{"users=rss", PAGE_ORDER_RSS, PAGE_ORDER_PSS},
		{"users=name&programs=growth", PAGE_ORDER_NAME, PAGE_ORDER_GROWTH},
		{"programs=doubt", PAGE_ORDER_PSS, PAGE_ORDER_DOUBT},
		{"from=mail&users=swap", PAGE_ORDER_SWAP, PAGE_ORDER_PSS},
		{"users=%70ss", PAGE_ORDER_PSS, PAGE_ORDER_PSS},
		/* A text that is no parameter, and all that follows it. */
		{"x", PAGE_ORDER_PSS, PAGE_ORDER_PSS},
		{"users=rss&x&programs=rss", PAGE_ORDER_RSS, PAGE_ORDER_PSS},
		{"%zz=1&users=rss", PAGE_ORDER_PSS, PAGE_ORDER_PSS},
	};
	char error[QUERY_ERROR_SIZE];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct page_query query = untouched;

		assert_int_equal(
			page_query_parse(cases[i].text, strlen(cases[i].text), &query, error), 0);
		assert_int_equal(query.order[PAGE_TABLE_USERS], cases[i].users);
		assert_int_equal(query.order[PAGE_TABLE_PROGRAMS], cases[i].programs);
	}
	assert_int_equal(page_query_parse(NULL, 0, &(struct page_query){0}, error), 0);
}

static void refuses_unknown_orders(void **state)
{
	static const char *const cases[][2] = {
		{"users=", "users is one of: name pss doubt growth rss swap processes"},
		{"programs=PSS", "programs is one of: name pss doubt growth rss swap processes"},
		{"users=pss_bytes", "users is one of: name pss doubt growth rss swap processes"},
		{"users=rss&users=rss", "users is given twice"},
	};
	char error[QUERY_ERROR_SIZE];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct page_query query = untouched;

		assert_int_equal(
			page_query_parse(cases[i][0], strlen(cases[i][0]), &query, error), -EINVAL);
		assert_string_equal(error, cases[i][1]);
		assert_memory_equal(&query, &untouched, sizeof(query));
	}
}

static void round_trips(void **state)
{
	char text[64], error[QUERY_ERROR_SIZE];
	struct page_query query;

	(void)state;
	for (enum page_table table = 0; table < PAGE_TABLES; table++)
		for (enum page_order order = 0; order < PAGE_ORDERS; order++) {
			snprintf(text, sizeof(text), "%s=%s", page_query_name(table),
				page_query_word(order));
			assert_int_equal(page_query_parse(text, strlen(text), &query, error), 0);
			assert_int_equal(query.order[table], order);
		}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_orders),
		cmocka_unit_test(refuses_unknown_orders),
		cmocka_unit_test(round_trips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
