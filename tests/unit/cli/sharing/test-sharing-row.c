/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/sharing/sharing-row.h: rows of `memtally sharing` as lines, JSON and CSV. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <jansson.h>

#include "cli/sharing/sharing-row.h"

enum { KIB = 1024 };

static struct sharing_row rows[] = {
	{.name = "alice", .group = 0},
	{.name = "=b,o\"b", .group = 1},
	{.name = "carol", .group = 2},
};
static uint64_t matrix[] = {
	800 * KIB, 300 * KIB, 0,       /* alice */
	300 * KIB, 500 * KIB, 4 * KIB, /* bob */
	0, 4 * KIB, 40 * KIB,          /* carol */
};

static struct frame_owner frame_owner_made(
	uint64_t anon, uint64_t shmem, uint64_t file, uint64_t shared)
{
	return (struct frame_owner){
		.resident = {[FRAME_OWNER_ANON] = (anon + shared) * KIB,
			[FRAME_OWNER_SHMEM] = shmem * KIB,
			[FRAME_OWNER_FILE] = file * KIB,
			[FRAME_OWNER_HUGETLB] = 2048 * KIB,
			[FRAME_OWNER_SWAP] = 8 * KIB},
		.unique = {[FRAME_OWNER_ANON] = anon * KIB,
			[FRAME_OWNER_SHMEM] = shmem * KIB,
			[FRAME_OWNER_FILE] = file * KIB,
			[FRAME_OWNER_SWAP] = 4 * KIB},
		.rss = (anon + shmem + file + 3 * shared) * KIB,
		.pss = (anon + shmem + file) * KIB + shared * KIB * 3 / 4,
		.unmapped = shmem / 50 * KIB,
		.fair = (anon + shmem + file) * KIB + shared * KIB / 2,
	};
}

/* Makes a report on users (BY) or, without BY, on a set. */
static struct sharing_report make(const char *by)
{
	struct frame_owner alice = frame_owner_made(300, 100, 100, 300),
			   bob = frame_owner_made(100, 50, 46, 304),
			   carol = frame_owner_made(36, 0, 0, 4),
			   all = frame_owner_made(436, 150, 146, 304);
	struct sharing_report r = {
		.by = by,
		.title = "USER",
		.row = rows,
		.rows = ARRAY_SIZE(rows),
		.groups = ARRAY_SIZE(rows),
		.others_shared = 12 * KIB,
		.others_fair = 6 * KIB,
		.others_pss = 5 * KIB,
		.changed = 4 * KIB,
		.unmapped_kept = 16 * KIB,
		.unmapped_untold = 3,
		.matrix = by ? matrix : NULL,
		.compared = by ? ARRAY_SIZE(rows) : 0,
		.statistics = {.read = 9,
			.ended = 1,
			.span_ns = 1500000000,
			.cpu_ns = 20000000,
			.memory_bytes = 77},
	};

	sharing_fill(&rows[0], &alice, 20 * KIB, 4, by, true);
	sharing_fill(&rows[1], &bob, 12 * KIB, 2, by, false);
	sharing_fill(&rows[2], &carol, 8 * KIB, 1, by, true);
	sharing_fill(&r.total, &all, 40 * KIB, 7, by, true);
	return r;
}

static const char *text_of(struct buffer *b)
{
	buffer_add_char(b, '\0');
	assert_int_equal(b->error, 0);
	return b->data;
}

typedef int print_report(const struct sharing_report *r, struct buffer *to);

/* Prints a copy of R in FORM. */
static int print_as(
	print_report *print, const struct sharing_report *r, enum list_form form, struct buffer *to)
{
	struct sharing_report own = *r;

	own.look.form = form;
	return print(&own, to);
}

/* Prints the table of R, or its matrix, in TO, terminated, in place of what it has. */
static void draw(const struct sharing_report *r, bool is_matrix, struct buffer *to)
{
	buffer_clear(to);
	assert_int_equal(is_matrix ? print_as(sharing_print_matrix, r, LIST_TABLE, to)
				   : print_as(sharing_print_rows, r, LIST_TABLE, to),
		0);
	text_of(to);
}

/* Returns true if the first line of TEXT ends with END. */
static bool head_ends_with(const char *text, const char *end)
{
	size_t len = strcspn(text, "\n");

	return len >= strlen(end) && !strncmp(text + len - strlen(end), end, strlen(end));
}

