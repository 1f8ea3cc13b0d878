/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A long text of /proc, smaps or maps, that is read in small pieces. The kernel gives the lock of the address space
 * back at the end of each read(), so small pieces with pauses between them keep the process waiting for less time than
 * one long read (docs/performance.md).
 *
 * A stream is read by this process, or by a measuring worker (workers.h), which then reads several pieces at once into
 * a struct stream_bulk.
 */
#ifndef MEMTALLY_COLLECTORS_STREAM_H
#define MEMTALLY_COLLECTORS_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"

enum {
	STREAM_BULK = 1 << 16, /* bytes */
	STREAM_PIECES = 256,
};

/* One read(). */
struct stream_piece {
	uint32_t len;     /* bytes */
	uint32_t took_ns; /* at most 4 s */
};

/* Pieces that were read one after the other. */
struct stream_bulk {
	uint32_t count;   /* of .piece */
	bool is_at_end;   /* the last read() returned 0 bytes */
	uint64_t took_ns; /* from the first read()'s beginning to the last one's end */
	struct stream_piece piece[STREAM_PIECES];
	char text[STREAM_BULK];
};

struct workers;

struct stream {
	int fd;                  /* the file, of a stream without worker; -1 */
	struct workers *workers; /* borrowed; NULL: none, or the stream is closed */
	pid_t pid;               /* the process that the file is of */
	unsigned int lane, place;
	uint32_t generation; /* of the lane's worker: a later one does not have the stream */
	struct stream_bulk
		*bulk; /* owned: pieces that stream_read() has not given yet; NULL: none so far */
	uint32_t next; /* of bulk->piece */
	size_t at;     /* in bulk->text */
};

#define STREAM_CLOSED                                                                              \
	(struct stream)                                                                            \
	{                                                                                          \
		.fd = -1                                                                           \
	}

static inline bool stream_is_open(const struct stream *s)
{
	return s->fd >= 0 || s->workers;
}

/* Makes the closed S a stream of FD, which it consumes. */
void stream_set(struct stream *s, int fd);

/* Closes S and frees its memory; accepts a closed one. */
void stream_close(struct stream *s);

#define AUTO_STREAM CLEANUP(stream_close)

/*
 * Copies the next piece, of at most SIZE bytes, to TO. If a worker has to read, it reads pieces for about SLICE_NS.
 * *RET says when the piece was read. Returns its length; 0 at the end of the text; a negative errno of read(), or
 * -ETIMEDOUT: the read is blocked (workers.h), -ESTALE: its worker is gone, -ENOMEM.
 */
ssize_t stream_read(
	struct stream *s, char *to, size_t size, uint64_t slice_ns, struct stream_piece *ret);

/* Whether the next stream_read() needs no read(): pieces are left. */
bool stream_has_more(const struct stream *s);

/*
 * Whether the address space of S still exists: reads one byte from the beginning, for which the kernel walks the first
 * mapping alone. Returns 0; -ESRCH if there is no text any more; or an error as of stream_read().
 */
int stream_probe(struct stream *s);

/* Does the same with the open file FD. */
int stream_probe_fd(int fd);

/*
 * Reads pieces of PIECE_BYTES from FD into *RET until SLICE_NS have passed, at least one. Returns 0, or a negative errno of
 * the first read(); the next call returns that of a later one.
 */
int stream_fill(int fd, size_t piece_bytes, uint64_t slice_ns, struct stream_bulk *ret);

#endif
