/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/model/host-drift.h, host reconciliation: differences that last become bias. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/model/model-host.h"

/*
 * In the first pass much is guessed: 20 workers that were never measured, 20 MiB too high each. A
 * difference that their bounds explain is no bias but drift, which is gone when they are measured.
 */
static void guesses_cause_no_bias(void **state)
{
	struct model_host *h = *state;

	model_host_start_server(h);
	host_drift_init(&h->drift, 300 * SEC);
	for (unsigned int i = 1; i <= 20; i++)
		h->doubt[i] = (struct estimate_doubt){
			.anon_mid = (int64_t)(20 * MIB), .anon_down = 24 * MIB};
	assert_true(model_host_pass_twice(h));
	assert_true(h->drift.anon.drift < -(int64_t)(390 * MIB));
	memset(h->doubt, 0, sizeof(h->doubt));
	model_host_measure_all(h);
	model_host_pass_twice(h);
	assert_int_equal(h->drift.anon.drift, 0);
	for (unsigned int i = 0; i <= 40; i++)
		model_host_assert_within(h, i, 1);
}

/* A difference that remains after all processes were measured becomes bias. */
static void lasting_difference_becomes_bias(void **state)
{
	struct model_host *h = *state;
	unsigned int told = 0;

	model_host_start_server(h);
	h->extra_mapped = (int64_t)(100 * MIB);
	for (unsigned int i = 0; i < 31; i++) {
		told += model_host_pass(h);
		/* In each tenth of the maximum age a third of the processes is measured. */
		for (unsigned int k = i * 41 / 30; k < (i + 1) * 41 / 30; k++)
			model_host_measure(h, k % 41);
	}
	assert_true(told >= 1 && told <= 31);
	assert_false(model_host_pass(h));
	assert_int_equal(h->drift.file.drift, 0);
	/* Later changes are relative to the bias. */
	h->extra_mapped = (int64_t)(90 * MIB);
	assert_true(model_host_pass(h));
	assert_true(h->drift.file.drift < 0);
	h->extra_mapped = (int64_t)(100 * MIB);
	model_host_pass(h);
	assert_int_equal(h->drift.file.drift, 0);
}

/*
 * A drift is given up after the maximum age even if no process was measured, and at once if all
 * were.
 */
static void gives_up_drift_after_the_maximum_age(void **state)
{
	struct model_host *h = *state;

	model_host_start_server(h);
	h->extra_mapped = (int64_t)(100 * MIB);
	for (unsigned int i = 0; i < 30; i++)
		assert_true(model_host_pass(h));
	assert_false(model_host_pass(h));
	h->extra_mapped = (int64_t)(200 * MIB);
	assert_true(model_host_pass(h));
	model_host_measure_all(h);
	assert_false(model_host_pass(h));
	assert_false(model_host_pass(h));
	assert_true(h->drift.file.bias > (int64_t)(199 * MIB));
}

/* A bias that exists for long, and one that changes slowly. */
static void follows_the_bias(void **state)
{
	struct model_host *h = *state;

	model_host_start_server(h);
	h->extra_anon = (int64_t)(50 * MIB);
	h->extra_mapped = -(int64_t)(10 * MIB);
	for (unsigned int i = 0; i < 31; i++)
		model_host_pass(h);
	for (unsigned int i = 0; i < 100; i++) {
		h->extra_anon += (int64_t)(20 * KIB);
		assert_false(model_host_pass(h));
		assert_int_equal(h->drift.anon.drift, 0);
	}
}

/*
 * A bias that was accepted because nothing was measured in time is removed when measurements find
 * it. The same with the opposite sign.
 */
static void removes_bias_that_measurements_find(void **state)
{
	struct model_host *h = *state;

	model_host_start_server(h);
	for (unsigned int i = 1; i <= 20; i++)
		world_write(&h->world, i, 10 * MIB);
	for (unsigned int i = 0; i < 31; i++)
		model_host_pass(h);
	assert_true(h->drift.anon.bias > (int64_t)(190 * MIB));
	model_host_measure_all(h);
	assert_false(model_host_pass(h));
	assert_true(h->drift.anon.bias < (int64_t)MIB && !h->drift.anon.drift);
	/* Processes that again share memory that was private. */
	for (unsigned int b = 0; b < h->world.blocks; b++)
		if (h->world.block[b].kind == WORLD_ANON && h->world.block[b].mask == world_bit(5))
			h->world.block[b].mask = world_bit(5) | world_bit(63);
	h->alive |= world_bit(63);
	model_host_measure(h, 63);
	for (unsigned int i = 0; i < 31; i++)
		model_host_pass(h);
	assert_true(h->drift.anon.bias < -(int64_t)(4 * MIB));
	model_host_measure_all(h);
	assert_false(model_host_pass(h));
	assert_true(h->drift.anon.bias > -(int64_t)MIB && !h->drift.anon.drift);
	/* Memory that is written and measured before a pass causes neither drift nor bias. */
	for (unsigned int i = 1; i <= 20; i++)
		world_write(&h->world, i, 10 * MIB);
	model_host_measure_all(h);
	assert_false(model_host_pass(h));
	assert_true(h->drift.anon.bias < (int64_t)MIB && !h->drift.anon.drift);
	assert_false(model_host_pass(h));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		MODEL_HOST_TEST(guesses_cause_no_bias),
		MODEL_HOST_TEST(lasting_difference_becomes_bias),
		MODEL_HOST_TEST(gives_up_drift_after_the_maximum_age),
		MODEL_HOST_TEST(follows_the_bias),
		MODEL_HOST_TEST(removes_bias_that_measurements_find),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
