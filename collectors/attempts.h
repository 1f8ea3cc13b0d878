/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits how many reads of one user's processes may block in a pass.
 *
 * Each read that blocks delays the pass by 1 to 10 ms and costs a worker (workers.h). Without a limit a user who keeps
 * creating processes that block could delay the figures of all other users. Processes that a limit keeps from being read
 * are published as blocked; their turn comes in a later pass. Pure.
 *
 * Users are told apart by uid alone. A user with a range of subordinate uids (subuid(5)) can spread blocked processes over thousands of
 * uids, each of which has places of its own. Then a process of another user that can be read again may wait until the other uids have
 * had their first places: with blocked processes of 1,000 uids, about 31 passes.
 */
#ifndef MEMTALLY_COLLECTORS_ATTEMPTS_H
#define MEMTALLY_COLLECTORS_ATTEMPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/block.h"

enum {
	ATTEMPTS_USERS = 256,   /* users that are told apart in one pass; all others count as one */
	ATTEMPTS_UNLIMITED = 8, /* reads that may block in a pass before limits are looked at */
	ATTEMPTS_NEW_ALL = 128, /* ATTEMPT_NEW of all users together, see attempts_allow() */
	ATTEMPTS_PLACES = 8,    /* attempts of one user's blocked processes in a pass */
	ATTEMPTS_PLACES_ALL = 32, /* attempts of all users that have ATTEMPTS_PLACES */
};

/* The state of the process that is to be read. */
enum attempt {
	ATTEMPT_KNOWN,   /* it was read before, and did not block */
	ATTEMPT_NEW,     /* it was never read */
	ATTEMPT_BLOCKED, /* its last read blocked */
	ATTEMPT_KINDS
};

/* Results of one user's reads in this pass. */
struct attempts_user {
	uint32_t uid;
	uint32_t blocked[ATTEMPT_KINDS]; /* reads that blocked */
	uint32_t places;                 /* how many blocked processes could be chosen, */
	uint32_t chosen;                 /* how many were, */
	uint32_t returned;               /* and how many of their reads have returned */
	uint64_t waited_ns;              /* time that reads have cost, as lanes.h counts it */
};

/* All zero: before the first pass. */
struct attempts {
	struct attempts_user user[ATTEMPTS_USERS];
	uint32_t users;
	struct attempts_user others;            /* users beyond ATTEMPTS_USERS, as one */
	uint32_t blocked[ATTEMPT_KINDS], total; /* reads that blocked, of all users */
};

/* A blocked process that is due for its next attempt. */
struct attempts_due {
	struct block *block; /* borrowed */
	uint32_t uid;        /* of the process: the real one */
	uint32_t
		rank; /* set by attempts_begin(): how many of the user's processes are due for longer, */
	uint32_t places; /* and how many of them can be chosen */
};

/*
 * Begins a pass at NOW_NS, which must be the time for which the COUNT processes in DUE are due, and chooses some of them: sets
 * .is_chosen of their blocks.
 *
 * Each user has 8 places. They go to the user's processes that are due for the longest time, so that each process has its turn,
 * however many others stay blocked. All users together have 32 places: the first place of each user comes before the second
 * place of any. If all places of a user were taken in the last pass, no read blocked and at least one returned, the user has
 * eight times as many in this pass, which do not count among the 32: when a server is back for which hundreds of processes have
 * waited, all of them are read within a few passes.
 *
 * A process that was chosen in the last pass and was not read becomes the one that is due for the shortest time.
 * Changes the order of DUE.
 */
void attempts_begin(struct attempts *a, struct attempts_due *due, size_t count, uint64_t now_ns);

/* A read of a process of the real user UID, which was in state ATTEMPT, has blocked. */
void attempts_blocked(struct attempts *a, uint32_t uid, enum attempt attempt);

/* A read of a blocked process of the real user UID has returned. */
void attempts_returned(struct attempts *a, uint32_t uid);

/* Reads of processes of the real user UID, that blocked or did not, have cost NS more, and how much they have cost in this pass. */
void attempts_waited(struct attempts *a, uint32_t uid, uint64_t ns);
uint64_t attempts_waited_ns(const struct attempts *a, uint32_t uid);

/*
 * Returns whether a process of the real user UID that is in state ATTEMPT may be read in this pass. No more may
 * - if 128 reads of the user's known processes have blocked;
 * - if 32 reads of the user's new processes have blocked, or one of them and 128 of all users;
 * - if 8 reads of the user's blocked processes have blocked again. Only processes that are chosen may be read at all.
 *
 * So a user without a read that has blocked in this pass is never refused. That does not hold for users that come after 256
 * others with reads that have blocked or were slow in the same pass: they share one count.
 */
bool attempts_allow(const struct attempts *a, uint32_t uid, enum attempt attempt);

#endif
