/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing run of bytes. The first failure, of an allocation or of printf, is remembered in .error and makes every later
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
	int error; /* 0, or the first failure: -ENOMEM, or what buffer_printf() says */
};

/* Frees the memory; B is an empty buffer then. */
void buffer_done(struct buffer *b);

/* Empties the buffer, keeps its memory and forgets its error. */
void buffer_clear(struct buffer *b);

/*
 * Empties the buffer, as buffer_clear(), for a while without use: gives the pages of a large buffer back to the kernel, and keeps
 * its address range, so that growing to the same size needs no allocation.
 */
void buffer_rest(struct buffer *b);

/* Frees memory that the content does not need. */
void buffer_trim(struct buffer *b);

/*
 * Makes room for LEN more bytes. Returns the address to write them to; the caller then adds to .len. Returns NULL on failure
 * (.error is set), or if LEN is 0 and the buffer has no memory yet.
 */
char *buffer_reserve(struct buffer *b, size_t len);

/* These append to B. They do nothing if .error is set, and set it if there is no memory. */
void buffer_add(struct buffer *b, const void *data, size_t len);
void buffer_add_text(struct buffer *b, const char *text);
void buffer_add_char(struct buffer *b, char c);
void buffer_add_u64(struct buffer *b, uint64_t value);

/* Appends as printf() prints. If printf() fails (EOVERFLOW, EILSEQ), adds nothing and sets .error to the negative errno. */
void buffer_printf(struct buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends LEN zero bytes. */
void buffer_add_zero(struct buffer *b, size_t len);

/* Pads with zero bytes up to a multiple of ALIGN, a power of two. */
void buffer_align(struct buffer *b, size_t align);

#define AUTO_BUFFER CLEANUP(buffer_done)

#endif
