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
 * - Mapped objects: files and shared memory of at least 256 KiB (segments.h). Events on them affect
 *   no process at once; kin_stirred() tells how they changed a process when it is estimated.
 *
 * Results are a doubt for each affected process (estimate.h), corrections of figures by the
 * measurement of a relative, and a relative that represents a newborn without a measurement (its
 * speaker).
 *
 * Members are embedded in records of the caller, and must not move. An event costs O(1); affected
 * members are visited once a pass. Processes that share one address space (sharing.h) have one
 * member. Pure. All times are in ns of CLOCK_BOOTTIME.
 *
 * A pass:
 *
 *	kin_begin(kin, now);
 *	kin_moved() of each; kin_sensed(kin, now);
 *	for each event: kin_born(), kin_gone(), kin_executed();
 *	while ((m = kin_affected(kin)))
 *		kin_doubt(m, its base, its counters, &its doubt);
 *	for each never measured: kin_speaker(), kin_borrow()
 *
 * After each measurement of a process: kin_measured(); its doubt is then void, until it is affected
 * again.
 */
#ifndef MEMTALLY_COLLECTORS_MODEL_KIN_H
#define MEMTALLY_COLLECTORS_MODEL_KIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/keytable.h"
#include "collectors/model/breaks.h"
#include "collectors/model/census.h"
#include "collectors/model/estimate.h"
#include "collectors/model/kin-member.h"
#include "collectors/model/segments.h"
#include "collectors/procfs/maps.h"

/* A member that was measured since the last kin_sensed(). */
struct kin_measured {
	struct kin_member *member; /* NULL: gone */
	struct segments_lesson lesson;
};

/* Other modules only read it. */
struct kin {
	struct keytable families; /* by range: a lone member, or a family */
	struct keytable segments; /* by device and inode */
	struct kin_family *dirty_families;
	struct kin_member *next_member; /* where kin_affected() is */
	struct kin_measured *measured;  /* owned; since the last kin_sensed() */
	size_t measured_count, measured_capacity;
	struct census census;
	uint64_t listed_ns, previous_ns; /* this pass and the one before */
	uint64_t sensed_ns;              /* when all processes were polled last */
	uint64_t measured_ns;            /* the last measurement */
	uint64_t serial;
};

/*
 * Makes K empty. SEED is for its hash tables; it must be secret, so that users cannot choose ranges
 * and files that collide.
 */
void kin_init(struct kin *k, uint64_t seed);

/* Frees K. Call it after kin_gone() of every member. */
void kin_done(struct kin *k);

/* A pass begins to list the processes at NOW_NS (CLOCK_BOOTTIME, as all times here). */
void kin_begin(struct kin *k, uint64_t now_ns);

/* The pass has polled all processes at NOW_NS. */
void kin_sensed(struct kin *k, uint64_t now_ns);

/*
 * Begins M, which started at BORN_NS. PARENT, if not NULL, is the member that it looks forked from
 * (its parent by pid, with the same name and a similar size): M joins PARENT's family. Returns 0,
 * or -ENOMEM: then M has no family until kin_measured().
 */
int kin_born(struct kin *k, struct kin_member *m, struct kin_member *parent, uint64_t born_ns);

/*
 * M has executed another program (kin_executed()), or is gone (kin_gone()): its sharers are
 * affected. M is then all zeros except for .born_ns, and after an exec .image_ns.
 */
void kin_executed(struct kin *k, struct kin_member *m);
void kin_gone(struct kin *k, struct kin_member *m);

/*
 * M is exiting, and the kernel frees its memory page by page: until kin_gone() it may still share
 * any part of its family's memory. M's measurement is void.
 */
void kin_leaves(struct kin *k, struct kin_member *m);

/*
 * Call before kin_measured(): the memory that M may share, in addition to its family, with other
 * processes of its image.
 */
void kin_inherits(struct kin_member *m, const struct degree_outside *outside);

/*
 * M was measured at NOW_NS with the result FOUND, in the address range [RANGE_START, RANGE_END).
 * BEFORE is its base until now, or NULL. If M was in doubt, the difference between FOUND and the
 * guess of kin_doubt() corrects the guesses for its sharers. Returns 0, or -ENOMEM: then M is in no
 * family.
 */
int kin_measured(struct kin *k, struct kin_member *m, uint64_t range_start, uint64_t range_end,
	const struct estimate_base *before, const struct estimate_base *found, uint64_t now_ns);

/*
 * Call once after the first measurement of M if PARENT is its parent by pid and has the same image,
 * under whatever name. If M has another address range than PARENT and was forked after PARENT's
 * last measurement, M may still share any part of PARENT's anonymous memory: this lowers PARENT's
 * low bound until its next measurement. Returns 0, or -ENOMEM: then the bound is unchanged.
 */
int kin_departs(struct kin *k, const struct kin_member *m, struct kin_member *parent);

/*
 * M was measured, and has WRITTEN bytes of private copies of its parent's memory: future siblings
 * are expected to write as much before their first measurement. Ignored if M is older than the last
 * pass, unless that pass measured M right after its birth. Also ignored if M was measured right
 * after its birth and has written less than expected: it may have more to write.
 */
