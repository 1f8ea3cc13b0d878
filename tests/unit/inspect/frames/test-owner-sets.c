/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of inspect/frames/owner-sets.h: owner sets, one number for each combination of groups. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "inspect/frames/owner-sets.h"
#include "tests/unit/support/faults/allocation.h"

/* Returns the set of the groups in TEXT: "0012" is group 0 twice, 1 and 2. */
static uint32_t join_all(struct owner_sets *p, const char *text)
{
	uint32_t number = OWNER_SETS_NOBODY;

	for (; *text; text++)
		assert_int_equal(owner_sets_join(p, number, (uint32_t)(*text - '0'), &number), 0);
	return number;
}

static void same_groups_are_one_set(void **state)
{
	AUTO_OWNER_SETS struct owner_sets p = {0};
	uint32_t number = join_all(&p, "001");
	const struct owner_set *set = &p.set[number];

	(void)state;
	assert_int_equal(join_all(&p, "001"), number);
	assert_int_not_equal(join_all(&p, "01"), number);
	assert_int_not_equal(join_all(&p, "00"), number);
	assert_int_not_equal(join_all(&p, "002"), number);
	assert_int_equal(set->group, 1);
	assert_int_equal(set->count, 1);
	assert_int_equal(set->seen, 3);
	set = &p.set[set->before];
	assert_int_equal(set->group, 0);
	assert_int_equal(set->count, 2);
	assert_int_equal(set->before, OWNER_SETS_NOBODY);
	assert_int_equal(owner_sets_groups(&p, number), 2);
	assert_int_equal(owner_sets_groups(&p, join_all(&p, "0112222")), 3);
}

static void holds_many_groups(void **state)
{
	AUTO_OWNER_SETS struct owner_sets p = {0};
	uint32_t number = OWNER_SETS_NOBODY, kept[5000];

	(void)state;
	for (uint32_t i = 0; i < ARRAY_SIZE(kept); i++) {
		assert_int_equal(owner_sets_join(&p, number, i, &number), 0);
		kept[i] = number;
	}
	number = OWNER_SETS_NOBODY;
	for (uint32_t i = 0; i < ARRAY_SIZE(kept); i++) {
		assert_int_equal(owner_sets_join(&p, number, i, &number), 0);
		assert_int_equal(number, kept[i]);
	}
	assert_int_equal(p.set[number].seen, ARRAY_SIZE(kept));
}

enum { SETS = 20000, SET_MAX = 6, GROUPS = 600 };

/* Groups in ascending order, with repetitions. */
struct set {
	uint32_t group[SET_MAX];
	size_t count;
	uint32_t number;
};

static struct set random_set(uint64_t *seed)
{
	struct set s = {.count = 1 + unit_random(seed) % SET_MAX};
	uint32_t group = 0;

	for (size_t i = 0; i < s.count; i++) {
		group += (uint32_t)(unit_random(seed) % (GROUPS / SET_MAX));
		s.group[i] = group;
	}
	return s;
}

static uint32_t join_set(struct owner_sets *p, const struct set *s)
{
	uint32_t number = OWNER_SETS_NOBODY;

	for (size_t i = 0; i < s->count; i++)
		assert_int_equal(owner_sets_join(p, number, s->group[i], &number), 0);
	return number;
}

static void check_set(const struct owner_sets *p, const struct set *s)
{
	uint32_t number = s->number;
	size_t left = s->count;

	assert_int_equal(p->set[number].seen, s->count);
	for (; number; number = p->set[number].before) {
		const struct owner_set *set = &p->set[number];

		assert_true(set->count <= left);
		for (uint32_t i = 0; i < set->count; i++)
			assert_int_equal(s->group[--left], set->group);
	}
	assert_int_equal(left, 0);
}

