/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the simulated host's /proc says, as Linux 6.18 prints it. Pure: from the host to text.
 */
#ifndef MEMTALLY_TESTS_SIM_FILES_H
#define MEMTALLY_TESTS_SIM_FILES_H

#include "base/buffer.h"
#include "tests/sim/host.h"

/* Of the process in SLOT. */
void files_statm(const struct host *h, size_t slot, struct buffer *to);
void files_status(const struct host *h, size_t slot, struct buffer *to);
void files_stat(const struct host *h, size_t slot, struct buffer *to);
void files_cgroup(const struct host *h, size_t slot, struct buffer *to);
void files_rollup(const struct host *h, size_t slot, struct buffer *to);

/* Of the host. */
void files_btime(const struct host *h, struct buffer *to);
void files_meminfo(const struct host *h, struct buffer *to);
void files_vmstat(const struct host *h, struct buffer *to);
void files_pressure(const struct host *h, struct buffer *to);

/* Where a reader of mappings has come to; all 0: at the beginning. */
struct files_cursor {
	enum { FILES_TEXT, FILES_PARTS, FILES_MAPPINGS, FILES_STACK, FILES_END } at;
	uint64_t place; /* the least that is still to be read */
};

struct files_mapping {
	uint64_t start, end;
	uint32_t inode; /* 0: none */
	bool is_shmem;
	struct host_piece piece;
};

/* The mapping at the cursor, which moves on. False: there are no more. */
bool files_next(
	const struct host *h, size_t slot, struct files_cursor *c, struct files_mapping *ret);

/* One mapping, of "maps" and of "smaps". */
void files_map(const struct files_mapping *m, struct buffer *to);
void files_smap(const struct files_mapping *m, struct buffer *to);

#endif