void kin_newborn(struct kin *k, struct kin_member *m, uint64_t written);

/*
 * Returns the bytes of shared memory that M, which was measured right after its birth, is expected
 * to have written since, as newborns of its family do. Returns 0 if it was not measured so early,
 * or nothing is known.
 */
uint64_t kin_unwritten(const struct kin_member *m);

/*
 * Returns the bytes by which the PSS of M, measured as BASE, may have grown because sharers outside
 * of its family may be gone: the measurement of M implied them, and no measurement of another pass
 * has confirmed them. Returns 0 if one has, or there are no such sharers.
 */
uint64_t kin_unconfirmed(const struct kin_member *m, const struct estimate_base *base);

/* M's measurement is void, as if M had never been measured; it represents no other member. */
void kin_unmeasured(struct kin_member *m);

/* Returns true if the maps of M, measured as BASE, should be read: see segments_wants_maps(). */
bool kin_wants_maps(const struct kin_member *m, const struct estimate_base *base);

/*
 * M's maps, read just now, have the COUNT mapped objects in LIST, at most MAPS_SEGMENTS. Returns 0,
 * or -ENOMEM: then M keeps its former objects.
 */
int kin_mapped(struct kin *k, struct kin_member *m, const struct maps_segment *list, size_t count,
	const struct estimate_base *base);

/*
 * Returns the next measured member that is affected by events, or by the measurement of a relative,
 * since the last pass; NULL: there are no more. A member may come twice. Between two calls only
 * kin_doubt() may be called.
 */
struct kin_member *kin_affected(struct kin *k);

/*
 * Computes in *RET by how much events since M's measurement BASE may have changed M's PSS, as of
 * the last kin_affected(); the caller keeps it. NOW are M's counters in that pass: growth before a
 * fork is shared with the child, too. Returns true if there is any doubt.
 */
bool kin_doubt(const struct kin_member *m, const struct estimate_base *base,
	const struct estimate_now *now, struct estimate_doubt *ret);

/*
 * Call after kin_measured() and kin_mapped(): M's counter of files and shmem has moved from BEFORE
 * to NOW, in bytes, since the time of the result.
 */
void kin_since(struct kin_member *m, uint64_t before, uint64_t now);

/*
 * M's counter of files and shmem has moved from BEFORE to NOW, in bytes. Its sharers are not
 * affected, but kin_stirred() of them will allow for it.
 */
void kin_moved(struct kin_member *m, uint64_t before, uint64_t now);

/*
 * Computes in *RET by how much sharers of M's files and shared memory may have changed M's PSS
 * since its measurement BASE: pages that they touched and released, and sharers that came and went.
 * The caller adds it to the doubt that it keeps. NOW are M's counters. Returns false, and leaves
 * *RET unchanged, if there is no doubt.
 */
bool kin_stirred(const struct kin_member *m, const struct estimate_base *base,
	const struct estimate_now *now, struct estimate_doubt *ret);

/*
 * Call before kin_measured(): M has gained GAINED bytes of PSS by copy-on-write breaks between its
 * former measurement and AT_NS, of at most ROOM bytes that it could gain (0: not known). Affects
 * sharers that were measured earlier: these pages have one sharer fewer.
 */
void kin_broke(struct kin *k, struct kin_member *m, uint64_t gained, uint64_t room, uint64_t at_ns);

/*
 * Computes in *RET the copy-on-write breaks of other members of the family since M's measurement.
 */
void kin_broken(const struct kin_member *m, struct breaks_sum *ret);

/*
 * By its minor faults at AT_NS, M may have made private copies of BYTES that it shared when it was
 * measured: the PSS of its sharers may have grown. 0 withdraws that.
 */
void kin_suspect(struct kin_member *m, uint64_t bytes, uint64_t at_ns);

/*
 * M, suspected of copies of SUSPECTED bytes, was measured and has FOUND more bytes for itself. This
 * teaches how much to believe other suspicions in the family.
 */
void kin_asked(struct kin_member *m, uint64_t suspected, uint64_t found);

/*
 * Returns the bytes that other members of the family may have copied since M's measurement and that
 * no measurement has found yet, scaled by the part of such suspicions that proved true.
 */
uint64_t kin_suspected(const struct kin_member *m);

/* Returns true if a copy-on-write break of a member of M's family has been found since SINCE_NS. */
bool kin_breaks(const struct kin_member *m, uint64_t since_ns);

/*
 * Returns M's speaker: the member with a measurement that represents M, which has none. It is a
 * sibling that was measured after M's birth, else the parent, else another member of the family;
 * NULL if there is none. Valid for one pass.
 */
struct kin_member *kin_speaker(const struct kin_member *m);

/*
 * Computes in *RET the doubt for an estimate of M from SPEAKER's BASE and M's counters NOW: it adds
 * the writes of M since its birth, which are not known. THEIRS are SPEAKER's counters.
 */
void kin_borrow(const struct kin_member *m, const struct kin_member *speaker,
	const struct estimate_base *base, const struct estimate_now *theirs,
	const struct estimate_now *now, struct estimate_doubt *ret);

#endif
