/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unmapped Shared Memory
 *
 * Finds the users of files that the kernel frees with their last user
 * (inspect/frames/shmem-files.h): for one process after the other, which of these files it maps and
 * has open. At the end it finds how many unmapped pages each file has
 * (inspect/frames/unmapped-pages.h). Needs CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE.
 */
#ifndef MEMTALLY_INSPECT_FRAMES_UNMAPPED_SHMEM_H
#define MEMTALLY_INSPECT_FRAMES_UNMAPPED_SHMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inspect/frames/frame-owners.h"
#include "inspect/frames/shmem-devices.h"
#include "inspect/frames/shmem-files.h"
#include "inspect/maps/target.h"

enum {
	/* Limit of descriptors that are read in all: some ten seconds. */
	UNMAPPED_SHMEM_DESCRIPTORS_MAX = 1 << 22,
	UNMAPPED_SHMEM_DESCRIPTORS_EACH =
		1 << 16, /* limit of descriptors that are read of one process */
};

struct unmapped_shmem {
	int procfs_fd; /* borrowed */
	/*
	 * Runs WORK(CONTEXT), which reads files of PID that may block their reader, and returns its
	 * result. NULL: WORK is called directly. unmapped_shmem_weigh() uses it.
	 */
	int (*shield)(pid_t pid, int (*work)(void *context), void *context);
	struct shmem_devices devices;
	struct shmem_files files;
	pid_t pid;            /* the process that is being read */
	bool has_read_mounts; /* its mountinfo was read, or reading it failed */
	bool has_sockets;     /* a socket with a packet ring is mapped */
	/* After unmapped_shmem_count(): unmapped bytes that stay whichever group exits. */
	uint64_t kept_bytes;
	/*
	 * After unmapped_shmem_count(): files with unknown users, and processes with too many
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
int unmapped_shmem_open(struct unmapped_shmem *r, int procfs_fd);
/* Frees what R owns. */
void unmapped_shmem_done(struct unmapped_shmem *r);

/*
 * Begins process PID of GROUP: unmapped_shmem_map(), unmapped_shmem_hold() and
 * shmem_files_meet() of .files then refer to this process.
 */
void unmapped_shmem_begin(struct unmapped_shmem *r, pid_t pid, uint32_t group);

/*
 * Records that the process maps M. A mapping_taker with a struct unmapped_shmem as CONTEXT. Returns
 * 0 or -ENOMEM.
 */
int unmapped_shmem_map(const struct mapping *m, void *context);

/*
 * Records the files that the process T has open. May block, see cli/common/reading/supervisor.h. Returns 0;
 * an enum target_outcome; -ENOMEM; or a negative errno of reading.
 */
int unmapped_shmem_hold(struct unmapped_shmem *r, struct target *t);

/*
 * Call after the last process of the groups: reads the files that were found
 * (unmapped_pages_read()). Processes that follow are read only as further users of these files.
 * Returns 0; -ENOMEM, -EMFILE or -ENFILE.
 */
int unmapped_shmem_weigh(struct unmapped_shmem *r);

/*
 * After unmapped_shmem_weigh(): returns whether any file with pages seems to be used by one group
 * alone and freed with it.
 */
bool unmapped_shmem_has_any(const struct unmapped_shmem *r);

/*
 * After unmapped_shmem_weigh(): returns whether one group alone seems to map a socket. Then any
 * process, also one that was read before, may have this socket open: call unmapped_shmem_begin()
 * and unmapped_shmem_hold() for each.
 */
bool unmapped_shmem_seeks_sockets(const struct unmapped_shmem *r);

/*
 * Returns whether the pages of file NUMBER of .files stay whichever group exits; true if that is not
 * known.
 */
bool unmapped_shmem_stays(const struct unmapped_shmem *r, uint32_t number);

/*
 * Call at the end: adds to S the unmapped bytes that are freed with each group, and sets
 * .kept_bytes and .untold.
 */
void unmapped_shmem_count(struct unmapped_shmem *r, struct frame_owners *s);

/* Returns the bytes of memory that R uses. */
size_t unmapped_shmem_bytes(const struct unmapped_shmem *r);

#endif
