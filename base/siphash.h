/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SipHash-2-4
 *
 * A hash with a secret key, for tables with keys that users choose. Without the secret key, a user
 * cannot find texts that collide more often than by chance (Aumasson and Bernstein, 2012). A
 * collision costs time only: every table compares whole keys.
 */
#ifndef MEMTALLY_BASE_SIPHASH_H
#define MEMTALLY_BASE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

struct siphash_key {
	uint64_t half[2];
};

/*
 * Returns a key that cannot be predicted: from getrandom() or, if that is not ready early in boot,
 * from the 16 random bytes that the kernel gives each process at exec (AT_RANDOM).
 */
struct siphash_key siphash_new_key(void);

/* The state of one hash. */
struct siphash {
	uint64_t v[4];
	uint64_t tail; /* the bytes after the last whole word */
	size_t len;    /* bytes added so far */
};

/* Begins a hash with KEY. */
void siphash_init(struct siphash *s, const struct siphash_key *key);

/*
 * Adds LEN bytes at DATA. The hash does not depend on how the bytes are split over calls, so add a
 * length or a terminator between texts.
 */
void siphash_add(struct siphash *s, const void *data, size_t len);

/* Returns the hash of what was added. Nothing may be added after it. */
uint64_t siphash_end(struct siphash *s);

#endif
