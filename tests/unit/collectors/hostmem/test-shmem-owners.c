/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the sums of shared memory by uid. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "collectors/hostmem/shmem-owners.h"
#include "tests/unit/support/faults/allocation.h"

#define AUTO_HOLDERS CLEANUP(shmem_owners_done)

static const struct sysvipc_segment attached = {
	.uid = 1000, .attached = 2, .size_bytes = 100, .rss_bytes = 30, .swap_bytes = 7};
static const struct sysvipc_segment left = {
	.uid = 1000, .attached = 0, .size_bytes = 200, .rss_bytes = 50, .swap_bytes = 0};

static void sums_up_by_uid(void **state)
{
	AUTO_HOLDERS struct shmem_owners h = {0};

	(void)state;
	shmem_owners_add_segment(&h, &attached);
	shmem_owners_add_file(&h, 0, 4096);
	shmem_owners_add_segment(&h, &left);
	shmem_owners_add_file(&h, 4294967294, 8192);
	shmem_owners_add_file(&h, 1000, 1);
	assert_int_equal(h.count, 3);
	assert_true(h.item[0].uid == 1000 && h.item[1].uid == 0 && h.item[2].uid == 4294967294);
	assert_int_equal(h.item[0].q[SHMEM_SYSV], 80);
	assert_int_equal(h.item[0].q[SHMEM_SYSV_UNATTACHED], 50);
	assert_int_equal(h.item[0].q[SHMEM_SYSV_SWAP], 7);
	assert_int_equal(h.item[0].q[SHMEM_SYSV_SIZE], 300);
	assert_int_equal(h.item[0].q[SHMEM_SYSV_SEGMENTS], 2);
	assert_int_equal(h.item[0].q[SHMEM_TMPFS], 1);
	assert_int_equal(h.item[1].q[SHMEM_TMPFS_FILES], 1);
	assert_int_equal(shmem_owners_sum(&h, SHMEM_TMPFS), 4096 + 8192 + 1);
	shmem_owners_clear(&h);
	assert_int_equal(h.count, 0);
	assert_int_equal(shmem_owners_sum(&h, SHMEM_SYSV), 0);
}

/* Many uids, as many as both sources may have, and however small, leave room for all others. */
static void has_a_row_for_each_uid(void **state)
{
	enum { UIDS = 33000, FIRST = 100000, LAST = 7 };
	AUTO_HOLDERS struct shmem_owners h = {0}, to = {0};

	(void)state;
	for (unsigned int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < UIDS; i++)
			shmem_owners_add_file(&h, FIRST + UIDS - i, i);
		shmem_owners_add_segment(
			&h, &(struct sysvipc_segment){.uid = LAST, .rss_bytes = 1});
		assert_int_equal(h.count, UIDS + 1);
		assert_false(h.has_other);
		assert_int_equal(
			shmem_owners_sum(&h, SHMEM_TMPFS), (uint64_t)UIDS * (UIDS - 1) / 2);
		for (uint32_t i = 0; i < UIDS; i++)
			assert_true(
				h.item[i].uid == FIRST + UIDS - i && h.item[i].q[SHMEM_TMPFS] == i);
		assert_true(h.item[UIDS].uid == LAST && h.item[UIDS].q[SHMEM_SYSV] == 1);
		shmem_owners_merge(&to, &h);
		assert_int_equal(to.count, UIDS + 1);
		shmem_owners_clear(&h);
	}
	assert_int_equal(shmem_owners_sum(&to, SHMEM_TMPFS), (uint64_t)UIDS * (UIDS - 1));
	/* a small number of holders does not keep a large table */
	shmem_owners_add_file(&h, 1, 1);
	shmem_owners_clear(&h);
	assert_int_equal(h.capacity, 0);
	shmem_owners_add_file(&h, 1, 1);
	assert_int_equal(h.count, 1);
}

static void amounts_do_not_wrap(void **state)
{
	AUTO_HOLDERS struct shmem_owners h = {0};

	(void)state;
	for (uint32_t i = 0; i < 4; i++)
		shmem_owners_add_file(&h, i % 2, INT64_MAX);
	assert_true(h.item[0].q[SHMEM_TMPFS] == INT64_MAX);
	assert_true(shmem_owners_sum(&h, SHMEM_TMPFS) == INT64_MAX);
}

static void lack_of_memory_loses_nothing(void **state)
{
	(void)state;
	for (unsigned int n = 1; n <= 5; n++) {
		AUTO_HOLDERS struct shmem_owners h = {0}, to = {0};

		allocation_fail_at(n);
		for (uint32_t uid = 0; uid < 70; uid++) {
			shmem_owners_add_segment(&h, &left);
			shmem_owners_add_file(&h, uid, 10);
		}
		assert_true(allocation_end());
		assert_true(h.has_other);
		assert_true(h.count >= 16);
		assert_int_equal(shmem_owners_sum(&h, SHMEM_SYSV), 70 * 50);
		assert_int_equal(shmem_owners_sum(&h, SHMEM_TMPFS_FILES), 70);
		shmem_owners_merge(&to, &h);
		assert_int_equal(shmem_owners_sum(&to, SHMEM_SYSV), 70 * 50);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_up_by_uid),
		cmocka_unit_test(has_a_row_for_each_uid),
		cmocka_unit_test(amounts_do_not_wrap),
		cmocka_unit_test(lack_of_memory_loses_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