static void comes_back_excludes_files(void **state)
{
	struct sharing_report r = make("user");

	(void)state;
	assert_int_equal(r.row[0].q[SHARING_COMES_BACK], 422 * KIB);
	assert_int_equal(r.row[0].q[SHARING_UNMAPPED], 2 * KIB);
	assert_int_equal(r.row[0].q[SHARING_STAYS_CACHED], 100 * KIB);
	assert_int_equal(r.row[0].q[SHARING_USS], 500 * KIB);
	assert_int_equal(r.row[0].q[SHARING_RESIDENT], 800 * KIB);
	assert_int_equal(r.row[0].q[SHARING_HUGETLB], 2048 * KIB);
}

static void kept_memory_does_not_come_back(void **state)
{
	struct frame_owner owner = frame_owner_made(300, 100, 100, 300);
	struct sharing_row row = {.name = "alice"};

	(void)state;
	owner.unique[FRAME_OWNER_SHMEM_KEPT] = owner.resident[FRAME_OWNER_SHMEM_KEPT] = 40 * KIB;
	sharing_fill(&row, &owner, 20 * KIB, 4, true, true);
	assert_int_equal(row.q[SHARING_SHMEM], 140 * KIB);
	assert_int_equal(row.q[SHARING_KEPT], 40 * KIB);
	assert_int_equal(row.q[SHARING_COMES_BACK], 422 * KIB);
	assert_int_equal(row.q[SHARING_USS], 540 * KIB);
	assert_int_equal(row.q[SHARING_RESIDENT], 840 * KIB);
}

/* Unlinked files and drivers' memory are freed unless others keep them. Neither is page cache. */
static void unlinked_and_driver_memory_comes_back_unless_kept(void **state)
{
	struct frame_owner owner = frame_owner_made(300, 100, 100, 300);
	struct sharing_row row = {.name = "alice"};

	(void)state;
	owner.unique[FRAME_OWNER_UNLINKED] = 8 * KIB;
	owner.unique[FRAME_OWNER_DRIVER] = 16 * KIB;
	owner.unique[FRAME_OWNER_DRIVER_KEPT] = 32 * KIB;
	sharing_fill(&row, &owner, 20 * KIB, 4, true, true);
	assert_int_equal(row.q[SHARING_UNLINKED], 8 * KIB);
	assert_int_equal(row.q[SHARING_DRIVER], 48 * KIB);
	assert_int_equal(row.q[SHARING_DRIVER_KEPT], 32 * KIB);
	assert_int_equal(row.q[SHARING_COMES_BACK], (422 + 8 + 16) * KIB);
	assert_int_equal(row.q[SHARING_STAYS_CACHED], 100 * KIB);
	assert_int_equal(row.q[SHARING_USS], (500 + 8 + 16 + 32) * KIB);
}

/*
 * Drivers' memory that something unknown may keep is an upper bound. A note says so if the
 * difference matters.
 */
static void notes_memory_that_may_stay(void **state)
{
	struct sharing_report r = make("user");
	struct frame_owner alice = frame_owner_made(300, 100, 100, 300),
			   all = frame_owner_made(436, 150, 146, 304);
	AUTO_BUFFER struct buffer text = {0}, json = {0};

	(void)state;
	alice.unique[FRAME_OWNER_DRIVER_UNTOLD] = all.unique[FRAME_OWNER_DRIVER_UNTOLD] = 2048 *
	                                                                                  KIB;
	sharing_fill(&rows[0], &alice, 20 * KIB, 4, true, true);
	sharing_fill(&r.total, &all, 40 * KIB, 7, true, true);
	assert_int_equal(rows[0].q[SHARING_COMES_BACK], (422 + 2048) * KIB);
	assert_int_equal(rows[0].q[SHARING_DRIVER], 2048 * KIB);
	assert_int_equal(rows[0].q[SHARING_DRIVER_UNTOLD], 2048 * KIB);
	rows[0].elsewhere = 1;
	draw(&r, false, &text);
	assert_non_null(
		strstr(text.data, " alice  1 counted elsewhere, 2.0 MiB of drivers may stay\n"));
	assert_non_null(strstr(text.data, " total of 3 users, 2.0 MiB of drivers may stay\n"));
	rows[0].elsewhere = 0;
	assert_int_equal(print_as(sharing_json, &r, LIST_JSON, &json), 0);
	assert_non_null(strstr(text_of(&json), "\"untold_driver_bytes\":2097152"));
	r.look.bytes = true;
	draw(&r, false, &text);
	assert_non_null(strstr(text.data, " total of 3 users, 2097152 of drivers may stay\n"));
	/* Less than a twentieth of a row, or less than 1 MiB, gets no note. */
	alice.unique[FRAME_OWNER_ANON] = all.unique[FRAME_OWNER_ANON] = 64 * 1024 * KIB;
	sharing_fill(&rows[0], &alice, 20 * KIB, 4, true, true);
	sharing_fill(&r.total, &all, 40 * KIB, 7, true, true);
	draw(&r, false, &text);
	assert_true(head_ends_with(text.data, " USER"));
	assert_non_null(strstr(text.data, " total of 3 users\n"));
}

