/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Growing Byte Buffer
 *
 * The first failure (of an allocation or of printf) is kept in .error and makes every later call do
 * nothing. So a renderer may add a thousand pieces and check .error once, at the end. A zeroed
 * struct is an empty buffer.
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
	int error; /* 0, or the first failure: a negative errno */
};

/* Frees the memory. B is then an empty buffer that can be used again. */
void buffer_done(struct buffer *b);

/* Empties the buffer, keeps its memory and forgets its error. */
void buffer_clear(struct buffer *b);

/*
 * Does the same as buffer_clear(), and gives the pages of a large buffer (256 KiB or more) back to
 * the kernel. The address range stays allocated, so that growing to the same size needs no
 * allocation. Call it before a buffer is idle for a while.
 */
void buffer_rest(struct buffer *b);

/* Shrinks the allocation to the content. If the allocator fails, the buffer stays as it is. */
void buffer_trim(struct buffer *b);

/*
 * Makes room for LEN more bytes. Returns the address to write them to; the caller then adds the
 * bytes written to .len. Returns NULL if .error is set, if there is no memory (.error is -ENOMEM),
 * or if LEN is 0 and the buffer has no memory yet.
 */
char *buffer_reserve(struct buffer *b, size_t len);

/*
 * These append to B: LEN bytes at DATA, a terminated text, one character, or VALUE in decimal. They
 * do nothing if .error is set, and set it to -ENOMEM if there is no memory.
 */
void buffer_add(struct buffer *b, const void *data, size_t len);
void buffer_add_text(struct buffer *b, const char *text);
void buffer_add_char(struct buffer *b, char c);
void buffer_add_u64(struct buffer *b, uint64_t value);

/*
 * Appends as printf() prints. If printf() fails (EOVERFLOW, EILSEQ), adds nothing and sets .error
 * to the negative errno. If there is no memory, sets .error to -ENOMEM.
 */
void buffer_printf(struct buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends LEN zero bytes. Errors as buffer_add(). */
void buffer_add_zero(struct buffer *b, size_t len);

/* Appends zero bytes until .len is a multiple of ALIGN, a power of two. Errors as buffer_add(). */
void buffer_align(struct buffer *b, size_t align);

#define AUTO_BUFFER CLEANUP(buffer_done)

#endif
