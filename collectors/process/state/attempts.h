/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits how many reads of one user's processes may block in a pass. Pure.
 *
 * Each read that blocks delays the pass by 1 to 10 ms and costs a worker (workers.h). Without a
 * limit a user could delay the figures of all other users with processes that block. A process that
 * a limit excludes is published as blocked, and its turn comes in a later pass.
 *
 * A user is a real UID. A user with subordinate UIDs (subuid(5)) can therefore spread blocked
 * processes over thousands of UIDs, each with places of its own. Another user's process that can be
 * read again then waits until these UIDs have had their first places: with blocked processes of
 * 1,000 UIDs, about 31 passes.
 */
#ifndef MEMTALLY_COLLECTORS_PROCESS_STATE_ATTEMPTS_H
#define MEMTALLY_COLLECTORS_PROCESS_STATE_ATTEMPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/process/state/block.h"

enum {
	ATTEMPTS_USERS = 256, /* users that one pass tells apart; all others count as one */
	/* blocked reads of all users together, in a pass, before limits apply */
	ATTEMPTS_UNLIMITED = 8,
	/* blocked reads of new processes, all users together: see attempts_allow() */
	ATTEMPTS_NEW_ALL = 128,
	ATTEMPTS_PLACES = 8,      /* attempts at one user's blocked processes in a pass */
	ATTEMPTS_PLACES_ALL = 32, /* attempts of all users that have ATTEMPTS_PLACES, together */
};

/* The state of the process that is to be read. */
enum attempt {
	ATTEMPT_KNOWN,   /* its last read did not block */
	ATTEMPT_NEW,     /* it was never read */
	ATTEMPT_BLOCKED, /* its last read blocked */
	ATTEMPT_KINDS
};

/* One user's reads in this pass. */
struct attempts_user {
	uint32_t uid;
	uint32_t blocked[ATTEMPT_KINDS]; /* reads that blocked */
	uint32_t places;                 /* blocked processes that attempts_begin() could choose */
	uint32_t chosen;                 /* blocked processes that it chose */
	uint32_t returned;               /* reads of chosen processes that returned */
	/* time that the user's reads have cost, as lanes.h counts it */
	uint64_t waited_ns;
};

/* The counts of a pass. Zeroed before the first pass. */
struct attempts {
	struct attempts_user user[ATTEMPTS_USERS];
	uint32_t users;
	struct attempts_user others;            /* the users beyond ATTEMPTS_USERS, as one */
	uint32_t blocked[ATTEMPT_KINDS], total; /* reads of all users that blocked */
};

/* A blocked process that is due for its next attempt. */
struct attempts_due {
	struct block *block; /* borrowed */
	uint32_t uid;        /* the process's real UID */
	/* set by attempts_begin(): the number of this user's processes that are due for longer */
	uint32_t rank;
	/* set by attempts_begin(): the number of this user's processes that can be chosen */
	uint32_t places;
};

/*
 * Begins a pass at NOW_NS (CLOCK_MONOTONIC) and chooses which of the COUNT processes in DUE are
 * tried again: sets .is_chosen of their blocks and clears it in the others. DUE must have the
 * processes that are due at NOW_NS. Changes the order of DUE.
 *
 * Each user has 8 places. They go to the user's processes that are due for the longest time, so
 * every process has its turn, however many others stay blocked. All users together have 32 places:
 * the first place of each user comes before the second place of any.
 *
 * A user gets more places after a pass in which all of the user's places were taken, no read
 * blocked and at least one returned. Then the user has eight times as many places, and these do not
 * count among the 32. So when a server is back, hundreds of processes that waited for it are read
 * within a few passes.
 *
 * A process that was chosen in the last pass and not read goes to the end: it counts as due since
 * NOW_NS.
 */
void attempts_begin(struct attempts *a, struct attempts_due *due, size_t count, uint64_t now_ns);

/* Counts a blocked read of a process of the real user UID. ATTEMPT is its state before. */
void attempts_blocked(struct attempts *a, uint32_t uid, enum attempt attempt);

/* Counts a read of a blocked process of the real user UID that returned. */
void attempts_returned(struct attempts *a, uint32_t uid);

/*
 * Adds NS to the time that reads of the real user UID's processes have cost in this pass, blocked
 * or not. attempts_waited_ns() returns that time.
 */
void attempts_waited(struct attempts *a, uint32_t uid, uint64_t ns);
uint64_t attempts_waited_ns(const struct attempts *a, uint32_t uid);

/*
 * Returns whether a process of the real user UID that is in state ATTEMPT may be read in this pass.
 * Returns false
 * - for ATTEMPT_KNOWN: if 128 reads of the user's known processes have blocked;
 * - for ATTEMPT_NEW: if 32 reads of the user's new processes have blocked, or one of them and 128
 *   of all users;
 * - for ATTEMPT_BLOCKED: if 8 reads of the user's blocked processes have blocked again. The caller
 *   must also check that the process was chosen (block_is_barred()).
 *
 * A user without a blocked read in this pass is never refused. Exception: the users beyond the
 * first 256 with blocked or slow reads in the same pass share one count.
 */
bool attempts_allow(const struct attempts *a, uint32_t uid, enum attempt attempt);

#endif