/* Random sets keep their members, and a set that is joined again gets the same number. */
static void random_sets_keep_their_members(void **state)
{
	static struct set sets[SETS];
	AUTO_OWNER_SETS struct owner_sets p = {0};
	uint64_t seed = 1;
	uint32_t count;

	(void)state;
	for (size_t i = 0; i < SETS; i++) {
		sets[i] = random_set(&seed);
		sets[i].number = join_set(&p, &sets[i]);
	}
	count = p.count;
	for (size_t i = 0; i < SETS; i++) {
		check_set(&p, &sets[i]);
		assert_int_equal(join_set(&p, &sets[i]), sets[i].number);
	}
	assert_int_equal(p.count, count);
	assert_in_range(owner_sets_bytes(&p), count * (sizeof(struct owner_set) + sizeof(uint32_t)),
		4 * count * (sizeof(struct owner_set) + sizeof(uint32_t)));
}

static void counts_stop_at_their_maximum(void **state)
{
	AUTO_OWNER_SETS struct owner_sets p = {0};
	uint32_t number = join_all(&p, "0");

	(void)state;
	p.set[number].count = p.set[number].seen = UINT32_MAX;
	assert_int_equal(owner_sets_join(&p, number, 0, &number), 0);
	assert_int_equal(p.set[number].count, UINT32_MAX);
	assert_int_equal(p.set[number].seen, UINT32_MAX);
	assert_int_equal(owner_sets_join(&p, number, 1, &number), 0);
	assert_int_equal(p.set[number].count, 1);
	assert_int_equal(p.set[number].seen, UINT32_MAX);
}

/* The members are unknown, and so is the result of adding one. */
static void adding_to_many_gives_many(void **state)
{
	AUTO_OWNER_SETS struct owner_sets p = {0};
	uint32_t number = join_all(&p, "01"), count = p.count;

	(void)state;
	assert_int_equal(owner_sets_join(&p, OWNER_SETS_MANY, 2, &number), 0);
	assert_int_equal(number, OWNER_SETS_MANY);
	assert_int_equal(p.count, count);
}

/* Beyond the limit the set is "many". Sets of a single group have a higher limit. */
static void number_of_sets_is_limited(void **state)
{
	AUTO_OWNER_SETS struct owner_sets p = {
		.shared_max = OWNER_SETS_FIRST + 2, .alone_max = OWNER_SETS_FIRST + 3};
	uint32_t both;

	(void)state;
	both = join_all(&p, "01"); /* sets "0" and "01" */
	assert_int_not_equal(both, OWNER_SETS_MANY);
	assert_int_equal(join_all(&p, "02"), OWNER_SETS_MANY);
	assert_int_equal(join_all(&p, "011"), OWNER_SETS_MANY);
	assert_int_not_equal(join_all(&p, "2"), OWNER_SETS_MANY);
	assert_int_equal(join_all(&p, "3"), OWNER_SETS_MANY);
	assert_int_equal(join_all(&p, "31"), OWNER_SETS_MANY);
	assert_int_equal(join_all(&p, "01"), both);
	assert_int_equal(p.count, OWNER_SETS_FIRST + 3);
}

static void is_unchanged_without_memory(void **state)
{
	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_OWNER_SETS struct owner_sets p = {0};
		uint32_t number = OWNER_SETS_NOBODY, next;
		int r = 0;

		allocation_fail_at(n);
		for (uint32_t i = 0; r == 0 && i < 200; i++) {
			r = owner_sets_join(&p, number, i, &next);
			if (r == 0)
				number = next;
		}
		if (allocation_check(r)) {
			assert_int_equal(owner_sets_join(&p, number, 777, &next), 0);
			assert_int_equal(p.set[next].group, 777);
			assert_int_equal(p.set[next].before, number);
		}
	}
	assert_true(allocation_count() > 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_groups_are_one_set),
		cmocka_unit_test(holds_many_groups),
		cmocka_unit_test(random_sets_keep_their_members),
		cmocka_unit_test(counts_stop_at_their_maximum),
		cmocka_unit_test(adding_to_many_gives_many),
		cmocka_unit_test(number_of_sets_is_limited),
		cmocka_unit_test(is_unchanged_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
