/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/map/mapchange.h: rows of `memtally map` that show changes. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <jansson.h>

#include "cli/map/mapchange.h"
#include "tests/unit/support/cli/mapped.h"

/* A mapping with one more KiB dirty and a page swapped out, and a new mapping. */
struct changes {
	struct mapping_table now, then;
	struct compare c;
};

static void make(struct changes *x, enum mapping_table_by by)
{
	struct mapping m = mapped_library;

	*x = (struct changes){.now.by = by, .then.by = by};
	assert_int_equal(mapping_table_add(&x->then, 42, &mapped_library), 0);
	m.q[MAPPING_RSS] -= 4 * KIB;
	m.q[MAPPING_SWAP] += 4 * KIB;
	m.q[MAPPING_PRIVATE_DIRTY] += KIB;
	assert_int_equal(mapping_table_add(&x->now, 42, &m), 0);
	m.path = "/new";
	m.path_len = 4;
	m.start = m.end;
	m.end += 128L * KIB;
	assert_int_equal(mapping_table_add(&x->now, 42, &m), 0);
	assert_int_equal(compare_make(&x->now, &x->then, MAPPING_PSS, &x->c), 0);
	assert_int_equal(x->c.rows, by == MAPPING_TABLE_BY_KIND ? 1 : 2);
}

static void done(struct changes *x)
{
	compare_done(&x->c);
	mapping_table_done(&x->now);
	mapping_table_done(&x->then);
}

static const char *text_of(struct buffer *b)
{
	buffer_add_char(b, '\0');
	assert_int_equal(b->error, 0);
	return b->data;
}

/* Prints the rows of X from number FROM on in FORM. */
static struct list print(const struct maprow_format *f, enum list_form form, struct changes *x,
	size_t from, struct mapchange_columns *columns, struct buffer *to)
{
	static struct maprow_format own; /* the list borrows it */
	struct list l;

	own = *f;
	own.look.form = form;
	l = mapchange_list(&own, columns, to);
	list_begin(&l);
	for (size_t i = from; i < x->c.rows; i++)
		assert_int_equal(list_add(&l, &x->c.row[i]), 0);
	return l;
}

static void check_lines(const struct maprow_format *f, const char *expected)
{
	AUTO_BUFFER struct buffer text = {0}, beside = {0};
	struct mapchange_columns columns;
	struct changes x;
	struct list l;

	make(&x, f->by);
	l = print(f, LIST_LINES, &x, 0, &columns, &text);
	buffer_add_text(&beside, "total");
	list_total(&l, &x.c.total, &beside);
	list_done(&l);
	assert_string_equal(text_of(&text), expected);
	done(&x);
}

static void changes_have_a_sign(void **state)
{
	(void)state;
	check_lines(&(struct maprow_format){.by = MAPPING_TABLE_BY_FILE},
		"     SIZE      RSS      PSS   SHARED  PRIVATE    DIRTY     SWAP     HUGE CHANGE  FILE\n"
		"     +128      +96      +50      +75      +26      +36       +7    +3072 new     /new\n"
		"        0       -4        0        0       +1       +1       +4        0 changed "
		"/lib/a, \"b\" [deleted]\n"
		"------------------------------------------------------------------------\n"
		"     +128      +92      +50      +75      +27      +37      +11    +3072 total\n");
}

static void single_mappings_have_an_address(void **state)
{
	(void)state;
	check_lines(&(struct maprow_format){.by = MAPPING_TABLE_BY_MAPPING, .look.bytes = true},
		"ADDRESS                   PERM          SIZE           RSS           PSS        "
		"SHARED       PRIVATE         DIRTY          SWAP          HUGE CHANGE  MAPPING\n"
		"00420000-00440000         r-xp       +131072        +98304        +51200        "
		"+76800        +26624        +36864         +7168      +3145728 new     /new\n"
		"00400000-00420000         r-xp             0         -4096             0             "
		"0         +1024         +1024         +4096             0 changed /lib/a, \"b\" "
		"[deleted]\n"
		"------------------------------------------------------------------------------------"
		"----------------------------------------------------------\n"
		"                                     +131072        +94208        +51200        +76800 "
		"       +27648        +37888        +11264      +3145728 total\n");
}

