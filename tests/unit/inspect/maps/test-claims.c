/* SPDX-License-Identifier: Apache-2.0 */
/* Tests which of several processes learn that another process uses one of their mapped objects. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "inspect/maps/claims.h"
#include "tests/unit/support/faults/allocation.h"

enum { KIB = 1024, MANY = 300, OF_ALL = 3 };

static struct mapping mapping_at(uint64_t start, uint64_t inode)
{
	struct mapping m = {
		.start = start,
		.end = start + 0x1000,
		.major = inode ? 8 : 0,
		.inode = inode,
		.perms = "rw-p",
		.path = inode ? "/lib/a" : "",
		.path_len = inode ? 6 : 0,
		.flags = "",
	};

	m.q[MAPPING_SHARED_CLEAN] = 4 * KIB;
	return m;
}

/*
 * Process I maps file 1, as all do, a file of its own, and anonymous memory at the same address as
 * one neighbour.
 */
static int learn(struct sharers *all, size_t i)
{
	const struct mapping m[] = {
		mapping_at(0x1000, 1),
		mapping_at(0x2000, 2 + i),
		mapping_at(0x10000 + i / 2 * 0x1000, 0),
	};
	int r = 0;

	for (size_t k = 0; r == 0 && k < ARRAY_SIZE(m); k++)
		r = sharers_learn(&all[i], &m[k]);
	return r;
}

static int make(struct sharers *all, size_t count, struct claims *c)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < count; i++)
		r = learn(all, i);
	for (size_t i = 0; r == 0 && i < count; i++)
		r = claims_add(c, &all[i]);
	return r == 0 ? claims_arrange(c) : r;
}

static void done(struct sharers *all, size_t count)
{
	for (size_t i = 0; i < count; i++)
		sharers_done(&all[i]);
}

/* Reports another process that has mapping M. */
static void see(const struct claims *c, struct sharers *all, size_t count, struct mapping m)
{
	for (size_t i = 0; i < count; i++)
		sharers_begin(&all[i]);
	claims_see(c, &m);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(sharers_end(&all[i], "other"), 0);
}

/* Returns for how many of the processes another user of mapped object THING was found. */
static size_t count_seen(const struct sharers *all, size_t count, size_t object)
{
	size_t seen = 0;

	for (size_t i = 0; i < count; i++)
		seen += all[i].object[object].others;
	return seen;
}

static void all_sharers_learn_of_a_user(void **state)
{
	static struct sharers all[MANY];
	AUTO_CLAIMS struct claims c = {0};

	(void)state;
	assert_int_equal(make(all, MANY, &c), 0);
	see(&c, all, MANY, mapping_at(0x7000, 1));
	assert_int_equal(count_seen(all, MANY, 0), MANY);
	assert_int_equal(count_seen(all, MANY, 1), 0);
	for (size_t i = 0; i < MANY; i++) {
		see(&c, all, MANY, mapping_at(0x1000, 2 + i));
		assert_int_equal(all[i].object[1].others, 1);
		assert_int_equal(count_seen(all, MANY, 1), i + 1);
	}
	see(&c, all, MANY, mapping_at(0x10000, 0));
	assert_int_equal(all[0].object[2].others, 1);
	assert_int_equal(all[1].object[2].others, 1);
	assert_int_equal(count_seen(all, MANY, 2), 2);
	see(&c, all, MANY, mapping_at(0x1000, 0));
	see(&c, all, MANY, mapping_at(0x10000, MANY + 2));
	assert_int_equal(count_seen(all, MANY, 0), MANY);
	assert_int_equal(count_seen(all, MANY, 2), 2);
	done(all, MANY);
}

static void there_may_be_no_users(void **state)
{
	const struct mapping m = mapping_at(0x1000, 1);
	AUTO_CLAIMS struct claims c = {0};

	(void)state;
	assert_int_equal(claims_arrange(&c), 0);
	claims_see(&c, &m);
}

static void lack_of_memory_is_reported(void **state)
{
	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		struct sharers all[OF_ALL] = {{0}};
		AUTO_CLAIMS struct claims c = {0};

		allocation_fail_at(n);
		allocation_check(make(all, OF_ALL, &c));
		done(all, OF_ALL);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_sharers_learn_of_a_user),
		cmocka_unit_test(there_may_be_no_users),
		cmocka_unit_test(lack_of_memory_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
