/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing run of bytes. The first failed allocation is remembered in .error and makes every later
 * call a no-op, so that a renderer may add a thousand pieces and check once, at the end.
 */
#ifndef MEMTALLY_BASE_BUFFER_H
#define MEMTALLY_BASE_BUFFER_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct buffer {
	char *data; /* owned; not terminated */
	size_t len;
	size_t capacity;
	int error; /* 0, or -ENOMEM for ever after */
};

void buffer_done(struct buffer *b);

/* Empties the buffer, keeps its memory and forgets its error. */
void buffer_clear(struct buffer *b);

/*
 * Empties the buffer, as buffer_clear(), when it will not be used for a while: the kernel gets the pages of a large
 * one back, and nothing has to be allocated when it grows as far again.
 */
void buffer_rest(struct buffer *b);

/* Gives back memory that the content does not need. */
void buffer_trim(struct buffer *b);

/*
 * Makes room for LEN more bytes and returns where they go; the caller then adds to .len. NULL: a failure,
 * see .error, or no bytes for a buffer that has no memory yet.
 */
char *buffer_reserve(struct buffer *b, size_t len);

void buffer_add(struct buffer *b, const void *data, size_t len);
void buffer_add_text(struct buffer *b, const char *text);
void buffer_add_char(struct buffer *b, char c);
void buffer_add_u64(struct buffer *b, uint64_t value);
void buffer_printf(struct buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* LEN zero bytes. */
void buffer_add_zero(struct buffer *b, size_t len);

/* Pads with zero bytes up to a multiple of ALIGN, a power of two. */
void buffer_align(struct buffer *b, size_t align);

#define AUTO_BUFFER CLEANUP(buffer_done)

#endif
