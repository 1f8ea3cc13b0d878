/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stream: a long text of /proc, smaps or maps, that is read in small pieces. The kernel releases
 * the address-space lock at the end of each read(), so small pieces with pauses between them keep
 * the process waiting for less time than one long read (docs/performance.md).
 *
 * This process reads a stream itself, or a measuring worker does (workers.h), which then reads
 * several pieces at once into a struct stream_bulk.
 */
#ifndef MEMTALLY_COLLECTORS_WORKERS_STREAM_H
#define MEMTALLY_COLLECTORS_WORKERS_STREAM_H

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
	uint32_t took_ns; /* duration of the read(), ns; at most 4 s */
};

/* Pieces that were read one after the other. */
struct stream_bulk {
	uint32_t count;   /* pieces in .piece */
	bool is_at_end;   /* the last read() returned 0 bytes */
	uint64_t took_ns; /* from the beginning of the first read() to the end of the last one */
	struct stream_piece piece[STREAM_PIECES];
	char text[STREAM_BULK];
};

struct stream;

/* The calls by which a worker reads a stream (workers.c). */
struct stream_calls {
	/*
	 * Reads the next pieces of S, of PIECE_BYTES, into its bulk, for about SLICE_NS. Returns 0;
	 * -ESTALE if the worker is gone, and the stream with it; -EIO if its answer is invalid; or
	 * an error as workers_read().
	 */
	int (*slice)(struct stream *s, size_t piece_bytes, uint64_t slice_ns);
	int (*probe)(struct stream *s);  /* does stream_probe() */
	void (*close)(struct stream *s); /* closes the worker's file */
};

struct workers;

struct stream {
	int fd;                           /* owned: the file of a stream without worker; -1: none */
	const struct stream_calls *calls; /* NULL: there is no worker, or the stream is closed */
	struct workers *workers;          /* borrowed; for .calls */
	pid_t pid;                        /* the process that the file belongs to */
	unsigned int lane, place;
	uint32_t generation; /* of the lane's worker; a later worker does not have the stream */
	/* owned: pieces that stream_read() has not returned yet; NULL: none so far */
	struct stream_bulk *bulk;
	uint32_t next; /* index in bulk->piece */
	size_t at;     /* offset in bulk->text */
};

#define STREAM_CLOSED                                                                              \
	(struct stream)                                                                            \
	{                                                                                          \
		.fd = -1                                                                           \
	}

static inline bool stream_is_open(const struct stream *s)
{
	return s->fd >= 0 || s->calls;
}

/* Makes S, which must be closed, a stream of FD. Consumes FD. */
void stream_set(struct stream *s, int fd);

/* Closes S and frees its memory. Accepts a closed stream. */
void stream_close(struct stream *s);

#define AUTO_STREAM CLEANUP(stream_close)

/*
 * Copies the next piece, of at most SIZE bytes, to TO, and sets *RET to its length and duration. If
 * a worker has to read, it reads pieces for about SLICE_NS; SIZE must not become smaller while
 * pieces are left.
 *
 * Returns the length of the piece; 0 at the end of the text; -ETIMEDOUT if the read is blocked
 * (workers.h); -ESTALE if the stream's worker is gone; -EIO if SIZE became smaller or the worker's
 * answer is invalid; -ECHILD or -ECANCELED, as workers_read(); -ENOMEM; or a negative errno of
 * read().
 */
ssize_t stream_read(
	struct stream *s, char *to, size_t size, uint64_t slice_ns, struct stream_piece *ret);

/* Returns whether the next stream_read() needs no read(), since pieces are left. */
bool stream_has_more(const struct stream *s);

/*
 * Checks whether the address space of S still exists: reads one byte from the beginning, for which
 * the kernel walks only the first mapping. Returns 0; -ESRCH if there is no text any more; or an
 * error as stream_read().
 */
int stream_probe(struct stream *s);

/* Does the same as stream_probe() with the open file FD. */
int stream_probe_fd(int fd);

/*
 * Reads pieces of PIECE_BYTES from FD into *RET until SLICE_NS have passed, *RET is full or the
 * text ends, but at least one piece. Returns 0, or a negative errno of the first read(). An error
 * of a later read() is returned by the next call.
 */
int stream_fill(int fd, size_t piece_bytes, uint64_t slice_ns, struct stream_bulk *ret);

#endif
