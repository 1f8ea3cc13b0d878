/* SPDX-License-Identifier: Apache-2.0 */
/* Tests since when a process blocks its readers, and when it is tried again. */
#include "config.h"

#include "collectors/process/state/block.h"

#include "base/cleanup.h"
#include "tests/unit/support/unit.h"

static void pauses_grow_to_half_a_minute(void **state)
{
	static const unsigned int seconds[] = {1, 2, 4, 8, 16, 30, 30};
	struct block b = {0};
	uint64_t now_ns = 100 * NS_PER_SEC;

	(void)state;
	assert_false(block_is_on(&b));
	for (size_t i = 0; i < ARRAY_SIZE(seconds); i++) {
		b.is_chosen = true;
		block_begin(&b, "stat", false, now_ns);
		assert_true(block_is_barred(&b));
		assert_false(block_is_due(&b, now_ns + seconds[i] * NS_PER_SEC - 1));
		now_ns += seconds[i] * NS_PER_SEC;
		assert_true(block_is_due(&b, now_ns));
	}
	assert_int_equal(b.since_ns, 100 * NS_PER_SEC);
}

/* If only mmap_lock blocks, stat can be read. Its answer does not end the block of walks. */
static void a_walk_blocks_walks_alone(void **state)
{
	struct block b = {0};

	(void)state;
	block_begin(&b, "smaps", true, NS_PER_SEC);
	assert_true(block_is_of(&b, true));
	assert_false(block_is_of(&b, false));
	block_answered(&b, false);
	assert_true(block_is_on(&b));
	block_answered(&b, true);
	assert_false(block_is_on(&b));
}

/* If exec_update_lock blocks, all reads block, and any answer shows that the block has ended. */
static void exec_blocks_everything(void **state)
{
	struct block b = {0};

	(void)state;
	block_begin(&b, "smaps", true, NS_PER_SEC);
	block_begin(&b, "stat", false, NS_PER_SEC);
	assert_string_equal(b.file, "stat");
	assert_true(block_is_of(&b, false) && block_is_of(&b, true));
	block_begin(&b, "smaps", true, NS_PER_SEC);
	assert_string_equal(b.file, "stat");
	block_answered(&b, false);
	assert_false(block_is_on(&b));
}

/* A deferred read did not block. If the next one does, the block begins then. */
static void a_deferred_read_is_not_a_block(void **state)
{
	struct block b = {0};

	(void)state;
	block_defer(&b, "stat", false, NS_PER_SEC);
	assert_true(block_is_on(&b) && b.is_deferred);
	assert_false(block_is_of(&b, false) || block_is_barred(&b));
	/* after a mere deferral no attempt is due */
	assert_false(block_is_due(&b, 100 * NS_PER_SEC));
	block_begin(&b, "stat", false, 3 * NS_PER_SEC);
	assert_false(b.is_deferred);
	assert_int_equal(b.since_ns, 3 * NS_PER_SEC);
}

/* A due process keeps its age while its attempt is deferred. */
static void a_deferred_attempt_stays_due(void **state)
{
	struct block b = {0};

	(void)state;
	block_begin(&b, "stat", false, 3 * NS_PER_SEC);
	b.is_chosen = true;
	block_defer(&b, "stat", false, 50 * NS_PER_SEC);
	assert_true(block_is_barred(&b) && !b.is_deferred);
	assert_int_equal(b.since_ns, 3 * NS_PER_SEC);
	assert_int_equal(b.next_ns, 4 * NS_PER_SEC);
	block_answered(&b, false);
	assert_false(block_is_on(&b));
}

/* A process that keeps blocking is logged once in ten minutes. */
static void a_block_is_logged_again_after_ten_minutes(void **state)
{
	struct block b = {0};

	(void)state;
	block_begin(&b, "stat", false, 3 * NS_PER_SEC);
	assert_false(b.is_told);
	block_answered(&b, false);
	block_begin(&b, "stat", false, 10 * NS_PER_SEC);
	assert_false(b.is_told);
	b.is_told = true;
	for (unsigned int i = 1; i <= 100; i++) { /* for longer than ten minutes */
		block_answered(&b, false);
		assert_false(block_is_on(&b) || block_is_due(&b, UINT64_MAX));
		if (i % 2)
			block_defer(&b, "stat", false, (10 + 10 * i) * NS_PER_SEC);
		block_begin(&b, "stat", false, (10 + 10 * i) * NS_PER_SEC);
		assert_true(b.is_told);
		assert_int_equal(b.attempts, 1);
	}
	block_answered(&b, false); /* the last attempt was due after 1,011 s */
	block_begin(&b, "stat", false, 1610 * NS_PER_SEC);
	assert_true(b.is_told);
	block_answered(&b, false);
	block_begin(&b, "stat", false, 2211 * NS_PER_SEC);
	assert_false(b.is_told);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_deferred_read_is_not_a_block),
		cmocka_unit_test(a_deferred_attempt_stays_due),
		cmocka_unit_test(pauses_grow_to_half_a_minute),
		cmocka_unit_test(a_walk_blocks_walks_alone),
		cmocka_unit_test(exec_blocks_everything),
		cmocka_unit_test(a_block_is_logged_again_after_ten_minutes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
