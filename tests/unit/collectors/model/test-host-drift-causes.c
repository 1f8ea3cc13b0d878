/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/model/host-drift.h, host reconciliation: causes of a drift that it finds. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/model/model-host.h"

/*
 * Ten workers write to 50 MiB of their own. It is unknown which ones did, so estimates stay, but
 * their bounds contain the truth.
 */
static void bounds_contain_private_writes(void **state)
{
	struct model_host *h = *state;

	model_host_start_server(h);
	for (unsigned int i = 1; i <= 10; i++)
		world_write(&h->world, i, 50 * MIB);
	assert_true(model_host_pass(h));
	assert_in_range(h->drift.anon.drift, 499 * MIB, 501 * MIB);
	for (unsigned int i = 0; i <= 40; i++) {
		model_host_assert_bounds(h, i);
		assert_int_equal(h->estimate[i].pss, h->base[i].pss_anon + h->base[i].pss_file);
	}
}

/*
 * Each worker writes to the same 128 MiB: AnonPages rises, and no RSS does. Only sharers can gain.
 */
static void finds_copy_on_write_breaks(void **state)
{
	struct model_host *h = *state;

	model_host_start_server(h);
	for (unsigned int i = 1; i <= 20; i++) {
		h->world.block[0].mask &= ~world_bit(i);
		world_map(&h->world, 128 * MIB, world_bit(i), WORLD_ANON);
	}
	assert_true(model_host_pass_twice(h));
	for (unsigned int i = 0; i <= 40; i++) {
		model_host_assert_bounds(h, i);
	}
	/* One worker is measured. The remaining drift belongs to the others. */
	model_host_measure(h, 1);
	assert_true(model_host_pass_twice(h));
	for (unsigned int i = 0; i <= 40; i++) {
		model_host_assert_bounds(h, i);
	}
	model_host_measure_all(h);
	assert_false(model_host_pass_twice(h));
	assert_int_equal(h->drift.anon.drift, 0);
}

/* Half of the workers exit, and it was not known that they shared. */
static void finds_exits_of_unknown_sharers(void **state)
{
	struct model_host *h = *state;

	model_host_start_server(h);
	for (unsigned int i = 1; i <= 10; i++)
		world_unmap_all(&h->world, i);
	h->alive &= ~UINT64_C(0x7fe);
	assert_true(model_host_pass_twice(h));
	for (unsigned int i = 0; i <= 40; i++)
		if (h->alive & world_bit(i)) {
			model_host_assert_bounds(h, i);
		}
}

/* Sharers of a file gain what exited sharers leave, in files and not in anonymous memory. */
static void finds_gains_and_losses_of_files(void **state)
{
	struct model_host *h = *state;
	uint64_t low = 0, high = 0, real = 0;

	for (unsigned int i = 0; i < 20; i++)
		world_map(&h->world, 5 * MIB, world_bit(i), WORLD_ANON);
	world_map(&h->world, 64 * MIB, (1 << 20) - 1, WORLD_FILES);
	h->alive = (1 << 20) - 1;
	model_host_measure_all(h);
	assert_false(model_host_pass_twice(h));
	for (unsigned int i = 10; i < 20; i++)
		world_unmap_all(&h->world, i);
	h->alive = (1 << 10) - 1;
	assert_true(model_host_pass_twice(h));
	for (unsigned int i = 0; i < 10; i++) {
		assert_int_equal(h->estimate[i].pss_anon, 5 * MIB);
		model_host_assert_bounds(h, i);
	}
	/*
	 * Ten new processes touch all of the file and are measured. The estimates of the others do
	 * not know of it.
	 */
	model_host_measure_all(h);
	model_host_pass_twice(h);
	for (unsigned int i = 20; i < 30; i++)
		world_map(&h->world, 5 * MIB, world_bit(i), WORLD_ANON);
	h->alive |= UINT64_C(0x3ff) << 20;
	h->world.block[20].mask |= UINT64_C(0x3ff) << 20;
	for (unsigned int i = 20; i < 30; i++)
		model_host_measure(h, i);
	assert_true(model_host_pass_twice(h));
	assert_true(h->drift.file.drift < 0);
	for (unsigned int i = 0; i < 30; i++) {
		if (!(h->alive & world_bit(i)))
			continue;
		low += h->estimate[i].low;
		high += h->estimate[i].high;
		real += model_host_truth(h, i);
	}
	assert_true(low <= real && real <= high);
}

