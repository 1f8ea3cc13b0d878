/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads /proc/PID/maps as a stream, into the parser of maps.h.
 */
#ifndef MEMTALLY_COLLECTORS_WORKERS_MAPS_READ_H
#define MEMTALLY_COLLECTORS_WORKERS_MAPS_READ_H

#include <stddef.h>

#include "collectors/procfs/maps.h"
#include "collectors/workers/stream.h"

enum {
	MAPS_TEXT_MAX = 32 << 20, /* bytes that maps_read() reads of any text */
	/* bytes that it reads for each mapping that a process may have (vm.max_map_count) */
	MAPS_LINE_MAX = 256,
};

enum maps_outcome {
	MAPS_CUT = 1, /* the text is longer than maps_read() reads */
};

/*
 * Reads S, a stream of maps, to its end into P, in pieces of SIZE bytes, with TEXT as the buffer.
 * Reads at most MAPS_TEXT_MAX, or MAPS_LINE_MAX times vm.max_map_count (below PROCFS_FD) if that is
 * more. A longer text has names of hundreds of bytes, or no end: the kernel continues at the next
 * higher address, so a process can map more there during the reading.
 *
 * Returns 0; MAPS_CUT if it stopped at the limit, with P as if the text had ended with the last
 * complete line; -EBADMSG; or a negative errno of stream_read().
 */
int maps_read(struct stream *s, char *text, size_t size, int procfs_fd, struct maps_parser *p);

#endif
