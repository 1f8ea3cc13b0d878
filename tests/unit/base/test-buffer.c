/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the growing byte buffer, compared with an array, and with each allocation failing. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>
#include <wchar.h>

#include "base/buffer.h"
#include "tests/unit/support/faults/allocation.h"

static void assert_content(const struct buffer *b, const char *expected, size_t len)
{
	assert_int_equal(b->error, 0);
	assert_int_equal(b->len, len);
	assert_true(b->capacity >= b->len);
	assert_memory_equal(b->data, expected, len);
}

/* Whatever is added in whatever pieces, the buffer holds what a large enough array would. */
static void adds_like_an_array(void **state)
{
	static char model[1 << 16];
	uint64_t dice = 1;

	(void)state;
	for (int round = 0; round < 20; round++) {
		AUTO_BUFFER struct buffer b = {0};
		size_t len = 0;

		while (len < sizeof(model) - 2048) {
			char piece[1024];
			size_t n = unit_random(&dice) % sizeof(piece);

			memset(piece, 'a' + (int)(n % 26), sizeof(piece));
			piece[n] = 0;
			switch (unit_random(&dice) % 6) {
			case 0: buffer_add(&b, piece, n); break;
			case 1: buffer_add_text(&b, piece); break;
			case 2: buffer_printf(&b, "%s", piece); break;
			case 3:
				buffer_add_char(&b, '\n');
				piece[0] = '\n';
				n = 1;
				break;
			case 4:
				buffer_add_zero(&b, n);
				memset(piece, 0, n);
				break;
			default:
				buffer_add_u64(&b, n);
				n = (size_t)snprintf(piece, sizeof(piece), "%zu", n);
			}
			memcpy(model + len, piece, n);
			len += n;
		}
		assert_content(&b, model, len);
	}
}

static void adds_numbers(void **state)
{
	AUTO_BUFFER struct buffer b = {0};

	(void)state;
	buffer_add_u64(&b, 0);
	buffer_add_char(&b, ' ');
	buffer_add_u64(&b, UINT64_MAX);
	buffer_printf(&b, " %d%%", -5);
	assert_content(&b, "0 18446744073709551615 -5%", 26);
}

/* buffer_printf() measures first: texts near the initial capacity must be complete. */
static void prints_any_length(void **state)
{
	(void)state;
	for (int width = 1; width < 600; width++) {
		AUTO_BUFFER struct buffer b = {0};
		char expected[600];

		memset(expected, ' ', (size_t)width - 1);
		expected[width - 1] = 'x';
		buffer_printf(&b, "%*s", width, "x");
		assert_content(&b, expected, (size_t)width);
	}
}

static void aligns_with_zeros(void **state)
{
	static const char zeros[64];

	(void)state;
	for (size_t align = 1; align <= 64; align *= 2)
		for (size_t len = 0; len < 130; len++) {
			AUTO_BUFFER struct buffer b = {0};

			memset(buffer_reserve(&b, 200), 'x', 200);
			b.len = len;
			buffer_align(&b, align);
			assert_int_equal(b.error, 0);
			assert_int_equal(b.len % align, 0);
			assert_in_range(b.len, len, len + align - 1);
			assert_memory_equal(b.data + len, zeros, b.len - len);
		}
}

static void empty_additions_change_nothing(void **state)
{
	AUTO_BUFFER struct buffer b = {0};

	(void)state;
	buffer_add(&b, "", 0);
	buffer_add_text(&b, "");
	buffer_add_zero(&b, 0);
	buffer_align(&b, 8);
	buffer_printf(&b, "%s", "");
	buffer_trim(&b);
	assert_int_equal(b.len, 0);
	assert_int_equal(b.error, 0);
	assert_null(b.data);
	buffer_done(&b);
	buffer_done(&b);
}

static void clear_keeps_the_memory(void **state)
{
	AUTO_BUFFER struct buffer b = {0};
	size_t capacity;

	(void)state;
	buffer_add_zero(&b, 5000);
	capacity = b.capacity;
	buffer_clear(&b);
	assert_int_equal(b.len, 0);
	allocation_fail_at(1);
	buffer_add_zero(&b, 5000);
	assert_false(allocation_end());
	assert_int_equal(b.error, 0);
	assert_int_equal(b.capacity, capacity);
}

