/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of base/text.h: UTF-8, unsafe characters and the cleaning of names. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/text.h"

#define BAD "\xef\xbf\xbd" /* U+FFFD */

static void assert_cleaned(const char *text, size_t len, const char *expected, size_t expected_len)
{
	AUTO_BUFFER struct buffer b = {0};

	text_add_clean(&b, text, len);
	assert_int_equal(b.error, 0);
	assert_int_equal(b.len, expected_len);
	if (expected_len)
		assert_memory_equal(b.data, expected, expected_len);
}

static void cleans(void **state)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{"", ""}, {"bash", "bash"}, {"a b\"c\\d'e{f}", "a b\"c\\d'e{f}"},
		{"two\nlines", "two\\x0alines"},
		{"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x90\xa7",
			"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x90\xa7"},
		/* C0, DEL, C1 */
		{"a\tb\rc\x1b[31md\x7f", "a\\x09b\\x0dc\\x1b[31md\\x7f"},
		{"\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0", "\\u0080\\u009b\\u009f\xc2\xa0"},
		/* directional marks, embeddings, overrides, isolates; separators; BOM */
		{"\xd8\x9c\xe2\x80\x8e\xe2\x80\x8f", "\\u061c\\u200e\\u200f"},
		{"\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa\xe2\x80\xae",
			"\\u2028\\u2029\\u202a\\u202e"},
		/* the characters next to them */
		{"\xe2\x80\xa7|\xe2\x80\xaf", "\xe2\x80\xa7|\xe2\x80\xaf"},
		{"\xe2\x81\xa6\xe2\x81\xa9", "\\u2066\\u2069"},
		{"\xef\xbb\xbf\xef\xbf\xb9\xef\xbf\xbe\xef\xbf\xbf",
			"\\ufeff\\ufff9\\ufffe\\uffff"},
		{"\xf0\x9f\xbf\xbe", "\\U0001fffe"}, /* U+1FFFE, a noncharacter of another plane */
		/* not UTF-8: one replacement character per byte */
		{"\xff\xfe\xc3\x28", BAD BAD BAD "("}, {"\x80", BAD}, {"\xc3", BAD},
		{"\xe4\xbd\xa0\xe5\xa5", "\xe4\xbd\xa0" BAD BAD},     /* cut at 15 bytes of comm */
		{"\xf0\x9f\x90", BAD BAD BAD}, {"\xc0\x80", BAD BAD}, /* overlong NUL */
		{"\xc1\xbf", BAD BAD},                                /* overlong DEL */
		{"\xe0\x80\xaf", BAD BAD BAD},                        /* overlong / */
		{"\xe0\x9f\xbf\xe0\xa0\x80", BAD BAD BAD "\xe0\xa0\x80"},
		{"\xf0\x8f\xbf\xbf", BAD BAD BAD BAD},                 /* overlong U+FFFF */
		{"\xed\xa0\x80\xed\xbf\xbf", BAD BAD BAD BAD BAD BAD}, /* surrogates */
		{"\xed\x9f\xbf\xee\x80\x80", "\xed\x9f\xbf\xee\x80\x80"},
		{"\xf4\x8f\xbf\xbd\xf4\x90\x80\x80", "\xf4\x8f\xbf\xbd" BAD BAD BAD BAD},
		{"\xf5\x80\x80\x80", BAD BAD BAD BAD},
		{"\xf8\x88\x80\x80\x80", BAD BAD BAD BAD BAD},
		{"\xc3\xc3\xa4", BAD "\xc3\xa4"}, /* continues at the next lead byte */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_cleaned(cases[i].text, strlen(cases[i].text), cases[i].expected,
			strlen(cases[i].expected));
	assert_cleaned("a\0b", 3, "a\\x00b", 6);
	assert_cleaned(NULL, 0, NULL, 0); /* of an empty buffer */
}

