/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/past/past-series.h: points from several sources as a table, JSON, CSV and chart. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <jansson.h>
#include <locale.h>
#include <time.h>

#include "base/clock.h"
#include "cli/past/past-series.h"

#define MIB   (UINT64_C(1) << 20)
#define BEGIN (UINT64_C(1795413600) * NS_PER_SEC) /* 2026-11-23T06:00:00Z */
#define AT(s) (BEGIN + (uint64_t)(s)*NS_PER_SEC)

static const struct past_point recorded[] = {
	{AT(3600), 3, PAST_MARK_START, 100 * MIB, 100 * MIB, 100 * MIB},
	{AT(3660), 3, 0, 200 * MIB, 180 * MIB, 260 * MIB},
	{AT(4000), 3, PAST_MARK_GAP | PAST_MARK_OOM, 50 * MIB, 50 * MIB, 50 * MIB},
	{AT(4060), 0, 0, 0, 0, 0},
};

static const struct past_series_point period = {
	.source = PAST_SERIES_LEDGER,
	.from_ns = AT(0),
	.until_ns = AT(3600),
	.has_pss = true,
	.pss = 80 * MIB,
	.has_max = true,
	.max = 90 * MIB,
};

static const struct past_series_subject alice = {
	.scope = "user", .name = "al\"ice", .from_ns = AT(0), .until_ns = AT(4200)};

static void make(struct past_series *s)
{
	assert_non_null(setlocale(LC_CTYPE, "C"));
	setenv("TZ", "UTC", 1);
	tzset();
	assert_int_equal(past_series_add(s, &period), 0);
	assert_int_equal(past_series_add_recorded(
				 s, recorded, ARRAY_SIZE(recorded), 10 * NS_PER_SEC, AT(4200)),
		0);
}

/* A figure holds until the next one, but not over a gap. */
static void figures_hold_until_the_next_one(void **state)
{
	AUTO_PAST_SERIES struct past_series s = {0};

	(void)state;
	make(&s);
	assert_int_equal(s.points, 5);
	assert_int_equal(s.point[1].until_ns, AT(3660));
	assert_int_equal(s.point[2].until_ns, AT(3720)); /* as long as the one before */
	assert_int_equal(s.point[3].until_ns, AT(4060));
	assert_int_equal(s.point[4].until_ns, AT(4120));
	assert_false(s.point[4].has_pss);
}

static void print(enum list_form form, struct buffer *to)
{
	AUTO_PAST_SERIES struct past_series s = {0};

	make(&s);
	assert_int_equal(
		past_series_print(&s, &alice, &(const struct list_look){.form = form}, to), 0);
	buffer_add_char(to, '\0');
}

static void check(enum list_form form, const char *expected)
{
	AUTO_BUFFER struct buffer text = {0};

	print(form, &text);
	assert_string_equal(text.data, expected);
}

static void each_point_names_its_source(void **state)
{
	(void)state;
	check(LIST_TABLE, "TIME                      PSS      MAX SOURCE   NOTE\n"
			  "2026-11-23 06:00:00  80.0 MiB 90.0 MiB ledger\n"
			  "2026-11-23 07:00:00 100.0 MiB        - recorder start\n"
			  "2026-11-23 07:01:00 200.0 MiB        - recorder 180.0 to 260.0 MiB\n"
			  "2026-11-23 07:06:40  50.0 MiB        - recorder oom gap\n"
			  "2026-11-23 07:07:40         -        - recorder\n");
	check(LIST_CSV,
		"time,until,pss_bytes,pss_low_bytes,pss_high_bytes,pss_max_bytes,source,marks\n"
		"2026-11-23T06:00:00.000Z,2026-11-23T07:00:00.000Z,83886080,,,94371840,ledger,\n"
		"2026-11-23T07:00:00.000Z,,104857600,104857600,104857600,,recorder,start\n"
		"2026-11-23T07:01:00.000Z,,209715200,188743680,272629760,,recorder,\n"
		"2026-11-23T07:06:40.000Z,,52428800,52428800,52428800,,recorder,oom gap\n"
		"2026-11-23T07:07:40.000Z,,,,,,recorder,\n");
}

static void json_has_the_subject_and_the_points(void **state)
{
	AUTO_BUFFER struct buffer text = {0};
	json_t *json, *points, *history;

	(void)state;
	print(LIST_JSON, &text);
	json = json_loads(text.data, 0, NULL);
	assert_non_null(json);
	history = json_object_get(json, "history");
	assert_string_equal(json_string_value(json_object_get(history, "name")), "al\"ice");
	assert_string_equal(
		json_string_value(json_object_get(history, "to")), "2026-11-23T07:10:00.000Z");
	points = json_object_get(json, "points");
	assert_int_equal(json_array_size(points), 5);
	assert_string_equal(json_string_value(json_object_get(json_array_get(points, 0), "until")),
		"2026-11-23T07:00:00.000Z");
	assert_null(json_object_get(json_array_get(points, 1), "until"));
	assert_null(json_object_get(json_array_get(points, 4), "pss_bytes"));
	assert_string_equal(json_string_value(json_array_get(
				    json_object_get(json_array_get(points, 3), "marks"), 0)),
		"oom");
	json_decref(json);
}

static void charts_show_marks_and_gaps(void **state)
{
	AUTO_PAST_SERIES struct past_series s = {0};
	AUTO_BUFFER struct buffer text = {0};

	(void)state;
	make(&s);
	assert_int_equal(past_series_draw(&s, &alice, 81, false, &text), 0);
	buffer_add_char(&text, '\0');
	assert_string_equal(text.data,
		"200.0 MiB |                                                             #\n"
		"          |                                                             #\n"
		"          |                                                             #\n"
		"          |                                                             #\n"
		"          |                                                             #\n"
		"100.0 MiB |                                                            ##\n"
		"          |##############################################################\n"
		"          |##############################################################    ##\n"
		"          |##############################################################    ##\n"
		"  0.0 KiB |##############################################################    ##\n"
		"          |                                                                  O\n"
		"           06:00:00                                                      07:10:00\n"
		"O: OOM kill\n");
}

/* The chart begins with what is known, not with the time that was asked for. */
static void charts_begin_where_data_begin(void **state)
{
	AUTO_PAST_SERIES struct past_series s = {0};
	AUTO_BUFFER struct buffer text = {0};

	(void)state;
	assert_int_equal(past_series_add_recorded(
				 &s, recorded, ARRAY_SIZE(recorded), 10 * NS_PER_SEC, AT(4200)),
		0);
	assert_int_equal(past_series_draw(&s, &alice, 81, false, &text), 0);
	buffer_add_char(&text, '\0');
	assert_non_null(strstr(text.data, " 07:00:00 "));
	assert_null(strstr(text.data, "06:00:00"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_hold_until_the_next_one),
		cmocka_unit_test(each_point_names_its_source),
		cmocka_unit_test(json_has_the_subject_and_the_points),
		cmocka_unit_test(charts_show_marks_and_gaps),
		cmocka_unit_test(charts_begin_where_data_begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
