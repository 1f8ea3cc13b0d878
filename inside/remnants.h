/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unmapped shared memory, and the users of files that the kernel frees with their last user (memfiles.h): for one process
 * after the other, which of these files it maps and has open; at the end, how many unmapped pages each file has (remnant.h).
 * It takes CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE.
 */
#ifndef MEMTALLY_INSIDE_REMNANTS_H
#define MEMTALLY_INSIDE_REMNANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inside/memdevices.h"
#include "inside/memfiles.h"
#include "inside/stakes.h"
#include "inside/target.h"

enum {
	REMNANTS_DESCRIPTORS_MAX = 1 << 22, /* descriptors that are read in all: some ten seconds */
	REMNANTS_DESCRIPTORS_EACH = 1 << 16, /* descriptors that are read of one process */
};

struct remnants {
	int procfs_fd; /* borrowed */
	/* Runs WORK(CONTEXT), which reads files of PID that may block their reader. NULL: WORK is called directly. */
	int (*shield)(pid_t pid, int (*work)(void *context), void *context);
	struct memdevices devices;
	struct memfiles files;
	pid_t pid;        /* the process that is being read */
	bool has_asked;   /* its mountinfo was read, or could not be */
	bool has_sockets; /* a socket is mapped, as with a ring of packets */
	uint64_t
		kept_bytes; /* after remnants_count(): unmapped bytes that stay whichever group exits */
	uint64_t
		untold; /* after remnants_count(): files with unknown users, and processes with too many descriptors */
	uint64_t descriptors; /* that may still be read */
};

/*
 * Begins with the proc file system PROCFS_FD, which stays borrowed. Makes a memfd to learn the kernel's own device. Returns
 * 0; -ENOMEM; or a negative errno of memfd_create().
 */
int remnants_open(struct remnants *r, int procfs_fd);
void remnants_done(struct remnants *r);

/* Begins process PID of GROUP. The next three functions are of this process. */
void remnants_begin(struct remnants *r, pid_t pid, uint32_t group);

/* Records that it maps M. A mapping_taker with a struct remnants as CONTEXT. Returns 0 or -ENOMEM. */
int remnants_map(const struct mapping *m, void *context);

/*
 * Records the files that it has open; T is the process. Returns 0; an enum target_outcome; -ENOMEM; or a negative errno of
 * reading. May block unless .shield is set.
 */
int remnants_hold(struct remnants *r, struct target *t);

/*
 * Counts a page at ADDRESS that no process before had; addresses must rise. Returns the number of the file that the page is
 * of; 0: none of these files.
 */
static inline uint32_t remnants_meet(struct remnants *r, uint64_t address)
{
	return memfiles_meet(&r->files, address);
}

/*
 * Call after the last process of a group: reads the files that were found. Processes that follow are read only as further
 * users of these files. Returns 0; -ENOMEM, -EMFILE or -ENFILE.
 */
int remnants_weigh(struct remnants *r);

/* Whether any file seems to be used by one group alone and freed with it. */
bool remnants_has_any(const struct remnants *r);

/* The file NUMBER, as of remnants_meet(); not 0. */
static inline const struct memfile *remnants_at(const struct remnants *r, uint32_t number)
{
	return memfiles_at(&r->files, number);
}

/*
 * After remnants_weigh(): whether any process, also one that was looked at before, may have a socket open that one group alone
 * seems to map. remnants_begin() and remnants_hold() of each process find that out.
 */
bool remnants_seeks_sockets(const struct remnants *r);

/* Whether the pages of file NUMBER stay when any one group exits; true if that is not known. */
bool remnants_stays(const struct remnants *r, uint32_t number);

/* Adds to S the unmapped bytes that are freed with each group. */
void remnants_count(struct remnants *r, struct stakes *s);

/* Bytes of memory that R uses. */
size_t remnants_bytes(const struct remnants *r);

#endif
