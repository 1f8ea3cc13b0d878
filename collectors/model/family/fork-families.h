/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fork Families
 *
 * Processes that share memory, as far as that is known without reading them. A birth, an exit or an
 * exec changes the PSS of sharers without moving their own counters. This module says which
 * processes are affected, and by how much at most:
 *
 * - Families: processes with the same address range [start, end) were forked from one image,
 *   because fork keeps the range and exec, with address space randomisation, does not. They share
 *   anonymous memory. A newborn counts to its parent's family until its own range is known.
 * - Mapped objects: files and shared memory of at least 256 KiB (mapped-objects.h). Events on them
 *   affect no process at once; families_stirred() tells how they changed a process when it is
 *   estimated.
 *
 * Results are a doubt for each affected process (estimate.h), corrections of figures by the
 * measurement of a relative, and a relative that represents a newborn without a measurement (its
 * speaker).
 *
 * Members are embedded in records of the caller, and must not move. An event costs O(1); affected
 * members are visited once a pass. After a measurement the doubt of a member is void, until it is
 * affected again. Processes that share one address space (shared-mm.h) have one member. Pure. All
 * times are in ns of CLOCK_BOOTTIME.
 */
#ifndef MEMTALLY_COLLECTORS_MODEL_FAMILY_FORK_FAMILIES_H
#define MEMTALLY_COLLECTORS_MODEL_FAMILY_FORK_FAMILIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/keytable.h"
#include "collectors/model/counter-flow.h"
#include "collectors/model/estimate.h"
#include "collectors/model/family/cow-breaks.h"
#include "collectors/model/mapped-objects.h"
#include "collectors/model/share-count.h"
#include "collectors/procfs/maps.h"

struct fork_family;
struct family_ancestor;

/*
 * A process as a member of a fork family and a sharer of mapped objects. All zeros: in no family.
 * Other modules only read it.
 */
struct family_member {
	struct fork_family *family; /* NULL: alone, or its range is not known */
	/* neighbours in the family's list, which is in the order in which members became known */
	struct family_member *previous, *next;
	struct cow_breaks_writer writer; /* its copy-on-write breaks */
	/* its own record if .has_forked, else its parent's; NULL: none */
	struct family_ancestor *ancestor;
	uint64_t key;    /* of its range; 0: not known */
	uint64_t serial; /* rises along the family's list */
	/* the serial at which its lineage left its parent's: its own, or that of an exited ancestor
	 * between them */
	uint64_t line;
	uint64_t seen;    /* members that were there at its measurement have this serial or less */
	uint64_t born_ns; /* CLOCK_BOOTTIME, as its start time says */
	/* CLOCK_BOOTTIME: its last known exec is not older; 0: it has had none */
	uint64_t image_ns;
	uint64_t measured_ns;            /* CLOCK_BOOTTIME; 0: never */
	uint64_t suspected;              /* bytes of shared memory that it may have written since */
	struct sharer sharer;            /* of mapped objects */
	struct counter_flow family_flow; /* of the other members, when it was measured */
	/* sharers outside of its family that its parent's family has */
	struct share_count_outside outside;
	/* Numbers of members of the family. */
	uint32_t then;  /* at its measurement, itself included */
	uint32_t kept;  /* of .then, still here; this and the next six as of families_affected() */
	uint32_t fresh; /* born since its measurement */
	uint32_t children; /* of .fresh, its own descendants */
	/* of .fresh, or of their lineages, those with parents that are not known: any member
	 * measured before may be the parent */
	uint32_t strays;
	uint32_t early;   /* of .fresh, those that may have been there at the measurement */
	uint32_t leaving; /* of .kept, those that are freeing their memory: see families_leaves() */
	uint32_t unsure;  /* exits that its measurement may or may not have seen */
	/* Numbers of unlisted sharers: its measurement implied them, and no pass has listed
	 * them. */
	uint32_t unseen;   /* the next pass tells whether they are gone */
	uint32_t gone;     /* taken for gone; they are in .then */
	uint32_t lasting;  /* always there; they are not in .then */
	uint32_t departed; /* children of another range that it has forked since */
	/* its place in .measured of struct families, while .sharer is open */
	uint32_t measured_at : 28;
	bool is_forked : 1; /* from a known member, of its family or not */
	bool has_forked : 1;
	bool is_leaving : 1; /* families_leaves() was called */
};

