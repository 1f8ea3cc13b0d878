/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes and events of the simulated hosts (host.h)
 *
 * Several tests share these. They simulate hours and days in seconds. With MEMTALLY_LONG set there
 * are more and larger hosts, and they run for a longer time.
 */
#ifndef MEMTALLY_TESTS_SIM_HOST_POPULATION_H
#define MEMTALLY_TESTS_SIM_HOST_POPULATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/sim/host/host.h"

extern const struct host_rates population_no_events;

/* An ordinary day: one process in a hundred is active in a pass, and workers come and go. */
extern const struct host_rates population_some_events;

extern const struct host_rates population_many_events;

/* Returns the number of seeds of hosts for each test: 16, and 64 with MEMTALLY_LONG. */
uint64_t population_seeds(void);

/*
 * Returns the seed of host INDEX, below population_seeds(), of case NUMBER. MEMTALLY_SEED changes
 * all of them.
 */
uint64_t population_seed(uint64_t number, uint64_t index);

/* Returns a random size from 64 to 16,384 pages; small ones are more frequent. */
uint64_t population_pages(struct host *h);

/* Creates the libraries that all programs map, unless H has libraries. */
void population_create_libraries(struct host *h);

/*
 * Adds processes of eight users until H has COUNT: servers with workers, sharers of shared memory,
 * idle processes, and BUSY of a hundred that are active, leak or map files.
 */
void population_grow(struct host *h, size_t count, uint32_t busy);

#endif
