/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "base/buffer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/number.h"

enum {
	BUFFER_FIRST = 256,
	BUFFER_RESTS = 256 << 10, /* bytes; for less, the page faults afterwards cost too much */
};

void buffer_done(struct buffer *b)
{
	free(b->data);
	*b = (struct buffer){0};
}

void buffer_clear(struct buffer *b)
{
	b->len = 0;
	b->error = 0;
}

void buffer_rest(struct buffer *b)
{
	uintptr_t begin = (uintptr_t)b->data, end = begin + b->capacity;
	long page = sysconf(_SC_PAGESIZE);
	uintptr_t mask = page > 0 ? (uintptr_t)page - 1 : 0;

	buffer_clear(b);
	if (b->capacity < BUFFER_RESTS || !mask)
		return;
	/*
	 * Whole pages only: the first and the last page may hold other blocks of the heap. If
	 * madvise() fails (locked memory), the pages stay resident and nothing else is lost.
	 */
	begin = (begin + mask) & ~mask;
	end &= ~mask;
	(void)madvise(b->data + (begin - (uintptr_t)b->data), end - begin, MADV_DONTNEED);
}

void buffer_trim(struct buffer *b)
{
	char *data;

	if (b->len == b->capacity)
		return;
	if (!b->len) {
		free(b->data);
		b->data = NULL;
		b->capacity = 0;
		return;
	}
	data = realloc(b->data, b->len);
	if (data) {
		b->data = data;
		b->capacity = b->len;
	}
}

char *buffer_reserve(struct buffer *b, size_t len)
{
	size_t need, capacity;
	char *data;

	if (b->error)
		return NULL;
	if (__builtin_add_overflow(b->len, len, &need) || need > SIZE_MAX / 2) {
		b->error = -ENOMEM;
		return NULL;
	}
	if (need > b->capacity) {
		capacity = b->capacity ? b->capacity : BUFFER_FIRST;
		while (capacity < need)
			capacity += capacity / 2;
		data = realloc(b->data, capacity);
		if (!data) {
			b->error = -ENOMEM;
			return NULL;
		}
		b->data = data;
		b->capacity = capacity;
	}
	return b->data ? b->data + b->len : NULL;
}

void buffer_add(struct buffer *b, const void *data, size_t len)
{
	char *to = buffer_reserve(b, len);

	if (!to || !len)
		return;
	memcpy(to, data, len);
	b->len += len;
}

void buffer_add_text(struct buffer *b, const char *text)
{
	buffer_add(b, text, strlen(text));
}

void buffer_add_char(struct buffer *b, char c)
{
	buffer_add(b, &c, 1);
}

void buffer_add_u64(struct buffer *b, uint64_t value)
{
	char *to = buffer_reserve(b, NUMBER_U64_DIGITS);

	if (to)
		b->len += number_format_u64(value, to);
}

void buffer_printf(struct buffer *b, const char *format, ...)
{
	va_list args;
	int len;
	char *to;

	va_start(args, format);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	to = len < 0 ? NULL : buffer_reserve(b, (size_t)len + 1);
	if (to) {
		va_start(args, format);
		len = vsnprintf(to, (size_t)len + 1, format, args);
		va_end(args);
	}
	if (len < 0 && !b->error)
		b->error = -errno;
	if (to && len > 0)
		b->len += (size_t)len;
}

void buffer_add_zero(struct buffer *b, size_t len)
{
	char *to = buffer_reserve(b, len);

	if (!to || !len)
		return;
	memset(to, 0, len);
	b->len += len;
}

void buffer_align(struct buffer *b, size_t align)
{
	buffer_add_zero(b, (align - b->len % align) % align);
}
