/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SipHash-2-4
 *
 * A hash with a secret key for tables with keys that users choose: without the key a user cannot find texts that collide more often
 * than by chance (Aumasson and Bernstein, 2012). A collision costs time only: every table compares whole keys.
 */
#ifndef MEMTALLY_BASE_SIPHASH_H
#define MEMTALLY_BASE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

struct siphash_key {
	uint64_t half[2];
};

/* Returns a key that cannot be predicted: from getrandom(), or early in boot of the 16 random bytes that exec gave the process. */
struct siphash_key siphash_new_key(void);

/* A hash under way. */
struct siphash {
	uint64_t v[4];
	uint64_t tail; /* bytes that do not make up a word yet */
	size_t len;    /* all that was added */
};

/* Begins a hash with KEY. */
void siphash_init(struct siphash *s, const struct siphash_key *key);

/* Adds LEN bytes at DATA. Pieces count as if they were one: add a length or a terminator between texts. */
void siphash_add(struct siphash *s, const void *data, size_t len);

/* Returns the hash of what was added. Nothing may be added after it. */
uint64_t siphash_end(struct siphash *s);

#endif
