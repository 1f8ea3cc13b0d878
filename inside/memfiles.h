/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that are memory: those on tmpfs, and what the kernel itself makes of them, without a name: shared anonymous memory,
 * memfds, segments of SysV shared memory. What is allocated of one stays while somebody maps it, has it open or can find it by
 * its name, be it in page tables or not: what a process has filled that has ended since is in nobody's. So here is of each file
 * which groups of processes have it, and how many of its pages were met in page tables, each once: the rest is unmapped
 * (remnant.h).
 *
 * Who may make such files at will must not fill our memory: there is an end to them, and what is beyond is counted. Pure.
 */
#ifndef MEMTALLY_INSIDE_MEMFILES_H
#define MEMTALLY_INSIDE_MEMFILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "collectors/keytable.h"
#include "inside/mapping.h"

enum { MEMFILES_MAX = 1 << 16 }; /* files: some 10 MiB */

struct memfile {
	uint32_t number; /* of it among them, from 1 on */
	uint32_t major, minor;
	uint64_t inode; /* of a SysV segment, its id */
	bool is_sysv;   /* segments of several IPC namespaces may have one id, and are one here */
	bool is_mapped; /* else somebody has it open */
	bool is_shared; /* several groups have it; else one, which is */
	uint32_t group; /* this one, the first that was met */
	uint64_t met;   /* pages of it that were met in page tables */
	pid_t pid;      /* where .is_mapped, who was met first to map it, */
	uint64_t start, end;     /* from where to where */
	bool is_told;            /* what follows is known: remnant.h */
	bool is_kept;            /* it stays even if all end who have it */
	uint64_t unmapped_bytes; /* that are allocated in memory and were not met */
};

/* Where the process that is looked at maps FILE. */
struct memfiles_place {
	uint64_t start, end;
	struct memfile *file;
};

struct memfiles {
	struct memfile **file; /* owned; by number, which is one more than the place */
	uint32_t count, room;
	uint32_t max; /* 0: MEMFILES_MAX */
	struct keytable index;
	uint64_t missed;              /* times that one was met for which there is no room */
	bool is_closed;               /* others than are known are of no interest any more */
	pid_t pid;                    /* who is looked at, */
	uint32_t group;               /* and of whom that is */
	struct memfiles_place *place; /* owned; rising */
	size_t places, places_room, at;
};

/* Zeroed, it is empty. */
void memfiles_done(struct memfiles *s);
#define AUTO_MEMFILES CLEANUP(memfiles_done)

/* From now on PID is looked at, of GROUP. */
void memfiles_begin(struct memfiles *s, pid_t pid, uint32_t group);

/* It has M mapped, of a file that is memory; its mappings come rising. -ENOMEM. */
int memfiles_map(struct memfiles *s, const struct mapping *m);

/* It has the file open, which is no segment of SysV's. -ENOMEM. */
int memfiles_hold(struct memfiles *s, uint32_t major, uint32_t minor, uint64_t inode);

/*
 * It has a page at ADDRESS that nobody before it had; these come rising likewise. The number of the file that it is of; 0: what
 * is mapped there is none.
 */
uint32_t memfiles_meet(struct memfiles *s, uint64_t address);

static inline const struct memfile *memfiles_at(const struct memfiles *s, uint32_t number)
{
	return s->file[number - 1];
}

/* Bytes that they take. */
size_t memfiles_bytes(const struct memfiles *s);

#endif
