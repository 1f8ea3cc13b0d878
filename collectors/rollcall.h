/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes that a pass knows, one after the other, for whoever looks into their mappings between passes: a survey
 * of files. What is remembered of them stays as it is. What they cost is charged to the budget of the pass.
 */
#ifndef MEMTALLY_COLLECTORS_ROLLCALL_H
#define MEMTALLY_COLLECTORS_ROLLCALL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collectors/catalogue.h"
#include "collectors/pass.h"

enum rollcall_outcome {
	ROLLCALL_END = 1, /* there is no other */
	ROLLCALL_DENIED,  /* the kernel refuses it */
	ROLLCALL_GONE,    /* it has ended */
	/* A mapping of it would keep it waiting for longer than the stall budget allows; or may: it is large, and was never measured. */
	ROLLCALL_GIANT,
	ROLLCALL_ERROR,     /* anything else, as a kernel without smaps */
	ROLLCALL_ELSEWHERE, /* another one stands for its address space: it does not count */
};

struct rollcall_entry {
	pid_t pid;
	uint32_t user; /* whom it is counted for; OWNER_NO_ID: nobody */
	int fd;        /* of its smaps, the caller's; -1 */
};

/*
 * The next process above AFTER that has memory: of those that share an address space one alone, while each of the others
 * is a ROLLCALL_ELSEWHERE, since it takes a look at the whole table to tell. Not within a pass. 0, or a rollcall_outcome;
 * what *RET says of it is right in any but ROLLCALL_END.
 */
int rollcall_next(struct pass *pass, pid_t after, struct rollcall_entry *ret);

/* Whether the budget has something left that no measurement waits for more. Always in exact mode, which has none. */
bool rollcall_may_spend(struct pass *pass);

/* CPU_NS were used; HOLD_NS, unless 0, is how long reads kept a process waiting at most. */
void rollcall_charge(struct pass *pass, uint64_t cpu_ns, uint64_t hold_ns);

/* From now on what *C has found is shown, which gets what was before. */
void rollcall_exchange(struct pass *pass, struct catalogue *c);

#endif
