/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of inspect/maps/sharers.h: which processes share the mappings of a process. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "inspect/maps/sharers.h"
#include "tests/unit/support/faults/allocation.h"

enum { KIB = 1024, CHOSEN = 4096 };

static struct mapping mapping_at(
	uint64_t start, uint32_t minor, uint64_t inode, uint64_t shared_kib)
{
	const char *path = inode ? "/lib/a" : "";
	struct mapping m = {
		.start = start,
		.end = start + 0x1000,
		.major = inode ? 8 : 0,
		.minor = minor,
		.inode = inode,
		.perms = "rw-p",
		.path = path,
		.path_len = strlen(path),
		.flags = "",
	};

	m.q[MAPPING_SHARED_CLEAN] = shared_kib * KIB;
	return m;
}

/*
 * Adds a process with two mappings of a file, one of another, and anonymous memory that is partly
 * shared.
 */
static int learn(struct sharers *s)
{
	const struct mapping all[] = {
		mapping_at(0x1000, 1, 5, 10),
		mapping_at(0x2000, 1, 5, 20),
		mapping_at(0x3000, 2, 5, 100),
		mapping_at(0x4000, 0, 0, 40),
		mapping_at(0x5000, 0, 0, 0),
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(all); i++)
		r = sharers_learn(s, &all[i]);
	return r;
}

static void see_one(struct sharers *s, const struct mapping *m)
{
	const struct sharers_object key = sharers_key(m);

	for (size_t i = 0; i < s->objects; i++)
		if (!sharers_compare(&s->object[i], &key))
			sharers_see(s, i);
}

static int see(struct sharers *s, const char *program, const struct mapping *m, size_t count)
{
	sharers_begin(s);
	for (size_t i = 0; i < count; i++)
		see_one(s, &m[i]);
	return sharers_end(s, program);
}

static int see_all(struct sharers *s)
{
	/*
	 * Adds a process with the same file at other addresses, and the same addresses without a
	 * file.
	 */
	const struct mapping stranger[] = {
		mapping_at(0x9000, 1, 5, 0),
		mapping_at(0xa000, 1, 5, 0),
		mapping_at(0x3000, 3, 5, 0),
		mapping_at(0x5000, 0, 0, 0),
	};
	const struct mapping relative[] = {
		mapping_at(0x1000, 1, 5, 0),
		mapping_at(0x3000, 2, 5, 0),
		mapping_at(0x4000, 0, 0, 0),
	};
	const struct mapping nobody[] = {mapping_at(0x1000, 0, 0, 0), mapping_at(0x4000, 1, 6, 0)};
	int r = see(s, "cat", stranger, ARRAY_SIZE(stranger));

	if (r == 0)
		r = see(s, "server", relative, ARRAY_SIZE(relative));
	if (r == 0)
		r = see(s, "server", stranger, ARRAY_SIZE(stranger));
	return r == 0 ? see(s, "nobody", nobody, ARRAY_SIZE(nobody)) : r;
}

static void finds_processes_that_map_the_same_file(void **state)
{
	struct sharers s = {0};

	(void)state;
	assert_int_equal(learn(&s), 0);
	assert_int_equal(see_all(&s), 0);
	sharers_sort(&s);
	assert_int_equal(s.objects, 3);
	assert_int_equal(s.object[0].shared_bytes, 100 * KIB);
	assert_int_equal(s.object[0].others, 1);
	assert_string_equal(s.object[0].name, "/lib/a");
	assert_int_equal(s.object[1].shared_bytes, 40 * KIB);
	assert_int_equal(s.object[1].others, 1);
	assert_string_equal(s.object[1].name, "[anon]");
	assert_int_equal(s.object[2].shared_bytes, 30 * KIB);
	assert_int_equal(s.object[2].others, 3);
	assert_int_equal(s.programs, 2);
	assert_string_equal(s.program[0].name, "server");
	assert_int_equal(s.program[0].processes, 2);
	assert_int_equal(s.program[0].shared_bytes, 170 * KIB);
	assert_int_equal(s.program[0].forked, 1);
	assert_int_equal(s.program[0].forked_bytes, 40 * KIB);
	assert_string_equal(s.program[1].name, "cat");
	assert_int_equal(s.program[1].shared_bytes, 30 * KIB);
	assert_int_equal(s.program[1].forked, 0);
	assert_int_equal(s.program[1].forked_bytes, 0);
	sharers_done(&s);
}

/* More sharers than the first allocation holds. */
static void finds_many_sharers(void **state)
{
	enum { MANY = 1000 };
	struct sharers s = {0};

	(void)state;
	for (unsigned int i = 1; i <= MANY; i++) {
		const struct mapping m = mapping_at(i * 0x1000, 1, i, i);

		assert_int_equal(sharers_learn(&s, &m), 0);
	}
	for (unsigned int i = 1; i <= MANY; i += 2) {
		const struct mapping m = mapping_at(0, 1, i, 0);

		assert_int_equal(see(&s, "other", &m, 1), 0);
	}
	sharers_sort(&s);
	assert_int_equal(s.objects, MANY);
	for (unsigned int i = 0; i < MANY; i++) {
		assert_int_equal(s.object[i].shared_bytes, (MANY - i) * KIB);
		assert_int_equal(s.object[i].others, (MANY - i) % 2);
	}
	sharers_done(&s);
}

