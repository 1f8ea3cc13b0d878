/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/model/host-drift.h, host reconciliation: sums narrow bounds, and bound memory without owner. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/model/model-host.h"

/*
 * Twenty newborns with unknown writes: each may have all for itself, but not all of them together.
 * The sums narrow such bounds.
 */
static void sums_narrow_bounds(void **state)
{
	struct model_host *h = *state;
	struct estimate_now now;
	struct estimate e;

	model_host_start_server(h);
	for (unsigned int i = 1; i <= 20; i++)
		h->doubt[i].anon_up = 400 * MIB;
	assert_true(model_host_pass_twice(h));
	assert_true(h->estimate[1].high <= h->estimate[1].low + 4 * MIB);
	now = world_now(&h->world, 1);
	/* Not if drift shows that bounds do not hold. */
	h->extra_anon = -(int64_t)(100 * MIB);
	assert_true(model_host_pass_twice(h));
	estimate_carry(&h->base[1], &now, &(struct estimate_doubt){.anon_up = 400 * MIB}, &e);
	host_drift_narrow(&h->drift, &e);
	assert_true(e.high > 400 * MIB);
	/* The same for files. */
	h->extra_anon = 0;
	model_host_pass_twice(h);
	h->extra_mapped = -(int64_t)(15 * MIB);
	assert_true(model_host_pass_twice(h));
	estimate_carry(&h->base[1], &now, &(struct estimate_doubt){.anon_up = 400 * MIB}, &e);
	host_drift_narrow(&h->drift, &e);
	assert_true(e.high > 420 * MIB);
}

/*
 * Denied processes may have no anonymous memory of their own, but the others cannot have more for
 * that.
 */
static void sums_narrow_bounds_beside_denied_processes(void **state)
{
	struct model_host *h = *state;
	struct estimate_now now;
	struct estimate e;

	model_host_start_server(h);
	world_map(&h->world, 60 * MIB, world_bit(50) | world_bit(0), WORLD_ANON);
	h->alive |= world_bit(50);
	h->denied = world_bit(50);
	model_host_measure(h, 0);
	for (unsigned int i = 0; i < 40; i++)
		model_host_pass(h);
	assert_true(h->drift.anon.bias < -(int64_t)(20 * MIB));
	now = world_now(&h->world, 1);
	estimate_carry(&h->base[1], &now, &(struct estimate_doubt){.anon_up = 400 * MIB}, &e);
	host_drift_narrow(&h->drift, &e);
	/* The host's sum is 30 MiB more than the PSS of the others. */
	assert_true(e.high <= e.pss + 34 * MIB);
}

/* The bias is subtracted before sums are compared. */
static void bias_limits_narrowing(void **state)
{
	struct model_host *h = *state;
	struct estimate_now now;
	struct estimate e;

	model_host_start_server(h);
	h->extra_anon = -(int64_t)(30 * MIB);
	for (unsigned int i = 0; i < 31; i++)
		model_host_pass(h);
	assert_false(model_host_pass(h));
	now = world_now(&h->world, 1);
	estimate_carry(&h->base[1], &now, &(struct estimate_doubt){.anon_up = 512 * KIB}, &e);
	host_drift_narrow(&h->drift, &e);
	assert_true(e.high >= e.pss + 512 * KIB);
}

/* When such memory appears, when it has been there for long, and without a comparison. */
static void bounds_memory_without_owner(void **state)
{
	struct model_host *h = *state;

	assert_true(host_drift_beyond(&h->drift) == UINT64_MAX);
	model_host_start_server(h);
	model_host_assert_beyond(h, 0, 3);
	h->extra_anon = (int64_t)(30 * MIB);
	h->extra_mapped = (int64_t)(20 * MIB);
	for (unsigned int i = 0; i < 40; i++) {
		model_host_pass(h);
		model_host_assert_beyond(h, 50, 53);
	}
	assert_true(!h->drift.anon.drift && !h->drift.file.drift);
	/* Memory that the sum of files lacks does not reduce the bound. */
	h->extra_mapped = -(int64_t)(15 * MIB);
	for (unsigned int i = 0; i < 40; i++)
		model_host_pass(h);
	model_host_assert_beyond(h, 30, 33);
	/* If too many processes cannot be read, the bound stays, including a recent rise. */
	h->extra_anon = (int64_t)(40 * MIB);
	model_host_pass(h);
	assert_true(h->drift.anon.drift > (int64_t)(8 * MIB));
	model_host_assert_beyond(h, 40, 43);
	h->denied = world_bit(0) | world_bit(1);
	model_host_pass(h);
	assert_false(h->drift.anon.is_used);
	model_host_assert_beyond(h, 40, 43);
	h->denied = 0;
	h->is_partial = true;
	model_host_pass(h);
	assert_true(host_drift_beyond(&h->drift) == UINT64_MAX);
}

/* If files cannot be compared, the bound of anonymous memory still counts. */
static void bounds_memory_without_owner_of_each_part(void **state)
{
	struct model_host *h = *state;

	model_host_start_server(h);
	world_map(&h->world, 100 * MIB, world_bit(40), WORLD_FILES);
	h->denied = world_bit(40);
	h->extra_anon = (int64_t)(100 * MIB);
	model_host_pass(h);
	assert_true(h->drift.anon.is_used && !h->drift.file.is_used);
	assert_true(host_drift_beyond(&h->drift) >= 90 * MIB);
}

