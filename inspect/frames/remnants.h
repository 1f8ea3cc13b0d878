/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unmapped Shared Memory
 *
 * Finds the users of files that the kernel frees with their last user (inspect/frames/memfiles.h): for one
 * process after the other, which of these files it maps and has open. At the end it finds how many
 * unmapped pages each file has (inspect/frames/remnant.h). Needs CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE.
 */
#ifndef MEMTALLY_INSPECT_FRAMES_REMNANTS_H
#define MEMTALLY_INSPECT_FRAMES_REMNANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inspect/frames/memdevices.h"
#include "inspect/frames/memfiles.h"
#include "inspect/frames/stakes.h"
#include "inspect/maps/target.h"

enum {
	/* Limit of descriptors that are read in all: some ten seconds. */
	REMNANTS_DESCRIPTORS_MAX = 1 << 22,
	REMNANTS_DESCRIPTORS_EACH = 1 << 16, /* limit of descriptors that are read of one process */
};

struct remnants {
	int procfs_fd; /* borrowed */
	/*
	 * Runs WORK(CONTEXT), which reads files of PID that may block their reader, and returns its
	 * result. NULL: WORK is called directly. remnants_weigh() uses it.
	 */
	int (*shield)(pid_t pid, int (*work)(void *context), void *context);
	struct memdevices devices;
	struct memfiles files;
	pid_t pid;        /* the process that is being read */
	bool has_asked;   /* its mountinfo was read, or reading it failed */
	bool has_sockets; /* a socket with a packet ring is mapped */
	/* After remnants_count(): unmapped bytes that stay whichever group exits. */
	uint64_t kept_bytes;
	/*
	 * After remnants_count(): files with unknown users, and processes with too many
	 * descriptors.
	 */
	uint64_t untold;
	uint64_t descriptors; /* that may still be read, of all processes */
};

/*
 * Makes R empty, for processes below the proc file system PROCFS_FD, which stays borrowed. Makes a
 * memfd to learn the kernel's own device. Returns 0; -ENOMEM; or a negative errno of memfd_create()
 * or fstat().
 */
int remnants_open(struct remnants *r, int procfs_fd);
/* Frees what R owns. */
void remnants_done(struct remnants *r);

/*
 * Begins process PID of GROUP: remnants_map(), remnants_hold() and remnants_meet() then refer to
 * this process.
 */
void remnants_begin(struct remnants *r, pid_t pid, uint32_t group);

/*
 * Records that the process maps M. A mapping_taker with a struct remnants as CONTEXT. Returns 0 or
 * -ENOMEM.
 */
int remnants_map(const struct mapping *m, void *context);

/*
 * Records the files that the process T has open. May block, see cli/common/supervisor.h. Returns 0; an
 * enum target_outcome; -ENOMEM; or a negative errno of reading.
 */
int remnants_hold(struct remnants *r, struct target *t);

/*
 * Counts a page at ADDRESS of the process that no process before had. Addresses must rise. Returns
 * the number of the file of the page; 0: none of these files is mapped there.
 */
static inline uint32_t remnants_meet(struct remnants *r, uint64_t address)
{
	return memfiles_meet(&r->files, address);
}

/*
 * Call after the last process of the groups: reads the files that were found (remnant_read()).
 * Processes that follow are read only as further users of these files. Returns 0; -ENOMEM, -EMFILE
 * or -ENFILE.
 */
int remnants_weigh(struct remnants *r);

/*
 * After remnants_weigh(): whether any file with pages seems to be used by one group alone and freed
 * with it.
 */
bool remnants_has_any(const struct remnants *r);

/* Returns the file NUMBER of remnants_meet(); not 0. */
static inline const struct memfile *remnants_at(const struct remnants *r, uint32_t number)
{
	return memfiles_at(&r->files, number);
}

/*
 * After remnants_weigh(): whether one group alone seems to map a socket. Then any process, also one
 * that was read before, may have this socket open: call remnants_begin() and remnants_hold() for
 * each.
 */
bool remnants_seeks_sockets(const struct remnants *r);

/* Whether the pages of file NUMBER stay whichever group exits; true if that is not known. */
bool remnants_stays(const struct remnants *r, uint32_t number);

/*
 * Call at the end: adds to S the unmapped bytes that are freed with each group, and sets
 * .kept_bytes and .untold.
 */
void remnants_count(struct remnants *r, struct stakes *s);

/* Returns the bytes of memory that R uses. */
size_t remnants_bytes(const struct remnants *r);

#endif