/*
 * Another process that maps shared memory keeps it, at any address, even untouched. Private copies
 * are not kept.
 */
static void mapped_shared_memory_is_kept(void **state)
{
	struct mapping m = mapping_at(0x1000, 1, 7, 0), other = mapping_at(0x9000, 1, 7, 0);
	struct sharers s = {0};

	(void)state;
	m.major = other.major = 0; /* as for every file that is not on a block device */
	m.path = "/memfd:a (deleted)";
	m.path_len = strlen(m.path);
	m.q[MAPPING_PRIVATE_DIRTY] = 50 * KIB;
	m.q[MAPPING_ANONYMOUS] = 10 * KIB;
	assert_int_equal(sharers_learn(&s, &m), 0);
	assert_int_equal(s.kept_bytes[BREAKDOWN_SHMEM], 0);
	assert_int_equal(see(&s, "other", &other, 1), 0);
	assert_int_equal(see(&s, "other", &other, 1), 0);
	assert_int_equal(s.kept_bytes[BREAKDOWN_SHMEM], 40 * KIB);
	sharers_sort(&s);
	assert_int_equal(s.kept_bytes[BREAKDOWN_SHMEM], 40 * KIB);
	assert_int_equal(s.objects, 0);
	assert_int_equal(s.programs, 0);
	sharers_done(&s);
}

/*
 * A process with the same address space has no share of its own. One that was read only partly may
 * have none.
 */
static void incomplete_processes_do_not_count(void **state)
{
	const struct mapping forked = mapping_at(0x4000, 0, 0, 0);
	struct mapping shmem = mapping_at(0x7000, 1, 8, 0);
	struct sharers s = {0};

	(void)state;
	shmem.path = "/memfd:a (deleted)";
	shmem.path_len = strlen(shmem.path);
	shmem.major = 0;
	shmem.q[MAPPING_PRIVATE_DIRTY] = 50 * KIB;
	assert_int_equal(learn(&s), 0);
	assert_int_equal(sharers_learn(&s, &shmem), 0);
	sharers_begin(&s);
	see_one(&s, &forked);
	see_one(&s, &shmem);
	assert_int_equal(see(&s, "other", &forked, 1), 0);
	assert_int_equal(s.kept_bytes[BREAKDOWN_SHMEM], 0);
	sharers_sort(&s);
	assert_int_equal(s.programs, 1);
	assert_int_equal(s.program[0].processes, 1);
	assert_int_equal(s.program[0].shared_bytes, 40 * KIB);
	assert_int_equal(s.program[0].forked_bytes, 40 * KIB);
	assert_int_equal(s.object[1].others, 1);
	sharers_done(&s);
}

static void ignores_the_kernels_mappings(void **state)
{
	struct mapping m = mapping_at(0x1000, 0, 0, 8);
	struct sharers s = {0};

	(void)state;
	m.path = "[vdso]";
	m.path_len = strlen(m.path);
	assert_int_equal(sharers_learn(&s, &m), 0);
	assert_int_equal(s.objects, 0);
	assert_int_equal(see(&s, "other", &m, 1), 0);
	sharers_sort(&s);
	assert_int_equal(s.programs, 0);
	sharers_done(&s);
}

static void returns_errors_without_memory(void **state)
{
	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		struct sharers s = {0};
		int r;

		allocation_fail_at(n);
		r = learn(&s);
		if (r == 0)
			r = see_all(&s);
		allocation_check(r);
		sharers_done(&s);
	}
}

/*
 * A user chooses page numbers of anonymous memory that would collide in a table with an unkeyed
 * hash.
 */
static uint64_t next_that_meets(uint64_t page)
{
	uint64_t hash;

	do {
		page++;
		hash = page * UINT64_C(0x9e3779b97f4a7c15);
	} while ((hash ^ hash >> 29) & (4 * CHOSEN - 1));
	return page;
}

enum pages { ALL_PAGES, MEETING_PAGES };

/* Returns the CPU time in ns to add CHOSEN mappings at PAGES. */
static uint64_t learn_many(size_t pages)
{
	struct sharers s = {.object = NULL};
	struct mapping m[CHOSEN];
	uint64_t page = 0, begin_ns, took_ns;

	for (size_t i = 0; i < CHOSEN; i++) {
		page = pages == MEETING_PAGES ? next_that_meets(page) : page + 1;
		m[i] = mapping_at(page << 12, 0, 0, 10);
	}
	begin_ns = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID);
	for (size_t i = 0; i < CHOSEN; i++)
		assert_int_equal(sharers_learn(&s, &m[i]), 0);
	took_ns = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID) - begin_ns;
	assert_int_equal(s.objects, CHOSEN);
	sharers_done(&s);
	return took_ns;
}

/* With an unkeyed hash it took about twenty times as long. */
static void chosen_addresses_do_not_collide(void **state)
{
	(void)state;
	unit_assert_ratio(learn_many, ALL_PAGES, MEETING_PAGES, 6);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_processes_that_map_the_same_file),
		cmocka_unit_test(finds_many_sharers),
		cmocka_unit_test(mapped_shared_memory_is_kept),
		cmocka_unit_test(incomplete_processes_do_not_count),
		cmocka_unit_test(ignores_the_kernels_mappings),
		cmocka_unit_test(returns_errors_without_memory),
		cmocka_unit_test(chosen_addresses_do_not_collide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
