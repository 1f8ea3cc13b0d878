/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files That Are Freed With Their Users
 *
 * Files of which the kernel frees the pages with the last user of the file: on tmpfs, nameless ones
 * (shared anonymous memory, memfds, SysV segments), memfd_secret, unlinked files on disks, and
 * sockets with packet rings. Such a file stays while a process maps it or has it open, or a name
 * leads to it. The table has for each file the groups that use it, and how many of its pages are in
 * page tables, each counted once. Further pages of shared memory are unmapped
 * (inspect/frames/unmapped-pages.h).
 *
 * Users can create any number of such files, so the table has a limit; uses of files beyond it are
 * counted. Pure.
 */
#ifndef MEMTALLY_INSPECT_FRAMES_SHMEM_FILES_H
#define MEMTALLY_INSPECT_FRAMES_SHMEM_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "base/keytable.h"
#include "inspect/maps/mapping.h"

enum { SHMEM_FILES_MAX = 1 << 16 }; /* files; some 10 MiB */

enum shmem_file_kind {
	SHMEM_FILE_SHMEM, /* on tmpfs, or shared memory without a name */
	SHMEM_FILE_SYSV,  /* segments of several IPC namespaces with the same id count as one */
	SHMEM_FILE_SECRET,
	SHMEM_FILE_DISK, /* on a disk; the kernel calls it unlinked, but it may have another name */
	SHMEM_FILE_SOCKET,
};

struct shmem_file {
	uint32_t number; /* in the table, from 1 on */
	enum shmem_file_kind what;
	/* 0: a socket, or on a disk without a block device (btrfs, overlayfs). */
	uint32_t major, minor;
	uint64_t inode;          /* for a SysV segment, its id */
	bool is_mapped;          /* a process maps it; else processes only have it open */
	bool is_shared;          /* several groups use it; else only .group */
	uint32_t group;          /* the first group that was found to use it */
	uint64_t met;            /* pages that were found in page tables */
	pid_t pid;               /* if .is_mapped: the first process that was found to map it, */
	uint64_t start, end;     /* and its addresses there */
	bool is_known;           /* the next two are valid (inspect/frames/unmapped-pages.h) */
	bool is_kept;            /* it stays even if all its users exit */
	uint64_t unmapped_bytes; /* allocated in memory, and not found in page tables */
};

/* A mapping of .file in the process that is being read. */
struct shmem_files_place {
	uint64_t start, end;
	struct shmem_file *file;
};

struct shmem_files {
	struct shmem_file **file; /* owned; file NUMBER is at NUMBER - 1 */
	uint32_t count;
	size_t room;
	uint32_t max; /* 0: SHMEM_FILES_MAX */
	struct keytable index;
	uint64_t missed;                 /* uses of files that did not fit */
	bool is_closed;                  /* new files are ignored from now on */
	pid_t pid;                       /* the process that is being read, */
	uint32_t group;                  /* and its group */
	struct shmem_files_place *place; /* owned; by rising addresses */
	size_t places, places_room, at;
};

/* Frees S, which is all zeros if it was not used. */
void shmem_files_done(struct shmem_files *s);
#define AUTO_SHMEM_FILES CLEANUP(shmem_files_done)

/* Begins process PID of GROUP, to which the next three functions refer. */
void shmem_files_begin(struct shmem_files *s, pid_t pid, uint32_t group);

/*
 * Records that the process maps M, a mapping of a file of type WHAT. Mappings must come by rising
 * addresses. Returns 0 or -ENOMEM.
 */
int shmem_files_map(struct shmem_files *s, enum shmem_file_kind what, const struct mapping *m);

/*
 * Records that the process has a file of type WHAT open: MAJOR:MINOR INODE. Returns 0 or -ENOMEM.
 */
int shmem_files_hold(struct shmem_files *s, enum shmem_file_kind what, uint32_t major,
	uint32_t minor, uint64_t inode);

/*
 * Counts a page at ADDRESS of the process that no process before had. Addresses must rise. Returns
 * the number of the file of the page; 0: none of these files is mapped there.
 */
uint32_t shmem_files_meet(struct shmem_files *s, uint64_t address);

/* Returns the file NUMBER, which is not 0. */
static inline const struct shmem_file *shmem_files_at(const struct shmem_files *s, uint32_t number)
{
	return s->file[number - 1];
}

/* Returns the bytes of memory that S uses. */
size_t shmem_files_bytes(const struct shmem_files *s);

#endif
