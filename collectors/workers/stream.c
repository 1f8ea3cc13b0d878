/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/workers/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"

void stream_set(struct stream *s, int fd)
{
	*s = STREAM_CLOSED;
	s->fd = fd;
}

void stream_close(struct stream *s)
{
	fd_close(s->fd);
	if (s->calls)
		s->calls->close(s);
	free(s->bulk);
	*s = STREAM_CLOSED;
}

static ssize_t stream_read_piece(int fd, char *to, size_t size, struct stream_piece *ret)
{
	uint64_t begin_ns = clock_now_ns(CLOCK_BOOTTIME), took_ns;
	ssize_t n;

	do
		n = read(fd, to, size);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	took_ns = clock_now_ns(CLOCK_BOOTTIME) - begin_ns;
	*ret = (struct stream_piece){
		.len = (uint32_t)n,
		.took_ns = took_ns < UINT32_MAX ? (uint32_t)took_ns : UINT32_MAX,
	};
	return n;
}

int stream_fill(int fd, size_t piece_bytes, uint64_t slice_ns, struct stream_bulk *ret)
{
	uint64_t begin_ns = clock_now_ns(CLOCK_MONOTONIC), took_ns;
	size_t at = 0;

	ret->count = 0;
	ret->is_at_end = false;
	do {
		struct stream_piece *piece = &ret->piece[ret->count];
		ssize_t n = stream_read_piece(fd, ret->text + at, piece_bytes, piece);

		if (n < 0)
			return ret->count ? 0 : (int)n;
		ret->is_at_end = n == 0;
		ret->count += n > 0;
		at += (size_t)n;
		took_ns = clock_now_ns(CLOCK_MONOTONIC) - begin_ns;
	} while (!ret->is_at_end && took_ns < slice_ns && ret->count < STREAM_PIECES &&
		 sizeof(ret->text) - at >= piece_bytes);
	ret->took_ns = took_ns;
	return 0;
}

bool stream_has_more(const struct stream *s)
{
	return s->bulk && s->next < s->bulk->count;
}

/*
 * A piece has the size that was asked for when it was read; it does not fit if SIZE is smaller now.
 */
static ssize_t take_piece(struct stream *s, char *to, size_t size, struct stream_piece *ret)
{
	const struct stream_piece *piece = &s->bulk->piece[s->next];

	if (piece->len > size)
		return -EIO;
	memcpy(to, s->bulk->text + s->at, piece->len);
	s->at += piece->len;
	s->next++;
	*ret = *piece;
	return piece->len;
}

ssize_t stream_read(
	struct stream *s, char *to, size_t size, uint64_t slice_ns, struct stream_piece *ret)
{
	int e;

	if (!s->calls)
		return stream_read_piece(s->fd, to, size, ret);
	if (!stream_has_more(s)) {
		if (!s->bulk)
			s->bulk = malloc(sizeof(*s->bulk));
		if (!s->bulk)
			return -ENOMEM;
		s->bulk->count = s->next = 0;
		s->at = 0;
		e = s->calls->slice(s, size, slice_ns);
		if (e < 0)
			return e;
		if (!s->bulk->count)
			return 0;
	}
	return take_piece(s, to, size, ret);
}

int stream_probe_fd(int fd)
{
	char byte;
	ssize_t n = pread(fd, &byte, sizeof(byte), 0);

	return n < 0 ? -errno : n == 0 ? -ESRCH : 0;
}

int stream_probe(struct stream *s)
{
	return s->calls ? s->calls->probe(s) : stream_probe_fd(s->fd);
}
