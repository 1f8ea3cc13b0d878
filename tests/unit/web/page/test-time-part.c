/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of web/page/time-part.h, and of the parameter for the moment. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <time.h>

#include "base/clock.h"
#include "web/page/time-part.h"

static void assert_has(const struct page_query *q, bool is_past, const char *text, bool expected)
{
	AUTO_BUFFER struct buffer to = {0};

	time_part_render(q, is_past, &to);
	buffer_add_char(&to, 0);
	assert_int_equal(to.error, 0);
	if ((strstr(to.data, text) != NULL) != expected)
		fail_msg("%s", to.data);
}

static void has_a_form_for_the_moment(void **state)
{
	const struct page_query present = {.order = {PAGE_ORDER_RSS, PAGE_ORDER_PSS}};
	struct page_query past = present;

	(void)state;
	past.at_ns = UINT64_C(1700000000123000000);
	assert_has(&present, false, "<input type=\"datetime-local\" id=\"moment-at\" name=\"at\"",
		true);
	assert_has(&present, false, " value=\"20", false);
	assert_has(&present, false, "id=\"past\"", false);
	assert_has(&present, false, "name=\"users\" value=\"rss\"", true);
	assert_has(&present, false, "name=\"programs\"", false);
	assert_has(&past, true, " value=\"2023-11-14T22:13:20\"", true);
	assert_has(&past, true, "the figures of 2023-11-14 22:13:20, ", true);
	assert_has(&past, true, "<a href=\"/\"", true);
	/* No snapshot of the moment that was asked for. */
	assert_has(&present, true, "<a href=\"/\"", true);
	assert_has(&present, true, "the figures of", false);
}

static void formats_the_moment(void **state)
{
	struct page_query q = {.at_ns = UINT64_C(1700000000003000000)};
	char text[PAGE_QUERY_AT_SIZE];

	(void)state;
	page_query_format_at(&q, "&amp;", text);
	assert_string_equal(text, "&amp;at=1700000000.003");
	q.at_ns = 0;
	page_query_format_at(&q, "?", text);
	assert_string_equal(text, "");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_a_form_for_the_moment),
		cmocka_unit_test(formats_the_moment),
	};

	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
