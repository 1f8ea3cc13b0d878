/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/buffer.h"
#include "base/cleanup.h"
#include "recorder/codec/stream.h"

static struct stream stream_of(const struct buffer *b)
{
	const unsigned char *data = (const unsigned char *)b->data;

	return (struct stream){.at = data, .end = data + b->len};
}

static void test_numbers(void **state)
{
	static const uint64_t numbers[] = {
		0, 1, 127, 128, 16383, 16384, UINT32_MAX, INT64_MAX, UINT64_MAX};
	AUTO_BUFFER struct buffer b = {0};
	struct stream s;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		stream_add(&b, numbers[i]);
	s = stream_of(&b);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		assert_int_equal(stream_take(&s), numbers[i]);
	assert_false(s.is_bad);
	assert_int_equal(stream_take(&s), 0);
	assert_true(s.is_bad);
}

/* Small differences of either sign take one byte; all differences wrap. */
static void test_differences(void **state)
{
	static const struct {
		uint64_t a, b;
		size_t len;
	} cases[] = {
		{7, 7, 1},
		{7, 8, 1},
		{8, 7, 1},
		{100, 163, 1},
		{100, 165, 2},
		{0, UINT64_MAX, 1},
		{UINT64_MAX, 0, 1},
		{0, (uint64_t)INT64_MAX + 1, 10},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_BUFFER struct buffer b = {0};
		struct stream s;

		stream_add_difference(&b, cases[i].a, cases[i].b);
		assert_int_equal(b.len, cases[i].len);
		s = stream_of(&b);
		assert_int_equal(cases[i].b + stream_take_difference(&s), cases[i].a);
		assert_false(s.is_bad);
	}
}

static void test_bad(void **state)
{
	static const unsigned char endless[11] = {
		0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01};
	struct stream s = {.at = endless, .end = endless + sizeof(endless)};
	size_t len;

	(void)state;
	stream_take(&s);
	assert_true(s.is_bad);
	s = (struct stream){.at = endless, .end = endless + 7};
	stream_take_word(&s);
	assert_true(s.is_bad);
	s = (struct stream){.at = endless, .end = endless + 7};
	assert_null(stream_take_bytes(&s, 8));
	assert_true(s.is_bad);
	s = (struct stream){.at = endless, .end = endless + sizeof(endless)};
	assert_null(stream_take_text(&s, &len));
	assert_true(s.is_bad);
	s = (struct stream){.at = endless, .end = endless};
	assert_null(stream_take_text(&s, &len));
}

static void test_text(void **state)
{
	static const unsigned char texts[] = "one\0\0three";
	struct stream s = {.at = texts, .end = texts + sizeof(texts)};
	size_t len;

	(void)state;
	assert_memory_equal(stream_take_text(&s, &len), "one", 3);
	assert_int_equal(len, 3);
	assert_non_null(stream_take_text(&s, &len));
	assert_int_equal(len, 0);
	assert_memory_equal(stream_take_text(&s, &len), "three", 5);
	assert_false(s.is_bad);
	assert_ptr_equal(s.at, s.end);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_differences),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
