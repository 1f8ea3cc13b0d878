/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of web/page/html.h: texts of others in HTML. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "web/page/html.h"

static void assert_is(struct buffer *b, const char *text)
{
	buffer_add_char(b, 0);
	assert_int_equal(b->error, 0);
	assert_string_equal(b->data, text);
}

/* Names that would be markup, end an attribute or name an entity. */
static void escapes_hostile_texts(void **state)
{
	static const char *const cases[][2] = {
		{"", ""},
		{"bash", "bash"},
		{"<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"},
		{"\" onload=\"x", "&quot; onload=&quot;x"},
		{"' onload='x", "&#39; onload=&#39;x"},
		{"&lt;", "&amp;lt;"},
		{"<!--", "&lt;!--"},
		{"]]>", "]]&gt;"},
		{"&", "&amp;"},
		{"a&b<c>d\"e'f", "a&amp;b&lt;c&gt;d&quot;e&#39;f"},
		{"\xe6\x97\xa5\xe6\x9c\xac", "\xe6\x97\xa5\xe6\x9c\xac"},
		{"`${x}`", "`${x}`"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_BUFFER struct buffer b = {0};

		html_add_text(&b, cases[i][0]);
		assert_is(&b, cases[i][1]);
	}
}

static void isolates_names(void **state)
{
	AUTO_BUFFER struct buffer b = {0};

	(void)state;
	html_add_name(&b, "</bdi><b>");
	assert_is(&b, "<bdi>&lt;/bdi&gt;&lt;b&gt;</bdi>");
}

static void limits_shares(void **state)
{
	static const struct {
		uint64_t part, whole;
		const char *text;
	} cases[] = {
		{0, 0, "0.00%"},
		{5, 0, "0.00%"},
		{1, 3, "33.33%"},
		{3, 3, "100.00%"},
		{4, 3, "100.00%"},
		{UINT64_MAX, UINT64_MAX, "100.00%"},
		{1, UINT64_MAX, "0.00%"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_BUFFER struct buffer b = {0};

		html_add_share(&b, cases[i].part, cases[i].whole);
		assert_is(&b, cases[i].text);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(escapes_hostile_texts),
		cmocka_unit_test(isolates_names),
		cmocka_unit_test(limits_shares),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
