/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "base/siphash.h"

#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>

enum {
	WORD = sizeof(uint64_t),
	ROUNDS = 2,
	ROUNDS_END = 4,
};

struct siphash_key siphash_new_key(void)
{
	struct siphash_key key = {{0, 0}};
	const void *of_exec = (const void *)getauxval(AT_RANDOM);

	if (getrandom(&key, sizeof(key), GRND_NONBLOCK) != sizeof(key) && of_exec)
		memcpy(&key, of_exec, sizeof(key));
	return key;
}

static uint64_t siphash_rotate(uint64_t x, unsigned int bits)
{
	return x << bits | x >> (64 - bits);
}

static void siphash_mix(uint64_t *v, unsigned int rounds)
{
	for (unsigned int i = 0; i < rounds; i++) {
		v[0] += v[1];
		v[1] = siphash_rotate(v[1], 13) ^ v[0];
		v[0] = siphash_rotate(v[0], 32);
		v[2] += v[3];
		v[3] = siphash_rotate(v[3], 16) ^ v[2];
		v[0] += v[3];
		v[3] = siphash_rotate(v[3], 21) ^ v[0];
		v[2] += v[1];
		v[1] = siphash_rotate(v[1], 17) ^ v[2];
		v[2] = siphash_rotate(v[2], 32);
	}
}

static void add_word(struct siphash *s, uint64_t word)
{
	s->v[3] ^= word;
	siphash_mix(s->v, ROUNDS);
	s->v[0] ^= word;
}

void siphash_init(struct siphash *s, const struct siphash_key *key)
{
	*s = (struct siphash){.v = {
				      key->half[0] ^ UINT64_C(0x736f6d6570736575),
				      key->half[1] ^ UINT64_C(0x646f72616e646f6d),
				      key->half[0] ^ UINT64_C(0x6c7967656e657261),
				      key->half[1] ^ UINT64_C(0x7465646279746573),
			      }};
}

void siphash_add(struct siphash *s, const void *data, size_t len)
{
	const unsigned char *at = data;

	for (size_t i = 0; i < len; i++) {
		s->tail |= (uint64_t)at[i] << (s->len % WORD * 8);
		if (++s->len % WORD)
			continue;
		add_word(s, s->tail);
		s->tail = 0;
	}
}

uint64_t siphash_end(struct siphash *s)
{
	add_word(s, s->tail | (uint64_t)s->len << 56);
	s->v[2] ^= 0xff;
	siphash_mix(s->v, ROUNDS_END);
	return s->v[0] ^ s->v[1] ^ s->v[2] ^ s->v[3];
}
