/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens in a world of known memory (world.h) is told to kin as a pass would notice it, so that what it makes
 * of that can be held against the truth.
 */
#ifndef MEMTALLY_TESTS_UNIT_FOLK_H
#define MEMTALLY_TESTS_UNIT_FOLK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "collectors/kin.h"
#include "tests/unit/world.h"

struct folk {
	struct world world;
	uint64_t now;                    /* ns */
	uint64_t alive;                  /* bit I: process I is, */
	uint64_t listed;                 /* and was when the last pass ended */
	uint64_t image[WORLD_PROCESSES]; /* stands for the address range */
	struct kin kin;
	struct kin_member member[WORLD_PROCESSES];
	struct estimate_base base[WORLD_PROCESSES];
	struct estimate_doubt doubt[WORLD_PROCESSES]; /* kept, as the last pass left it */
	bool measured[WORLD_PROCESSES];
	unsigned int visits; /* in the last pass */
	bool is_noticing;    /* a pass has begun */
};

/* Nobody. A failure of any of these functions fails the test; so does one who is left behind in kin, at the end. */
struct folk *folk_new(void);
void folk_free(struct folk **f);
#define AUTO_FOLK CLEANUP(folk_free)

/* The PSS of I. */
uint64_t folk_truth(const struct folk *f, unsigned int i);

/* Its counters. */
struct estimate_now folk_now(const struct folk *f, unsigned int i);

/* As world_map(). */
void folk_map(struct folk *f, uint64_t size, uint64_t mask, enum world_kind kind);

/* Memory of its own. */
void folk_allocate(struct folk *f, unsigned int i, uint64_t size);

/* A pass lists the processes, and then tells what is new. */
void folk_notice(struct folk *f);

/* I is there, and nobody's child. */
void folk_start(struct folk *f, unsigned int i);

/* Only the world knows it yet. */
void folk_fork_unseen(struct folk *f, unsigned int parent, unsigned int child);
void folk_notice_birth(struct folk *f, unsigned int parent, unsigned int child, uint64_t born_ns);

/* Both. */
void folk_fork(struct folk *f, unsigned int parent, unsigned int child);

void folk_end(struct folk *f, unsigned int i);
void folk_measure(struct folk *f, unsigned int i);

/* I, measured just now, maps one segment, the same for all. */
void folk_map_segments(struct folk *f, unsigned int i, uint64_t bytes);

/* Lets the affected be told, which ends the pass. */
void folk_settle(struct folk *f);

/* Everybody is read, and maps LIBRARIES bytes of files. */
void folk_measure_all(struct folk *f, uint64_t libraries);

/* With what others have touched. */
struct estimate_doubt folk_doubt(const struct folk *f, unsigned int i);

struct estimate folk_estimate(const struct folk *f, unsigned int i);
bool folk_is_within_bounds(const struct folk *f, unsigned int i);
void folk_assert_bounds(const struct folk *f, unsigned int i);
void folk_assert_all_bounds(const struct folk *f);

/* Nobody's middle is more than PER_MILLE off. */
void folk_assert_all_within(const struct folk *f, unsigned int per_mille);

/* How wide the bounds of all are, in thousandths of their PSS. */
uint64_t folk_width(const struct folk *f);

/* 0, a server of 512 MiB and ten MiB of libraries, which 63, a stranger, maps as well. */
void folk_start_server(struct folk *f);

/* The server's, from 1 on. */
void folk_fork_workers(struct folk *f, unsigned int count);

#endif
