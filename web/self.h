/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Figures of this process, from /proc/self and the kernel's accounting: the process_* metrics of every exporter. A figure
 * that cannot be read is absent.
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
	uint64_t read_ns;  /* time of the last complete self_read(); 0: there was none */
};

/* Fields of /proc/PID/stat that are used. */
struct self_stat {
	uint64_t start_ticks; /* since boot */
	uint64_t virtual_bytes;
	uint64_t resident_pages;
};

/* Parses TEXT of /proc/PID/stat. Returns 0 or -EINVAL. Pure. */
int self_parse_stat(const char *text, size_t len, struct self_stat *ret);

/* Reads the start time of the process. Call it once, at the start: the result moves with every step of the clock. */
void self_init(struct self *s);

/*
 * Reads the other figures at NOW_NS (of a monotonic clock), but at most every tenth of a second: the cost grows with the number of
 * descriptors, and a crowd of clients has many and asks often. Returns 0; -ENOMEM: S is unchanged. A figure that cannot be
 * read for another reason is absent.
 */
int self_read(struct self *s, uint64_t now_ns);

#endif
