/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/model/host-drift.h, host reconciliation: when sums are compared, and what the comparison allows for. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/model/model-host.h"

/*
 * The first comparison waits for processes without an estimate. For denied processes it waits no
 * longer than it takes to measure all.
 */
static void waits_for_new_processes(void **state)
{
	struct model_host *h = *state;

	model_host_start_server(h);
	host_drift_init(&h->drift, 300 * SEC);
	h->denied = world_bit(1) | world_bit(2);
	assert_false(model_host_pass(h));
	assert_false(h->drift.anon.is_used);
	h->denied = 0;
	assert_false(model_host_pass(h));
	assert_true(h->drift.anon.is_used && h->drift.anon.bias == 0);

	host_drift_init(&h->drift, 300 * SEC);
	h->denied = world_bit(40);
	for (unsigned int i = 0; i < 30; i++) {
		assert_false(model_host_pass(h));
		assert_false(h->drift.anon.is_used);
	}
	assert_false(model_host_pass(h));
	assert_true(h->drift.anon.is_used);
}

static void small_changes_cause_no_drift(void **state)
{
	struct model_host *h = *state;

	model_host_start_server(h);
	for (unsigned int i = 0; i < 100; i++) {
		h->extra_anon = (int64_t)((i % 5) * 40 * KIB);
		h->extra_mapped = (int64_t)((i % 7) * 40 * KIB);
		assert_false(model_host_pass_twice(h));
		assert_true(h->drift.anon.is_used && h->drift.file.is_used &&
			    !h->drift.anon.drift && !h->drift.file.drift);
	}
}

static void is_unused_if_too_much_is_unread(void **state)
{
	struct model_host *h = *state;

	model_host_start_server(h);
	h->extra_anon = (int64_t)(500 * MIB);
	h->is_partial = true;
	assert_false(model_host_pass_twice(h));
	assert_false(h->drift.anon.is_used);
	h->is_partial = false;
	/* Denied: 20 of 50 MiB, of 1512 MiB in all. */
	h->denied = UINT64_C(0xfffff) << 21;
	assert_false(model_host_pass_twice(h));
	assert_false(h->drift.anon.is_used);
	h->denied = world_bit(40);
	assert_true(model_host_pass_twice(h));
	assert_true(h->drift.anon.is_used && !h->drift.file.is_used);
	/* 400 MiB are more than a quarter of all, 350 MiB are less. */
	h->extra_anon = 0;
	h->denied = UINT64_C(0xff) << 33;
	model_host_pass(h);
	assert_false(h->drift.anon.is_used);
	h->denied = UINT64_C(0x7f) << 34;
	model_host_pass(h);
	assert_true(h->drift.anon.is_used);
}

/* Processes that cannot be read count with their RSS, and leave the bounds of others valid. */
static void counts_denied_processes_by_rss(void **state)
{
	struct model_host *h = *state;

	model_host_start_server(h);
	h->denied = world_bit(40);
	for (unsigned int i = 0; i < 10; i++)
		assert_false(model_host_pass_twice(h));
	for (unsigned int i = 1; i <= 20; i++) {
		h->world.block[0].mask &= ~world_bit(i);
		world_map(&h->world, 128 * MIB, world_bit(i), WORLD_ANON);
	}
	assert_true(model_host_pass_twice(h));
	for (unsigned int i = 0; i <= 20; i++)
		model_host_assert_bounds(h, i);
}

/* smaps rounds each mapping, so a difference of that size is expected. */
static void allows_for_rounding(void **state)
{
	struct model_host *h = *state;

	model_host_start_server(h);
	for (unsigned int i = 1; i <= 20; i++) {
		h->base[i].pss_file -= 480 * KIB;
		h->base[i].rounding = 512 * KIB;
	}
	assert_false(model_host_pass_twice(h));
	assert_int_equal(h->drift.file.drift, 0);
}

/* A change of the sums while the processes were read is not attributed to them. */
static void allows_for_sums_that_move(void **state)
{
	struct model_host *h = *state;

	for (unsigned int is_file = 0; is_file < 2; is_file++) {
		model_host_reset(h);
		model_host_start_server(h);
		*(is_file ? &h->extra_mapped : &h->extra_anon) = (int64_t)(3 * MIB);
		*(is_file ? &h->mapped_unsure : &h->anon_unsure) = 3 * MIB;
		assert_false(model_host_pass(h));
		h->anon_unsure = h->mapped_unsure = 0;
		assert_true(model_host_pass(h));
	}
}

