/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The connection to memtallyd's snapshot socket: kept up, and taken up again with growing pauses. It
 * never writes. An image that does not hold what its format promises ends the connection: it means a
 * bug or a break-in at the other end, and nothing else from there is looked at. What a log should know of
 * it, it leaves for the program to say.
 */
#ifndef MEMTALLY_SNAPSHOT_LINK_H
#define MEMTALLY_SNAPSHOT_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/backoff.h"
#include "snapshot/view.h"

enum { LINK_NEWS_SIZE = 256 };

enum link_weight {
	LINK_INFO,
	LINK_WARNING,
	LINK_ERROR,
};

struct link {
	char *path; /* owned */
	int fd;     /* -1: not connected */
	struct backoff backoff;
	uint64_t retry_ns;  /* CLOCK_MONOTONIC at which to connect, where not connected */
	int said;           /* what was last said of the connection: an errno; 0: that it works */
	uint64_t bad_ns;    /* CLOCK_MONOTONIC of the last news about a refused image; 0: none */
	uint64_t held_back; /* refused images since then */
	uint64_t received;  /* snapshots */
	uint64_t refused;   /* images or messages */
	enum link_weight weight;
	char news[LINK_NEWS_SIZE]; /* of the last link_run(); empty: there are none */
};

/* Connects at the next link_run(). -ENOMEM. */
int link_init(struct link *l, const char *path);
void link_done(struct link *l);

/*
 * Does what is due at NOW (CLOCK_MONOTONIC): connects, receives. True with a newer snapshot in *ret,
 * which the caller then owns.
 */
bool link_run(struct link *l, uint64_t now_ns, struct view **ret);

/*
 * What the last link_run() has for the log, with its weight: a line for each change of fortune, however often it is
 * tried, and at most one a minute about images. NULL: nothing.
 */
const char *link_news(const struct link *l, enum link_weight *ret);

/* When link_run() is due without input on .fd; UINT64_MAX: never. */
uint64_t link_due_ns(const struct link *l);

static inline bool link_is_connected(const struct link *l)
{
	return l->fd >= 0;
}

#endif