static void csv_has_a_cell_for_each_head(void **state)
{
	(void)state;
	for (unsigned int by = 0; by < MAPPING_TABLE_BYS; by++) {
		const struct maprow_format f = {.by = (enum mapping_table_by)by};
		AUTO_BUFFER struct buffer text = {0};
		struct mapchange_columns columns;
		unsigned int heads = 0, cells = 0;
		struct changes x;
		struct list l;

		make(&x, f.by);
		x.c.rows = 1;
		l = print(&f, LIST_CSV, &x, 0, &columns, &text);
		list_done(&l);
		for (const char *at = text_of(&text); *at != '\n'; at++)
			heads += *at == ',';
		for (const char *at = strchr(text.data, '\n'); *at; at++)
			cells += *at == ',';
		assert_int_equal(cells, heads);
		done(&x);
	}
}

static void csv_and_json_have_exact_amounts(void **state)
{
	const struct maprow_format f = {.by = MAPPING_TABLE_BY_FILE};
	AUTO_BUFFER struct buffer csv = {0}, json = {0}, total = {0};
	struct mapchange_columns columns;
	struct changes x;
	json_t *object;
	struct list l;

	(void)state;
	make(&x, f.by);
	l = print(&f, LIST_CSV, &x, 0, &columns, &csv);
	list_done(&l);
	assert_non_null(strstr(text_of(&csv), "new,8:11,7,file,/new,false,,131072,98304,51200,0,"));
	assert_non_null(
		strstr(csv.data, "\nchanged,8:11,7,file,\"/lib/a, \"\"b\"\"\",true,,0,-4096,0,0,"));
	l = print(&f, LIST_JSON, &x, 1, &columns, &json);
	object = json_loadb(json.data, json.len, JSON_REJECT_DUPLICATES, NULL);
	assert_string_equal(json_string_value(json_object_get(object, "change")), "changed");
	assert_int_equal(json_integer_value(json_object_get(object, "rss_bytes")), -4 * KIB);
	assert_true(json_is_true(json_object_get(object, "deleted")));
	assert_string_equal(json_string_value(json_object_get(object, "device")), "8:11");
	assert_int_equal(json_integer_value(json_object_get(object, "inode")), 7);
	assert_null(json_object_get(object, "mmu_page_size_bytes"));
	json_decref(object);
	list_add_sums(&l, &x.c.total, &total);
	list_done(&l);
	object = json_loadb(total.data, total.len, JSON_REJECT_DUPLICATES, NULL);
	assert_string_equal(json_string_value(json_object_get(object, "change")), "total");
	assert_int_equal(json_integer_value(json_object_get(object, "rss_bytes")), 92 * KIB);
	assert_null(json_object_get(object, "name"));
	json_decref(object);
	done(&x);
}

/* Also by sums of fields. */
static void sorts_by_growth(void **state)
{
	struct changes x;

	(void)state;
	make(&x, MAPPING_TABLE_BY_FILE);
	mapchange_sort(&x.c, MAPROW_DIRTY);
	assert_string_equal(x.c.row[0].now->name, "/new");
	x.c.row[1].q[MAPPING_PRIVATE_DIRTY] = INT32_MAX;
	mapchange_sort(&x.c, MAPROW_DIRTY);
	assert_string_not_equal(x.c.row[0].now->name, "/new");
	x.c.row[0].present = 0;
	mapchange_sort(&x.c, MAPROW_DIRTY);
	assert_string_equal(x.c.row[0].now->name, "/new");
	assert_true(mapchange_has(MAPPING_PSS));
	assert_false(mapchange_has(MAPPING_PROTECTION_KEY));
	assert_true(mapchange_has(MAPROW_HUGE));
	assert_false(mapchange_has(MAPROW_SHARERS));
	done(&x);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_have_a_sign),
		cmocka_unit_test(single_mappings_have_an_address),
		cmocka_unit_test(csv_has_a_cell_for_each_head),
		cmocka_unit_test(csv_and_json_have_exact_amounts),
		cmocka_unit_test(sorts_by_growth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
