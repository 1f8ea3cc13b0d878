/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of web/page/owner-part.h: the tables of users and programs. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "snapshot/query.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/snapshot/sample.h"
#include "web/page/owner-part.h"

static char *render(const struct view *view, enum page_table table, enum page_order order)
{
	struct page_query query = {.order = {PAGE_ORDER_PSS, PAGE_ORDER_PSS}};
	struct buffer b = {0};

	query.order[table] = order;
	assert_int_equal(owner_part_render(view, table, &query, &b), 0);
	buffer_add_char(&b, 0);
	assert_int_equal(b.error, 0);
	return b.data;
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

/* Returns where the row of NAME, written as in HTML, begins in TEXT. */
static const char *row_of(const char *text, const char *name)
{
	char head[200];
	const char *row;

	snprintf(head, sizeof(head), "<tr><th scope=\"row\"><bdi>%s</bdi></th>", name);
	row = strstr(text, head);
	assert_non_null(row);
	return row;
}

static void shows_each_owner(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_FREE char *users = render(view, PAGE_TABLE_USERS, PAGE_ORDER_PSS);
	AUTO_FREE char *programs = render(view, PAGE_TABLE_PROGRAMS, PAGE_ORDER_PSS);

	(void)state;
	/* All but "(other)", and a program of the sample without processes. */
	assert_int_equal(count(users, "<tr><th scope=\"row\">"), view_count(view, METRIC_USER) - 1);
	assert_int_equal(
		count(programs, "<tr><th scope=\"row\">"), view_count(view, METRIC_PROGRAM) - 2);
	assert_null(strstr(programs, "<bdi>ended</bdi>"));
	assert_null(strstr(users, "<tfoot>"));
	assert_non_null(strstr(users, "href=\"/api/v1/users\""));
	assert_non_null(strstr(programs, "href=\"/api/v1/programs\""));
}

/* Names are chosen by users; a program of the sample has quotes in its name. */
static void escapes_names(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);

	(void)state;
	for (enum page_table table = 0; table < PAGE_TABLES; table++) {
		AUTO_FREE char *text = render(view, table, PAGE_ORDER_PSS);

		for (const char *at = text; (at = strstr(at, "<bdi>")); at++) {
			size_t len = strcspn(at + 5, "<\"'>");

			assert_int_equal(strncmp(at + 5 + len, "</bdi>", 6), 0);
		}
		assert_true(table == PAGE_TABLE_USERS || strstr(text, "&quot;"));
	}
}

/* One column is marked, and its link and all others lead to an order. */
static void marks_the_order(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);

	(void)state;
	for (enum page_order order = 0; order < PAGE_ORDERS; order++) {
		AUTO_FREE char *text = render(view, PAGE_TABLE_PROGRAMS, order);
		char marked[100], link[100];

		assert_int_equal(count(text, "aria-sort="), 1);
		snprintf(marked, sizeof(marked), "data-order=\"%s\"", page_query_word(order));
		assert_non_null(strstr(text, marked));
		assert_true(strcspn(strstr(text, marked), ">") >
			    (size_t)(strstr(text, "aria-sort=") - strstr(text, marked)));
		snprintf(link, sizeof(link), "href=\"/?users=pss&amp;programs=%s#programs\"",
			page_query_word(order));
		assert_int_equal(count(text, link), 1);
	}
}

/* Rows are in the order of each column: as the lists of the interface sort them. */
static void sorts_as_the_lists(void **state)
{
	static const struct {
		enum page_order order;
		const char *field;
	} cases[] = {
		{PAGE_ORDER_NAME, "user"},
		{PAGE_ORDER_PSS, "pss_bytes"},
		{PAGE_ORDER_GROWTH, "anon_growth_bytes_total"},
		{PAGE_ORDER_RSS, "rss_bytes"},
		{PAGE_ORDER_SWAP, "swap_pss_bytes"},
		{PAGE_ORDER_PROCESSES, "processes"},
	};
	AUTO_VIEW struct view *view = sample_open(&(struct sample_options){.more = 30});

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_FREE char *text = render(view, PAGE_TABLE_USERS, cases[i].order);
		AUTO_FREE uint32_t *rows = NULL;
		char error[QUERY_ERROR_SIZE];
		const char *at = text;
		struct query query;
		size_t n;

		query_init(&query, METRIC_USER);
		assert_int_equal(query_set(&query, "sort", cases[i].field, error), 0);
		assert_int_equal(query_run(&query, view, &rows, &n), 0);
		for (size_t k = 0; k < n; k++) {
			const char *name = view_text(
				view, view_scope(view, METRIC_USER, rows[k])->name);

			if (!strpbrk(name, "<>&\"'"))
				at = row_of(at, name);
		}
	}
}

/* With many rows the page shows the first, and says how many more there are. */
static void limits_rows(void **state)
{
	AUTO_VIEW struct view *view = sample_open(&(struct sample_options){.more = 200});
	AUTO_FREE char *text = render(view, PAGE_TABLE_USERS, PAGE_ORDER_DOUBT);
	size_t all = view_count(view, METRIC_USER) - 1;
	char more[50];

	(void)state;
	assert_true(all > OWNER_PART_ROWS);
	assert_int_equal(count(text, "<tr><th scope=\"row\"><bdi>"), OWNER_PART_ROWS);
	snprintf(more, sizeof(more), "<tfoot><tr><th scope=\"row\">%zu more</th>",
		all - OWNER_PART_ROWS);
	assert_non_null(strstr(text, more));
}

/* An estimate has a hatched part, and the widest one is named. */
static void shows_doubt(void **state)
{
	AUTO_VIEW struct view *view = sample_open(
		&(struct sample_options){.is_measured = true, .is_estimated = true});
	AUTO_FREE char *text = render(view, PAGE_TABLE_USERS, PAGE_ORDER_DOUBT);
	const char *least, *first;

	(void)state;
	assert_non_null(strstr(text, "fill=\"url(#doubt)\""));
	assert_int_equal(count(text, "fill=\"url(#doubt)\""), count(text, "class=\"mark\""));
	least = strstr(text, "<p id=\"users-doubt\">Least certain: <bdi>");
	first = strstr(text, "<tr><th scope=\"row\"><bdi>");
	assert_non_null(least);
	assert_non_null(first);
	/* The order by doubt begins with the same row. */
	least = strstr(least, "<bdi>");
	first = strstr(first, "<bdi>");
	assert_memory_equal(least, first, (size_t)(strstr(least, "</bdi>") - least));
}

static void survives_lack_of_memory(void **state)
{
	const struct page_query query = {.order = {PAGE_ORDER_DOUBT, PAGE_ORDER_NAME}};
	AUTO_VIEW struct view *view = sample_open(NULL);

	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_BUFFER struct buffer b = {0};
		int r;

		allocation_fail_at(n);
		r = owner_part_render(view, PAGE_TABLE_USERS, &query, &b);
		allocation_check(r);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_each_owner),
		cmocka_unit_test(escapes_names),
		cmocka_unit_test(marks_the_order),
		cmocka_unit_test(sorts_as_the_lists),
		cmocka_unit_test(limits_rows),
		cmocka_unit_test(shows_doubt),
		cmocka_unit_test(survives_lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
