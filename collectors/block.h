/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Block: state of a process with a file that blocked its reader (workers.h), since when, and when to try again. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_BLOCK_H
#define MEMTALLY_COLLECTORS_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

#define BLOCK_FIRST_NS                                                                             \
	(1 * NS_PER_SEC) /* from the first blocked read to the next attempt; twice as long after each, */
#define BLOCK_MAX_NS                                                                               \
	(30 * NS_PER_SEC) /* and at most this: the next attempt is due within half a minute */
#define BLOCK_TELL_NS (1 * NS_PER_SEC) /* shorter blocks are not logged */
#define BLOCK_TELL_AGAIN_NS                                                                        \
	(600 * NS_PER_SEC) /* nor is a block that begins sooner after one that was logged */

/* All zero: the process is not blocked. */
struct block {
	const char *file; /* static: the file that blocked; NULL: none does */
	uint64_t since_ns,
		next_ns; /* CLOCK_MONOTONIC: of the first blocked read, and when the next attempt is due. If the process
			  * is not blocked: when the last attempt was due in the last block that was logged */
	uint8_t attempts; /* that blocked, one after the other */
	bool is_chosen; /* the next attempt may be made in this pass: attempts.h has chosen the process */
	bool is_walk;     /* .file also takes the lock of the address space */
	bool is_deferred; /* .file was not read, since attempts.h did not allow it: it may not block */
	bool is_told;     /* it has been logged, or one less than BLOCK_TELL_AGAIN_NS before it */
};

static inline bool block_is_on(const struct block *b)
{
	return b->file;
}

/* Whether the next attempt is due at NOW_NS. */
bool block_is_due(const struct block *b, uint64_t now_ns);

/* Whether no attempt may be made in this pass: the process was not chosen for one, or one was made. */
static inline bool block_is_put_off(const struct block *b)
{
	return b->file && !b->is_deferred && !b->is_chosen;
}

/*
 * Whether the last read of a file blocked. IS_WALK: the file is one of smaps, smaps_rollup and maps, which take the
 * lock of the address space. If only that lock blocks, other files can still be read.
 */
bool block_is_of(const struct block *b, bool is_walk);

/*
 * A read of FILE (static) blocked at NOW_NS: the process is blocked, and the next attempt is due after a pause. If a block that was
 * logged ended less than BLOCK_TELL_AGAIN_NS ago, this one is not logged again.
 */
void block_begin(struct block *b, const char *file, bool is_walk, uint64_t now_ns);

/*
 * The read of FILE (static) at NOW_NS is deferred to a later pass: attempts.h does not allow it. If the process blocks already,
 * it stays as long due as it is.
 */
void block_defer(struct block *b, const char *file, bool is_walk, uint64_t now_ns);

/* A read has returned, with any result. Ends the block if the read took the locks that blocked. */
void block_answered(struct block *b, bool is_walk);

#endif