/* While processes move much, the sums are not of the same moment. */
static void allows_for_moving_processes(void **state)
{
	struct model_host *h = *state;

	model_host_start_server(h);
	world_map(&h->world, 160 * MIB, world_bit(30), WORLD_ANON);
	h->extra_anon = -(int64_t)(9 * MIB);
	assert_false(model_host_pass(h));
	assert_int_equal(h->drift.anon.drift, 0);
	assert_true(model_host_pass(h));
	assert_true(h->drift.anon.drift < 0);
}

static uint64_t random_amount(uint64_t *seed)
{
	uint64_t v = unit_random(seed);

	switch (unit_random(seed) % 6) {
	case 0: return 0;
	case 1: return v;
	case 2: return UINT64_MAX - v % 4;
	default: return v % (64 * 1024 * MIB);
	}
}

/* For any input, changes stay within what a process has, and estimates stay within their bounds. */
static void keeps_bounds_for_any_input(void **state)
{
	struct model_host *h = *state;
	uint64_t seed = 17;

	for (unsigned int round = 0; round < 20000; round++) {
		enum { MEMBERS = 5 };
		struct estimate_base b[MEMBERS];
		struct estimate_now now[MEMBERS];
		struct estimate e[MEMBERS];
		struct host_drift_member m[MEMBERS];
		struct host_drift_host host = {
			.is_whole = unit_random(&seed) % 8,
			.anon = random_amount(&seed),
			.mapped = random_amount(&seed),
			.anon_unsure = random_amount(&seed),
			.mapped_unsure = random_amount(&seed),
			.late_bytes = random_amount(&seed),
			.now_ns = random_amount(&seed),
		};

		if (unit_random(&seed) % 16 == 0)
			host_drift_init(&h->drift, random_amount(&seed));
		host_drift_begin(&h->drift);
		for (unsigned int i = 0; i < MEMBERS; i++) {
			static const struct estimate_doubt none;

			b[i] = (struct estimate_base){.anon = random_amount(&seed),
				.file = random_amount(&seed),
				.pss_anon = random_amount(&seed),
				.pss_file = random_amount(&seed),
				.uss = random_amount(&seed),
				.rounding = random_amount(&seed),
				.has_parts = unit_random(&seed) & 1};
			now[i] = (struct estimate_now){
				random_amount(&seed), random_amount(&seed), 0};
			estimate_carry(&b[i], &now[i], &none, &e[i]);
			m[i] = (struct host_drift_member){
				&b[i], &now[i], &e[i], random_amount(&seed), random_amount(&seed)};
			host_drift_add(&h->drift, &m[i]);
		}
		host_drift_add_unread(
			&h->drift, random_amount(&seed) / 4, random_amount(&seed) / 4);
		host_drift_end(&h->drift, &host);
		for (unsigned int i = 0; i < MEMBERS; i++) {
			uint64_t low = e[i].low, high = e[i].high;
			struct estimate_doubt d;

			host_drift_doubt(&h->drift, &m[i], &d);
			assert_true(d.anon_mid <= 0 || (uint64_t)d.anon_mid + d.anon_up <=
							       now[i].anon - e[i].pss_anon);
			assert_true(d.file_mid <= 0 || (uint64_t)d.file_mid + d.file_up <=
							       now[i].file - e[i].pss_file);
			assert_true(d.anon_mid >= -(int64_t)e[i].pss_anon);
			assert_true(d.file_mid >= -(int64_t)(e[i].pss_file + e[i].pss_shmem));
			host_drift_narrow(&h->drift, &e[i]);
			assert_true(low <= e[i].low && e[i].low <= e[i].pss);
			assert_true(e[i].pss <= e[i].high && e[i].high <= high);
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		MODEL_HOST_TEST(waits_for_new_processes),
		MODEL_HOST_TEST(small_changes_cause_no_drift),
		MODEL_HOST_TEST(allows_for_rounding),
		MODEL_HOST_TEST(is_unused_if_too_much_is_unread),
		MODEL_HOST_TEST(counts_denied_processes_by_rss),
		MODEL_HOST_TEST(allows_for_moving_processes),
		MODEL_HOST_TEST(allows_for_sums_that_move),
		MODEL_HOST_TEST(keeps_bounds_for_any_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
