/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /proc/vmstat: whether the host swaps, be it to a device or to compressed memory.
 */
#ifndef MEMTALLY_COLLECTORS_VMSTAT_H
#define MEMTALLY_COLLECTORS_VMSTAT_H

#include <stddef.h>
#include <stdint.h>

enum vmstat_field {
	VMSTAT_SWAP_IN,    /* pswpin */
	VMSTAT_SWAP_OUT,   /* pswpout */
	VMSTAT_ZSWAP_IN,   /* zswpin */
	VMSTAT_ZSWAP_OUT,  /* zswpout */
	VMSTAT_ZEROES_IN,  /* swpin_zero */
	VMSTAT_ZEROES_OUT, /* swpout_zero */
	VMSTAT_FIELDS
};

struct vmstat {
	uint64_t present;          /* none of them without CONFIG_SWAP; see vmstat.c */
	uint64_t q[VMSTAT_FIELDS]; /* pages since boot */
};

/* -EBADMSG: cut off, a field twice, or a value that no kernel prints. */
int vmstat_parse(const char *text, size_t len, struct vmstat *ret);

/* Reads and parses "vmstat" below PROCFS_FD. */
int vmstat_read(int procfs_fd, struct vmstat *ret);

#endif
