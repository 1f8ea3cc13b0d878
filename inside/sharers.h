/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sharers of one process's memory. The kernel says how much of a mapping is shared, and not by which processes. But other
 * processes that map the same file or shared memory may share it; and a fork has anonymous memory at the same addresses as
 * its parent, which is rare among other processes. So amounts are upper limits. Pure.
 */
#ifndef MEMTALLY_INSIDE_SHARERS_H
#define MEMTALLY_INSIDE_SHARERS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "base/siphash.h"
#include "inside/mapping.h"
#include "inside/portrait.h"

/* A file, shared memory object or mapping of anonymous memory that the process shares, or could share. */
struct sharers_thing {
	char *name;      /* owned; clean */
	uint64_t device; /* major << 32 | minor, of one with .inode */
	uint64_t inode;  /* 0: anonymous, and .start is where */
	uint64_t start;
	uint64_t shared_bytes;
	enum portrait_part part; /* of its pages that are not anonymous */
	uint64_t
		alone_bytes; /* if it is freed with its last user: bytes that no other process has touched */
	size_t others; /* other processes that map it */
	size_t seen;   /* number of the last process that was found to map it */
};

/* A program with processes that map any of these. */
struct sharers_program {
	char *name; /* owned; clean */
	size_t processes,
		forked; /* .forked: of .processes, with anonymous memory at the same addresses */
	uint64_t shared_bytes; /* upper limit, of the process with the most */
	uint64_t forked_bytes; /* of .shared_bytes, anonymous memory at the same addresses */
};

struct sharers {
	struct sharers_thing *thing;
	size_t things, room;
	uint32_t *index; /* open addressing: a number in .thing + 1, or 0 */
	size_t index_size;
	struct siphash_key hash_key; /* users choose inodes and addresses */
	struct sharers_program *program;
	size_t programs;
	size_t current; /* number of the process that is being read, from 1 on */
	uint32_t *met;  /* owned: numbers in .thing that it maps; they count after sharers_end() */
	size_t mets;
	/* Bytes that other processes map and have not touched, and keep when the process exits; 0 for memory that stays anyway. */
	uint64_t kept_bytes[PORTRAIT_PARTS];
};

/* Frees what S owns. */
void sharers_done(struct sharers *s);

/*
 * Adds M, a mapping of the process itself. A mapping without shared pages is left out, unless it is shared memory. Returns 0
 * or -ENOMEM.
 */
int sharers_learn(struct sharers *s, const struct mapping *m);

/* Returns the thing that M is of, without a name: a key for the next two. */
struct sharers_thing sharers_key(const struct mapping *m);

/* A hash of KEY with HASH_KEY, and the order of two keys: below, above or 0 as of memcmp(). */
size_t sharers_hash(const struct siphash_key *hash_key, const struct sharers_thing *key);
int sharers_compare(const struct sharers_thing *a, const struct sharers_thing *b);

/* Begins another process. The one before counts only if sharers_end() was called. */
void sharers_begin(struct sharers *s);

/* Records that the process maps thing NUMBER. */
void sharers_see(struct sharers *s, size_t number);

/*
 * Ends the process, which counts: it was read to the end, has an address space of its own, and runs PROGRAM. Returns 0 or
 * -ENOMEM.
 */
int sharers_end(struct sharers *s, const char *program);

/*
 * Sorts things by shared bytes and programs by what they may share, the most first, and drops things without sharers. Only
 * reading may follow.
 */
void sharers_sort(struct sharers *s);

#endif