static void table_has_a_total(void **state)
{
	struct sharing_report r = make("user");
	AUTO_BUFFER struct buffer text = {0};

	(void)state;
	r.look.limit = 2;
	draw(&r, false, &text);
	assert_string_equal(text.data,
		"FREED-ON-EXIT    CACHED       USS    SWAP PER-GROUP-PSS  RESIDENT       PSS     RSS PROCESSES USER\n"
		"    422.0 KiB 100.0 KiB 500.0 KiB 4.0 KiB     650.0 KiB 800.0 KiB 725.0 KiB 1.4 MiB         4 alice\n"
		"    163.0 KiB  46.0 KiB 196.0 KiB       -     348.0 KiB 500.0 KiB 424.0 KiB 1.1 MiB         2 =b,o\"b\n"
		"-------------------------------------------------------------------------------------------------\n"
		"    629.0 KiB 146.0 KiB 732.0 KiB 4.0 KiB     884.0 KiB   1.0 MiB 960.0 KiB 1.6 MiB         7 total of 3 users (1 not shown)\n");
}

static void limited_rows_have_the_total_of_all(void **state)
{
	struct sharing_report r = make("user");
	AUTO_BUFFER struct buffer text = {0};

	(void)state;
	r.rows = 2;
	draw(&r, false, &text);
	assert_non_null(strstr(text.data, " total of all 3 users\n"));
	r.by = "pod";
	draw(&r, false, &text);
	assert_non_null(strstr(text.data, " total of all 3 pods\n"));
	r.has_none = true;
	draw(&r, false, &text);
	assert_non_null(strstr(text.data, " total of all 2 pods and (none)\n"));
}

/* Unreadable processes do not count as 0. */
static void denied_groups_have_no_values(void **state)
{
	struct sharing_report r = make("user");
	struct frame_owner none = {0};
	AUTO_BUFFER struct buffer text = {0}, json = {0};

	(void)state;
	sharing_fill(&rows[1], &none, 0, 0, true, true);
	sharing_lack(&rows[1], 2, 0, 0);
	sharing_lack(&rows[2], 1, 0, 0);
	sharing_lack(&r.total, 3, 0, 0);
	draw(&r, false, &text);
	assert_non_null(strstr(text.data, "PROCESSES USER   NOTE\n"));
	assert_non_null(strstr(text.data, " 4 alice\n"));
	assert_non_null(strstr(text.data, " 1 carol  1 denied\n"));
	assert_non_null(strstr(text.data, " 0 =b,o\"b 2 denied\n"));
	assert_non_null(strstr(text.data, " 7 total of 3 users, 3 denied\n"));
	/* If only processes outside the rows were denied, the rows get no note. */
	r.look.limit = 1;
	draw(&r, false, &text);
	assert_true(head_ends_with(text.data, " USER"));
	r.look.limit = 0;
	assert_int_equal(print_as(sharing_json, &r, LIST_JSON, &json), 0);
	assert_non_null(
		strstr(text_of(&json), "{\"name\":\"=b,o\\\"b\",\"processes\":0,\"denied\":2}"));
	rows[1].denied = rows[2].denied = 0;
}

/* An address space that also belongs to another group does not count as 0 either. */
static void groups_counted_elsewhere_have_no_values(void **state)
{
	struct sharing_report r = make("user");
	struct frame_owner none = {0};
	AUTO_BUFFER struct buffer text = {0}, json = {0};

	(void)state;
	sharing_fill(&rows[1], &none, 0, 2, true, true);
	sharing_lack(&rows[1], 0, 0, 2);
	sharing_lack(&rows[2], 1, 0, 1);
	draw(&r, false, &text);
	assert_non_null(strstr(text.data, " -         2 =b,o\"b 2 counted elsewhere\n"));
	assert_non_null(strstr(text.data, " 1 carol  1 denied, 1 counted elsewhere\n"));
	assert_int_equal(print_as(sharing_json, &r, LIST_JSON, &json), 0);
	assert_non_null(
		strstr(text_of(&json), "{\"name\":\"=b,o\\\"b\",\"processes\":2,\"elsewhere\":2}"));
	assert_non_null(strstr(json.data, "\"denied\":1,\"elsewhere\":1}"));
	rows[1].elsewhere = rows[2].elsewhere = rows[2].denied = 0;
}