/*
 * A buffer at rest is empty, and grows again without an allocation. The kernel gets the pages of a
 * large one back meanwhile.
 */
static void resting_keeps_the_capacity(void **state)
{
	static const size_t sizes[] = {0, 1, 5000, 1 << 20};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		AUTO_BUFFER struct buffer b = {0};
		size_t capacity;

		buffer_add_zero(&b, sizes[i]);
		for (size_t at = 0; at < b.len; at++)
			b.data[at] = 'x';
		capacity = b.capacity;
		b.error = -ENOMEM;
		buffer_rest(&b);
		assert_int_equal(b.len, 0);
		assert_int_equal(b.error, 0);
		assert_int_equal(b.capacity, capacity);
		if (sizes[i])
			assert_int_equal(b.data[sizes[i] / 2], sizes[i] < 1 << 20 ? 'x' : 0);
		allocation_fail_at(1);
		buffer_add_zero(&b, sizes[i]);
		assert_false(allocation_end());
		assert_int_equal(b.len, sizes[i]);
	}
}

static void trim_returns_memory(void **state)
{
	AUTO_BUFFER struct buffer b = {0};

	(void)state;
	buffer_add_zero(&b, 5000);
	buffer_clear(&b);
	buffer_add_text(&b, "four");
	buffer_trim(&b);
	assert_int_equal(b.capacity, 4);
	assert_content(&b, "four", 4);
	buffer_trim(&b); /* nothing left to return */
	buffer_add_text(&b, "five");
	assert_content(&b, "fourfive", 8);

	allocation_fail_at(1); /* it keeps its memory */
	buffer_trim(&b);
	assert_true(allocation_end());
	assert_content(&b, "fourfive", 8);
}

/* A text that printf() cannot print puts the buffer in the failed state. */
static void printing_may_fail(void **state)
{
	AUTO_BUFFER struct buffer b = {0};

	(void)state;
	buffer_add_text(&b, "before");
	buffer_printf(&b, "%lc", (wint_t)0x7fffffff); /* not a character */
	assert_int_equal(b.error, -EILSEQ);
	buffer_add_text(&b, "after");
	assert_int_equal(b.len, strlen("before"));
	buffer_clear(&b);
	buffer_printf(&b, "%s", "again");
	assert_content(&b, "again", 5);
}

/* After a failure all calls do nothing, and the failure is still reported at the end. */
static void remembers_a_failure(void **state)
{
	(void)state;
	for (unsigned int n = 1;; n++) {
		AUTO_BUFFER struct buffer b = {0};

		allocation_fail_at(n);
		for (int i = 0; i < 2000; i++) {
			buffer_add_text(&b, "some text");
			buffer_add_u64(&b, 12345);
			buffer_printf(&b, "%d", 42);
			buffer_add_zero(&b, 10);
			buffer_add_char(&b, 'c');
			buffer_align(&b, 8);
		}
		if (!allocation_end()) {
			assert_int_equal(b.error, 0);
			assert_true(n > 5);
			return;
		}
		assert_int_equal(b.error, -ENOMEM);
		assert_null(buffer_reserve(&b, 1));
		/* no allocation was tried after the failure */
		assert_int_equal(allocation_count(), n);
		buffer_clear(&b);
		buffer_add_text(&b, "again");
		assert_content(&b, "again", 5);
	}
}

static void refuses_impossible_sizes(void **state)
{
	static const size_t lens[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2 + 1, SIZE_MAX / 2};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lens); i++) {
		AUTO_BUFFER struct buffer b = {0};

		buffer_add_text(&b, "ab");
		allocation_fail_at(0);
		assert_null(buffer_reserve(&b, lens[i]));
		assert_int_equal(allocation_count(), 0);
		assert_int_equal(b.error, -ENOMEM);
		assert_int_equal(b.len, 2);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds_like_an_array),
		cmocka_unit_test(adds_numbers),
		cmocka_unit_test(prints_any_length),
		cmocka_unit_test(aligns_with_zeros),
		cmocka_unit_test(empty_additions_change_nothing),
		cmocka_unit_test(clear_keeps_the_memory),
		cmocka_unit_test(resting_keeps_the_capacity),
		cmocka_unit_test(trim_returns_memory),
		cmocka_unit_test(printing_may_fail),
		cmocka_unit_test(remembers_a_failure),
		cmocka_unit_test(refuses_impossible_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