static size_t encode(uint32_t c, char to[4])
{
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		to[0] = (char)(0xe0 | c >> 12);
		to[1] = (char)(0x80 | (c >> 6 & 0x3f));
		to[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | c >> 18);
	to[1] = (char)(0x80 | (c >> 12 & 0x3f));
	to[2] = (char)(0x80 | (c >> 6 & 0x3f));
	to[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

/* Every character decodes to itself, and every truncation of it to nothing. */
static void decodes_every_character(void **state)
{
	(void)state;
	for (uint32_t c = 0; c <= 0x10ffff; c++) {
		bool is_surrogate = c >= 0xd800 && c <= 0xdfff;
		char text[4];
		size_t len = encode(c, text);
		uint32_t back = UINT32_MAX;

		assert_int_equal(text_decode(text, len, &back), is_surrogate ? 0 : len);
		assert_int_equal(back, is_surrogate ? UINT32_MAX : c);
		for (size_t cut = 1; cut < len; cut++)
			assert_int_equal(text_decode(text, cut, &back), 0);
	}
}

/* Controls, directional controls and noncharacters of planes 0 to 16, as Unicode defines them. */
static void recognises_unsafe_characters(void **state)
{
	static const struct {
		uint32_t first, last;
	} unsafe[] = {{0, 31}, {0x7f, 0x9f}, {0x61c, 0x61c}, {0x200e, 0x200f}, {0x2028, 0x202e},
		{0x2066, 0x2069}, {0xd800, 0xdfff}, {0xfdd0, 0xfdef}, {0xfeff, 0xfeff},
		{0xfff9, 0xfffb}};

	(void)state;
	for (uint32_t c = 0; c <= 0x10ffff; c++) {
		bool expected = (c & 0xffff) < 0xfffe;
		char text[4];
		size_t len = encode(c, text);

		for (size_t i = 0; i < ARRAY_SIZE(unsafe); i++)
			if (c >= unsafe[i].first && c <= unsafe[i].last)
				expected = false;
		if (text_is_clean(text, len) != expected)
			fail_msg("U+%04X", c);
	}
}

/*
 * For any bytes: the result is clean, cleaning it again changes nothing, and clean text is
 * unchanged.
 */
static void check_properties(const char *text, size_t len)
{
	AUTO_BUFFER struct buffer once = {0}, twice = {0};

	text_add_clean(&once, text, len);
	assert_int_equal(once.error, 0);
	assert_true(text_is_clean(once.data, once.len));
	text_add_clean(&twice, once.data, once.len);
	assert_int_equal(twice.len, once.len);
	assert_memory_equal(twice.data, once.data, once.len);
	assert_int_equal(
		text_is_clean(text, len), once.len == len && !memcmp(once.data, text, len));
}

static void cleaning_is_idempotent(void **state)
{
	/* Bytes at which the decoder branches. */
	static const char bytes[] =
		"\x00\x0a\x41\x7f\x80\x8f\x90\x9f\xa0\xbf\xc2\xe0\xe2\xed\xf0\xf4";
	enum { BYTES = sizeof(bytes) - 1 };

	(void)state;
	for (unsigned int n = 0; n < BYTES * BYTES * BYTES * BYTES; n++) {
		char text[4];

		for (unsigned int i = 0, left = n; i < sizeof(text); i++, left /= BYTES)
			text[i] = bytes[left % BYTES];
		check_properties(text, sizeof(text));
	}
}

static void cleaning_random_bytes(void **state)
{
	uint64_t dice = 3;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		char text[64];
		size_t len = 1 + unit_random(&dice) % sizeof(text);

		for (size_t i = 0; i < len; i++)
			text[i] = (char)unit_random(&dice);
		check_properties(text, len);
	}
}

/* A truncation keeps the complete characters before it: the kernel cuts comm at 15 bytes. */
static void truncation_damages_one_character(void **state)
{
	static const char text[] = "\xe4\xbd\xa0\xe5\xa5\xbd gr\xc3\xbc\xc3\x9f \xf0\x9f\x90\xa7";
	size_t whole = 0;

	(void)state;
	for (size_t cut = 0; cut < sizeof(text); cut++) {
		AUTO_BUFFER struct buffer b = {0};

		if (((unsigned char)text[cut] & 0xc0) != 0x80)
			whole = cut; /* a character begins here, or the text ends */
		text_add_clean(&b, text, cut);
		assert_int_equal(b.len, whole + (cut - whole) * strlen(BAD));
		if (whole)
			assert_memory_equal(b.data, text, whole);
	}
}

/* As many complete characters as fit; the previous content does not count. */
static void a_limit_cuts_between_characters(void **state)
{
	static const struct {
		const char *text;
		size_t max;
		const char *expected;
	} cases[] = {
		{"abc", 3, "abc"},
		{"abc", 2, "ab"},
		{"abc", 0, ""},
		{"", 0, ""},
		{"a\xe5\xb0\x8f", 4, "a\xe5\xb0\x8f"},
		{"a\xe5\xb0\x8f", 3, "a"},
		{"a\xe5\xb0\x8f", 2, "a"},
		{"a\xe5\xb0\x8f", 1, "a"},
		{"a\xff", 4, "a\xef\xbf\xbd"},
		{"a\xff", 3, "a"},
		{"\xf0\x9f\x98\x80", 3, ""},
		{"a\x1b[m", 5, "a\\x1b"},
		{"a\x1b[m", 4, "a"}, /* no part of an escape */
		{"\xe2\x80\xaez", 6, "\\u202e"},
		{"\xe2\x80\xaez", 5, ""},
		{"\xf0\x9f\xbf\xbe", 9, ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_BUFFER struct buffer b = {0};

		buffer_add_text(&b, "\xc3\xa4");
		text_add_clean_max(&b, cases[i].text, strlen(cases[i].text), cases[i].max);
		assert_int_equal(b.len, 2 + strlen(cases[i].expected));
		assert_memory_equal(b.data + 2, cases[i].expected, b.len - 2);
	}
}

/* Reserved text is escaped if a user chose it. All other text is unchanged. */
static void names_cannot_imitate_labels_or_marks(void **state)
{
	static const struct {
		const char *name, *expected;
	} cases[] = {
		{"(other)", "\\x28other)"},
		{"(none)", "\\x28none)"},
		{"(unnamed)", "\\x28unnamed)"},
		{"(memfd)", "\\x28memfd)"},
		{"(Other)", "(Other)"},
		{"(other", "(other"},
		{"x(other)", "x(other)"},
		{"(sd-pam)", "(sd-pam)"},
		{"x [deleted]", "x \\x5bdeleted]"},
		{"x [replaced]", "x \\x5breplaced]"},
		{"x [deleted?]", "x \\x5bdeleted?]"},
		{"x [deleted] [deleted]", "x [deleted] \\x5bdeleted]"},
		{"x[deleted]", "x[deleted]"},
		{"x [deleted] ", "x [deleted] "},
		{"(other) [deleted]", "(other) \\x5bdeleted]"},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_BUFFER struct buffer b = {0};

		buffer_add_text(&b, "(other)");
		text_add_name(&b, cases[i].name, strlen(cases[i].name), 100);
		assert_int_equal(b.len, 7 + strlen(cases[i].expected));
		assert_memory_equal(b.data + 7, cases[i].expected, b.len - 7);
		assert_true(text_is_clean(b.data, b.len));
		/* Applying it again changes nothing. */
		text_escape_reserved(&b, 7);
		assert_int_equal(b.len, 7 + strlen(cases[i].expected));
	}
}

/* Including its escape a name has at most the maximum length. */
static void a_name_has_a_limit(void **state)
{
	AUTO_BUFFER struct buffer b = {0};

	(void)state;
	text_add_name(&b, "xxx [deleted]", 13, 16);
	assert_int_equal(b.len, 16);
	buffer_clear(&b);
	text_add_name(&b, "xxxx [deleted]", 14, 16);
	assert_int_equal(b.len, 13);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(cleans),
		cmocka_unit_test(decodes_every_character),
		cmocka_unit_test(recognises_unsafe_characters),
		cmocka_unit_test(cleaning_is_idempotent),
		cmocka_unit_test(cleaning_random_bytes),
		cmocka_unit_test(truncation_damages_one_character),
		cmocka_unit_test(a_limit_cuts_between_characters),
		cmocka_unit_test(names_cannot_imitate_labels_or_marks),
		cmocka_unit_test(a_name_has_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