static void guess_too_much(struct model_host *h)
{
	for (unsigned int i = 1; i <= 20; i++)
		h->doubt[i] = (struct estimate_doubt){
			.anon_mid = (int64_t)(20 * MIB), .anon_down = 20 * MIB};
}

/*
 * Guesses that are too high by as much as belongs to no process look right until the processes are
 * measured.
 */
static void allows_for_guesses_that_match_by_chance(void **state)
{
	struct model_host *h = *state;

	model_host_start_server(h);
	host_drift_init(&h->drift, 300 * SEC);
	h->extra_anon = (int64_t)(400 * MIB);
	guess_too_much(h);
	model_host_pass(h);
	assert_int_equal(h->drift.anon.drift, 0);
	model_host_assert_beyond(h, 400, 500);
	memset(h->doubt, 0, sizeof(h->doubt));
	model_host_measure_all(h);
	model_host_pass(h);
	assert_true(h->drift.anon.drift > (int64_t)(390 * MIB));
	model_host_assert_beyond(h, 400, 900);
	guess_too_much(h);
	model_host_pass(h);
	assert_int_equal(h->drift.anon.drift, 0);
	model_host_assert_beyond(h, 400, 500);
	memset(h->doubt, 0, sizeof(h->doubt));
	for (unsigned int i = 0; i < 31; i++)
		model_host_pass(h);
	model_host_assert_beyond(h, 400, 403);
	/* If there is no such memory, this is known as soon as all are measured, */
	host_drift_init(&h->drift, 300 * SEC);
	h->extra_anon = 0;
	h->doubt[1].anon_down = 20 * MIB;
	model_host_pass(h);
	model_host_assert_beyond(h, 20, 30);
	h->doubt[1].anon_down = 0;
	model_host_pass(h);
	model_host_assert_beyond(h, 0, 3);
	/* or as soon as all have been measured since, whatever has happened to them. */
	host_drift_init(&h->drift, 300 * SEC);
	h->doubt[1].anon_down = 20 * MIB;
	for (unsigned int i = 0; i <= 30; i++) {
		model_host_pass(h);
		model_host_assert_beyond(h, 0, 30);
	}
	model_host_assert_beyond(h, 0, 3);
}

static void assert_not_narrowed(struct model_host *h, const struct estimate *wide)
{
	struct estimate e = *wide;

	host_drift_narrow(&h->drift, &e);
	assert_int_equal(e.low, wide->low);
	assert_int_equal(e.high, wide->high);
}

/*
 * Before the first comparison it is unknown how much of a sum belongs to no process, and for a sum
 * that can no longer be compared it is unknown how much it would be now. Neither may narrow
 * bounds.
 */
static void narrows_only_after_a_comparison(void **state)
{
	struct model_host *h = *state;
	static const struct estimate_doubt unsure = {.anon_down = 40 * MIB, .anon_up = 40 * MIB};

	for (unsigned int is_file = 0; is_file < 2; is_file++) {
		int64_t *extra = is_file ? &h->extra_mapped : &h->extra_anon;
		struct estimate_now now;
		struct estimate wide, e;

		model_host_reset(h);
		model_host_start_server(h);
		world_map(&h->world, 50 * MIB, world_bit(30) | world_bit(31), WORLD_ANON);
		model_host_measure_all(h);
		now = world_now(&h->world, 30);
		h->doubt[30] = unsure;
		estimate_carry(&h->base[30], &now, &unsure, &wide);
		host_drift_init(&h->drift, 300 * SEC);
		/*
		 * A new process is waited for. Meanwhile the sum contains pages of a device, or it
		 * is too small.
		 */
		world_map(&h->world, 8 * MIB, world_bit(50), is_file ? WORLD_FILES : WORLD_ANON);
		h->alive |= world_bit(50);
		h->denied = world_bit(50);
		*extra = (int64_t)(500 * MIB);
		assert_false(model_host_pass(h));
		assert_true(
			h->drift.anon.has_looked == is_file && h->drift.file.has_looked != is_file);
		assert_not_narrowed(h, &wide);
		*extra = -(int64_t)(15 * MIB);
		assert_false(model_host_pass(h));
		assert_not_narrowed(h, &wide);
		/* The process is measured, and the bias is known. */
		*extra = 0;
		model_host_measure_all(h);
		h->denied = 0;
		assert_true(model_host_pass(h));
		e = wide;
		host_drift_narrow(&h->drift, &e);
		assert_true(e.low == wide.low && e.high < wide.high);
		/* Some processes cannot be read any more, and most of the files are theirs. */
		h->denied = world_bit(40);
		assert_false(model_host_pass(h));
		assert_true(h->drift.anon.is_used && !h->drift.file.is_used);
		assert_not_narrowed(h, &wide);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		MODEL_HOST_TEST(sums_narrow_bounds),
		MODEL_HOST_TEST(sums_narrow_bounds_beside_denied_processes),
		MODEL_HOST_TEST(bias_limits_narrowing),
		MODEL_HOST_TEST(narrows_only_after_a_comparison),
		MODEL_HOST_TEST(bounds_memory_without_owner),
		MODEL_HOST_TEST(bounds_memory_without_owner_of_each_part),
		MODEL_HOST_TEST(allows_for_guesses_that_match_by_chance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
