/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The families of kin.h: who is in them, and which of them the census has to count. For the files of kin.h alone.
 *
 * A lone process has no family: most have none, and one costs as much as a process does.
 */
#ifndef MEMTALLY_COLLECTORS_KIN_FAMILY_H
#define MEMTALLY_COLLECTORS_KIN_FAMILY_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/breaks.h"
#include "collectors/excess.h"
#include "collectors/flow.h"
#include "collectors/judgement.h"
#include "collectors/kin.h"
#include "collectors/suspicion.h"

/* What the measurement of one found against what was guessed; valid until the next event. */
struct kin_found {
	uint64_t events; /* births and exits since the measurement that it was guessed from */
	uint64_t at_ns;  /* 0: nothing; corrects those who were measured earlier */
	uint32_t anon, file;
};

struct kin_family {
	uint64_t key; /* 0: it is out of the table, and freed when it leaves the list */
	struct kin_member *first, *last;
	struct kin_family *next_dirty;
	struct kin_member *voice; /* the last to be measured of those of a known fork */
	struct kin_found found;
	struct flow flow; /* of all that were ever in it */
	struct breaks breaks;
	struct suspicion suspicion;
	struct judgement judgement;
	struct excess excess;
	uint64_t soon_written; /* by newborns before they are measured, fading; bytes */
	uint64_t oldest_ns;    /* none of its measurements is older */
	uint64_t deaths_ns;    /* the pass in which the following were noticed: */
	uint32_t deaths;       /* that were not counted yet */
	uint32_t late_deaths;  /* likewise, since all were looked at in it; */
	uint64_t late_ns;      /* the last of those before anybody else was measured */
	uint32_t moved;        /* of both, who are in another family now */
	uint32_t ended;        /* who are in none any more, of this pass's */
	uint32_t count;
	bool is_dirty;
};

/* Frees what has been emptied, in kin_done(). */
void family_free_all(struct kin *k);

/* Makes M, who is in none, one of KEY's family, or alone if that has nobody. -ENOMEM: it is in none. */
int family_join(struct kin *k, struct kin_member *m, uint64_t key);

/* M, alone, gets a family of its own, which it keeps. -ENOMEM: it is alone. */
int family_found(struct kin *k, struct kin_member *m);

/* M is gone from its family, if it has one, and nobody's child any more. HAS_ENDED: so is its image. */
void family_leave(struct kin *k, struct kin_member *m, bool has_ended);

/* Something has happened in F: it is counted once more. */
void family_mark(struct kin *k, struct kin_family *f);

/* Counts the next one that was marked. *RET_FIRST is its first member, NULL: it was emptied. False: there is none. */
bool family_next(struct kin *k, struct kin_member **ret_first);

#endif
