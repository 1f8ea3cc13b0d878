/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of web/history/ring-blocks.h: pieces keep their bytes, and freed ones are given back. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "web/history/ring-blocks.h"

enum { PIECES = 1000, PIECE_MAX = 4000 };

struct piece {
	unsigned char *data;
	size_t size;
};

static struct piece piece_add(struct ring_blocks *b, size_t size, unsigned char value)
{
	struct piece p = {.data = ring_blocks_add(b, size), .size = size};

	assert_non_null(p.data);
	assert_int_equal((uintptr_t)p.data % sizeof(uint64_t), 0);
	for (size_t i = 0; i < size; i++)
		assert_int_equal(p.data[i], 0);
	memset(p.data, value, size);
	return p;
}

static void piece_check(const struct piece *p, unsigned char value)
{
	for (size_t i = 0; i < p->size; i++)
		assert_int_equal(p->data[i], value);
}

/* Returns whether the page of P is mapped. */
static bool is_mapped(const struct piece *p)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	unsigned char in_core;

	return mincore((void *)((uintptr_t)p->data & ~(page - 1)), 1, &in_core) == 0;
}

static void pieces_survive_until_they_are_freed(void **state)
{
	static struct piece pieces[PIECES];
	struct ring_blocks b = {0};
	uint64_t seed = 20261128;
	size_t first = 0;

	(void)state;
	for (size_t i = 0; i < PIECES; i++) {
		pieces[i] = piece_add(
			&b, 1 + (size_t)unit_random(&seed) % PIECE_MAX, (unsigned char)i);
		if (unit_random(&seed) % 3 == 0) {
			piece_check(&pieces[first], (unsigned char)first);
			ring_blocks_drop_first(&b);
			first++;
		}
	}
	for (size_t i = PIECES; i-- > first;) {
		piece_check(&pieces[i], (unsigned char)i);
		ring_blocks_drop_last(&b);
	}
	assert_null(b.first);
	assert_null(b.last);
}

static void piece_larger_than_a_block_has_one_of_its_own(void **state)
{
	struct ring_blocks b = {0};
	struct piece small = piece_add(&b, 1, 1), large = piece_add(&b, 3 * RING_BLOCK_BYTES, 2);

	(void)state;
	piece_check(&small, 1);
	ring_blocks_drop_last(&b);
	assert_false(is_mapped(&large));
	piece_check(&small, 1);
	large = piece_add(&b, 3 * RING_BLOCK_BYTES, 3);
	ring_blocks_drop_first(&b);
	assert_false(is_mapped(&small));
	piece_check(&large, 3);
	ring_blocks_done(&b);
	assert_false(is_mapped(&large));
	assert_null(ring_blocks_add(&b, SIZE_MAX / 4));
	ring_blocks_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_survive_until_they_are_freed),
		cmocka_unit_test(piece_larger_than_a_block_has_one_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
