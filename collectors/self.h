/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the collecting process says of itself: what it costs, and which rights it really has.
 */
#ifndef MEMTALLY_COLLECTORS_SELF_H
#define MEMTALLY_COLLECTORS_SELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/recent.h"

struct self {
	bool has_sys_ptrace, has_perfmon; /* in the effective set */
	uint64_t cpu_ns;
	struct recent recent; /* of the former */
	uint64_t resident_bytes;
	uint64_t open_fds, max_fds;
	uint64_t start_realtime_ns; /* 0: not known */
};

/*
 * Takes a zeroed struct, or the last one, whose start time and recent use of CPU are kept. Always
 * of the running kernel's /proc, wherever samples come from. What can't be had stays 0.
 */
void self_read(struct self *ret);

/* The effective capability set in the text of /proc/PID/status. -EBADMSG. Pure. */
int self_parse_capabilities(const char *text, size_t len, uint64_t *ret);

#endif
