/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the hash table of pointers. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "base/keytable.h"
#include "tests/unit/support/faults/allocation.h"

enum { KEYS = 512 };

/* Compared with an array, with keys that collide and keys that are spread. */
static void equals_an_array(void **state)
{
	CLEANUP(keytable_done) struct keytable t = {0};
	void *wanted[KEYS] = {NULL};
	uint64_t seed = 1;

	(void)state;
	for (unsigned int round = 0; round < 200000; round++) {
		unsigned int i = unit_random(&seed) % KEYS;
		uint64_t key = i % 2 ? keytable_key(&t, i, 7) : 1 + i / 32 + ((uint64_t)i << 32);
		void *item = &wanted[unit_random(&seed) % KEYS];
		size_t used = 0;

		if (unit_random(&seed) % (1 + round / 1000 % 3)) {
			keytable_remove(&t, key);
			wanted[i] = NULL;
		} else {
			assert_int_equal(keytable_set(&t, key, item), 0);
			wanted[i] = item;
		}
		assert_ptr_equal(keytable_find(&t, key), wanted[i]);
		if (round % 64)
			continue;
		for (i = 0; i < KEYS; i++) {
			key = i % 2 ? keytable_key(&t, i, 7) : 1 + i / 32 + ((uint64_t)i << 32);
			assert_ptr_equal(keytable_find(&t, key), wanted[i]);
			used += wanted[i] != NULL;
		}
		assert_int_equal(t.used, used);
		assert_true(t.used * 4 <= t.slots * 3);
	}
}

/*
 * An attacker has chosen numbers whose keys all collide in a table without a seed, or with a seed
 * that he knows. With another seed they are spread like any others.
 */
static void attackers_cannot_choose_collisions(void **state)
{
	const struct keytable known[] = {{.seed = 0}, {.seed = 12345}};
	uint64_t seed = 3;

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(known); k++)
		for (unsigned int is_second = 0; is_second < 2; is_second++) {
			uint64_t number[64], met = 0;
			unsigned int count = 0;

			for (uint64_t i = 0; count < ARRAY_SIZE(number); i++)
				if (!(keytable_key(
					      &known[k], is_second ? 7 : i, is_second ? i : 7) &
					    1023))
					number[count++] = i;
			for (unsigned int round = 0; round < 100; round++) {
				struct keytable t = {.seed = unit_random(&seed)};
				uint64_t homes[16] = {0};

				for (unsigned int i = 0; i < count; i++) {
					uint64_t key = keytable_key(&t, is_second ? 7 : number[i],
						is_second ? number[i] : 7);

					met += (homes[key % 1024 / 64] >> key % 64) & 1;
					homes[key % 1024 / 64] |= UINT64_C(1) << key % 64;
				}
			}
			/* two of 64 keys in 1024 slots collide twice a round */
			assert_in_range(met, 100, 300);
		}
}

/* The table keeps its seed when it grows. */
static void grows_with_its_seed(void **state)
{
	CLEANUP(keytable_done) struct keytable t = {.seed = 99};
	uint64_t key = keytable_key(&t, 1, 2);
	int item;

	(void)state;
	for (uint64_t i = 1; i < 1000; i++)
		assert_int_equal(keytable_set(&t, keytable_key(&t, i, i), &item), 0);
	assert_true(keytable_key(&t, 1, 2) == key);
}

static void survives_without_memory(void **state)
{
	CLEANUP(keytable_done) struct keytable t = {0};
	int item;

	(void)state;
	keytable_remove(&t, 5);
	assert_null(keytable_find(&t, 5));
	allocation_fail_at(1);
	assert_int_equal(keytable_set(&t, 5, &item), -ENOMEM);
	allocation_end();
	for (uint64_t key = 1; key <= 48; key++)
		assert_int_equal(keytable_set(&t, key, &item), 0);
	allocation_fail_at(1);
	assert_int_equal(keytable_set(&t, 49, &item), -ENOMEM);
	assert_int_equal(keytable_set(&t, 48, &t), 0);
	allocation_end();
	assert_null(keytable_find(&t, 49));
	assert_ptr_equal(keytable_find(&t, 48), &t);
	assert_ptr_equal(keytable_find(&t, 1), &item);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_an_array),
		cmocka_unit_test(attackers_cannot_choose_collisions),
		cmocka_unit_test(grows_with_its_seed),
		cmocka_unit_test(survives_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
