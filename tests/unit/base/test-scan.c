/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the text scanner. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/scan.h"

static struct scan scan_of(const char *text)
{
	return (struct scan){text, text + strlen(text)};
}

static void takes_what_it_expects(void **state)
{
	struct scan s = scan_of("7f-  key=12 ,");
	uint64_t value;

	(void)state;
	assert_true(scan_hex(&s, &value));
	assert_int_equal(value, 0x7f);
	assert_true(scan_char(&s, '-'));
	scan_blanks(&s);
	assert_true(scan_sees(&s, "key"));
	assert_true(scan_text(&s, "key="));
	assert_true(scan_decimal(&s, &value));
	assert_int_equal(value, 12);
	scan_blanks(&s);
	assert_true(scan_char(&s, ','));
	assert_ptr_equal(s.at, s.end);
	scan_blanks(&s);
	assert_ptr_equal(s.at, s.end);
}

/* Refused texts leave the scanner and the result as they were. */
static void takes_nothing_else(void **state)
{
	static const char *const texts[] = {"", "\t", "-1", "kez", "ke", "k"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct scan s = scan_of(texts[i]), line = {NULL, NULL};
		uint64_t value = 42;

		assert_false(scan_char(&s, 'x'));
		assert_false(scan_sees(&s, "key"));
		assert_false(scan_text(&s, "key"));
		assert_false(scan_decimal(&s, &value));
		assert_false(scan_hex(&s, &value));
		assert_false(scan_line(&s, &line));
		scan_blanks(&s);
		assert_ptr_equal(s.at, texts[i]);
		assert_int_equal(value, 42);
		assert_null(line.at);
	}
}

/* The text need not be terminated, and what follows it is not read. */
static void stops_at_the_end(void **state)
{
	static const char text[] = {'1', '2', '3', ' ', ' ', '\n'};
	struct scan s = {text, text + 2}, line = {NULL, NULL};
	uint64_t value;

	(void)state;
	assert_false(scan_text(&s, "123"));
	assert_true(scan_decimal(&s, &value));
	assert_int_equal(value, 12);
	assert_false(scan_char(&s, '3'));
	assert_false(scan_line(&s, &line));
	s = (struct scan){text + 3, text + 4};
	scan_blanks(&s);
	assert_ptr_equal(s.at, text + 4);
}

static void refuses_numbers_that_do_not_fit(void **state)
{
	struct scan s = scan_of("99999999999999999999");
	uint64_t value = 42;

	(void)state;
	assert_false(scan_decimal(&s, &value));
	assert_int_equal(value, 42);
	assert_int_equal(*s.at, '9');
	assert_false(scan_hex(&s, &value));
}

static void takes_words(void **state)
{
	struct scan s = scan_of("  uid\tgid  7 "), word = {NULL, NULL};

	(void)state;
	assert_true(scan_word(&s, &word));
	assert_true(scan_is(&word, "uid\tgid"));
	assert_false(scan_is(&word, "uid"));
	assert_false(scan_is(&word, "uid\tgid "));
	assert_true(scan_word(&s, &word));
	assert_true(scan_is(&word, "7"));
	assert_false(scan_word(&s, &word));
	assert_true(scan_is(&s, ""));
}

static void takes_components(void **state)
{
	struct scan s = scan_of("//a b/c/"), part = {NULL, NULL};

	(void)state;
	assert_int_equal(scan_left(&s), 8);
	assert_true(scan_component(&s, &part));
	assert_true(scan_is(&part, "a b"));
	assert_int_equal(scan_left(&s), 3);
	assert_true(scan_component(&s, &part));
	assert_true(scan_is(&part, "c"));
	assert_false(scan_component(&s, &part));
	assert_int_equal(scan_left(&s), 0);
}

static void takes_parts(void **state)
{
	struct scan s = scan_of("a:b=c::d:"), last = scan_of("e"), part = {NULL, NULL};

	(void)state;
	assert_true(scan_part(&s, ':', &part) && scan_is(&part, "a"));
	assert_true(scan_part(&s, ':', &part) && scan_is(&part, "b=c"));
	assert_true(scan_part(&s, ':', &part) && scan_is(&part, ""));
	assert_true(scan_part(&s, ':', &part) && scan_is(&part, "d"));
	assert_false(scan_part(&s, ':', &part));
	assert_true(scan_is(&part, "d"));
	assert_true(scan_part(&last, ':', &part) && scan_is(&part, "e"));
	assert_false(scan_part(&last, ':', &part));
}

static void takes_lines(void **state)
{
	struct scan s = scan_of("one\n\ncut"), line = {NULL, NULL};

	(void)state;
	assert_true(scan_line(&s, &line));
	assert_int_equal(line.end - line.at, 3);
	assert_memory_equal(line.at, "one", 3);
	assert_true(scan_line(&s, &line));
	assert_ptr_equal(line.at, line.end);
	assert_false(scan_line(&s, &line));
	assert_int_equal(s.end - s.at, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_what_it_expects),
		cmocka_unit_test(takes_nothing_else),
		cmocka_unit_test(stops_at_the_end),
		cmocka_unit_test(refuses_numbers_that_do_not_fit),
		cmocka_unit_test(takes_words),
		cmocka_unit_test(takes_components),
		cmocka_unit_test(takes_parts),
		cmocka_unit_test(takes_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
