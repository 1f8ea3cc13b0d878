/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/sim/host/population.h"

#include "base/number.h"

enum { LIBRARIES = 24 };

const struct host_rates population_no_events = {0};

const struct host_rates population_some_events = {
	.churn = 0.9,
	.write = 0.2,
	.leave = 0.01,
	.births = 4,
	.forks = 1,
	.exec = 0.05,
};

const struct host_rates population_many_events = {
	.churn = 1,
	.write = 0.7,
	.leave = 0.05,
	.births = 30,
	.forks = 6,
	.exec = 0.1,
	.pressure = 0.02,
	.pressure_share = 0.02,
};

uint64_t population_seeds(void)
{
	return extent_is_long() ? 64 : 16;
}

uint64_t population_seed(uint64_t number, uint64_t index)
{
	const char *value = getenv("MEMTALLY_SEED");
	uint64_t seed = 0;

	if (value && *value)
		assert_int_equal(number_parse_u64(value, strlen(value), &seed), 0);
	return (seed * 1000 + number) * 1000 + index;
}

uint64_t population_pages(struct host *h)
{
	return (UINT64_C(64) << host_random(h, 9 - host_random(h, 4))) + host_random(h, 64);
}

void population_create_libraries(struct host *h)
{
	if (h->libraries > 0)
		return;
	for (uint32_t i = 0; i < LIBRARIES; i++)
		host_create(h, HOST_FILE, 64 + host_random(h, 1024), 4);
	h->libraries = LIBRARIES;
}

void population_grow(struct host *h, size_t count, uint32_t busy)
{
	population_create_libraries(h);

	while (h->living < count) {
		uint32_t user = (uint32_t)host_random(h, 8);
		uint64_t kind = host_random(h, 100);
		size_t slot;

		if (kind < busy) {
			static const enum host_role roles[] = {
				HOST_ACTIVE, HOST_ACTIVE, HOST_LEAK, HOST_CACHE};

			slot = host_spawn(
				h, user, roles[host_random(h, 4)], population_pages(h), 16);
			host_map_libraries(h, slot);
		} else if (kind < 98) {
			slot = host_spawn(h, user, HOST_IDLE, population_pages(h), 8);
			host_map_libraries(h, slot);
		} else if (kind < 99) {
			slot = host_spawn(h, user, HOST_SERVER, population_pages(h) * 4, 32);
			host_map_libraries(h, slot);
			h->process[slot].workers = 4 + (uint32_t)host_random(h, 28);
			for (uint32_t i = 0; i < h->process[slot].workers; i++)
				host_fork(h, slot);
		} else {
			uint32_t segment = host_create(
				h, HOST_SHMEM, population_pages(h) * 8 + 64, 16);

			slot = host_spawn(h, user, HOST_IDLE, population_pages(h), 8);
			host_map_libraries(h, slot);
			host_map(h, slot, segment, 16);
			for (uint64_t i = host_random(h, 16); i > 0; i--) {
				size_t sharer = host_fork(h, slot);

				h->process[sharer].role = HOST_SHARER;
				h->process[sharer].segment = segment;
			}
		}
	}
	assert_true(host_is_sound(h));
}
