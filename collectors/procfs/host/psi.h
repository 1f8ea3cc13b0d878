/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parser of /proc/pressure/memory (Linux 4.20), and of memory.pressure of a cgroup: the share of time
 * in which processes had to wait for memory.
 */
#ifndef MEMTALLY_COLLECTORS_PROCFS_HOST_PSI_H
#define MEMTALLY_COLLECTORS_PROCFS_HOST_PSI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PSI_WHOLE = 10000,   /* all of the time: averages are in hundredths of a percent */
	PSI_TEXT_SIZE = 512, /* room for the file; Linux 6.18 prints at most 150 bytes */
};

struct psi {
	bool is_known; /* false: the kernel does not account pressure */
	/* the share of the last 10 seconds in which at least one process waited; at most PSI_WHOLE */
	uint32_t some_avg10;
	bool has_waited, has_stalled; /* the text has the next two */
	/* ns: in which at least one process waited, and in which all waited at once; <= INT64_MAX */
	uint64_t waited_ns, stalled_ns;
};

/*
 * Parses TEXT into RET. Returns 0, with nothing known if there is no line "some"; or -EBADMSG, with
 * RET unchanged, if TEXT is cut off, or the averages of its lines "some" are not as a kernel prints
 * them. A total that is not, or that does not fit, is left out. Pure.
 */
int psi_parse(const char *text, size_t len, struct psi *ret);

/*
 * Reads and parses "pressure/memory" below PROCFS_FD. Returns 0, with nothing known if there is
 * no such file; -EBADMSG, as psi_parse(); or a negative errno of open() or read().
 */
int psi_read(int procfs_fd, struct psi *ret);

/* How much processes wait for memory. */
enum psi_level {
	PSI_CALM, /* also if it is not known */
	PSI_STRAINED,
	PSI_SEVERE,
};

/*
 * Returns the level by .some_avg10: above 10 % it is strained, above 30 % severe. BEFORE is the last
 * level. A level lasts until the average is a third below its limit, so that an average near the
 * limit does not change it in every pass. Pure.
 */
enum psi_level psi_level(const struct psi *psi, enum psi_level before);

#endif
