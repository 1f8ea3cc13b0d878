/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /proc/PID/status: who a process is, and the counters that the kernel keeps of its memory.
 */
#ifndef MEMTALLY_COLLECTORS_STATUS_H
#define MEMTALLY_COLLECTORS_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "snapshot/record.h"

enum {
	STATUS_NAME_SIZE = 16, /* TASK_COMM_LEN; a kernel worker's longer name is cut */
};

struct status {
	char name[STATUS_NAME_SIZE]; /* as the kernel has it: raw bytes, its escapes undone */
	size_t name_len;
	char state;      /* 'R', 'S', 'Z' ...; 0 where the line is missing */
	uid_t uid, ruid; /* the effective and the real one */
	gid_t gid, rgid; /* likewise; OWNER_NO_ID where the line is missing */
	uint32_t threads;
	bool has_mm; /* a VmSize line: neither a kernel thread nor a zombie */
	/* By enum process_quantity, those that status has: RSS is VmRSS. */
	uint64_t present;
	uint64_t q[PROCESS_QUANTITIES];
};

/*
 * Parses TEXT. RssAnon, RssFile and RssShmem came with Linux 4.5, VmPin with 3.2. -EBADMSG: cut off, no
 * Name or Uid, or a value that no kernel prints.
 */
int status_parse(const char *text, size_t len, struct status *ret);

#endif
