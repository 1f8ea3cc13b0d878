/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/process/process-table.h: the processes that passes remember. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>

#include "base/cleanup.h"
#include "collectors/process/process-table.h"
#include "tests/unit/support/faults/allocation.h"

enum { PIDS_MAX = 300 };

#define AUTO_TABLE CLEANUP(process_table_done)

/* Makes a list of ascending pids, each present at random. */
static size_t some_pids(pid_t *pids, uint64_t *dice)
{
	uint64_t mask = unit_random(dice);
	size_t count = 0;

	for (pid_t pid = 1; pid <= PIDS_MAX; pid++)
		if (unit_random(dice) & mask & 3)
			pids[count++] = pid;
	return count;
}

/* Remembers something of the process and keeps a descriptor, as reading does. */
static void mark(struct process_table *t, struct process_reader *reader)
{
	for (size_t i = 0; i < t->count; i++) {
		struct process *p = t->item[i];

		if (p->known)
			continue;
		p->known = true;
		p->uid = 1000 + (uid_t)p->pid;
		if (p->pid % 7 == 0) {
			p->dirfd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
			assert_true(p->dirfd >= 0);
			reader->kept++;
		}
	}
}

static void assert_table(const struct process_table *t, const pid_t *pids, size_t count)
{
	assert_int_equal(t->count, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(t->item[i]->pid, pids[i]);
		if (t->item[i]->known)
			assert_int_equal(t->item[i]->uid, 1000 + pids[i]);
		else
			assert_int_equal(t->item[i]->dirfd, -1);
	}
}

static bool holds(const pid_t *pids, size_t count, pid_t pid)
{
	for (size_t i = 0; i < count; i++)
		if (pids[i] == pid)
			return true;
	return false;
}

/*
 * A listed process that was known is kept, a listed one that was not is new, and there are no
 * others.
 */
static void follows_the_list(void **state)
{
	AUTO_FREE struct process_reader *reader = calloc(1, sizeof(*reader));
	unsigned int before = unit_descriptors();
	struct process_table t = {0};
	pid_t last[PIDS_MAX], pids[PIDS_MAX];
	size_t last_count = 0;
	uint64_t dice = 5;

	(void)state;
	assert_non_null(reader);
	for (int round = 0; round < 200; round++) {
		size_t count = round % 50 == 49 ? 0 : some_pids(pids, &dice), kept = 0;

		assert_int_equal(process_table_sync(&t, reader, pids, count), 0);
		assert_table(&t, pids, count);
		for (size_t i = 0; i < count; i++) {
			assert_int_equal(t.item[i]->known, holds(last, last_count, pids[i]));
			kept += t.item[i]->dirfd >= 0;
		}
		assert_int_equal(reader->kept, kept);
		assert_int_equal(unit_descriptors(), before + kept);
		mark(&t, reader);
		memcpy(last, pids, count * sizeof(*pids));
		last_count = count;
	}
	process_table_done(&t);
	process_table_done(&t);
	assert_int_equal(unit_descriptors(), before);
}

/* After any failed allocation the table is unchanged. */
static void is_unchanged_without_memory(void **state)
{
	AUTO_FREE struct process_reader *reader = calloc(1, sizeof(*reader));
	AUTO_TABLE struct process_table t = {0};
	pid_t first[PIDS_MAX / 2], all[PIDS_MAX];
	unsigned int failures = 0;

	(void)state;
	assert_non_null(reader);
	for (pid_t i = 0; i < PIDS_MAX; i++) {
		all[i] = i + 1;
		if (i % 2)
			first[i / 2] = i + 1;
	}
	assert_int_equal(process_table_sync(&t, reader, first, ARRAY_SIZE(first)), 0);
	mark(&t, reader);
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		allocation_fail_at(n);
		if (!allocation_check(process_table_sync(&t, reader, all, ARRAY_SIZE(all))))
			continue;
		failures++;
		assert_table(&t, first, ARRAY_SIZE(first));
		for (size_t i = 0; i < t.count; i++)
			assert_true(t.item[i]->known);
	}
	assert_true(failures >= PIDS_MAX / 2);
	assert_table(&t, all, ARRAY_SIZE(all));
}

static void finds_processes_by_pid(void **state)
{
	static const pid_t pids[] = {2, 3, 5, 7, 11, 4194304};
	AUTO_TABLE struct process_table t = {0};
	AUTO_FREE struct process_reader *reader = calloc(1, sizeof(*reader));

	(void)state;
	assert_null(process_table_find(&t, 2));
	assert_int_equal(process_table_sync(&t, reader, pids, ARRAY_SIZE(pids)), 0);
	for (size_t i = 0; i < ARRAY_SIZE(pids); i++)
		assert_int_equal(process_table_find(&t, pids[i])->pid, pids[i]);
	assert_null(process_table_find(&t, 1));
	assert_null(process_table_find(&t, 4));
	assert_null(process_table_find(&t, INT32_MAX));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_the_list),
		cmocka_unit_test(is_unchanged_without_memory),
		cmocka_unit_test(finds_processes_by_pid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
