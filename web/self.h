/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this process costs, from /proc/self and the kernel's own accounting: the process_* families that
 * every exporter has. What can't be had is absent.
 */
#ifndef MEMTALLY_WEB_SELF_H
#define MEMTALLY_WEB_SELF_H

#include <stddef.h>
#include <stdint.h>

enum self_has {
	SELF_HAS_CPU = 1 << 0,
	SELF_HAS_MEMORY = 1 << 1,
	SELF_HAS_OPEN_FDS = 1 << 2,
	SELF_HAS_MAX_FDS = 1 << 3,
	SELF_HAS_START = 1 << 4,
};

struct self {
	unsigned int has; /* bits of enum self_has */
	uint64_t cpu_ns;
	uint64_t resident_bytes, virtual_bytes;
	uint64_t open_fds, max_fds;
	uint64_t start_ns; /* CLOCK_REALTIME */
	uint64_t read_ns;  /* when the rest was read; 0: never */
};

/* What of /proc/PID/stat is used. */
struct self_stat {
	uint64_t start_ticks; /* since boot */
	uint64_t virtual_bytes;
	uint64_t resident_pages;
};

/* Parses a line of /proc/PID/stat. Pure. -EINVAL. */
int self_parse_stat(const char *text, size_t len, struct self_stat *ret);

/* Takes the time of the process's start, once: later it would move with every step of the clock. */
void self_init(struct self *s);

/*
 * Reads the rest anew, as of NOW, of a clock that only rises; but not again within a tenth of a second: it costs as much
 * as there are descriptors, which a crowd of clients has many of, and asks for again and again.
 */
void self_read(struct self *s, uint64_t now_ns);

#endif
