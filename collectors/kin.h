/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who shares with whom, as far as that can be known without looking, so that a birth, an exit or an
 * exec puts those in doubt whose PSS it changes although none of their own counters move:
 *
 * - Families: processes with the same address range [start, end) were forked from one image,
 *   because fork keeps it and exec, with address space randomisation, does not. They share
 *   anonymous memory. A newborn is presumed to belong to its parent's family until its own range is
 *   known.
 * - Segments: files and shared memory of at least 256 KiB (segments.h). These affect nobody: whoever
 *   is estimated asks what others did to them with kin_stirred().
 *
 * It gives a doubt for each affected process (estimate.h), how the measurement of one corrects the
 * others', and who speaks for newborns that nobody has measured.
 *
 * Members are embedded in the caller's own records, who finds those again by offset; they must not
 * move. An event costs O(1), whoever has forked; the affected are visited once a pass. Processes
 * that share one address space (sharing.h) are one: only the one that stands for them may be a
 * member. Pure.
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
 * and whenever a process was measured: kin_measured(); its kept doubt is then void, until it is
 * affected again.
 */
#ifndef MEMTALLY_COLLECTORS_KIN_H
#define MEMTALLY_COLLECTORS_KIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/breaks.h"
#include "collectors/census.h"
#include "collectors/estimate.h"
#include "collectors/keytable.h"
#include "collectors/kin-member.h"
#include "collectors/maps.h"
#include "collectors/segments.h"

/* One that was measured since all were looked at. */
struct kin_measured {
	struct kin_member *member; /* NULL: gone */
	struct segments_lesson lesson;
};

/* For reading alone. */
struct kin {
	struct keytable families; /* by range: a lone member, or a family */
	struct keytable segments; /* by device and inode */
	struct kin_family *dirty_families;
	struct kin_member *next_member; /* where kin_affected() is */
	struct kin_measured *measured;  /* owned */
	size_t measured_count, measured_capacity;
	struct census census;
	uint64_t listed_ns, previous_ns; /* this pass and the one before */
	uint64_t sensed_ns;              /* when all were looked at last */
	uint64_t measured_ns;            /* the last measurement */
	uint64_t serial;
};

/*
 * All zeros is a kin of nobody; SEED, unknown to strangers, keeps them from choosing ranges and
 * files that meet.
 */
void kin_init(struct kin *k, uint64_t seed);

/* After kin_gone() of every member. */
void kin_done(struct kin *k);

/* A pass lists the processes now. NOW_NS is CLOCK_BOOTTIME. */
void kin_begin(struct kin *k, uint64_t now_ns);

/* It has looked at all of them. */
void kin_sensed(struct kin *k, uint64_t now_ns);

/*
 * M is new, all zeros. PARENT, if not NULL, is a member that it looks forked from (its parent by
 * pid, the same name, a size like the parent's): its family is presumed. BORN_NS by its start time.
 * -ENOMEM: M has no family, which kin_measured() may mend.
 */
int kin_born(struct kin *k, struct kin_member *m, struct kin_member *parent, uint64_t born_ns);

/*
 * M executed another program, or ended: those who shared with it are in doubt. M is then all zeros but
 * for .born_ns, and for .image_ns if it executed.
 */
void kin_executed(struct kin *k, struct kin_member *m);
void kin_gone(struct kin *k, struct kin_member *m);

/* A walk of M begins that may take long: what it finds is not of its end. */
void kin_walk(const struct kin *k, struct kin_member *m);

/* Before kin_measured(): what M may share, beside its family, with others of its image. */
void kin_inherits(struct kin_member *m, const struct degree_outside *outside);

/*
 * M was measured at NOW_NS and FOUND, in [range_start, range_end). BEFORE is the base that it had until
 * now, NULL if it had none: if M was in doubt, what was found against what kin_doubt() guessed corrects
 * the guess for those who share with it. -ENOMEM: M is in no family.
 */
int kin_measured(struct kin *k, struct kin_member *m, uint64_t range_start, uint64_t range_end,
	const struct estimate_base *before, const struct estimate_base *found, uint64_t now_ns);

/*
 * Before kin_measured(): a walk of M, which kin_walk() was told of if it was a long one, has found most of what M has at
 * FOUND_NS; 0: at its end.
 */
void kin_walked(struct kin_member *m, uint64_t found_ns);

/*
 * M was measured for the first time, and PARENT, of the same image, is its parent by pid, whatever that is called:
 * M was forked from it, and is of another family where it has mapped something below. Nothing is known of it where
 * PARENT's own range is not, or it is younger. -ENOMEM: likewise.
 */
int kin_descends(struct kin *k, struct kin_member *m, struct kin_member *parent);

/*
 * M was measured for the first time, and PARENT, likewise: if M is of another family and was born since PARENT was
 * measured, PARENT may share all that it has with it, or nothing, which is in doubt. -ENOMEM: it is not.
 */
int kin_departs(struct kin *k, const struct kin_member *m, struct kin_member *parent);

/*
 * M was measured, and has WRITTEN to so much of what its parent had: its siblings to come will write to as much before they
 * are measured. Nothing is learned from one that was there before the last pass, but where it was measured right after its
 * birth in that.
 */