/* A member that was measured since the last families_polled(). */
struct families_measured {
	struct family_member *member; /* NULL: gone */
	struct mapped_objects_lesson lesson;
};

/* All zeros: has not counted yet. Other modules only read it. */
struct family_count {
	uint64_t *number; /* owned; scratch space of the count */
	size_t capacity;
	uint64_t steps; /* over exited ancestors, ever */
};

/* Other modules only read it. */
struct families {
	struct keytable families; /* by range: a lone member, or a family */
	struct keytable objects;  /* by device and inode */
	struct fork_family *dirty_families;
	struct family_member *next_member;  /* where families_affected() is */
	struct families_measured *measured; /* owned; since the last families_polled() */
	size_t measured_count, measured_capacity;
	struct family_count count;
	uint64_t listed_ns, previous_ns; /* this pass and the one before */
	uint64_t polled_ns;              /* when all processes were polled last */
	uint64_t measured_ns;            /* the last measurement */
	uint64_t serial;
};

/*
 * Makes F empty. SEED is for its hash tables; it must be secret, so that users cannot choose ranges
 * and files that collide.
 */
void families_init(struct families *f, uint64_t seed);

/* Frees F, which has no members any more. */
void families_done(struct families *f);

/*
 * A pass begins to list the processes, at NOW_NS (CLOCK_BOOTTIME, as all times here): remembers the
 * beginning of this pass and of the last one, by which births and execs are dated.
 */
void families_begin(struct families *f, uint64_t now_ns);

/*
 * The pass has polled all processes, at NOW_NS: all sharers of the members measured since the last
 * such call are now known, so their doubts can be derived (mapped_objects_settle()).
 */
void families_polled(struct families *f, uint64_t now_ns);

/*
 * Begins M, which started at BORN_NS. PARENT, if not NULL, is the member that it looks forked from
 * (its parent by pid, with the same name and a similar size): M joins PARENT's family. Returns 0,
 * or -ENOMEM: then M has no family until families_measured().
 */
int families_born(struct families *f, struct family_member *m, struct family_member *parent,
	uint64_t born_ns);

/*
 * M has called exec: takes M out of its family and from its mapped objects, and marks the family
 * for families_affected(). M is then all zeros except for .born_ns and .image_ns, the earliest time
 * at which the new image can have begun.
 */
void families_executed(struct families *f, struct family_member *m);

/*
 * M has exited. Takes M out of its family and from its mapped objects, marks the family for
 * families_affected(), and leaves only .born_ns: M may be freed.
 */
void families_gone(struct families *f, struct family_member *m);

/*
 * M is exiting and the kernel frees its memory page by page: makes M's measurement void. Until
 * families_gone(), M may still share any part of its family's memory.
 */
void families_leaves(struct families *f, struct family_member *m);

/* Sets the memory that M may share, beside its family, with other processes of its image. */
void families_inherits(struct family_member *m, const struct share_count_outside *outside);

/*
 * M was measured at NOW_NS with the result FOUND, in the address range [RANGE_START, RANGE_END).
 * BEFORE is its base until now, or NULL. If M was in doubt, the difference between FOUND and the
 * guess of families_doubt() corrects the guesses for its sharers. Returns 0, or -ENOMEM: then M is
 * in no family.
 */
int families_measured(struct families *f, struct family_member *m, uint64_t range_start,
	uint64_t range_end, const struct estimate_base *before, const struct estimate_base *found,
	uint64_t now_ns);

/*
 * M was measured for the first time, and PARENT, its parent by pid, has the same image, under
 * whatever name. If M has another address range than PARENT and was forked after PARENT's last
 * measurement, M may still share any part of PARENT's anonymous memory: this lowers PARENT's low
 * bound until its next measurement. Returns 0, or -ENOMEM: then the bound is unchanged.
 */
int families_departs(
	struct families *f, const struct family_member *m, struct family_member *parent);

/*
 * The measurement of M has found WRITTEN bytes of private copies of its parent's memory: future
 * siblings are expected to write as much before their first measurement. Ignored if M is older than
 * the last pass.
 */
void families_newborn(struct families *f, struct family_member *m, uint64_t written);

