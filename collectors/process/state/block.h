/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Block: the state of a process that has a file which blocked its reader (workers.h): since when
 * it blocks, and when to try again. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_PROCESS_STATE_BLOCK_H
#define MEMTALLY_COLLECTORS_PROCESS_STATE_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

#define BLOCK_FIRST_NS                                                                             \
	(1 * NS_PER_SEC) /* first pause before an attempt; doubles with each further blocked read */
#define BLOCK_MAX_NS                                                                               \
	(30 * NS_PER_SEC) /* longest pause: the next attempt is due within half a minute */
#define BLOCK_TELL_NS (1 * NS_PER_SEC) /* shorter blocks are not logged */
#define BLOCK_TELL_AGAIN_NS                                                                        \
	(600 * NS_PER_SEC) /* a block that begins sooner than this after a logged block is not logged */

/* Zeroed: the process is not blocked. */
struct block {
	const char *file; /* static: the file that blocked or was deferred; NULL: none */
	/*
	 * CLOCK_MONOTONIC: .since_ns is the time of the first blocked read, .next_ns the time when
	 * the next attempt is due. If the process is not blocked, but .is_told is set, .next_ns is
	 * the time when the last attempt of the logged block was due.
	 */
	uint64_t since_ns, next_ns;
	uint8_t attempts; /* blocked reads in succession */
	/* attempts_begin() has chosen the process: this pass may make the next attempt */
	bool is_chosen;
	bool is_walk; /* .file also takes the lock of the address space */
	/* attempts_allow() refused the read of .file, so it is not known whether it blocks */
	bool is_deferred;
	/* this block was logged, or a block that ended less than BLOCK_TELL_AGAIN_NS ago */
	bool is_told;
};

static inline bool block_is_on(const struct block *b)
{
	return b->file;
}

/* Returns whether the process is blocked and its next attempt is due at NOW_NS. */
bool block_is_due(const struct block *b, uint64_t now_ns);

/*
 * Returns whether this pass may not read the process: it is blocked and was not chosen, or its
 * attempt was made already.
 */
static inline bool block_is_barred(const struct block *b)
{
	return b->file && !b->is_deferred && !b->is_chosen;
}

/*
 * Returns whether the last read of a file blocked. IS_WALK says of which files: true for smaps,
 * smaps_rollup, maps and cmdline, which take the lock of the address space; false for the others,
 * which can be read while only that lock blocks.
 */
bool block_is_of(const struct block *b, bool is_walk);

/*
 * Notes that a read of FILE (static) blocked at NOW_NS: the process is blocked, and the next
 * attempt is due after a pause. If a logged block ended less than BLOCK_TELL_AGAIN_NS ago, this
 * block is not logged.
 */
void block_begin(struct block *b, const char *file, bool is_walk, uint64_t now_ns);

/*
 * Notes that a later pass must read FILE (static), since attempts_allow() refused it at NOW_NS. If
 * the process is blocked already, the time when it is due does not change.
 */
void block_defer(struct block *b, const char *file, bool is_walk, uint64_t now_ns);

/*
 * Notes that a read has returned, with any result. Ends the block if that read took the locks that
 * blocked.
 */
void block_answered(struct block *b, bool is_walk);

#endif