void kin_newborn(struct kin *k, struct kin_member *m, uint64_t written);

/*
 * How much M may have written to since its measurement, as newborns of its family do, for it was measured
 * right after its birth. 0: it was not, or nobody knows.
 */
uint64_t kin_unwritten(const struct kin_member *m);

/*
 * How much PSS M, measured as BASE, may have more, since those may be gone who were found to share with it and are not of
 * its family: of them no other pass has known. 0: one has.
 */
uint64_t kin_unconfirmed(const struct kin_member *m, const struct estimate_base *base);

/* M's measurement is void, and speaks for nobody: as if it had never been measured. */
void kin_unmeasured(struct kin_member *m);

/* Whether the maps of M, measured as BASE, should be read: see segments_wants_maps(). */
bool kin_wants_maps(const struct kin_member *m, const struct estimate_base *base);

/*
 * M's maps, read just now, have these segments, at most MAPS_SEGMENTS. -ENOMEM: it keeps what it
 * had.
 */
int kin_mapped(struct kin *k, struct kin_member *m, const struct maps_segment *list, size_t count,
	const struct estimate_base *base);

/*
 * The next measured member whom events, or a measurement of another since the last pass, affect;
 * NULL: that was all. One may come twice. Nothing else of this module but kin_doubt() may be called
 * in between.
 */
struct kin_member *kin_affected(struct kin *k);

/*
 * What the events since M's measurement may have changed for M, whose measurement is BASE; as of
 * the last kin_affected(), so the caller keeps it. NOW are M's counters in that pass: what it had
 * grown by when it forked is its child's as well. True: there is any.
 */
bool kin_doubt(const struct kin_member *m, const struct estimate_base *base,
	const struct estimate_now *now, struct estimate_doubt *ret);

/* After kin_measured(), and kin_mapped(): M's counter went from BEFORE to NOW since M was as it was found. */
void kin_since(struct kin_member *m, uint64_t before, uint64_t now);

/*
 * M's counter of files and shmem went from BEFORE to NOW. Who may share with it has to allow for
 * that, but is not affected: kin_stirred() tells when it is asked.
 */
void kin_moved(struct kin_member *m, uint64_t before, uint64_t now);

/*
 * What others who may share files with M have touched and let go of since its measurement BASE, and
 * who of them came and went, as far as segments know: to be added to the doubt that is kept. NOW
 * are M's counters. False: nothing.
 */
bool kin_stirred(const struct kin_member *m, const struct estimate_base *base,
	const struct estimate_now *now, struct estimate_doubt *ret);

/*
 * M, measured just now, has gained GAINED bytes, of ROOM (0: nobody knows) that it could have, by
 * writing to what it shared, since it was measured before and by AT_NS: who shares with it and was
 * measured earlier is affected, for he shares that with one fewer. To be told before
 * kin_measured().
 */
void kin_broke(struct kin *k, struct kin_member *m, uint64_t gained, uint64_t room, uint64_t at_ns);

/* What others of its family broke since M's measurement. */
void kin_broken(const struct kin_member *m, struct breaks_sum *ret);

/*
 * M, as its faults said at AT_NS, may have written to BYTES that it had shared when it was
 * measured, unless that was found since: who shares with it may have more by it.
 */
void kin_suspect(struct kin_member *m, uint64_t bytes, uint64_t at_ns);

/*
 * M, suspected to have written to so much, was measured and FOUND to have so much more for itself:
 * others may be like it.
 */
void kin_asked(struct kin_member *m, uint64_t suspected, uint64_t found);

/*
 * To how much others of its family may have written since M's measurement, as far as that was not
 * found yet. Of that no more than a few times the part that was true of those who were asked.
 */
uint64_t kin_suspected(const struct kin_member *m);

/*
 * Births and exits in M's family had likely changed LIKELY bytes of M, which was measured again and has PSS now, CHANGED bytes
 * more or less: others of it may be like that. Before kin_measured().
 */
void kin_judge(struct kin_member *m, uint64_t likely, uint64_t changed, uint64_t pss);

/* How much of M they may well have changed, where LIKELY bytes are likely: see judgement.h. */
uint64_t kin_judged(const struct kin_member *m, uint64_t likely);

/* Whether one of M's family was found to have broken anything since SINCE_NS. */
bool kin_breaks(const struct kin_member *m, uint64_t since_ns);

/*
 * Whose measurement may stand for M, that has none of its own: a newborn sibling's, measured since
 * M was born if there is one, or the parent's, or another's of the family; NULL: nobody's. Ask
 * again each pass.
 */
struct kin_member *kin_speaker(const struct kin_member *m);

/*
 * The doubt to carry SPEAKER's BASE with, with the counters NOW of M, to an estimate of M: it adds that
 * nobody knows what M has written to since it was born. THEIRS are SPEAKER's counters.
 */
void kin_borrow(const struct kin_member *m, const struct kin_member *speaker,
	const struct estimate_base *base, const struct estimate_now *theirs,
	const struct estimate_now *now, struct estimate_doubt *ret);

#endif
