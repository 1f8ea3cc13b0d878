/* SPDX-License-Identifier: Apache-2.0 */
/* Tests which living ancestor counts as a process's parent after exits. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "collectors/model/family/fork-families-private.h"

#define MIB UINT64_C(1048576)
#define SEC UINT64_C(1000000000)

static void fork_from(struct family_member *parent, struct family_member *child, uint64_t line)
{
	*child = (struct family_member){
		.line = line, .ancestor = family_ancestry_use(family_ancestry_begin(parent))};
}

/*
 * If its parent has exited, a process's nearest living ancestor becomes its parent. The lineage it
 * was born with stays known.
 */
static void skips_exited_parents(void **state)
{
	struct family_member first = {.born_ns = 5, .line = 1}, second, third, fourth;

	(void)state;
	assert_null(family_ancestry_parent(&first));
	assert_int_equal(family_ancestry_root_ns(&first), 5);
	fork_from(&first, &second, 2);
	fork_from(&second, &third, 3);
	fork_from(&third, &fourth, 4);
	assert_ptr_equal(family_ancestry_begin(&third), third.ancestor);
	assert_ptr_equal(family_ancestry_parent(&fourth), &third);
	assert_int_equal(family_ancestry_root_ns(&fourth), 5);
	family_ancestry_leave(&third);
	assert_null(third.ancestor);
	family_ancestry_leave(&second);
	assert_ptr_equal(family_ancestry_parent(&fourth), &first);
	assert_int_equal(family_ancestry_settle(&fourth), 1); /* settles both at once */
	assert_int_equal(family_ancestry_settle(&fourth), 0);
	assert_ptr_equal(family_ancestry_parent(&fourth), &first);
	assert_int_equal(fourth.line, 2); /* was there when the second was forked */

	/* The first process has no parent; its start time still counts. */
	family_ancestry_leave(&first);
	assert_int_equal(family_ancestry_settle(&fourth), 0);
	assert_null(family_ancestry_parent(&fourth));
	assert_int_equal(family_ancestry_root_ns(&fourth), 5);
	family_ancestry_leave(&fourth);
}

static void fork_many(struct families *k, struct family_member *m, size_t first, size_t count,
	struct family_member *parent)
{
	for (size_t i = first; i < first + count; i++)
		assert_int_equal(
			families_born(k, &m[i], parent ? parent : &m[i - 1], 2 * SEC + SEC / 2), 0);
}

static void settle_many(struct families *k)
{
	while (families_affected(k))
		;
}

/*
 * Half of the processes form a chain of parents; the last of the chain has forked the other half.
 * In whatever order they exit, settling takes a bounded number of steps for each.
 */
static void settles_a_tree_in_bounded_time(void **state)
{
	enum { MEMBERS = 40000, PARENTS = MEMBERS / 2 };

	(void)state;
	for (unsigned int order = 0; order < 3; order++) {
		AUTO_FREE struct family_member *m = calloc(MEMBERS, sizeof(*m));
		const struct estimate_base base = {.anon = MIB, .pss_anon = MIB, .has_parts = true};
		struct families k;

		assert_non_null(m);
		families_init(&k, 1);
		families_begin(&k, SEC);
		assert_int_equal(families_born(&k, &m[0], NULL, SEC), 0);
		assert_int_equal(families_measured(&k, &m[0], 1, 2, NULL, &base, 2 * SEC), 0);
		families_begin(&k, 3 * SEC);
		fork_many(&k, m, 1, PARENTS, NULL);
		fork_many(&k, m, PARENTS + 1, MEMBERS - PARENTS - 1, &m[PARENTS]);
		settle_many(&k);
		assert_int_equal(m[0].fresh, MEMBERS - 1);
		families_begin(&k, 4 * SEC);
		for (size_t i = 1; i <= PARENTS; i++) {
			families_gone(&k, &m[order == 1 ? PARENTS + 1 - i : i]);
			/* a pass in between, now and then */
			if (order == 2 && i % (PARENTS / 4) == 0)
				settle_many(&k);
		}
		settle_many(&k);
		/* All that remain are children of the first process. */
		assert_int_equal(m[0].fresh, MEMBERS - 1 - PARENTS);
		assert_int_equal(m[0].children, m[0].fresh);
		assert_true(k.count.steps <= 8 * (uint64_t)MEMBERS);
		for (size_t i = PARENTS + 1; i < MEMBERS; i++)
			assert_ptr_equal(families_speaker(&m[i]), &m[0]);
		for (size_t i = 0; i < MEMBERS; i++)
			families_gone(&k, &m[i]);
		settle_many(&k);
		families_done(&k);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(skips_exited_parents),
		cmocka_unit_test(settles_a_tree_in_bounded_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
