/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/saturate.h"
#include "tests/unit/support/model/model-host.h"

void model_host_reset(struct model_host *h)
{
	*h = (struct model_host){.now = 1000 * SEC};
	host_drift_init(&h->drift, 300 * SEC);
}

int model_host_begin(void **state)
{
	struct model_host *h = malloc(sizeof(*h));

	assert_non_null(h);
	model_host_reset(h);
	*state = h;
	return 0;
}

int model_host_end(void **state)
{
	free(*state);
	return 0;
}

uint64_t model_host_truth(const struct model_host *h, unsigned int i)
{
	return world_pss(&h->world, i, WORLD_ANON) + world_pss(&h->world, i, WORLD_FILES);
}

void model_host_measure(struct model_host *h, unsigned int i)
{
	struct estimate_base found = world_measure(&h->world, i);
	struct estimate_now now = world_now(&h->world, i);
	struct estimate e;

	if (h->measured_ns[i]) {
		estimate_carry(&h->base[i], &now, &h->doubt[i], &e);
		host_drift_measured(&h->drift, &e, &found);
	}
	h->base[i] = found;
	h->measured_ns[i] = h->now + SEC;
}

void model_host_measure_all(struct model_host *h)
{
	for (unsigned int i = 0; i < WORLD_PROCESSES; i++)
		if (h->alive & world_bit(i))
			model_host_measure(h, i);
}

static struct host_drift_member model_host_member(
	const struct model_host *h, unsigned int i, const struct estimate_now *now)
{
	uint64_t moved = saturate_max(now->anon, h->before[i].anon) -
	                 saturate_min(now->anon, h->before[i].anon);

	return (struct host_drift_member){
		&h->base[i], now, &h->estimate[i], moved, h->measured_ns[i]};
}

static void model_host_tell(struct model_host *h, unsigned int i, const struct estimate_now *now)
{
	struct host_drift_member m = model_host_member(h, i, now);
	struct estimate_doubt doubt;

	host_drift_doubt(&h->drift, &m, &doubt);
	estimate_doubt_add(&doubt, &h->doubt[i]);
	estimate_carry(&h->base[i], now, &doubt, &h->estimate[i]);
	host_drift_narrow(&h->drift, &h->estimate[i]);
}

bool model_host_pass(struct model_host *h)
{
	struct host_drift_host host = {
		.is_whole = !h->is_partial, .late_bytes = MODEL_HOST_LATE_BYTES};
	struct estimate_now now[WORLD_PROCESSES];
	bool tells;

	h->now += 10 * SEC;
	host.now_ns = h->now;
	host.anon = world_sum(&h->world, WORLD_ANON) + (uint64_t)h->extra_anon;
	host.mapped = world_sum(&h->world, WORLD_FILES) + (uint64_t)h->extra_mapped;
	host.anon_unsure = h->anon_unsure;
	host.mapped_unsure = h->mapped_unsure;
	host_drift_begin(&h->drift);
	for (unsigned int i = 0; i < WORLD_PROCESSES; i++) {
		struct host_drift_member m;

		now[i] = world_now(&h->world, i);
		if (h->denied & world_bit(i))
			host_drift_add_unread(&h->drift, now[i].anon, now[i].file);
		if (!(h->alive & ~h->denied & world_bit(i)))
			continue;
		estimate_carry(&h->base[i], &now[i], &h->doubt[i], &h->estimate[i]);
		m = model_host_member(h, i, &now[i]);
		host_drift_add(&h->drift, &m);
		h->before[i] = now[i];
	}
	tells = host_drift_end(&h->drift, &host);
	for (unsigned int i = 0; tells && i < WORLD_PROCESSES; i++)
		if (h->alive & ~h->denied & world_bit(i))
			model_host_tell(h, i, &now[i]);
	return tells;
}

bool model_host_pass_twice(struct model_host *h)
{
	bool first = model_host_pass(h);

	return model_host_pass(h) && first;
}

void model_host_assert_within(const struct model_host *h, unsigned int i, unsigned int per_mille)
{
	uint64_t pss = model_host_truth(h, i), mid = h->estimate[i].pss;
	uint64_t error = mid > pss ? mid - pss : pss - mid;

	if (error > pss * per_mille / 1000)
		fail_msg("process %u: %ju instead of %ju", i, (uintmax_t)mid, (uintmax_t)pss);
}

void model_host_assert_bounds(const struct model_host *h, unsigned int i)
{
	const struct estimate *e = &h->estimate[i];
	uint64_t pss = model_host_truth(h, i);

	assert_true(e->low <= e->pss && e->pss <= e->high);
	if (e->low > pss + 4 * KIB || pss > e->high + 4 * KIB)
		fail_msg("process %u: %ju not in %ju to %ju", i, (uintmax_t)pss, (uintmax_t)e->low,
			(uintmax_t)e->high);
}

void model_host_start_server(struct model_host *h)
{
	world_map(&h->world, 128 * MIB, world_bit(0), WORLD_ANON); /* block 0 */
	world_map(&h->world, 384 * MIB, world_bit(0), WORLD_ANON);
	for (unsigned int i = 1; i <= 20; i++)
		world_fork(&h->world, 0, i);
	for (unsigned int i = 21; i <= 40; i++)
		world_map(&h->world, 50 * MIB, world_bit(i), WORLD_ANON);
	world_map(&h->world, 20 * MIB, (UINT64_C(1) << 41) - 1, WORLD_FILES);
	h->alive = (UINT64_C(1) << 41) - 1;
	model_host_measure_all(h);
	assert_false(model_host_pass_twice(h));
}

void model_host_assert_beyond(const struct model_host *h, uint64_t extra_mib, uint64_t most_mib)
{
	uint64_t beyond = host_drift_beyond(&h->drift);

	if (beyond < extra_mib * MIB || beyond > most_mib * MIB)
		fail_msg("%ju KiB, not %ju to %ju MiB", (uintmax_t)(beyond / KIB),
			(uintmax_t)extra_mib, (uintmax_t)most_mib);
}
