/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /proc/pressure/memory (Linux 4.20 and later): for which part of the time processes had to wait for memory.
 */
#ifndef MEMTALLY_COLLECTORS_PSI_H
#define MEMTALLY_COLLECTORS_PSI_H

#include <stddef.h>
#include <stdint.h>

enum psi_line {
	PSI_SOME, /* at least one process waited */
	PSI_FULL, /* all that wanted to run did */
	PSI_LINES
};

enum { PSI_WHOLE = 10000 }; /* all of the time: averages are hundredths of a percent */

struct psi_figures {
	uint32_t avg10, avg60, avg300; /* of as many seconds; at most PSI_WHOLE */
	uint64_t total_us;             /* since boot */
};

struct psi {
	uint64_t present; /* by enum psi_line; none where the kernel does not keep account of it */
	struct psi_figures q[PSI_LINES];
};

/* -EBADMSG: cut off, a line twice, or something that no kernel prints. Pure. */
int psi_parse(const char *text, size_t len, struct psi *ret);

/* Reads and parses "pressure/memory" below PROCFS_FD. 0 with nothing present where there is no such file. */
int psi_read(int procfs_fd, struct psi *ret);

/* How short the host is of memory. */
enum psi_level {
	PSI_CALM, /* or it is not known */
	PSI_STRAINED,
	PSI_SEVERE,
};

/*
 * By the 10 seconds' average of PSI_SOME: above a tenth it is strained, above three tenths severe; and it stays what it
 * was BEFORE until the average is a third below that, so that one that lies on the edge does not change it in every
 * pass. Pure.
 */
enum psi_level psi_level(const struct psi *psi, enum psi_level before);

#endif
