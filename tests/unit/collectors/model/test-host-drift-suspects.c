/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/model/host-drift.h, host reconciliation: the processes to which a drift may belong, and alarms. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/model/model-host.h"

/* A second drift follows a first: processes that were measured in between are suspects again. */
static void second_drift_has_new_suspects(void **state)
{
	struct model_host *h = *state;

	model_host_start_server(h);
	for (unsigned int i = 1; i <= 10; i++)
		world_write(&h->world, i, 64 * MIB);
	assert_true(model_host_pass_twice(h));
	for (unsigned int i = 0; i <= 10; i++)
		model_host_measure(h, i);
	assert_true(model_host_pass_twice(h));
	assert_int_equal(h->estimate[1].pss, model_host_truth(h, 1));
	for (unsigned int i = 1; i <= 10; i++)
		world_write(&h->world, i, 64 * MIB);
	assert_true(model_host_pass_twice(h));
	assert_true(h->estimate[1].high > h->base[1].pss_anon + h->base[1].pss_file + 20 * MIB);
}

/* The same after half of the first drift is explained, and after its sign changes. */
static void changed_drift_has_new_suspects(void **state)
{
	struct model_host *h = *state;
	uint64_t first;

	model_host_start_server(h);
	h->extra_anon = (int64_t)(100 * MIB);
	assert_true(model_host_pass(h));
	first = h->drift.anon.since_ns;
	assert_int_equal(first, h->now);
	h->extra_anon = (int64_t)(40 * MIB);
	assert_true(model_host_pass(h));
	assert_int_equal(h->drift.anon.since_ns, first);
	h->extra_anon = (int64_t)(60 * MIB);
	assert_true(model_host_pass(h));
	assert_int_equal(h->drift.anon.since_ns, h->now);
	h->extra_anon = -(int64_t)(40 * MIB);
	assert_true(model_host_pass(h));
	assert_int_equal(h->drift.anon.since_ns, h->now);
}

/* The same if measurements have found more than the drift fell by: a process goes on writing. */
static void continued_writes_renew_suspects(void **state)
{
	struct model_host *h = *state;

	model_host_start_server(h);
	world_write(&h->world, 1, 128 * MIB);
	assert_true(model_host_pass(h));
	assert_true(host_drift_alarms(&h->drift));
	model_host_measure(h, 1);
	world_write(&h->world, 1, 100 * MIB);
	assert_true(model_host_pass(h));
	assert_int_equal(h->drift.anon.since_ns, h->now);
	assert_true(host_drift_alarms(&h->drift));
	model_host_measure(h, 1);
	assert_true(model_host_pass(h));
	/* the rest of the drift is attributed to the others */
	assert_true(h->drift.anon.since_ns < h->now);
	assert_false(host_drift_alarms(&h->drift));
}

/*
 * The alarm asks for a look at all suspects. It is raised for a new rise, not twice for the same
 * one.
 */
static void raises_one_alarm_per_rise(void **state)
{
	struct model_host *h = *state;

	model_host_start_server(h);
	assert_false(host_drift_alarms(&h->drift));
	h->extra_anon = (int64_t)(30 * MIB);
	model_host_pass(h);
	assert_true(host_drift_alarms(&h->drift));
	assert_false(host_drift_alarms(&h->drift));
	model_host_pass(h);
	assert_false(host_drift_alarms(&h->drift));
	h->extra_anon = (int64_t)(10 * MIB);
	model_host_pass(h);
	assert_false(host_drift_alarms(&h->drift));
	h->extra_anon = (int64_t)(30 * MIB);
	model_host_pass(h);
	assert_true(host_drift_alarms(&h->drift));
	h->extra_anon = -(int64_t)(30 * MIB);
	model_host_pass(h);
	assert_false(host_drift_alarms(&h->drift));
}

/* A slow rise raises it too. */
static void raises_alarms_for_a_slow_rise(void **state)
{
	struct model_host *h = *state;
	unsigned int alarms = 0;

	model_host_start_server(h);
	for (unsigned int i = 0; i < 20; i++) {
		h->extra_anon = (int64_t)(30 * MIB + i * 100 * KIB);
		model_host_pass(h);
		alarms += host_drift_alarms(&h->drift);
	}
	assert_in_range(alarms, 2, 6);
}

/* A drift cannot be larger than what its suspects can have. */
static void drift_is_limited_by_its_suspects(void **state)
{
	struct model_host *h = *state;

	model_host_start_server(h);
	h->extra_anon = (int64_t)(100000 * MIB);
	assert_true(model_host_pass_twice(h));
	for (unsigned int i = 0; i <= 40; i++) {
		struct estimate_now now = world_now(&h->world, i);

		assert_true(h->estimate[i].high <= now.anon + now.file);
		if (i > 20)
			assert_true(h->estimate[i].pss_anon == 50 * MIB);
	}
	h->extra_anon = -(int64_t)(1000 * MIB);
	model_host_pass_twice(h);
	for (unsigned int i = 0; i <= 40; i++)
		assert_true(h->estimate[i].low <= h->estimate[i].pss);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		MODEL_HOST_TEST(second_drift_has_new_suspects),
		MODEL_HOST_TEST(changed_drift_has_new_suspects),
		MODEL_HOST_TEST(continued_writes_renew_suspects),
		MODEL_HOST_TEST(raises_one_alarm_per_rise),
		MODEL_HOST_TEST(drift_is_limited_by_its_suspects),
		MODEL_HOST_TEST(raises_alarms_for_a_slow_rise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