static void owners_of_a_user_show_the_user(void **state)
{
	struct sharing_report r = make("user_unit");
	AUTO_BUFFER struct buffer text = {0}, csv = {0}, json = {0};

	(void)state;
	rows[0].user = "ann";
	r.has_user = true;
	draw(&r, false, &text);
	assert_non_null(strstr(text.data, " alice  ann\n"));
	assert_non_null(strstr(text.data, " carol  -\n"));
	draw(&r, true, &text);
	assert_non_null(strstr(text.data, "ann:alice "));
	assert_non_null(strstr(text.data, " carol "));
	assert_int_equal(print_as(sharing_print_rows, &r, LIST_CSV, &csv), 0);
	assert_int_equal(print_as(sharing_print_matrix, &r, LIST_CSV, &csv), 0);
	assert_non_null(strstr(text_of(&csv), "user_unit,user,comes_back_bytes"));
	assert_non_null(strstr(csv.data, "\nalice,ann,"));
	assert_non_null(strstr(csv.data, "a,b,a_user,b_user,shared_bytes\nalice,"));
	assert_int_equal(print_as(sharing_json, &r, LIST_JSON, &json), 0);
	assert_non_null(strstr(text_of(&json), "{\"name\":\"alice\",\"user\":\"ann\","));
	assert_non_null(strstr(json.data, "\"a_user\":\"ann\",\"shared_bytes\""));
	rows[0].user = NULL;
}

/* With the largest number of columns. */
static void owners_of_a_user_may_have_notes(void **state)
{
	struct sharing_report r = make("user_unit");
	AUTO_BUFFER struct buffer text = {0};

	(void)state;
	r.has_user = true;
	rows[0].denied = 1;
	draw(&r, false, &text);
	assert_true(head_ends_with(text.data, " NOTE"));
	rows[0].denied = 0;
}

static void named_processes_are_one_row(void **state)
{
	struct sharing_report r = make(NULL);
	AUTO_BUFFER struct buffer text = {0};

	(void)state;
	r.rows = r.groups = 1;
	r.look.bytes = true;
	draw(&r, false, &text);
	assert_string_equal(text.data,
		"FREED-ON-EXIT CACHED    USS SWAP PER-GROUP-PSS RESIDENT    PSS     RSS PROCESSES USER\n"
		"       432128 102400 512000 4096             -   819200 742400 1433600         4 alice\n");
}

static void matrix_has_each_pair_twice(void **state)
{
	struct sharing_report r = make("user");
	AUTO_BUFFER struct buffer text = {0};

	(void)state;
	rows[2].name = "carol-of-a-very-long-name";
	draw(&r, true, &text);
	rows[2].name = "carol";
	assert_string_equal(text.data,
		"    alice    =b,o\"b carol-of-a-ve... USER\n"
		"800.0 KiB 300.0 KiB          0.0 KiB alice\n"
		"300.0 KiB 500.0 KiB          4.0 KiB =b,o\"b\n"
		"  0.0 KiB   4.0 KiB         40.0 KiB carol-of-a-very-long-name\n");
}

static json_int_t number(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	assert_true(json_is_integer(value));
	return json_integer_value(value);
}

