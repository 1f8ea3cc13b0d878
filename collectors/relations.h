/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who shares memory with whom, for the processes that adaptive passes remember: tells kin.h what
 * happens to them, reads the maps that it asks for, and keeps the doubts that it has.
 */
#ifndef MEMTALLY_COLLECTORS_RELATIONS_H
#define MEMTALLY_COLLECTORS_RELATIONS_H

#include "collectors/kin.h"
#include "collectors/proctable.h"
#include "collectors/watch.h"

struct relations {
	struct kin kin;
	uint64_t begin_ns, previous_ns; /* CLOCK_BOOTTIME of this pass and of the one before */
	uint64_t first_ns;              /* and of the first */
};

void relations_init(struct relations *r);
void relations_done(struct relations *r);

/* What was done until now is not known of: as if the next pass were the first. */
void relations_restart(struct relations *r);

/* A pass is about to list the processes. */
void relations_begin(struct relations *r, uint64_t now_ns);

/* It has looked at all of them. */
void relations_sensed(struct relations *r, uint64_t now_ns);

/*
 * The one among TABLE that P, there since BORN_NS (CLOCK_BOOTTIME), looks forked from; NULL: there
 * is none.
 */
struct process *relations_parent(const struct relations *r, const struct proctable *table,
	const struct process *p, uint64_t born_ns);

/*
 * P is there since BORN_NS, by a fork of PARENT, if that is not NULL. Without memory it has no
 * relations.
 */
void relations_born(struct relations *r, struct process *p, struct process *parent,
	uint64_t born_ns, uint64_t page_bytes);

/* P's image has ended: with it P, or there is another. */
void relations_ended(struct relations *r, struct watch *w, bool is_exec);

/* A walk of W begins that may take long: what it finds is not of its end. */
void relations_walk(const struct relations *r, struct watch *w);

/* Before relations_measured(): it has found most of what W has at FOUND_NS; 0: it was another walk, which took no time. */
void relations_walked(struct watch *w, uint64_t found_ns);

/*
 * P was measured just now; BEFORE is the base that it had, or NULL: what was found says nothing of
 * others. Looks for its parent among TABLE, if it has none that is known, and reads P's maps where they
 * are wanted. Its doubt is void.
 */
void relations_measured(struct relations *r, const struct proctable *table,
	struct process_reader *reader, struct process *p, const struct estimate_base *before,
	uint64_t now_ns, uint64_t page_bytes);

/* After relations_measured(): what W has moved by since it was as the walk has found it. */
void relations_since(struct watch *w, uint64_t page_bytes);

/*
 * W was to be measured, and can't be any more: what was found of it, and all that was known to come
 * of that, is void.
 */
void relations_unmeasured(struct watch *w);

/* After all that happened before a pass and in it: renews the doubts of those whom it affects. */
void relations_renew(struct relations *r, uint64_t page_bytes);

/*
 * W, measured, has faulted FAULTS times: what it may have written to of what it shared since it was
 * measured.
 */
void relations_faulted(struct watch *w, uint64_t faults, uint64_t page_bytes, uint64_t now_ns);

/*
 * Nobody could look at W's faults until NOW_NS, or measure it at all: until that is done the high bounds, its own and those of
 * its family, allow for that it has written to all that it shares.
 */
void relations_unwatched(struct watch *w, uint64_t page_bytes, uint64_t now_ns);

/*
 * How much of W's high bound is for that alone, where looks are few: one, which is cheap, will tell, and it is no reason to
 * measure W.
 */
uint64_t relations_unlooked(const struct watch *w);

/*
 * W was measured again, where BEFORE was expected, and relations_measured() is to come: tells its
 * family what it has for itself now that it has written to, at most WRITTEN bytes (UINT64_MAX:
 * nobody knows) and before AT_NS. What it has more of than that others have let go of. True: it has
 * written for sure, so that what was found says nothing of the others.
 */
bool relations_broke(struct relations *r, struct watch *w, const struct estimate *before,
	uint64_t written, uint64_t at_ns);

/*
 * W was measured again, where BEFORE was expected, by what is known of others. If it has less,
 * somebody shares with it of whom nobody knows, and who may be gone before a pass comes: then it
 * has that again.
 */
void relations_fell(struct watch *w, const struct estimate *before);

/* How much PSS W may have gained, as far as faults and its family say. */
uint64_t relations_broken(const struct watch *w);

/* How much PSS W would gain if nobody else had its anonymous memory. */
uint64_t relations_room(const struct watch *w);

/*
 * How much of W births and exits are likely to have changed since it was measured, or to have left as it was although
 * others' has changed: of what it shared as large a part as of its family was born or has ended, and what is guessed.
 * 0: nothing is known to have happened.
 */
uint64_t relations_likely(const struct watch *w);

/*
 * W was measured again, where births and exits were LIKELY to have changed so much of it, and has had BEFORE: that teaches how
 * much they do change in its family. Before relations_measured().
 */
void relations_judge(struct watch *w, uint64_t likely, const struct estimate_base *before);

/* How much births and exits may well have changed W, as they have changed others of its family. */
uint64_t relations_judged(const struct watch *w);

/*
 * How much of W's doubt is what others may have touched and let go of, but is not likely: no reason
 * to measure it.
 */
uint64_t relations_stirred(const struct watch *w);

/*
 * How much more W may have by what its measurement itself leaves open: what it has written to since, for it was measured
 * right after its birth; whether those with whom it was found to share, and whom nobody knows, are still there.
 */
uint64_t relations_unsettled(const struct watch *w);

/*
 * Whether others' coming, going or touching has moved W's PSS by so much that it should be measured
 * soon.
 */
bool relations_shifted(const struct watch *w);

/* How much shared memory of no segment that it is known to map W has more than when it was measured; in bytes. */
uint64_t relations_strayed(const struct watch *w, uint64_t page_bytes);

/* Whose measurement can speak for W, which has none; NULL: nobody's. */
const struct watch *relations_speaker(const struct watch *w);

/*
 * An estimate of W, measured or not, with MORE doubt than is known of it (NULL: none more). False:
 * W was never measured, and nobody can speak for it. *RET_SPEAKER, if not NULL, is whose
 * measurement it is.
 */
bool relations_estimate(const struct watch *w, uint64_t page_bytes,
	const struct estimate_doubt *more, struct estimate *ret, const struct watch **ret_speaker);

#endif
