/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parser of /proc/PID/status: name and ids of a process, and the kernel's counters of its memory.
 */
#ifndef MEMTALLY_COLLECTORS_PROCFS_STATUS_H
#define MEMTALLY_COLLECTORS_PROCFS_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "snapshot/record.h"

enum {
	STATUS_NAME_SIZE = 16, /* TASK_COMM_LEN; a kernel worker's longer name is cut */
};

struct status {
	char name[STATUS_NAME_SIZE]; /* raw bytes, unescaped */
	size_t name_len;
	char state;       /* 'R', 'S', 'Z' ...; 0 if the line is missing */
	pid_t parent;     /* 0: none in this pid namespace; -1: the line is missing */
	uid_t uid, ruid;  /* effective and real UID */
	gid_t gid, rgid;  /* effective and real GID; OWNER_NO_ID if the line is missing */
	uint32_t threads; /* 0 if the line is missing */
	bool has_mm;      /* there is a VmSize line: it is no kernel thread and no zombie */
	/* By enum process_quantity, those that status has, as there: RSS is VmRSS. */
	uint64_t present;
	uint64_t q[PROCESS_QUANTITIES];
};

/*
 * Parses TEXT into RET. RssAnon, RssFile and RssShmem exist since Linux 4.5, VmPin since 3.2.
 * Returns 0; or -EBADMSG, with RET unchanged, if TEXT is cut off, has no Name or Uid, has a line
 * twice, or has a value that no kernel prints.
 */
int status_parse(const char *text, size_t len, struct status *ret);

#endif