static void json_has_every_quantity(void **state)
{
	struct sharing_report r = make("user");
	AUTO_BUFFER struct buffer text = {0};
	const json_t *pair;
	json_t *json, *bob, *value;
	unsigned int found = 0;
	const char *key;

	(void)state;
	assert_int_equal(print_as(sharing_json, &r, LIST_JSON, &text), 0);
	json = json_loadb(text.data, text.len, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(json);
	assert_string_equal(json_string_value(json_object_get(json, "by")), "user");
	assert_int_equal(number(json, "version"), 1);
	assert_int_equal(number(json, "changed_bytes"), 4 * KIB);
	assert_int_equal(number(json_object_get(json, "others"), "fair_bytes"), 6 * KIB);
	assert_int_equal(number(json_object_get(json, "unmapped"), "kept_bytes"), 16 * KIB);
	assert_int_equal(number(json_object_get(json, "unmapped"), "untold"), 3);
	assert_int_equal(number(json_object_get(json, "read"), "processes"), 9);
	assert_int_equal(number(json_object_get(json, "read"), "memory_bytes"), 77);
	assert_int_equal(number(json_object_get(json, "total"), "processes"), 7);
	bob = json_array_get(json_object_get(json, "groups"), 1);
	assert_string_equal(json_string_value(json_object_get(bob, "name")), "=b,o\"b");
	assert_null(json_object_get(bob, "unique_swap_bytes"));
	json_object_foreach(bob, key, value)
	{
		const struct column *field = list_find_sort(&sharing_columns, key);

		found += field != NULL;
		if (field)
			assert_int_equal(json_integer_value(value), r.row[1].q[field->index]);
	}
	assert_int_equal(found, SHARING_FIELDS - 1);
	assert_int_equal(json_array_size(json_object_get(json, "matrix")), 2);
	pair = json_array_get(json_object_get(json, "matrix"), 1);
	assert_string_equal(json_string_value(json_object_get(pair, "b")), "carol");
	assert_int_equal(number(pair, "shared_bytes"), 4 * KIB);
	json_decref(json);
}

static void csv_has_a_line_for_each(void **state)
{
	struct sharing_report r = make("user");
	AUTO_BUFFER struct buffer text = {0}, pairs = {0};

	(void)state;
	r.look.limit = 2;
	assert_int_equal(print_as(sharing_print_rows, &r, LIST_CSV, &text), 0);
	assert_string_equal(text_of(&text),
		"user,comes_back_bytes,unique_anon_bytes,unique_shmem_bytes,kept_shmem_bytes,unmapped_bytes,"
		"unique_unlinked_bytes,unique_driver_bytes,kept_driver_bytes,untold_driver_bytes,stays_cached_bytes,"
		"page_tables_bytes,uss_bytes,unique_swap_bytes,fair_bytes,resident_bytes,pss_bytes,"
		"rss_bytes,swap_bytes,unique_hugetlb_bytes,hugetlb_bytes,processes\n"
		"alice,432128,307200,102400,0,2048,0,0,0,0,102400,20480,512000,4096,665600,819200,742400,1433600,8192,0,2097152,4\n"
		"\"'=b,o\"\"b\",166912,102400,51200,0,1024,0,0,0,0,47104,12288,200704,,356352,512000,434176,1134592,8192,0,2097152,2\n");
	assert_int_equal(print_as(sharing_print_matrix, &r, LIST_CSV, &pairs), 0);
	assert_string_equal(text_of(&pairs),
		"a,b,shared_bytes\nalice,\"'=b,o\"\"b\",307200\n\"'=b,o\"\"b\",carol,4096\n");
}

static void absent_values_are_sorted_last(void **state)
{
	struct sharing_row copy[ARRAY_SIZE(rows)];
	struct sharing_report r = make("user");

	(void)state;
	memcpy(copy, rows, sizeof(copy));
	r.row = copy;
	r.sort = SHARING_COMES_BACK;
	sharing_sort(&r, true);
	assert_string_equal(r.row[0].name, "carol");
	sharing_sort(&r, false);
	assert_string_equal(r.row[0].name, "alice");
	r.sort = SHARING_SWAP_UNIQUE;
	for (unsigned int ascending = 0; ascending < 2; ascending++) {
		sharing_sort(&r, ascending);
		assert_string_equal(r.row[0].name, "alice");
		assert_string_equal(r.row[2].name, "=b,o\"b");
	}
	assert_int_equal(list_find_sort(&sharing_columns, "fair_bytes")->index, SHARING_FAIR);
	assert_int_equal(list_find_sort(&sharing_columns, "per-group-pss")->index, SHARING_FAIR);
	assert_int_equal(list_find_sort(&sharing_columns, "swap")->index, SHARING_SWAP_UNIQUE);
	assert_null(list_find_sort(&sharing_columns, "fair"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_back_excludes_files),
		cmocka_unit_test(kept_memory_does_not_come_back),
		cmocka_unit_test(unlinked_and_driver_memory_comes_back_unless_kept),
		cmocka_unit_test(notes_memory_that_may_stay),
		cmocka_unit_test(table_has_a_total),
		cmocka_unit_test(limited_rows_have_the_total_of_all),
		cmocka_unit_test(denied_groups_have_no_values),
		cmocka_unit_test(groups_counted_elsewhere_have_no_values),
		cmocka_unit_test(owners_of_a_user_show_the_user),
		cmocka_unit_test(owners_of_a_user_may_have_notes),
		cmocka_unit_test(named_processes_are_one_row),
		cmocka_unit_test(matrix_has_each_pair_twice),
		cmocka_unit_test(json_has_every_quantity),
		cmocka_unit_test(csv_has_a_line_for_each),
		cmocka_unit_test(absent_values_are_sorted_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
