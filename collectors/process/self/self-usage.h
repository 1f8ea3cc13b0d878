/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Figures of memtallyd itself: CPU time, memory, descriptors, and its effective capabilities.
 */
#ifndef MEMTALLY_COLLECTORS_PROCESS_SELF_SELF_USAGE_H
#define MEMTALLY_COLLECTORS_PROCESS_SELF_SELF_USAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/process/self/cpu-recent.h"

struct self_usage {
	/* in the effective set */
	bool has_sys_ptrace, has_perfmon, has_dac_read_search;
	/* CPU time of measuring workers: the caller sets it before self_usage_read() */
	uint64_t workers_cpu_ns;
	uint64_t cpu_ns;          /* CPU time of this process and its workers */
	struct cpu_recent recent; /* recent use of .cpu_ns */
	uint64_t resident_bytes;
	uint64_t open_fds, max_fds;
	uint64_t start_realtime_ns; /* 0: not known */
};

/*
 * Reads the figures into *RET, which must be zeroed or the last result: its start time and recent
 * CPU use are kept. Always reads the running kernel's /proc, also if samples come from another
 * tree. A figure that cannot be read becomes 0.
 */
void self_usage_read(struct self_usage *ret);

/*
 * Parses the effective capability set in TEXT, a /proc/PID/status, into *RET. Returns 0 or
 * -EBADMSG. Pure.
 */
int self_usage_parse_capabilities(const char *text, size_t len, uint64_t *ret);

#endif
