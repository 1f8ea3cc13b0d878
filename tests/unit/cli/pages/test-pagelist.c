/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/pages/pagelist.h: sums and rows of `memtally pages`. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>
#include <jansson.h>

#include "cli/pages/pagelist.h"
#include "inspect/pages/pagewalk.h"
#include "tests/unit/support/faults/allocation.h"

enum { WHOLE = 42, HALF = 43 };

/* Adds two mappings, of 10 and 20 pages, of which half are resident. */
static const struct mapping mappings[] = {
	{.start = 0x10000, .end = 0x1a000, .perms = "rw-p", .path = "[heap]", .path_len = 6},
	{.start = 0x20000,
		.end = 0x34000,
		.perms = "r-xp",
		.inode = 5,
		.major = 8,
		.path = "/lib/a",
		.path_len = 6},
};

static int add_process(struct pagelist *l, pid_t pid)
{
	uint64_t page_size = pagewalk_page_size();
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(mappings); i++) {
		const struct mapping *m = &mappings[i];

		r = pagelist_enter(l, pid, "server", m, m->start, m->end);
		for (uint64_t at = m->start; r == 0 && at < m->end; at += 2 * page_size) {
			const struct page page = {
				.address = at, .state = PAGE_RESIDENT, .is_file = m->inode};

			r = pagelist_add(l, &page);
		}
	}
	return r;
}

/* Adds a complete process between two that are dropped halfway. */
static int fill(struct pagelist *l)
{
	int r = pagelist_begin(l);

	if (r == 0)
		r = add_process(l, HALF);
	if (r != 0)
		return r;
	pagelist_drop(l);
	r = add_process(l, WHOLE);
	if (r != 0)
		return r;
	pagelist_keep(l);
	r = add_process(l, HALF);
	pagelist_drop(l);
	return r == 0 ? pagelist_finish(l, false) : r;
}

static struct pagelist list_by(enum pagerow_by by, struct buffer *text)
{
	return (struct pagelist){
		.format = {.by = by,
			.look.form = LIST_LINES,
			.has_pid = true,
			.known = pagesum_known(false, true)},
		.sort = PAGESUM_RSS,
		.text = text,
	};
}

static json_t *json_of(enum pagerow_by by)
{
	AUTO_BUFFER struct buffer text = {0};
	struct pagelist l = list_by(by, &text);
	json_t *root;

	l.format.look.form = LIST_JSON;
	assert_int_equal(fill(&l), 0);
	buffer_add_text(&text, "}");
	root = json_loadb(text.data, text.len, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	pagelist_done(&l);
	return root;
}

static json_int_t number_of(const json_t *object, const char *name)
{
	return json_integer_value(json_object_get(object, name));
}

static void dropped_processes_are_in_no_sum(void **state)
{
	static const size_t rows[] = {
		[PAGEROW_BY_KIND] = 2, [PAGEROW_BY_PROCESS] = 1, [PAGEROW_BY_MAPPING] = 2};
	uint64_t page_size = pagewalk_page_size();

	(void)state;
	for (unsigned int by = 0; by < ARRAY_SIZE(rows); by++) {
		json_t *root = json_of(by), *all = json_object_get(root, "rows");
		const json_t *total = json_object_get(root, "total");
		uint64_t size = 0;

		assert_int_equal(json_array_size(all), rows[by]);
		for (size_t i = 0; i < rows[by]; i++)
			size += (uint64_t)number_of(json_array_get(all, i), "size_bytes");
		assert_int_equal(size, 0x1e000);
		assert_int_equal(number_of(total, "mappings"), 2);
		assert_int_equal(number_of(total, "size_bytes"), 0x1e000);
		assert_int_equal(number_of(total, "rss_bytes"), 0xf000 / 0x1000 * page_size);
		json_decref(root);
	}
}

/* Pages of dropped processes are printed too. */
static void pages_are_printed_in_order(void **state)
{
	json_t *root = json_of(PAGEROW_BY_PAGE), *all = json_object_get(root, "rows");

	(void)state;
	assert_int_equal(json_array_size(all), 3 * 15);
	assert_int_equal(number_of(root, "pages"), 3 * 15);
	assert_int_equal(number_of(root, "size_bytes"), 3 * 0x1e000);
	assert_int_equal(number_of(json_array_get(all, 0), "pid"), HALF);
	assert_int_equal(number_of(json_array_get(all, 15), "pid"), WHOLE);
	assert_string_equal(
		json_string_value(json_object_get(json_array_get(all, 20), "name")), "/lib/a");
	json_decref(root);
}

/* The first row by RSS; the total has all rows. */
static void rows_are_sorted_and_limited(void **state)
{
	(void)state;
	for (int ascending = 0; ascending < 2; ascending++) {
		AUTO_BUFFER struct buffer text = {0};
		struct pagelist l = list_by(PAGEROW_BY_MAPPING, &text);

		l.is_sorted = true;
		l.ascending = ascending;
		l.format.look.limit = 1;
		assert_int_equal(fill(&l), 0);
		buffer_add_char(&text, '\0');
		assert_int_equal(!!strstr(text.data, "[heap]"), ascending);
		assert_int_equal(!!strstr(text.data, "/lib/a"), !ascending);
		assert_non_null(strstr(text.data, " total of 2"));
		pagelist_done(&l);
	}
}

static void returns_errors_without_memory(void **state)
{
	(void)state;
	for (unsigned int by = 0; by <= PAGEROW_BY_PAGE; by++) {
		for (unsigned int n = 1;; n++) {
			AUTO_BUFFER struct buffer text = {0};
			struct pagelist l = list_by(by, &text);
			int r;

			allocation_fail_at(n);
			r = fill(&l);
			pagelist_done(&l);
			if (!allocation_end()) {
				assert_int_equal(r, 0);
				break;
			}
			assert_true(r == -ENOMEM || text.error == -ENOMEM);
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(dropped_processes_are_in_no_sum),
		cmocka_unit_test(pages_are_printed_in_order),
		cmocka_unit_test(rows_are_sorted_and_limited),
		cmocka_unit_test(returns_errors_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
