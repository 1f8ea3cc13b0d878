/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/procfs/stat.h: the parser of /proc/PID/stat. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>

#include "base/cleanup.h"
#include "base/os/file.h"
#include "collectors/procfs/stat.h"

/*
 * The fields after the name as Linux prints them: 22, 26 and 28 are 12345, 4198400 and 140721000.
 */
#define FIELDS                                                                                     \
	" S 1 1234 1234 34816 1234 4194304 1000 0 0 0 5 3 0 0 20 0 1 0 12345 8388608 1250 "        \
	"18446744073709551615 4198400 5000000 140721000 0 0 0 65536 3670020 1266777851 1 0 0 17 "  \
	"1 0 0 0 0 0 94000001000000 94000001100000 94000010000000 1 2 3 4 0\n"

static const struct stat_info expected = {
	.start_ticks = 12345, .start_code = 4198400, .start_stack = 140721000};

/* The fields begin after the last parenthesis, whatever the name contains. */
static void skips_any_name(void **state)
{
	static const char *const names[] = {"bash", "", ")", "()", ") S 1 1 (x", "a) R 1", "a b",
		"\n", "1) S 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 99 1 1 1 1 1 1 1 1 ", "\xff\xfe"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char text[512];
		struct stat_info info = {0};
		int n = snprintf(text, sizeof(text), "1234 (%s)" FIELDS, names[i]);

		assert_int_equal(stat_parse(text, (size_t)n, &info), 0);
		assert_true(stat_is_same_image(&info, &expected));
		assert_int_equal(info.parent, 1);
		assert_int_equal(info.faults, 1000);
	}
}

static void finds_what_the_process_has_done(void **state)
{
	static const char text[] =
		"1 (a) b) D 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 "
		"24 25 26 27 28 29\n";
	struct stat_activity a = {0};

	(void)state;
	assert_int_equal(stat_parse_activity(text, strlen(text), &a), 0);
	assert_int_equal(a.state, 'D');
	assert_int_equal(a.minor_faults, 10);
	assert_int_equal(a.major_faults, 12);
	assert_int_equal(a.user_ticks, 14);
	assert_int_equal(a.system_ticks, 15);
	assert_int_equal(a.start_ticks, 22);
}

/* Nothing is written then. */
static void refuses_malformed_activities(void **state)
{
	static const char *const texts[] = {"", "1 (a)", "1 (a) S 4 5 6 7 8 9 10 11 12 13 14 15 16",
		"1 (a) S 4 5 6 7 8 9 x 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29\n",
		"1 (a) S 4 5 6 7 8 9 10 11 -12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29\n",
		"1 (a) S 4 5 6 7 8 9 10 11 12 13 1. 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29\n",
		"1 (a) S 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 x 23 24 25 26 27 28 29\n",
		"1 (a) S 4 5 6 7 8 9 10 11 12 13 14  16 17 18 19 20 21 22 23 24 25 26 27 28 29 30\n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct stat_activity a = {.user_ticks = 777};

		assert_int_equal(stat_parse_activity(texts[i], strlen(texts[i]), &a), -EBADMSG);
		assert_int_equal(a.user_ticks, 777);
	}
}

/* A text cut before the end of field 28 is refused, and nothing is written. */
static void refuses_truncated_texts(void **state)
{
	static const char text[] = "1234 (bash)" FIELDS;
	size_t needed = (size_t)(strstr(text, "140721000 ") - text) + strlen("140721000 ");

	(void)state;
	for (size_t len = 0; len < sizeof(text); len++) {
		AUTO_FREE char *cut = malloc(len + 1);
		struct stat_info info = {.start_ticks = 777};

		assert_non_null(cut);
		memcpy(cut + 1, text, len);
		assert_int_equal(stat_parse(cut + 1, len, &info), len < needed ? -EBADMSG : 0);
		assert_int_equal(info.start_ticks, len < needed ? 777 : 12345);
	}
}

static void refuses_malformed_numbers(void **state)
{
	static const char *const values[] = {"-1", "x", "", "1x", "18446744073709551616"};
	static const char *const formats[] = {
		"1 (a) S 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 %s 23 24 25 26 27 28 29\n",
		"1 (a) S 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 %s 27 28 29\n",
		"1 (a) S 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 %s 29\n",
	};

	(void)state;
	for (size_t f = 0; f < ARRAY_SIZE(formats); f++)
		for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
			char text[256];
			struct stat_info info;
			int n = snprintf(text, sizeof(text), formats[f], values[i]);

			assert_int_equal(stat_parse(text, (size_t)n, &info), -EBADMSG);
		}
}

/* Unused fields may have any value: some are negative, others too large. */
static void ignores_other_fields(void **state)
{
	static const char text[] =
		"1 (a) ? -4 x 6 -- 8 9 10 11 12 13 14 15 16 17 -20 19 20 21 22 y "
		"-24 25 26 27 28 z";
	struct stat_info info;

	(void)state;
	assert_int_equal(stat_parse(text, strlen(text), &info), 0);
	assert_int_equal(info.start_ticks, 22);
	assert_int_equal(info.start_code, 26);
	assert_int_equal(info.start_stack, 28);
	assert_int_equal(info.parent, 0);
}

static void identity_needs_all_three_fields(void **state)
{
	struct stat_info other = expected;

	(void)state;
	assert_true(stat_is_same_image(&expected, &other));
	other.start_ticks++;
	assert_false(stat_is_same_image(&expected, &other));
	other = expected;
	other.start_code++;
	assert_false(stat_is_same_image(&expected, &other));
	other = expected;
	other.start_stack++;
	assert_false(stat_is_same_image(&expected, &other));
}

/* No shorter text counts as complete, even if the name contains newlines and text like fields. */
static void detects_incomplete_texts(void **state)
{
	static const char *const names[] = {
		"bash", ")\n", "x) S 1 2 3 4\n", "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"};
	static const char fields[] =
		" S 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9\n";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char text[256];
		size_t len = (size_t)snprintf(
			text, sizeof(text), "1234567 (%s)%s0 0 0\n", names[i], fields);

		text[len - 7] = ' '; /* one line */
		for (size_t n = 1; n < len; n++)
			assert_false(stat_is_whole(text, n, NULL));
		assert_true(stat_is_whole(text, len, NULL));
	}
}

static void reads_its_own_stat(void **state)
{
	char text[4096];
	struct stat_info info;
	size_t len;

	(void)state;
	assert_int_equal(file_read(AT_FDCWD, "/proc/self/stat", text, sizeof(text), &len), 0);
	assert_true(stat_is_whole(text, len, NULL));
	assert_int_equal(stat_parse(text, len, &info), 0);
	assert_true(info.start_ticks > 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(skips_any_name),
		cmocka_unit_test(finds_what_the_process_has_done),
		cmocka_unit_test(refuses_malformed_activities),
		cmocka_unit_test(refuses_truncated_texts),
		cmocka_unit_test(refuses_malformed_numbers),
		cmocka_unit_test(ignores_other_fields),
		cmocka_unit_test(identity_needs_all_three_fields),
		cmocka_unit_test(detects_incomplete_texts),
		cmocka_unit_test(reads_its_own_stat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
