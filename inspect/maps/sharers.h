/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sharers
 *
 * The processes that may share the memory of one process. The kernel says how much of a mapping is
 * shared, but not by which processes. Other processes that map the same file or shared memory may
 * share it. A fork has anonymous memory at the same addresses as its parent, which is rare among
 * other processes. So amounts are upper limits. Pure.
 */
#ifndef MEMTALLY_INSPECT_MAPS_SHARERS_H
#define MEMTALLY_INSPECT_MAPS_SHARERS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "base/hashmap.h"
#include "base/siphash.h"
#include "inspect/maps/breakdown.h"
#include "inspect/maps/mapping.h"

/* A file, shared memory object or anonymous mapping that the process shares, or could share. */
struct sharers_object {
	char *name;      /* owned; clean */
	uint64_t device; /* major << 32 | minor; valid if .inode is set */
	uint64_t inode;  /* 0: anonymous memory at .start */
	uint64_t start;
	uint64_t shared_bytes;
	enum breakdown_part part; /* sort of its pages that are not anonymous */
	/*
	 * Bytes that no other process has touched, if they are freed with their last user; else 0.
	 */
	uint64_t alone_bytes;
	size_t others; /* number of other processes that map it */
	size_t seen;   /* .current when it was last found to be mapped */
};

/* A program with processes that map any of these objects. */
struct sharers_program {
	char *name; /* owned; clean */
	/* .forked: those of .processes with anonymous memory at the same addresses. */
	size_t processes, forked;
	uint64_t shared_bytes; /* upper limit, of the process that shares most */
	uint64_t forked_bytes; /* part of it: anonymous memory at the same addresses */
};

struct sharers {
	struct sharers_object *object;
	size_t objects, room;
	struct hashmap index;        /* of .object */
	struct siphash_key hash_key; /* users choose inodes and addresses */
	struct sharers_program *program;
	size_t programs, programs_room;
	size_t current; /* number of the process that is being read, from 1 on */
	/* Owned; numbers in .object that the process maps; they count after sharers_end(). */
	uint32_t *mapped;
	size_t mapped_count;
	/*
	 * By sort: bytes that other processes map and have not touched, and keep when the process
	 * exits; 0 for memory that stays anyway.
	 */
	uint64_t kept_bytes[BREAKDOWN_PARTS];
};

/* Frees what S owns. */
void sharers_done(struct sharers *s);

/*
 * Adds M, a mapping of the process itself. A mapping without shared pages is left out, unless its
 * pages are freed with their last user (shared memory without a name, unlinked files, drivers'
 * memory). Returns 0 or -ENOMEM.
 */
int sharers_learn(struct sharers *s, const struct mapping *m);

/* Returns the key of M's object: an object without a name, for the next two functions. */
struct sharers_object sharers_key(const struct mapping *m);

/* Returns a hash of KEY with HASH_KEY. Equal keys have equal hashes. */
uint64_t sharers_hash(const struct siphash_key *hash_key, const struct sharers_object *key);

/* Returns the order of the keys A and B: below 0, 0 or above 0, as memcmp() does. */
int sharers_compare(const struct sharers_object *a, const struct sharers_object *b);

/* Begins another process. The process before counts only if sharers_end() was called. */
void sharers_begin(struct sharers *s);

/* Records that the process maps object NUMBER, an index of .object. */
void sharers_see(struct sharers *s, size_t number);

/*
 * Ends the process, and counts it. Call this only if it was read to the end and has an address
 * space of its own. PROGRAM: its program. Returns 0 or -ENOMEM.
 */
int sharers_end(struct sharers *s, const char *program);

/*
 * Sorts objects by shared bytes and programs by the bytes that they may share, the most first, and
 * drops objects without shared bytes. Afterwards S can only be read.
 */
void sharers_sort(struct sharers *s);

#endif
