/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which cgroups had OOM kills
 *
 * Compares the kernel's counters of OOM kills before and after an event. With cgroup v2 a kill counts
 * in the cgroup of the killed process and in all above it, so the innermost owners with a kill are
 * the answer. Pure.
 */
#ifndef MEMTALLY_CLI_WHY_FACTS_CAUSE_H
#define MEMTALLY_CLI_WHY_FACTS_CAUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/why/facts/incident.h"
#include "cli/why/facts/moments.h"

enum { CAUSE_OWNERS_MAX = 8 };

/* An owner of a snapshot. All is borrowed. */
struct cause_place {
	enum owner_kind kind;
	const struct view *of;            /* the snapshot, */
	const struct snapshot_scope *row; /* and the owner's row there; NULL: there is none */
};

/* An owner with OOM kills. */
struct cause_owner {
	struct cause_place place;
	uint64_t kills; /* without those of other owners of the answer that are inside of it */
	/*
	 * Its counter is lost: it alone has none of its processes any more, and no other counter tells
	 * of the kills. .limit is then a cgroup around it that counts what it had.
	 */
	bool is_probable;
	struct cause_place slice; /* the innermost slice around it, if that is known */
	/*
	 * The innermost of it and the cgroups around it that reached its own limit (memory.max) at
	 * the same time. None: no limit was reached, or the kernel does not say.
	 */
	struct cause_place limit;
	uint64_t limit_events; /* how often that one reached it */
};

struct cause {
	/* OOM kills on the host; absent: a counter is missing, or began again (a reboot) */
	bool has_kills;
	uint64_t kills;
	struct cause_owner owner[CAUSE_OWNERS_MAX]; /* the innermost with kills; most kills first */
	size_t owners;
	bool is_cut;      /* there are more than CAUSE_OWNERS_MAX */
	uint64_t unknown; /* kills on the host in no known owner; 0 without .has_kills */
	/*
	 * Units and containers that have none of the processes any more, in the last snapshot before
	 * the next kill, that they had before the event: the counter of a cgroup is lost with it. The
	 * largest first. Without those that had no kill, by a counter that was read after the event.
	 */
	struct cause_place gone[CAUSE_OWNERS_MAX];
	size_t gones;
	bool is_gone_unclear; /* others may have lost a counter, too: none is .is_probable */
};

/*
 * Writes to *RET the OOM kills between the last snapshot before the event and the last one after it.
 * The counter of the host is compared at the time of INCIDENT, that of the snapshot with the mark:
 * those of cgroups may be read up to a minute later. A counter that was read so late, or so early,
 * that it may have risen at another kill of INCIDENT counts as far as processes of its cgroup are
 * gone. All together have no more kills than the host. If one unit or container alone can have had
 * kills that no counter of a unit explains, it is .is_probable. Returns 0 or -ENOMEM.
 */
int cause_find(const struct moments *m, const struct incident *incident, struct cause *ret);

/* Returns true if all OOM kills of the host are known to be in an owner of C. */
static inline bool cause_is_known(const struct cause *c)
{
	return c->owners && c->has_kills && !c->unknown;
}

/*
 * Returns true if all owners of C are units or containers, and there is one. A slice or pod alone
 * does not tell which unit or container in it had the kill.
 */
static inline bool cause_are_units_known(const struct cause *c)
{
	for (size_t i = 0; i < c->owners; i++)
		if (c->owner[i].place.kind == OWNER_SLICE || c->owner[i].place.kind == OWNER_POD)
			return false;
	return c->owners;
}

#endif
