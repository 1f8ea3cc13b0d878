/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshot leases
 *
 * Snapshots that clients still hold (as a descriptor, a mapping or a message in flight), counted
 * per uid. The memory of a snapshot counts as the daemon's until the last reference is gone,
 * whichever process has it; so there are limits to what clients may hold. The kernel reports the
 * end of each snapshot (leases.c).
 */
#ifndef MEMTALLY_SERVICE_LEASES_H
#define MEMTALLY_SERVICE_LEASES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"

/*
 * Owner of a lease: the uid of a stranger, or one of these. A stranger is a client without
 * privileges.
 */
#define LEASES_PRIVILEGED ((int64_t)-1) /* all privileged clients: they share images */
#define LEASES_TOGETHER                                                                            \
	((int64_t)-2) /* strangers that share one image: it is not known which of them holds it */

/*
 * A service that asks for clients of its own, as memtally-web does. What it holds is not counted for
 * strangers, which could otherwise leave nothing for it.
 */
#define LEASES_SERVICE ((int64_t)-3)

/* Bytes that strangers may hold, that privileged clients may hold, and that the service may hold. */
#define LEASES_BYTES (UINT64_C(64) << 20)

enum {
	LEASES_USER_MAX = 8, /* of one uid: each connection may have an old and a new image */
	LEASES_STRANGERS_MAX = 64,
	/* Granted whatever their size; memtally-web keeps one for each list that it is sending */
	LEASES_PRIVILEGED_SURE = 8,
	LEASES_PRIVILEGED_MAX = 256,
	/* More than the requests that may wait in memtally-web, with their old images */
	LEASES_SERVICE_MAX = 64,
	LEASES_MAX = LEASES_STRANGERS_MAX + LEASES_PRIVILEGED_MAX + LEASES_SERVICE_MAX,
};

/* Images that strangers, privileged clients, or the service hold. */
struct leases_sum {
	unsigned int count;
	uint64_t bytes;
};

/* One lease. */
struct leases_image {
	int watch;     /* inotify's watch descriptor */
	int64_t owner; /* uid, or one of the above */
	uint64_t bytes;
};

struct leases {
	int fd; /* inotify; -1: not open yet */
	unsigned int count;
	struct leases_image image[LEASES_MAX];
};

enum leases_outcome {
	LEASES_USER_FULL = 1, /* the stranger's uid holds LEASES_USER_MAX images */
	LEASES_FULL = 2,      /* the owner and those it counts with hold as much as they may */
};

/* Starts without leases; opens nothing. */
void leases_init(struct leases *l);

/* Forgets all leases and closes inotify. */
void leases_done(struct leases *l);

/*
 * Whether OWNER may be given the image FD (borrowed, a memfd). Returns 0 if so; an enum
 * leases_outcome if not; a negative errno of fstat().
 */
int leases_judge(struct leases *l, int64_t owner, int fd);

/*
 * Call before FD (borrowed, a memfd) is sent to OWNER. It counts as held by OWNER until its last
 * reference is gone, the daemon's own included. Returns 0; an enum leases_outcome, or a negative
 * errno of fstat() or inotify: FD does not count, and must not be sent.
 */
int leases_add(struct leases *l, int64_t owner, int fd);

/*
 * Sums up in *RET what OWNER holds, with those that it counts with: all privileged clients, the
 * service, or all strangers.
 */
void leases_sum(struct leases *l, int64_t owner, struct leases_sum *ret);

/*
 * Returns whether strangers hold half of what they may (LEASES_STRANGERS_MAX, LEASES_BYTES). If so,
 * further strangers are to share one image: else many users that hold one image each would leave
 * nothing for the others within one pass.
 */
bool leases_is_crowded(struct leases *l);

/*
 * Whether OWNER may be given an image of BYTES more. SUM is as leases_sum() gives
 * it; OF_USER is the number of images of OWNER alone. The first image of strangers, and the first
 * LEASES_PRIVILEGED_SURE ones of privileged clients and of the service, are granted whatever their size. Returns 0 or
 * an enum leases_outcome. Pure.
 */
int leases_fits(int64_t owner, const struct leases_sum *sum, unsigned int of_user, uint64_t bytes);

#define AUTO_LEASES CLEANUP(leases_done)

#endif