/*
 * Returns the bytes by which the PSS of M, measured as BASE, may have grown because sharers outside
 * of its family may be gone: the measurement of M implied them, and no measurement of another pass
 * has confirmed them. Returns 0 if one has, or there are no such sharers.
 */
uint64_t families_unconfirmed(const struct family_member *m, const struct estimate_base *base);

/*
 * Makes M's measurement void, as if M had never been measured: M represents no other member, and is
 * suspected of no copies.
 */
void families_unmeasured(struct family_member *m);

/*
 * M's maps have just been read: sets M's mapped objects to the COUNT in LIST, at most MAPS_OBJECTS.
 * Returns 0, or -ENOMEM: then M keeps its former objects.
 */
int families_mapped(struct families *f, struct family_member *m, const struct maps_object *list,
	size_t count, const struct estimate_base *base);

/*
 * Returns the next measured member that is affected by events, or by the measurement of a relative,
 * since the last pass; NULL: there are no more. A member may come twice. Between two calls only
 * families_doubt() may be called.
 */
struct family_member *families_affected(struct families *f);

/*
 * Computes in *RET by how much events since M's measurement BASE may have changed M's PSS, as of
 * the last families_affected(); the caller keeps it. NOW are M's counters in that pass: growth
 * before a fork is shared with the child, too. Returns true if there is any doubt.
 */
bool families_doubt(const struct family_member *m, const struct estimate_base *base,
	const struct estimate_now *now, struct estimate_doubt *ret);

/*
 * M's counter of files and shmem has moved from BEFORE to NOW, in bytes: adds the movement to the
 * flows of M's mapped objects and family. Marks no sharer as affected, but families_stirred() of
 * them will allow for it.
 */
void families_moved(struct family_member *m, uint64_t before, uint64_t now);

/*
 * Computes in *RET by how much sharers of M's files and shared memory may have changed M's PSS
 * since its measurement BASE: pages that they touched and released, and sharers that came and went.
 * The caller adds it to the doubt that it keeps. NOW are M's counters. Returns false, and leaves
 * *RET unchanged, if there is no doubt.
 */
bool families_stirred(const struct family_member *m, const struct estimate_base *base,
	const struct estimate_now *now, struct estimate_doubt *ret);

/*
 * M has gained GAINED bytes of PSS by copy-on-write breaks between its last measurement, as
 * families_measured() knows it, and AT_NS, of at most ROOM bytes that it could gain (0: not known).
 * Affects sharers that were measured earlier: these pages have one sharer fewer.
 */
void families_broke(struct families *f, struct family_member *m, uint64_t gained, uint64_t room,
	uint64_t at_ns);

/*
 * Computes in *RET the copy-on-write breaks of other members of the family since M's measurement.
 */
void families_broken(const struct family_member *m, struct cow_breaks_sum *ret);

/*
 * Sets to BYTES what M, by its minor faults at AT_NS, may have copied of memory that it shared when
 * it was measured. By as much the PSS of its sharers may have grown. 0 withdraws that.
 */
void families_suspect(struct family_member *m, uint64_t bytes, uint64_t at_ns);

/*
 * A measurement of M, suspected of copies of SUSPECTED bytes, has found FOUND more bytes of its
 * own: teaches how much to believe other suspicions in the family.
 */
void families_asked(struct family_member *m, uint64_t suspected, uint64_t found);

/*
 * Returns the bytes that other members of the family may have copied since M's measurement and that
 * no measurement has found yet, scaled by the part of such suspicions that proved true.
 */
uint64_t families_suspected(const struct family_member *m);

/* Returns true if a copy-on-write break of a member of M's family has been found since SINCE_NS. */
bool families_breaks(const struct family_member *m, uint64_t since_ns);

/*
 * Returns M's speaker: the member with a measurement that represents M, which has none. It is a
 * sibling that was measured after M's birth, else the parent, else an older sibling; NULL if there
 * is none. Valid for one pass.
 */
struct family_member *families_speaker(const struct family_member *m);

/*
 * Computes in *RET the doubt for an estimate of M from SPEAKER's BASE and M's counters NOW: it adds
 * the writes of M since its birth, which are not known. THEIRS are SPEAKER's counters.
 */
void families_borrow(const struct family_member *m, const struct family_member *speaker,
	const struct estimate_base *base, const struct estimate_now *theirs,
	const struct estimate_now *now, struct estimate_doubt *ret);

#endif