/* After an unknown fork, memory that looked private is shared. */
static void finds_unknown_sharing(void **state)
{
	struct model_host *h = *state;

	world_map(&h->world, 100 * MIB, world_bit(0), WORLD_ANON);
	world_map(&h->world, 100 * MIB, world_bit(1), WORLD_ANON);
	world_map(&h->world, MIB, world_bit(0) | world_bit(1), WORLD_FILES);
	h->alive = 3;
	model_host_measure_all(h);
	assert_false(model_host_pass_twice(h));
	world_map(&h->world, 60 * MIB, world_bit(0) | world_bit(1), WORLD_ANON);
	assert_true(model_host_pass_twice(h));
	/* Both grew by the same 60 MiB. */
	assert_true(h->drift.anon.drift < 0);
	for (unsigned int i = 0; i < 2; i++) {
		model_host_assert_bounds(h, i);
	}
}

/* KSM merged pages: no process grew, and no estimate was uncertain. */
static void finds_merged_pages(void **state)
{
	struct model_host *h = *state;

	world_map(&h->world, 99 * MIB, world_bit(0), WORLD_ANON);
	world_map(&h->world, 99 * MIB, world_bit(1), WORLD_ANON);
	world_map(&h->world, MIB, world_bit(0), WORLD_ANON);
	world_map(&h->world, MIB, world_bit(1), WORLD_ANON);
	world_map(&h->world, MIB, world_bit(0) | world_bit(1), WORLD_FILES);
	h->alive = 3;
	model_host_measure_all(h);
	assert_false(model_host_pass_twice(h));
	h->world.block[2].mask = world_bit(0) | world_bit(1);
	h->world.block[3].mask = 0;
	assert_true(model_host_pass_twice(h));
	assert_true(h->drift.anon.drift < 0);
	for (unsigned int i = 0; i < 2; i++) {
		model_host_assert_bounds(h, i);
		/* The reduction is limited to a part of the PSS. */
		assert_true(h->estimate[i].low > 95 * MIB);
	}
}

/*
 * Makes a pass with a process that has 200 MiB of shared memory, and with a second one that may
 * have mapped it since.
 */
static void pass_over_segment(struct model_host *h, const struct estimate_base *base,
	const uint64_t *measured_ns, unsigned int count, struct estimate_doubt *ret)
{
	const struct estimate_now now = {.file = 200 * MIB, .shmem = 200 * MIB};
	struct host_drift_host host = {.is_whole = true,
		.late_bytes = MODEL_HOST_LATE_BYTES,
		.mapped = 200 * MIB,
		.now_ns = h->now};
	struct host_drift_member m[2];
	struct estimate e[2];

	host_drift_begin(&h->drift);
	for (unsigned int i = 0; i < count; i++) {
		estimate_carry(&base[i], &now, &(struct estimate_doubt){0}, &e[i]);
		m[i] = (struct host_drift_member){&base[i], &now, &e[i], 0, measured_ns[i]};
		host_drift_add(&h->drift, &m[i]);
	}
	(void)host_drift_end(&h->drift, &host);
	host_drift_doubt(&h->drift, &m[0], ret);
}

/*
 * Shared memory of one process is now mapped by a second one. When that is measured, MORE bytes
 * are found than expected, because it has grown since the last pass.
 */
static void assert_finds_second_mapper(struct model_host *h, uint64_t more)
{
	const struct estimate_base base[] = {
		{.file = 200 * MIB,
			.pss_shmem = 200 * MIB,
			.uss = 200 * MIB,
			.shmem_kib = 200 << 10,
			.has_parts = true},
		{.file = 200 * MIB,
			.pss_shmem = 100 * MIB,
			.shmem_kib = 200 << 10,
			.has_parts = true},
	};
	const struct estimate before = {.pss_shmem = 100 * MIB - more};
	uint64_t measured_ns[] = {h->now, h->now + 15 * SEC};
	struct estimate_doubt doubt;

	h->now += 10 * SEC;
	pass_over_segment(h, base, measured_ns, 1, &doubt);
	assert_int_equal(doubt.file_down, 0);
	h->now += 10 * SEC;
	host_drift_measured(&h->drift, &before, &base[1]);
	pass_over_segment(h, base, measured_ns, 2, &doubt);
	assert_in_range(doubt.file_down, 99 * MIB, 100 * MIB);
}

static void finds_the_second_mapper(void **state)
{
	struct model_host *h = *state;

	assert_finds_second_mapper(h, 90 * MIB);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		MODEL_HOST_TEST(finds_copy_on_write_breaks),
		MODEL_HOST_TEST(bounds_contain_private_writes),
		MODEL_HOST_TEST(finds_exits_of_unknown_sharers),
		MODEL_HOST_TEST(finds_gains_and_losses_of_files),
		MODEL_HOST_TEST(finds_unknown_sharing),
		MODEL_HOST_TEST(finds_the_second_mapper),
		MODEL_HOST_TEST(finds_merged_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
