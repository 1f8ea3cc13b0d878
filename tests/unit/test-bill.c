/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include <jansson.h>
#include <time.h>

#include "cli/bill.h"
#include "tests/unit/allocation.h"

#define GIB_HOUR (UINT64_C(3600) << 20) /* KiB seconds */

static void add_part(struct bill *b, const struct usage_row *rows, uint32_t count, int64_t from_s,
	uint64_t covered_ms)
{
	struct bill_part *part = &b->part[b->parts++];

	part->period = (struct period){.from_s = from_s, .to_s = from_s + 3600};
	part->head = (struct usage_head){.rows = count,
		.since_s = from_s,
		.until_s = from_s + 3600,
		.now_s = from_s + 86400,
		.first_s = 0,
		.covered_ms = covered_ms,
		.sampled_ms = covered_ms};
	usage_begin(&part->answer);
	for (uint32_t i = 0; i < count; i++)
		usage_add(&part->answer, &rows[i]);
	usage_end(&part->answer, &part->head);
}

/* Two hours; in the second less was measured. */
static void make(struct bill *b, enum usage_kind kind)
{
	static const struct usage_row rows[] = {
		{.id = 1000,
			.present = 0x1f,
			.q = {2 * GIB_HOUR, 4 << 20, GIB_HOUR / 2, 7200000, 3},
			.name = "alice",
			.user = ""},
		{.id = OWNER_NO_ID,
			.present = 1,
			.q = {GIB_HOUR / 4},
			.name = "b,\"o\"b",
			.user = "x"},
	};

	*b = (struct bill){
		.kind = kind, .per = USAGE_PER_HOUR, .part = calloc(2, sizeof(*b->part))};
	assert_non_null(b->part);
	add_part(b, rows, 2, 1795413600, 3600000);
	add_part(b, rows, 1, 1795417200, 1800000);
}

static void csv_has_a_line_for_each_row(void **state)
{
	AUTO_BILL struct bill b = {0};
	AUTO_BUFFER struct buffer text = {0};

	(void)state;
	make(&b, USAGE_USER);
	bill_csv(&b, &text);
	buffer_add_char(&text, '\0');
	assert_string_equal(text.data,
		"since,until,measured_ratio,user,pss_byte_seconds,pss_gib_hours,pss_mean_bytes,pss_max_bytes,"
		"swap_pss_byte_seconds,swap_pss_gib_hours,processes_mean,processes_max\n"
		"2026-11-23T06:00:00Z,2026-11-23T07:00:00Z,1,alice,7730941132800,2,2147483648,4294967296,1932735283200,0.5,2,3\n"
		"2026-11-23T06:00:00Z,2026-11-23T07:00:00Z,1,\"b,\"\"o\"\"b\",966367641600,0.25,268435456,,,,,\n"
		"2026-11-23T07:00:00Z,2026-11-23T08:00:00Z,0.5,alice,7730941132800,2,4294967296,4294967296,1932735283200,0.5,4,3\n");
}

static void json_leaves_out_what_is_absent(void **state)
{
	AUTO_BILL struct bill b = {0};
	AUTO_BUFFER struct buffer text = {0};
	json_t *json, *usage, *rows, *bob;

	(void)state;
	make(&b, USAGE_CONTAINER);
	bill_json(&b, &text);
	json = json_loadb(text.data, text.len, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(json);
	usage = json_object_get(json, "usage");
	assert_string_equal(json_string_value(json_object_get(usage, "by")), "container");
	assert_int_equal(json_array_size(json_object_get(usage, "periods")), 2);
	rows = json_object_get(json_array_get(json_object_get(usage, "periods"), 0), "containers");
	assert_int_equal(json_array_size(rows), 2);
	bob = json_array_get(rows, 1);
	assert_string_equal(json_string_value(json_object_get(bob, "container")), "b,\"o\"b");
	assert_string_equal(json_string_value(json_object_get(bob, "user")), "x");
	assert_null(json_object_get(bob, "pss_max_bytes"));
	assert_null(json_object_get(bob, "processes_mean"));
	assert_int_equal(
		json_integer_value(json_object_get(bob, "pss_byte_seconds")), 966367641600);
	assert_non_null(json_object_get(json_object_get(json, "ledger"), "write_failures"));
	assert_true(json_is_false(json_object_get(json_object_get(json, "ledger"), "late")));
	assert_true(json_is_false(json_object_get(json_object_get(json, "ledger"), "failing")));
	json_decref(json);
}

static void a_table_has_a_total(void **state)
{
	AUTO_BILL struct bill b = {0};
	AUTO_TABLE struct table t = {0};
	const char *cell;
	size_t cells = 0;

	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	make(&b, USAGE_USER);
	assert_int_equal(bill_rows(&b), 3);
	assert_int_equal(bill_table(&b, &t), 0);
	assert_int_equal(t.rows, 4);
	assert_int_equal(t.columns, 8);
	for (cell = t.text.data; cell < t.text.data + t.text.len; cell += strlen(cell) + 1)
		cells++;
	assert_int_equal(cells, t.rows * t.columns);
	assert_string_equal(t.text.data, "2026-11-23 06:00");
	buffer_add_char(&t.total, '\0');
	assert_string_equal(t.total.data, "total of 3 rows");
	table_done(&t);
	b.limit = 1;
	assert_int_equal(bill_table(&b, &t), 0);
	assert_int_equal(t.rows, 3);
	buffer_add_char(&t.total, '\0');
	assert_string_equal(t.total.data, "total of 2 rows (1 not shown)");
}

/* More than a 64-bit number of bytes holds. */
static void large_amounts_are_exact(void **state)
{
	const struct usage_row row = {
		.id = 1, .present = 1, .q = {UINT64_C(1) << 61}, .name = "a", .user = ""};
	AUTO_BILL struct bill b = {.kind = USAGE_USER, .part = calloc(1, sizeof(*b.part))};
	AUTO_BUFFER struct buffer text = {0};

	(void)state;
	assert_non_null(b.part);
	add_part(&b, &row, 1, 0, 1000);
	bill_csv(&b, &text);
	buffer_add_char(&text, '\0');
	assert_non_null(strstr(text.data, ",a,2361183241434822606848,"));
}

static void the_measured_part_is_a_part(void **state)
{
	struct usage_head head = {
		.since_s = 100, .until_s = 200, .now_s = 150, .covered_ms = 25000};

	(void)state;
	assert_true(bill_measured(&head) == 0.5);
	head.covered_ms = 900000; /* the clock was set back */
	assert_true(bill_measured(&head) == 1);
	head.now_s = 100;
	assert_true(bill_measured(&head) < 0);
}

static void memory_may_run_out(void **state)
{
	(void)state;
	for (unsigned int n = 1;; n++) {
		AUTO_BILL struct bill b = {0};
		AUTO_TABLE struct table t = {0};
		AUTO_BUFFER struct buffer json = {0}, csv = {0};
		int r;

		make(&b, USAGE_USER);
		allocation_fail_at(n);
		r = bill_table(&b, &t);
		bill_json(&b, &json);
		bill_csv(&b, &csv);
		if (!allocation_end())
			break;
		assert_true(r == -ENOMEM || json.error == -ENOMEM || csv.error == -ENOMEM);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(csv_has_a_line_for_each_row),
		cmocka_unit_test(json_leaves_out_what_is_absent),
		cmocka_unit_test(a_table_has_a_total),
		cmocka_unit_test(large_amounts_are_exact),
		cmocka_unit_test(the_measured_part_is_a_part),
		cmocka_unit_test(memory_may_run_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
