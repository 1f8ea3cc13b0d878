/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The families of kin.h: who is in them, which of them the census has to count, and which part of one is a house of its
 * own. For kin.c alone.
 *
 * A lone process has no family: most have none, and one costs as much as a process does.
 */
#ifndef MEMTALLY_COLLECTORS_KIN_FAMILY_H
#define MEMTALLY_COLLECTORS_KIN_FAMILY_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/breaks.h"
#include "collectors/flow.h"
#include "collectors/judgement.h"
#include "collectors/kin.h"
#include "collectors/suspicion.h"

/* What the measurement of one found against what was guessed; valid until the next event. */
struct kin_found {
	uint64_t at_ns;  /* 0: nothing; corrects those who were measured earlier */
	uint64_t events; /* births and exits since the measurement that it was guessed from */
	uint32_t anon, file;
};

/* What a family that was divided, and all its houses, know of each other. */
struct kin_range {
	uint64_t
		changed_ns; /* when somebody was last noticed to have come or gone in any of them */
	uint32_t members;   /* that there were when it was divided first */
	uint32_t uses;
};

struct kin_family {
	uint64_t key;   /* 0: it is out of the table, and freed when it leaves the list */
	uint64_t range; /* the key of its members' address range; of a house .key is another */
	struct kin_member *first, *last;
	struct kin_family *next_dirty;
	struct kin_member *voice; /* the last to be measured of those of a known fork */
	struct kin_found found;
	struct flow flow; /* of all that were ever in it */
	struct breaks breaks;
	struct suspicion suspicion;
	struct judgement judgement;
	/* Written by a newborn before it is measured, in the mean, fading; bytes that it shared. */
	uint64_t soon_written;
	uint64_t
		far_bytes; /* of each one's PSS, that are of pages which others of its range share */
	struct kin_range *divided; /* owned together with its houses; NULL: it never was */
	uint64_t oldest_ns;        /* none of its measurements is older */
	uint64_t deaths_ns;        /* the pass in which .deaths were noticed */
	uint64_t counted_ns;       /* the last pass in which its members were counted */
	uint32_t deaths;
	uint32_t count;
	bool is_dirty;
};

/* Frees what has been emptied, in kin_done(). */
void family_free_all(struct kin *k);

/* Whether F was divided from those of the same range. */
static inline bool family_is_house(const struct kin_family *f)
{
	return f->key != f->range;
}

/* The key of M's range; 0: it is not known. */
uint64_t family_range(const struct kin_member *m);

/* Makes M, who is in none, one of KEY's family, or alone if that has nobody. -ENOMEM: it is in none. */
int family_join(struct kin *k, struct kin_member *m, uint64_t key);

/* M is gone from its family, if it has one, and nobody's child any more. */
void family_leave(struct kin *k, struct kin_member *m);

/* Something has happened in F: it is counted once more. */
void family_mark(struct kin *k, struct kin_family *f);

/* Counts the next one that was marked. *RET_FIRST is its first member, NULL: it was emptied. False: there is none. */
bool family_next(struct kin *k, struct kin_member **ret_first);

/* M is of TO, of the same range, and was taken for one of its present family: nobody has gone for it. */
void family_move(struct kin *k, struct kin_member *m, struct kin_family *to);

/* How many of M's family are M and its descendants, as far as they are known. */
uint32_t family_descendants(const struct kin_member *m);

/*
 * M and its descendants are a house of their own from now on: what they share, they share among themselves, but for at most
 * FAR_BYTES. What is known of the comings and goings so far is kept, for both. -ENOMEM: all is as it was.
 */
int family_divide(struct kin *k, struct kin_member *m, uint64_t far_bytes);

#endif
