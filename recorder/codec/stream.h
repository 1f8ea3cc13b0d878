/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams of numbers: small numbers take few bytes
 *
 * A number is written in groups of 7 bits, the lowest first; the high bit of a byte says that another
 * one follows. A difference is turned into a number with its sign in the lowest bit. Pure.
 */
#ifndef MEMTALLY_RECORDER_CODEC_STREAM_H
#define MEMTALLY_RECORDER_CODEC_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"

enum { STREAM_NUMBER_MAX = 10 }; /* bytes of a number */

static inline void stream_add(struct buffer *to, uint64_t n)
{
	unsigned char *at = (unsigned char *)buffer_reserve(to, STREAM_NUMBER_MAX);
	size_t len = 0;

	if (!at)
		return;
	for (; n >= 0x80; n >>= 7)
		at[len++] = (unsigned char)(n | 0x80);
	at[len++] = (unsigned char)n;
	to->len += len;
}

/* Adds A - B, modulo 2^64. */
static inline void stream_add_difference(struct buffer *to, uint64_t a, uint64_t b)
{
	uint64_t d = a - b;

	stream_add(to, d << 1 ^ (0 - (d >> 63)));
}

/* A stream that is read: the bytes from .at to .end. */
struct stream {
	const unsigned char *at, *end;
	bool is_bad; /* it ended too early, or had an impossible number */
};

/* Takes a number. Returns 0, and sets .is_bad, if there is none. */
static inline uint64_t stream_take(struct stream *s)
{
	uint64_t n = 0;

	for (unsigned int shift = 0; s->at < s->end && shift < 64; shift += 7) {
		unsigned char byte = *s->at++;

		n |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return n;
	}
	s->is_bad = true;
	return 0;
}

/* Takes a difference. */
static inline uint64_t stream_take_difference(struct stream *s)
{
	uint64_t n = stream_take(s);

	return n >> 1 ^ (0 - (n & 1));
}

/* Takes 8 bytes. */
static inline uint64_t stream_take_word(struct stream *s)
{
	uint64_t word;

	if ((size_t)(s->end - s->at) < sizeof(word)) {
		s->is_bad = true;
		return 0;
	}
	memcpy(&word, s->at, sizeof(word));
	s->at += sizeof(word);
	return word;
}

/* Takes LEN bytes. Returns NULL, and sets .is_bad, if there are fewer. */
static inline const unsigned char *stream_take_bytes(struct stream *s, uint64_t len)
{
	const unsigned char *at = s->at;

	if (s->is_bad || len > (size_t)(s->end - s->at)) {
		s->is_bad = true;
		return NULL;
	}
	s->at += len;
	return at;
}

/*
 * Takes a terminated text of *RET_LEN bytes. Returns NULL, and sets .is_bad, if there is none, or it
 * is longer than a model can have.
 */
static inline const unsigned char *stream_take_text(struct stream *s, size_t *ret_len)
{
	size_t left = (size_t)(s->end - s->at);
	const unsigned char *at = s->at, *end = left ? memchr(at, '\0', left) : NULL;

	if (!end || end - at >= UINT32_MAX) {
		s->is_bad = true;
		return NULL;
	}
	*ret_len = (size_t)(end - at);
	s->at = end + 1;
	return at;
}

#endif
