/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /proc of a simulated host
 *
 * Prints the files of /proc as Linux 6.18 does. Pure: from the host to text.
 */
#ifndef MEMTALLY_TESTS_SIM_HOST_FILES_H
#define MEMTALLY_TESTS_SIM_HOST_FILES_H

#include "base/buffer.h"
#include "tests/sim/host/host.h"

/* Print /proc/PID/NAME of the process in SLOT. */
void files_statm(const struct host *h, size_t slot, struct buffer *to);
void files_status(const struct host *h, size_t slot, struct buffer *to);
void files_stat(const struct host *h, size_t slot, struct buffer *to);
void files_cgroup(const struct host *h, size_t slot, struct buffer *to);
void files_rollup(const struct host *h, size_t slot, struct buffer *to);

/* Print the boot time, /proc/meminfo, /proc/vmstat and /proc/pressure/memory of the host. */
void files_btime(const struct host *h, struct buffer *to);
void files_meminfo(const struct host *h, struct buffer *to);
void files_vmstat(const struct host *h, struct buffer *to);
void files_pressure(const struct host *h, struct buffer *to);

/* The position of a reader of mappings. All zeros: at the beginning. */
struct files_cursor {
	enum { FILES_TEXT, FILES_PARTS, FILES_MAPPINGS, FILES_STACK, FILES_END } at;
	uint64_t place; /* the lowest page that is still to be read */
};

struct files_mapping {
	uint64_t start, end;
	uint32_t inode; /* 0: anonymous memory */
	bool is_shmem;
	struct host_piece piece;
};

/* Returns the mapping at C in *RET and advances C. Returns false at the end. */
bool files_next(
	const struct host *h, size_t slot, struct files_cursor *c, struct files_mapping *ret);

/* Print one mapping as in "maps" and in "smaps". */
void files_map(const struct files_mapping *m, struct buffer *to);
void files_smap(const struct files_mapping *m, struct buffer *to);

#endif
