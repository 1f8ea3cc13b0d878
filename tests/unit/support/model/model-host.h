/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A host with known memory, for tests of collectors/model/host-drift.h
 *
 * The sums AnonPages and Mapped are those of a world (world.h) with up to WORLD_PROCESSES processes,
 * which passes estimate and compare with the sums.
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_MODEL_MODEL_HOST_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_MODEL_MODEL_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/model/host-drift.h"
#include "tests/unit/support/model/world.h"

#define KIB UINT64_C(1024)
#define MIB (UINT64_C(1024) * KIB)
#define SEC UINT64_C(1000000000)

#define MODEL_HOST_LATE_BYTES (512 * KIB) /* that two CPUs keep back */

struct model_host {
	struct world world;
	struct host_drift drift;
	struct estimate_base base[WORLD_PROCESSES];
	struct estimate_now before[WORLD_PROCESSES];
	/* from sources other than the reconciliation */
	struct estimate_doubt doubt[WORLD_PROCESSES];
	struct estimate estimate[WORLD_PROCESSES]; /* from the last pass */
	uint64_t measured_ns[WORLD_PROCESSES];
	uint64_t alive;                   /* bit I: process I is alive */
	uint64_t now;                     /* ns */
	int64_t extra_anon, extra_mapped; /* bytes in the host's sums that belong to no process */
	uint64_t anon_unsure, mapped_unsure; /* change of the sums while the processes were read */
	uint64_t denied;                     /* the processes of .alive that cannot be read */
	bool is_partial;                     /* passes do not see all processes */
};

/* Set-up and tear-down of a test; *STATE is the host, without processes. */
int model_host_begin(void **state);
int model_host_end(void **state);
#define MODEL_HOST_TEST(name)                                                                      \
	cmocka_unit_test_setup_teardown(name, model_host_begin, model_host_end)

/* Makes H a host without processes. */
void model_host_reset(struct model_host *h);

/* Returns the true PSS of process I, in bytes. */
uint64_t model_host_truth(const struct model_host *h, unsigned int i);

/* Measures process I, or all. */
void model_host_measure(struct model_host *h, unsigned int i);
void model_host_measure_all(struct model_host *h);

/* Starts a server of 512 MiB with 20 workers, and 20 processes of 50 MiB. All are measured. */
void model_host_start_server(struct model_host *h);

/* Makes a pass after 10 s. Returns true if estimates were changed. */
bool model_host_pass(struct model_host *h);

/* Makes two passes: the second confirms what the first has found. Returns true if both changed any. */
bool model_host_pass_twice(struct model_host *h);

/* Fails if the last estimate of process I is off by more than PER_MILLE of the truth. */
void model_host_assert_within(const struct model_host *h, unsigned int i, unsigned int per_mille);

/* Fails if the true PSS of process I is not between the bounds of its last estimate. */
void model_host_assert_bounds(const struct model_host *h, unsigned int i);

/*
 * Fails unless the upper bound of memory that belongs to no process is between EXTRA_MIB and
 * MOST_MIB.
 */
void model_host_assert_beyond(const struct model_host *h, uint64_t extra_mib, uint64_t most_mib);

#endif
