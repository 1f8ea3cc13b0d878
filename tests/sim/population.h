/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who lives on the simulated hosts (host.h) of several tests, what they do, and for how long: hours and days in seconds. With
 * MEMTALLY_LONG set, more hosts, larger ones, and for longer.
 */
#ifndef MEMTALLY_TESTS_SIM_POPULATION_H
#define MEMTALLY_TESTS_SIM_POPULATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/sim/host.h"

extern const struct host_rates population_no_events;

/* A day's work: one in a hundred does something else in a pass, workers come and go. */
extern const struct host_rates population_some_events;

extern const struct host_rates population_many_events;

/* A seed for a host; other hosts than those of every day, with MEMTALLY_SEED. */
uint64_t population_seed(uint64_t number);

/* From 64 pages to 16,384, small ones being more frequent. */
uint64_t population_pages(struct host *h);

/* Which all programs map, unless there are any. */
void population_create_libraries(struct host *h);

/*
 * As many as there have to come for COUNT processes, of eight users: servers with workers, sharers of segments, idle ones, and
 * BUSY of a hundred that are active, leak or map files.
 */
void population_grow(struct host *h, size_t count, uint32_t busy);

#endif
