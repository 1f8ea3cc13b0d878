/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Probes
 *
 * Child processes that read files of all processes at the same time, to find those that block their
 * readers. If a probe blocks, another one continues with the next process. So several blocked
 * processes take as long to find as one.
 */
#ifndef MEMTALLY_CLI_COMMON_READING_PROBES_H
#define MEMTALLY_CLI_COMMON_READING_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct probes {
	const char *procfs;          /* borrowed */
	bool (*is_known)(pid_t pid); /* returns true if PID is known to block: no probe reads it */
	struct probes_shared *shared;
	pid_t prober; /* the parent of all probes; 0: no probes run */
};

/*
 * Prepares probes that read processes of the proc file system at PROCFS. IS_KNOWN is as in struct
 * probes. Returns false if there is no memory. probes_close() frees P, also then.
 */
bool probes_open(const char *procfs, bool (*is_known)(pid_t pid), struct probes *ret);
void probes_close(struct probes *p);

/*
 * Starts probes that read every process once, unless they run. If the kernel refuses, none run.
 * Allocates nothing in this process.
 */
void probes_start(struct probes *p);

/* Kills all probes and forgets what they have found. */
void probes_end(struct probes *p);

/*
 * Returns true if no probes run, or if they have reached every process and each that still reads
 * has done so for 0.25 s.
 */
bool probes_are_done(const struct probes *p);

/*
 * Gives in *RET_PID the next process that has blocked a probe for 0.25 s or more, and in *RET_NS
 * for how long, in ns. *AT must be 0 before the first call. Returns false if there is none.
 */
bool probes_next_blocked(const struct probes *p, size_t *at, pid_t *ret_pid, uint64_t *ret_ns);

#endif
