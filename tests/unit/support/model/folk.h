/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fork families in a simulated world
 *
 * A world (world.h) knows each page and its sharers. Changes to it are reported to
 * fork-families.h as a pass would notice them, so that a test can compare its estimates with the
 * true PSS.
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_MODEL_FOLK_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_MODEL_FOLK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "collectors/model/family/fork-families.h"
#include "tests/unit/support/model/world.h"

struct folk {
	struct world world;
	uint64_t now;                    /* ns */
	uint64_t alive;                  /* bit I: process I is alive */
	uint64_t listed;                 /* bit I: process I was alive when the last pass ended */
	uint64_t image[WORLD_PROCESSES]; /* stands for the address range of process I */
	struct families families;
	struct family_member member[WORLD_PROCESSES];
	struct estimate_base base[WORLD_PROCESSES];
	struct estimate_doubt doubt[WORLD_PROCESSES]; /* kept from the end of the last pass */
	bool measured[WORLD_PROCESSES];
	unsigned int visits; /* members that families_affected() returned in the last pass */
	bool is_noticing;    /* a pass has begun */
};

/*
 * Returns a world without processes. Any failure in a function of this file fails the test.
 * folk_free() fails the test if the families still have a member.
 */
struct folk *folk_new(void);
void folk_free(struct folk **f);
#define AUTO_FOLK CLEANUP(folk_free)

/* Returns the true PSS of process I, in bytes. */
uint64_t folk_truth(const struct folk *f, unsigned int i);

/* Returns the counters of process I, as statm shows them. */
struct estimate_now folk_now(const struct folk *f, unsigned int i);

/* See world_map(). */
void folk_map(struct folk *f, uint64_t size, uint64_t mask, enum world_kind kind);

/* Gives process I SIZE bytes of private memory. */
void folk_allocate(struct folk *f, unsigned int i, uint64_t size);

/* Begins a pass unless one has begun: lists the processes and reports their counters. */
void folk_notice(struct folk *f);

/* Starts process I, which is not a child of any other. */
void folk_start(struct folk *f, unsigned int i);

/*
 * folk_fork_unseen() forks CHILD from PARENT in the world only. folk_notice_birth() reports that to
 * fork-families.h, with the start time BORN_NS.
 */
void folk_fork_unseen(struct folk *f, unsigned int parent, unsigned int child);
void folk_notice_birth(struct folk *f, unsigned int parent, unsigned int child, uint64_t born_ns);

/* Forks CHILD from PARENT, and reports it to fork-families.h. */
void folk_fork(struct folk *f, unsigned int parent, unsigned int child);

/*
 * folk_end_unseen() ends process I in the world only; folk_end() reports that to fork-families.h in
 * this pass.
 */
void folk_end_unseen(struct folk *f, unsigned int i);
void folk_end(struct folk *f, unsigned int i);

/* Measures process I exactly, and reports the result to fork-families.h. */
void folk_measure(struct folk *f, unsigned int i);

/*
 * Reports that process I, which was just measured, maps one file of BYTES, the same one for all
 * processes.
 */
void folk_map_segments(struct folk *f, unsigned int i, uint64_t bytes);

/* Updates the doubt of all affected members, and ends the pass. */
void folk_settle(struct folk *f);

/* Measures all processes in one pass. If LIBRARIES is not 0, each maps so many bytes of files. */
void folk_measure_all(struct folk *f, uint64_t libraries);

/* Returns the doubt about process I, including what other members have touched since. */
struct estimate_doubt folk_doubt(const struct folk *f, unsigned int i);

/*
 * Returns the estimate for process I, from its own measurement or from that of the member that
 * represents it. The bounds count as true up to 4 KiB off.
 */
struct estimate folk_estimate(const struct folk *f, unsigned int i);
bool folk_is_within_bounds(const struct folk *f, unsigned int i);
void folk_assert_bounds(const struct folk *f, unsigned int i);
void folk_assert_all_bounds(const struct folk *f);

/* Fails unless the estimate of each process is within PER_MILLE of its true PSS. */
void folk_assert_all_within(const struct folk *f, unsigned int per_mille);

/* Returns the sum of the widths of all bounds, in thousandths of the sum of all estimated PSS. */
uint64_t folk_width(const struct folk *f);

/*
 * Starts process 0, a server of 512 MiB and 10 MiB of libraries, and process 63, an unrelated
 * process that maps the same libraries.
 */
void folk_start_server(struct folk *f);

/* Forks COUNT workers from the server, as processes 1 to COUNT. */
void folk_fork_workers(struct folk *f, unsigned int count);

#endif
