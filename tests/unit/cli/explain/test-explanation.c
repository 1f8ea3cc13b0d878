/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the JSON of `memtally explain`, with a sample. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/cli/explained.h"

enum { KIB = 1024, MIB = 1024 * KIB };

static json_int_t integer_of(const json_t *json, const char *object, const char *name)
{
	const json_t *value = json_object_get(object ? json_object_get(json, object) : json, name);

	assert_true(json_is_integer(value));
	return json_integer_value(value);
}

static void json_has_memory_kept_by_others(void **state)
{
	struct explained p;
	json_t *json;

	(void)state;
	explained_open(&p);
	json = explanation_json(&p.e);
	assert_int_equal(integer_of(json, "if_ended", "shmem_bytes_max"), 2 * MIB);
	assert_int_equal(integer_of(json, "if_ended", "shmem_kept_bytes"), 0);
	json_decref(json);
	explained_close(&p);
	explained_open(&p);
	explained_see(&p, "other", 0, 6);
	json = explanation_json(&p.e);
	assert_int_equal(integer_of(json, "if_ended", "shmem_bytes_max"), 0);
	assert_int_equal(integer_of(json, "if_ended", "shmem_kept_bytes"), 2 * MIB);
	assert_int_equal(json_array_size(json_object_get(json, "shared_things")), 2);
	json_decref(json);
	explained_close(&p);
}

/*
 * If another process has the same address space, the exit of one frees nothing, and no share of a
 * third process changes.
 */
static void json_names_a_shared_address_space(void **state)
{
	static const char *const ends[] = {"freed_bytes", "shmem_bytes_max", "shmem_kept_bytes",
		"shmem_named_bytes", "cached_bytes", "others_pss_bytes", "swap_bytes_max",
		"hugetlb_bytes_max"};
	char name[] = "worker";
	struct explanation_twin twin = {43, name};
	struct explained p;
	json_t *json;

	(void)state;
	explained_open(&p);
	explained_see(&p, "other", 0, 6);
	json = explanation_json(&p.e);
	assert_null(json_object_get(json, "address_space_shared_with"));
	json_decref(json);
	p.e.knows_twins = true;
	json = explanation_json(&p.e);
	assert_int_equal(json_array_size(json_object_get(json, "address_space_shared_with")), 0);
	json_decref(json);
	p.e.twin = &twin;
	p.e.twins = 1;
	p.breakdown.doubt = 4096;
	json = explanation_json(&p.e);
	assert_int_equal(
		integer_of(json_array_get(json_object_get(json, "address_space_shared_with"), 0),
			NULL, "pid"),
		43);
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		assert_int_equal(integer_of(json, "if_ended", ends[i]), 0);
	assert_true(
		json_is_true(json_object_get(json_object_get(json, "if_ended"), "freed_is_exact")));
	assert_int_equal(integer_of(json, NULL, "uss_bytes"), 11 * MIB);
	json_decref(json);
	explained_close(&p);
}

static void json_marks_bounds(void **state)
{
	struct explained p;
	json_t *json;

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		explained_open(&p);
		p.breakdown.doubt = i ? 0 : 4096;
		p.e.is_averaged = i;
		json = explanation_json(&p.e);
		assert_true(json_is_false(
			json_object_get(json_object_get(json, "if_ended"), "freed_is_exact")));
		json_decref(json);
		explained_close(&p);
	}
}

static void json_has_exact_figures(void **state)
{
	struct explained p;
	json_t *json;

	(void)state;
	explained_open(&p);
	explained_see(&p, "server", 0x1000, 0);
	explained_grows(&p, 512.0, 16.0);
	json = explanation_json(&p.e);
	assert_non_null(json);
	assert_int_equal(integer_of(json, NULL, "rss_bytes"), 16 * MIB);
	assert_int_equal(integer_of(json, NULL, "uss_bytes"), 11 * MIB);
	assert_int_equal(integer_of(json, "alone", "anon_bytes"), 8 * MIB);
	assert_int_equal(integer_of(json, "shared", "file_bytes"), 3 * MIB);
	assert_int_equal(integer_of(json, "if_ended", "freed_bytes"), 8 * MIB + 64 * KIB);
	assert_true(
		json_is_true(json_object_get(json_object_get(json, "if_ended"), "freed_is_exact")));
	assert_int_equal(integer_of(json, "if_ended", "cached_bytes"), MIB);
	assert_int_equal(integer_of(json, "if_ended", "swap_bytes_max"), 3 * MIB);
	assert_int_equal(integer_of(json, "if_ended", "others_pss_bytes"), 2 * MIB);
	assert_int_equal(integer_of(json, "growth", "anon_growth_bytes"), 5 * MIB);
	assert_int_equal(integer_of(json, NULL, "vm_hwm_bytes"), 20 * MIB);
	assert_int_equal(json_array_size(json_object_get(json, "kinds")), 3);
	assert_int_equal(json_array_size(json_object_get(json, "shared_things")), 2);
	assert_int_equal(integer_of(json_array_get(json_object_get(json, "shared_with"), 0), NULL,
				 "forked_bytes_max"),
		2 * MIB);
	assert_int_equal(integer_of(json_array_get(json_object_get(json, "shared_with"), 0), NULL,
				 "forked_processes"),
		1);
	assert_null(json_object_get(json, "growth_unknown"));
	json_decref(json);
	p.e.grown = NULL;
	json = explanation_json(&p.e);
	assert_string_equal(json_string_value(json_object_get(json, "growth_unknown")),
		"no snapshot from memtallyd: it is not there");
	assert_null(json_object_get(json, "growth"));
	json_decref(json);
	explained_close(&p);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_has_exact_figures),
		cmocka_unit_test(json_has_memory_kept_by_others),
		cmocka_unit_test(json_names_a_shared_address_space),
		cmocka_unit_test(json_marks_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
