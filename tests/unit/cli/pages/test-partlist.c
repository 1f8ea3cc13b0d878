/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/pages/partlist.h: rows of sections and symbols. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <jansson.h>

#include "cli/pages/partlist.h"
#include "tests/unit/support/faults/allocation.h"

/* Adds three parts of a file of a process. The last two have the same resident size. */
static int add_process(struct partlist *l, pid_t pid)
{
	static char name[] = "part", object[] = "/lib/x";
	static const uint64_t resident[] = {10, 30, 30};
	struct partrow all = {.q[PARTROW_RESIDENT] = 80};
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(resident); i++) {
		const struct partrow row = {.pid = pid,
			.address = 0x1000 * (i + 1),
			.q[PARTROW_RESIDENT] = resident[i],
			.name = name,
			.object = object};

		r = partlist_add(l, &row);
	}
	partlist_sum(l, &all);
	partlist_add_file(l, pid, object, "symtab", NULL);
	return r;
}

static int fill(struct partlist *l)
{
	int r;

	partlist_begin(l);
	r = add_process(l, 7);
	partlist_add_file(l, 8, "/lib/y", NULL, "is damaged");
	if (r == 0)
		partlist_keep(l);
	return r == 0 ? partlist_finish(l) : r;
}

/* Checks the order of the rows by their addresses, such as "3 2 1". */
static void check_order(const struct partlist *asked, const char *expected)
{
	AUTO_BUFFER struct buffer text = {0}, order = {0};
	struct partlist l = *asked;
	json_t *root, *rows;

	l.format.look.form = LIST_JSON;
	l.text = &text;
	assert_int_equal(fill(&l), 0);
	assert_int_equal(l.count, 3);
	buffer_add_text(&text, "}");
	root = json_loadb(text.data, text.len, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	rows = json_object_get(root, "rows");
	for (size_t i = 0; i < json_array_size(rows); i++)
		buffer_printf(&order, "%c ",
			json_string_value(json_object_get(json_array_get(rows, i), "address"))[4]);
	buffer_add_char(&order, '\0');
	assert_string_equal(order.data, expected);
	assert_int_equal(json_integer_value(
				 json_object_get(json_object_get(root, "total"), "resident_bytes")),
		80);
	assert_int_equal(json_array_size(json_object_get(root, "files")), 2);
	json_decref(root);
	partlist_done(&l);
}

static void rows_are_in_order_of_address_or_sorted(void **state)
{
	struct partlist asked = {.sort = PARTROW_RESIDENT};

	(void)state;
	check_order(&asked, "1 2 3 ");
	asked.format.look.limit = 2;
	check_order(&asked, "1 2 ");
	asked.is_sorted = true;
	check_order(&asked, "2 3 ");
	asked.ascending = true;
	asked.format.look.limit = 0;
	check_order(&asked, "1 3 2 ");
}

/* Adds WHOLE complete processes, and one that is dropped halfway before each and at the end. */
static json_t *with_halves(struct partlist *l, unsigned int whole)
{
	json_t *root;

	partlist_begin(l);
	for (unsigned int i = 0; i <= whole; i++) {
		assert_int_equal(add_process(l, 8), 0);
		partlist_drop(l);
		if (i == whole)
			break;
		assert_int_equal(add_process(l, 7), 0);
		partlist_keep(l);
	}
	assert_int_equal(partlist_finish(l), 0);
	if (l->format.look.form != LIST_JSON)
		return NULL;
	buffer_add_text(l->text, "}");
	root = json_loadb(l->text->data, l->text->len, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	return root;
}

static void dropped_processes_are_in_no_sum(void **state)
{
	(void)state;
	for (unsigned int whole = 0; whole < 3; whole++) {
		for (int is_sorted = 0; is_sorted < 2; is_sorted++) {
			AUTO_BUFFER struct buffer text = {0};
			struct partlist l = {.format.look.form = LIST_JSON,
				.is_sorted = is_sorted,
				.text = &text};
			json_t *root = with_halves(&l, whole), *rows, *total;

			rows = json_object_get(root, "rows");
			total = json_object_get(root, "total");
			assert_int_equal(json_array_size(rows),
				3 * whole + (is_sorted ? 0 : 3 * (whole + 1)));
			assert_int_equal(json_object_size(total) > 0, whole > 0);
			assert_int_equal(
				json_integer_value(json_object_get(total, "resident_bytes")),
				80 * whole);
			json_decref(root);
			partlist_done(&l);
		}
	}
}

/* The number of rows; no total if no process was complete. */
static void table_ends_with_the_total(void **state)
{
	static const char *const expected[] = {"", " total of 3 rows, in bytes\n"};

	(void)state;
	for (unsigned int whole = 0; whole < ARRAY_SIZE(expected); whole++) {
		AUTO_BUFFER struct buffer text = {0};
		struct partlist l = {.format.look.form = LIST_LINES, .text = &text};

		with_halves(&l, whole);
		buffer_add_char(&text, '\0');
		assert_int_equal(!!strstr(text.data, " total of "), whole > 0);
		assert_non_null(strstr(text.data, expected[whole]));
		partlist_done(&l);
	}
}

/* A path is kept once for all rows of its file; each row has the path of its own file. */
static void rows_of_one_file_share_its_path(void **state)
{
	static const char *const files[] = {"/lib/x", "/lib/x", "/lib/y", "/lib/x"};
	AUTO_BUFFER struct buffer text = {0};
	struct partlist l = {.format.look.form = LIST_JSON,
		.is_sorted = true,
		.ascending = true,
		.sort = PARTROW_RESIDENT,
		.text = &text};
	json_t *root;

	(void)state;
	partlist_begin(&l);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char object[8];
		const struct partrow row = {.pid = 7, .q[PARTROW_RESIDENT] = i, .object = object};

		snprintf(object, sizeof(object), "%s", files[i]);

		assert_int_equal(partlist_add(&l, &row), 0);
	}
	assert_ptr_equal(l.row[0].object, l.row[1].object);
	partlist_keep(&l);
	assert_int_equal(partlist_finish(&l), 0);
	buffer_add_text(&text, "}");
	root = json_loadb(text.data, text.len, JSON_REJECT_DUPLICATES, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		assert_string_equal(
			json_string_value(json_object_get(
				json_array_get(json_object_get(root, "rows"), i), "file")),
			files[i]);
	json_decref(root);
	partlist_done(&l);
}

static void returns_errors_without_memory(void **state)
{
	(void)state;
	for (unsigned int n = 1;; n++) {
		AUTO_BUFFER struct buffer text = {0};
		struct partlist l = {
			.format.look.form = LIST_JSON, .is_sorted = true, .text = &text};
		int r;

		allocation_fail_at(n);
		r = fill(&l);
		partlist_done(&l);
		if (!allocation_end())
			break;
		assert_true(r == -ENOMEM || text.error == -ENOMEM);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_in_order_of_address_or_sorted),
		cmocka_unit_test(dropped_processes_are_in_no_sum),
		cmocka_unit_test(table_ends_with_the_total),
		cmocka_unit_test(rows_of_one_file_share_its_path),
		cmocka_unit_test(returns_errors_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
