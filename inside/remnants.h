/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of shared memory nobody has in page tables who is alive, but groups of processes keep all the same, since they map it: it
 * is noted, process after process, who maps and has open which file that is memory (memfiles.h), and found out last what there is
 * of each (remnant.h). It takes CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE.
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
	REMNANTS_DESCRIPTORS_MAX = 1 << 22,  /* that are looked at in all: some ten seconds */
	REMNANTS_DESCRIPTORS_EACH = 1 << 16, /* of a process */
};

struct remnants {
	int procfs_fd; /* borrowed */
	struct memdevices devices;
	struct memfiles files;
	pid_t pid;           /* who is looked at, */
	bool has_asked;      /* and for what is mounted there, whatever came of it */
	uint64_t kept_bytes; /* after remnants_count(): that stay whichever group ends */
	uint64_t
		untold; /* likewise, files of which it could not be found out, and processes with too many open */
	uint64_t descriptors; /* that may still be looked at */
};

/* Below PROCFS_FD. -ENOMEM; or an error of making a memfd, which says what the kernel's own device is. */
int remnants_open(struct remnants *r, int procfs_fd);
void remnants_done(struct remnants *r);

/* From now on PID is looked at, of GROUP: */
void remnants_begin(struct remnants *r, pid_t pid, uint32_t group);

/* it maps M, as a mapping_taker whose CONTEXT are the remnants; -ENOMEM; */
int remnants_map(const struct mapping *m, void *context);

/* it has what T, which it is, has open. 0; a target_outcome; -ENOMEM, or errors of reading; */
int remnants_hold(struct remnants *r, struct target *t);

/* it has a page at ADDRESS, rising, that nobody before it had. A number of the file that it is of; 0: none that is memory. */
static inline uint32_t remnants_meet(struct remnants *r, uint64_t address)
{
	return memfiles_meet(&r->files, address);
}

/*
 * All have been looked at whose remnants are asked for: finds out what these are. Who is looked at from now on may only have some
 * of these, too. -ENOMEM, or other errors of ours.
 */
int remnants_weigh(struct remnants *r);

/* Whether one group alone seems to have any file that goes with it. */
bool remnants_has_any(const struct remnants *r);

/* Whether what is in file NUMBER stays when any one of the groups ends; where that could not be found out, it does. */
bool remnants_stays(const struct remnants *r, uint32_t number);

/* Adds to S what each group alone has, which comes back with it. */
void remnants_count(struct remnants *r, struct stakes *s);

/* Bytes that all of it takes. */
size_t remnants_bytes(const struct remnants *r);

#endif
