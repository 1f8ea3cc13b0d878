/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copy-on-write between two measurements. A write to memory that is shared copies a page and moves no counter but that
 * of minor faults: those of processes that share much are looked at now and then, and of more of them where one
 * of them, or the sum of the host, tells that somebody writes.
 */
#ifndef MEMTALLY_COLLECTORS_FAULTS_H
#define MEMTALLY_COLLECTORS_FAULTS_H

#include "collectors/proctable.h"
#include "collectors/relations.h"
#include "collectors/walks.h"
#include "collectors/watch.h"

struct faults {
	uint64_t page_bytes;
	uint64_t turn;
	uint64_t begin_ns; /* CLOCK_BOOTTIME; who was looked at since was so in this pass */
	uint64_t left;     /* looks of this pass at those whose turn it is not */
	size_t first;      /* whose place in the table comes first, of those */
	bool is_alarmed;   /* by one's faults: its family is worth a look */
};

/*
 * P, for which BEFORE was expected, was measured just now by the walk WALKED, and relations_measured() is to come: tells
 * those who share with it what it has written to since it was measured before. True: it has, as its faults say.
 */
bool faults_found(const struct faults *f, struct relations *relations,
	struct process_reader *reader, struct process *p, const struct walked *walked,
	const struct estimate *before, uint64_t now_ns);

/*
 * P was measured just now by the walk WALKED: keeps how often it has faulted, if it shares enough for that to matter. Of
 * whom that was not expected it is asked now.
 */
void faults_measured(struct process_reader *reader, struct process *p, const struct walked *walked,
	uint64_t max_age_ns);

/*
 * Looks at some in turn, as part of a pass; each comes more than once within the maximum age. Besides, at all of a family
 * of whom one was found to have written within that age, or may be writing now: these looks take no more than a quarter
 * of AVAILABLE_NS, the tokens that are left, so that whoever writes much does not use up what others' figures need. Where
 * they would not do for an alarm, whoever was not looked at for longer than an interval is suspected of any writes. The
 * few who share most are looked at in every pass, whatever is left.
 */
void faults_look(struct faults *f, struct process_reader *reader, const struct proctable *table,
	uint64_t interval_ns, uint64_t max_age_ns, uint64_t available_ns);

/* The host's sum tells that somebody writes: looks at everybody, as far as looks of that quarter are left. */
void faults_alarmed(struct faults *f, struct process_reader *reader, const struct proctable *table);

#endif
