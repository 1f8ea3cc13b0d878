/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Survey iterator: opens smaps of the processes that a pass knows, one after the other, for readers
 * of their mappings between passes. It changes no measurement that passes remember. The cost of
 * reading is charged to the budget of passes.
 */
#ifndef MEMTALLY_COLLECTORS_PASS_SURVEY_ITERATOR_H
#define MEMTALLY_COLLECTORS_PASS_SURVEY_ITERATOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collectors/pass/pass.h"
#include "collectors/pass/survey-result.h"
#include "collectors/workers/stream.h"

enum survey_iterator_outcome {
	SURVEY_ITERATOR_END = 1, /* there are no more processes */
	SURVEY_ITERATOR_DENIED,  /* the kernel refuses it */
	SURVEY_ITERATOR_GONE,    /* the process has exited */
	/*
	 * A read of one mapping would keep the process waiting for longer than the stall budget; or
	 * it might, since the process is large and was never measured.
	 */
	SURVEY_ITERATOR_GIANT,
	SURVEY_ITERATOR_ERROR,     /* any other error, for example a kernel without smaps */
	SURVEY_ITERATOR_BLOCKED,   /* the kernel blocks its readers, or did at the last attempt */
	SURVEY_ITERATOR_ELSEWHERE, /* its address space counts at another process */
};

struct survey_iterator_entry {
	pid_t pid;
	uint32_t user;        /* the user that it is counted for; OWNER_NO_ID: none */
	struct stream stream; /* of its smaps, which the caller closes; not open after an outcome */
};

/*
 * Opens smaps of the next process with a pid above AFTER that has memory; 0 for the first one. Of
 * processes that share an address space it opens one; each of the others is a
 * SURVEY_ITERATOR_ELSEWHERE. Must not be called within a pass. May block for some milliseconds
 * (workers.h). Returns 0, or an enum survey_iterator_outcome; .pid and .user of *RET are set except
 * after SURVEY_ITERATOR_END.
 */
int survey_iterator_next(struct pass *pass, pid_t after, struct survey_iterator_entry *ret);

/*
 * Returns whether the last pass wants smaps of processes for their drivers' memory (driver.h) that
 * survey_iterator_wanted() has not returned yet.
 */
bool survey_iterator_is_wanting(const struct pass *pass);

/*
 * Opens smaps of one of these processes, that with the largest change of RssFile. Results are those
 * of survey_iterator_next(). The caller reads the smaps, and calls survey_iterator_found() if it
 * has read them to the end.
 */
int survey_iterator_wanted(struct pass *pass, struct survey_iterator_entry *ret);

/*
 * Notes that smaps of PID has PSS bytes of drivers' memory, of which VMALLOC bytes are vmalloc'ed.
 * The next pass counts them.
 */
void survey_iterator_found(struct pass *pass, pid_t pid, uint64_t pss, uint64_t vmalloc);

/*
 * Surround reads of the stream of PID. No other call to the pass may come between them. Their time
 * counts for the user of PID, and they count as blocked sooner if that user's reads have cost the
 * user's share (fetch.h). BEGIN_NS is the result of survey_iterator_begin_reads().
 */
uint64_t survey_iterator_begin_reads(struct pass *pass, pid_t pid);
void survey_iterator_end_reads(struct pass *pass, pid_t pid, uint64_t begin_ns);

/*
 * Notes that a read of the stream of PID has blocked: passes and surveys do not read the process
 * until its next attempt is due (block.h).
 */
void survey_iterator_blocked(struct pass *pass, pid_t pid);

/*
 * Returns whether a survey may read now: the CPU budget has more than the next pass is expected to
 * need (cpu_budget_available_ns()), and there is no memory pressure. Always true in exact mode,
 * which has no budget.
 */
bool survey_iterator_may_spend(struct pass *pass);

/*
 * Returns the CPU time of this thread and of workers for it, in ns. Differences between two calls
 * are the cost of reading.
 */
uint64_t survey_iterator_cpu_ns(const struct pass *pass);

/*
 * Charges CPU_NS of CPU time to the budget. HOLD_NS is the longest time for which a read kept a
 * process waiting; 0: none.
 */
void survey_iterator_charge(struct pass *pass, uint64_t cpu_ns, uint64_t hold_ns);

/* Exchanges the survey result that passes publish with *C. */
void survey_iterator_exchange(struct pass *pass, struct survey_result *c);

#endif
