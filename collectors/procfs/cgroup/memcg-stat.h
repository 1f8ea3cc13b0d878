/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parser of the memory controller's files: what the kernel charges a cgroup, with all cgroups below
 * it, and its counters of events. Both versions of cgroups. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_PROCFS_CGROUP_MEMCG_STAT_H
#define MEMTALLY_COLLECTORS_PROCFS_CGROUP_MEMCG_STAT_H

#include <stddef.h>
#include <stdint.h>

enum memcg_stat_field {
	MEMCG_STAT_TOTAL,  /* memory.current; v1 memory.usage_in_bytes */
	MEMCG_STAT_ANON,   /* memory.stat: anon; v1 total_rss, which includes huge pages */
	MEMCG_STAT_FILE,   /* memory.stat: file; v1 total_cache: includes shmem, mapped or not */
	MEMCG_STAT_SHMEM,  /* memory.stat: shmem; v1 total_shmem (Linux 4.11) */
	MEMCG_STAT_KERNEL, /* memory.stat: kernel (Linux 5.18); v1 memory.kmem.usage_in_bytes */
	/* memory.swap.current; v1 total_swap, absent if the kernel does not account swap */
	MEMCG_STAT_SWAP,
	MEMCG_STAT_PEAK, /* memory.peak (Linux 5.19); v1 memory.max_usage_in_bytes */
	/* Counters since the cgroup was made: */
	/*
	 * memory.events: oom_kill (Linux 4.13); v1 memory.oom_control: oom_kill, of the cgroup
	 * without those below
	 */
	MEMCG_STAT_OOM_KILLS,
	MEMCG_STAT_HIGH_EVENTS, /* memory.events: high */
	MEMCG_STAT_MAX_EVENTS,  /* memory.events: max; v1 memory.failcnt */
	MEMCG_STAT_WAITED,      /* ns; memory.pressure: total of some (Linux 4.20) */
	MEMCG_STAT_STALLED,     /* ns; memory.pressure: total of full */
	MEMCG_STAT_FIELDS
};

struct memcg_stat {
	uint64_t present;
	/*
	 * bytes, unless enum memcg_stat_field says otherwise; MEMCG_STAT_TOTAL is not the sum of
	 * the others
	 */
	uint64_t q[MEMCG_STAT_FIELDS];
};

enum memcg_stat_version {
	MEMCG_STAT_V1 = 1,
	MEMCG_STAT_V2 = 2,
};

/*
 * Sets in RET the fields that TEXT, a memory.stat, has. Unknown keys are skipped. Returns 0; or
 * -EBADMSG, with RET unchanged, if the text is cut off, has a key twice, or has a value that no
 * kernel prints.
 */
int memcg_stat_parse_stat(
	const char *text, size_t len, enum memcg_stat_version version, struct memcg_stat *ret);

/*
 * Sets in RET the fields that TEXT, a memory.events or v1 memory.oom_control, has. Returns as
 * memcg_stat_parse_stat().
 */
int memcg_stat_parse_events(
	const char *text, size_t len, enum memcg_stat_version version, struct memcg_stat *ret);

/*
 * Sets FIELD in RET from TEXT, a file with one number. Returns 0; or -EBADMSG, with RET unchanged,
 * if TEXT is no number or above INT64_MAX.
 */
int memcg_stat_parse_value(
	const char *text, size_t len, enum memcg_stat_field field, struct memcg_stat *ret);

#endif
