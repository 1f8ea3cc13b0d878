/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parser of /proc/vmstat: whether the host swaps, to a device or to compressed memory, OOM kills, and
 * counters that meminfo lacks.
 */
#ifndef MEMTALLY_COLLECTORS_PROCFS_HOST_VMSTAT_H
#define MEMTALLY_COLLECTORS_PROCFS_HOST_VMSTAT_H

#include <stddef.h>
#include <stdint.h>

enum vmstat_field {
	/* Since boot: */
	VMSTAT_SWAP_IN,    /* pswpin */
	VMSTAT_SWAP_OUT,   /* pswpout */
	VMSTAT_ZSWAP_IN,   /* zswpin */
	VMSTAT_ZSWAP_OUT,  /* zswpout */
	VMSTAT_ZEROES_IN,  /* swpin_zero */
	VMSTAT_ZEROES_OUT, /* swpout_zero */
	VMSTAT_SWAPPED_END_,
	/* Now: */
	VMSTAT_ZSPAGES = VMSTAT_SWAPPED_END_, /* nr_zspages, of zram and zswap; Linux 4.9 */
	/* nr_memmap_pages, of memory added since boot; Linux 6.11 */
	VMSTAT_MEMMAP_PAGES,
	/* Since boot; not pages: oom_kill, processes that the kernel killed for lack of memory, on
	 * the host or in a cgroup; Linux 4.13 */
	VMSTAT_OOM_KILL,
	VMSTAT_FIELDS
};

struct vmstat {
	uint64_t present;          /* without CONFIG_SWAP no swap counters; see vmstat.c */
	uint64_t q[VMSTAT_FIELDS]; /* pages, except VMSTAT_OOM_KILL */
};

/*
 * Parses TEXT into RET. Returns 0; or -EBADMSG, with RET unchanged, if TEXT is cut off, has a field
 * twice, or has a value that no kernel prints.
 */
int vmstat_parse(const char *text, size_t len, struct vmstat *ret);

/*
 * Reads and parses "vmstat" below PROCFS_FD. Returns 0; -EBADMSG, as vmstat_parse(); or a negative
 * errno of open() or read().
 */
int vmstat_read(int procfs_fd, struct vmstat *ret);

#endif
