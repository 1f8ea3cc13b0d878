/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of web/history/ring-words.h: samples survive, and take only the words that they need. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <math.h>

#include "base/cleanup.h"
#include "web/history/ring-words.h"

static void samples_survive(void **state)
{
	static const float values[] = {0, 1, NAN, 1e18F, 16777216};
	float before[RING_QUANTITIES], q[RING_QUANTITIES], got[RING_QUANTITIES];
	uint64_t seed = 20261128;
	uint32_t word[2 * (1 + RING_QUANTITIES)];

	(void)state;
	for (unsigned int i = 0; i < 2000; i++) {
		uint32_t row = i % 2 ? (uint32_t)RING_WORDS_ROW_MAX
		                     : (uint32_t)unit_random(&seed) % 1000;
		unsigned int mask = 0, changes = 0;
		size_t at = 0, from = 0, words;

		for (size_t k = 0; k < RING_QUANTITIES; k++) {
			size_t a = (size_t)unit_random(&seed) % ARRAY_SIZE(values);
			size_t b = unit_random(&seed) % 2
			                   ? a
			                   : (size_t)unit_random(&seed) % ARRAY_SIZE(values);

			before[k] = values[a];
			q[k] = values[b];
			changes += a != b;
		}
		words = ring_words_write(word, row, ring_words_changes(before, q), q);
		assert_int_equal(words, 1 + changes);
		words += ring_words_write(word + words, row, 0, q);
		assert_int_equal(ring_words_read(word, &at, &mask, &from), row);
		assert_int_equal(at, 1 + changes);
		memcpy(got, before, sizeof(got));
		ring_words_apply(word + from, mask, got);
		assert_memory_equal(got, q, sizeof(q));
		assert_int_equal(ring_words_read(word, &at, &mask, &from), row);
		assert_int_equal(at, words);
		assert_int_equal(mask, 0);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_survive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
