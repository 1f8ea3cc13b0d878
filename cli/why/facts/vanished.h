/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes that vanished at an event
 *
 * A process of the last snapshot before the event has vanished if the first snapshot after it lacks
 * the process, or has it without memory (a zombie). A process in a cgroup with OOM kills may also
 * vanish later, because a killed process needs time to exit: until as many are gone as the kernel
 * killed, and before the next OOM kill. Whether the kernel killed a process, no
 * snapshot says: only the counters of cgroups tell how many it killed. Pure.
 */
#ifndef MEMTALLY_CLI_WHY_FACTS_VANISHED_H
#define MEMTALLY_CLI_WHY_FACTS_VANISHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/why/facts/cause.h"
#include "cli/why/facts/moments.h"

enum { VANISHED_MAX = 10 };

struct vanished_process {
	const struct snapshot_process *row; /* borrowed from the last snapshot before the event */
	uint64_t bytes;                     /* its memory then: see cli/why/facts/growers.h */
	bool is_rss;                        /* .bytes are of RSS */
	size_t owner; /* number of the owner in the cause that had OOM kills; CAUSE_OWNERS_MAX: none */
};

struct vanished {
	/* Those of owners with OOM kills first, then the largest first */
	struct vanished_process item[VANISHED_MAX];
	size_t listed;                   /* members of .item */
	size_t count;                    /* of all that vanished and had memory */
	uint64_t bytes;                  /* their memory */
	size_t inside[CAUSE_OWNERS_MAX]; /* how many of them each owner with OOM kills had */
	bool is_partial;                 /* processes of other users are not among them */
};

/*
 * Writes to *RET the processes that vanished at INCIDENT. C has the owners with OOM kills. IS_PARTIAL: the
 * snapshots have the rows of one user's processes alone.
 */
void vanished_find(const struct moments *m, const struct incident *incident, const struct cause *c,
	bool is_partial, struct vanished *ret);

/*
 * Returns true if the processes of owner I of C that vanished are those that the kernel killed, as
 * far as its counter tells: they are as many.
 */
static inline bool vanished_are_killed(const struct vanished *v, const struct cause *c, size_t i)
{
	return i < c->owners && !c->owner[i].is_probable && !v->is_partial &&
	       v->inside[i] == c->owner[i].kills;
}

/*
 * Returns true if at least as many processes vanished of each owner of C as the kernel killed there. No
 * process is left of an owner that is probable.
 */
static inline bool vanished_are_complete(const struct vanished *v, const struct cause *c)
{
	for (size_t i = 0; i < c->owners; i++)
		if (v->inside[i] < c->owner[i].kills && !c->owner[i].is_probable)
			return false;
	return true;
}

#endif
