/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memtally-web's Own Figures
 *
 * Reads the figures for the process_* metrics that every exporter has, from /proc/self and the
 * kernel's accounting. A figure that cannot be read is absent.
 */
#ifndef MEMTALLY_WEB_OWN_SELF_H
#define MEMTALLY_WEB_OWN_SELF_H

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
	uint64_t start_ns; /* of the process; CLOCK_REALTIME */
	uint64_t read_ns;  /* last complete self_read(), by its NOW_NS; 0: none */
};

/* The fields of /proc/PID/stat that are used. */
struct self_stat {
	uint64_t start_ticks; /* clock ticks since boot */
	uint64_t virtual_bytes;
	uint64_t resident_pages;
};

/* Parses TEXT, LEN bytes of /proc/PID/stat. Returns 0; -EINVAL if it is malformed. Pure. */
int self_parse_stat(const char *text, size_t len, struct self_stat *ret);

/*
 * Zeroes *S and reads the start time of the process. Call it once, at the start: the computed time
 * shifts if the wall clock is set later.
 */
void self_init(struct self *s);

/*
 * Reads the other figures at NOW_NS (of a monotonic clock), but at most every tenth of a second:
 * the cost grows with the number of descriptors, and many clients have many and ask often. Returns
 * 0; -ENOMEM, and then figures may be old. A figure that cannot be read for another reason is
 * absent.
 */
int self_read(struct self *s, uint64_t now_ns);

#endif
