/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Survey iterator: the processes that a pass knows, one after the other, for readers of their mappings between passes. It
 * changes nothing that is remembered of them. The cost of reading is charged to the budget of the pass.
 */
#ifndef MEMTALLY_COLLECTORS_ROLLCALL_H
#define MEMTALLY_COLLECTORS_ROLLCALL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collectors/catalogue.h"
#include "collectors/pass.h"
#include "collectors/stream.h"

enum rollcall_outcome {
	ROLLCALL_END = 1, /* there are no more processes */
	ROLLCALL_DENIED,  /* the kernel refuses it */
	ROLLCALL_GONE,    /* it has exited */
	/*
	 * A mapping would, or may, keep it waiting for longer than the stall budget: the latter if it is large and was never
	 * measured.
	 */
	ROLLCALL_GIANT,
	ROLLCALL_ERROR,     /* any other error, such as a kernel without smaps */
	ROLLCALL_BLOCKED,   /* the kernel blocks its readers, or did at the last attempt */
	ROLLCALL_ELSEWHERE, /* its address space counts at another process */
};

struct rollcall_entry {
	pid_t pid;
	uint32_t user;        /* the user that it is counted for; OWNER_NO_ID: none */
	struct stream stream; /* of its smaps, which the caller closes; closed after an outcome */
};

/*
 * Opens smaps of the next process with a pid above AFTER that has memory. Of processes that share an address space it opens
 * one; each of the others is a ROLLCALL_ELSEWHERE. Not to be called within a pass. May block for some milliseconds
 * (workers.h). Returns 0, or an enum rollcall_outcome; .pid and .user of *RET are set except after ROLLCALL_END.
 */
int rollcall_next(struct pass *pass, pid_t after, struct rollcall_entry *ret);

/* Whether the last pass wants smaps of processes for their drivers' memory (driver.h) that rollcall_wanted() has not given yet. */
bool rollcall_is_wanting(const struct pass *pass);

/*
 * Gives the one of these processes with the largest change of RssFile, as rollcall_next() does. The caller reads its smaps,
 * and calls rollcall_found() if it has read them to the end.
 */
int rollcall_wanted(struct pass *pass, struct rollcall_entry *ret);

/* smaps of PID has PSS bytes of drivers' memory, VMALLOC of them vmalloc'ed: the next pass counts them. */
void rollcall_found(struct pass *pass, pid_t pid, uint64_t pss, uint64_t vmalloc);

/*
 * Call before and after reads of the stream of PID, without any other call to the pass between them: the time of the reads
 * counts for the user of PID, and they count as blocked sooner if that user's reads have cost its share (fetch.h). BEGIN_NS
 * is the result of rollcall_begin_reads().
 */
uint64_t rollcall_begin_reads(struct pass *pass, pid_t pid);
void rollcall_end_reads(struct pass *pass, pid_t pid, uint64_t begin_ns);

/* A read of the stream of PID has blocked: passes and surveys leave the process alone until its next attempt is due (block.h). */
void rollcall_blocked(struct pass *pass, pid_t pid);

/* Whether CPU budget is left that no measurement waits for. Always true in exact mode, which has no budget. */
bool rollcall_may_spend(struct pass *pass);

/* CPU time of workers for all that they have read so far, in ns: differences of it are part of what reading costs. */
uint64_t rollcall_worker_cpu_ns(const struct pass *pass);

/*
 * Charges CPU_NS, which were used, to the budget. HOLD_NS, unless 0, is the longest time for which a read kept a process
 * waiting.
 */
void rollcall_charge(struct pass *pass, uint64_t cpu_ns, uint64_t hold_ns);

/* Exchanges the catalogue that passes publish with *C. */
void rollcall_exchange(struct pass *pass, struct catalogue *c);

#endif
