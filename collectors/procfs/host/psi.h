/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parser of /proc/pressure/memory (Linux 4.20): the share of time in which processes had to wait
 * for memory.
 */
#ifndef MEMTALLY_COLLECTORS_PROCFS_HOST_PSI_H
#define MEMTALLY_COLLECTORS_PROCFS_HOST_PSI_H

#include <stddef.h>
#include <stdint.h>

enum psi_line {
	PSI_SOME, /* at least one process waited */
	PSI_FULL, /* all processes that were not idle waited */
	PSI_LINES
};

enum { PSI_WHOLE = 10000 }; /* all of the time: averages are in hundredths of a percent */

struct psi_figures {
	uint32_t avg10, avg60, avg300; /* over as many seconds; at most PSI_WHOLE */
	uint64_t total_us;             /* waiting time since boot, us */
};

struct psi {
	uint64_t present; /* by enum psi_line; 0 if the kernel does not account pressure */
	struct psi_figures q[PSI_LINES];
};

/*
 * Parses TEXT into RET. Returns 0; or -EBADMSG, with RET unchanged, if TEXT is cut off, has a line
 * twice, or has anything that no kernel prints. Pure.
 */
int psi_parse(const char *text, size_t len, struct psi *ret);

/*
 * Reads and parses "pressure/memory" below PROCFS_FD. Returns 0, with nothing present if there is
 * no such file; -EBADMSG, as psi_parse(); or a negative errno of open() or read().
 */
int psi_read(int procfs_fd, struct psi *ret);

/* How short the host is of memory. */
enum psi_level {
	PSI_CALM, /* also if it is not known */
	PSI_STRAINED,
	PSI_SEVERE,
};

/*
 * Returns the level by the 10 seconds' average of PSI_SOME: above 10 % the host is strained, above
 * 30 % it is severe. BEFORE is the last level. A level lasts until the average is a third below its
 * limit, so that an average near the limit does not change it in every pass. Pure.
 */
enum psi_level psi_level(const struct psi *psi, enum psi_level before);

#endif
