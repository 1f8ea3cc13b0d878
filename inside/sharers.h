/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who maps what a process shares. The kernel says how much of a mapping is shared and not with whom, but which file or
 * shared memory it is of; and who is forked from a process has its anonymous memory at the same addresses, which
 * hardly anybody else has. That tells who may have some of it, so amounts are the most that it can be. Pure.
 */
#ifndef MEMTALLY_INSIDE_SHARERS_H
#define MEMTALLY_INSIDE_SHARERS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "inside/mapping.h"

/* A file or shared memory, or a mapping of anonymous memory, of which the process shares something, or could. */
struct sharers_thing {
	char *name;      /* owned; clean */
	uint64_t device; /* major << 32 | minor, of one with .inode */
	uint64_t inode;  /* 0: anonymous, and .start is where */
	uint64_t start;
	uint64_t shared_bytes;
	uint64_t alone_shmem_bytes; /* of shared memory, what nobody else has touched */
	size_t others;              /* processes that map it, too */
	size_t seen;                /* in which process last, of those that were looked at */
};

/* A program whose processes map any of it. */
struct sharers_program {
	char *name;               /* owned; clean */
	size_t processes, forked; /* of these, with anonymous memory at the same addresses */
	uint64_t shared_bytes;    /* at most, of the one that may have most */
	uint64_t forked_bytes;    /* of that, at the same addresses, without a file */
};

struct sharers {
	struct sharers_thing *thing;
	size_t things, room;
	uint32_t *index; /* open addressing: a number in .thing + 1, or 0 */
	size_t index_size;
	struct sharers_program *program;
	size_t programs;
	size_t current; /* the process that is looked at, from 1 on, */
	uint32_t *met;  /* owned; and numbers in .thing that it has, */
	size_t mets;    /* so many, of which none counts yet */
	/* Of shared memory that others map, too: what they have not touched, but keep when the process ends. */
	uint64_t kept_bytes;
};

void sharers_done(struct sharers *s);

/* M is the process's own. What it shares nothing of is left out, unless it is shared memory. -ENOMEM. */
int sharers_learn(struct sharers *s, const struct mapping *m);

/* What M is of, without a name: only where it is and of what counts. What tells it from others; 0: it is the same. */
struct sharers_thing sharers_key(const struct mapping *m);
size_t sharers_hash(const struct sharers_thing *key);
int sharers_compare(const struct sharers_thing *a, const struct sharers_thing *b);

/* From now on, another process. What was seen of the one before counts for nothing, unless that was all of it: */
void sharers_begin(struct sharers *s);

/* it has the NUMBERth, too; */
void sharers_see(struct sharers *s, size_t number);

/* that was all, of one process with an address space of its own, which counts: it runs PROGRAM. -ENOMEM. */
int sharers_end(struct sharers *s, const char *program);

/* Puts what is shared most, and who may share most, first, and drops what is not. Nothing is to be learnt or seen after that. */
void sharers_sort(struct sharers *s);

#endif
