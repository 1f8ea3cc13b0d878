/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is on tmpfs, of each file system once: those that are mounted in our own mount namespace, whoever else mounts
 * others elsewhere. Which there are, and who owns the files on them as far as those may be seen without rights, is
 * looked up once a minute; how much is on each, in every pass.
 *
 *	tmpfs_begin -> tmpfs_step ... -> what is in the fields
 *
 * Nothing here waits for another: only tmpfs is asked, no mount point is looked up that lies below a file system that
 * may be a network's or a program's (FUSE), or where others than root could put one, and no directory is entered that
 * turns out to be of another file system.
 */
#ifndef MEMTALLY_COLLECTORS_TMPFS_H
#define MEMTALLY_COLLECTORS_TMPFS_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "collectors/holders.h"

#define TMPFS_LOOK_NS (UINT64_C(60) * 1000000000) /* from one look at what is mounted to the next */

enum {
	TMPFS_MAX = 1000,     /* file systems; no more are asked */
	TMPFS_ENTRIES = 8192, /* of directories, in one look, of all: some 20 ms */
	TMPFS_DEPTH = 6,      /* directories within directories, each open while it is read */
};

/* A mount of one. */
struct tmpfs_mount {
	char *path; /* owned; as the kernel prints it; NULL: not to be asked */
	uint32_t major, minor;
	bool is_whole; /* all of it is mounted here, not a part */

	bool is_read; /* in this pass, and the kernel told how much is on it: not where there is no limit */
	uint64_t used_bytes;
	uint64_t size_bytes; /* 0: beyond 2^63 */
	uint64_t names; /* how many are on it; UINT64_MAX: without a limit they are not counted */
	uint64_t owned_bytes; /* of the files that the last look found */
};

struct tmpfs_level {
	DIR *dir;
};

enum tmpfs_phase {
	TMPFS_IDLE,
	TMPFS_CHOOSE, /* of all mounts of a file system one that may be asked */
	TMPFS_WALK,   /* for owners */
	TMPFS_READ,
};

/* Starts zeroed. */
struct tmpfs {
	/* By device, so that mounts of one stand together; after the choice one of each, those of few names first. */
	struct tmpfs_mount *mount;
	size_t count;
	bool is_known;      /* what is mounted is known at all */
	uint64_t looked_ns; /* CLOCK_MONOTONIC; 0: never */
	uint64_t unchosen;  /* file systems that have no mount that may be asked, or no room */
	uint64_t unread;    /* these, and those that could not be asked in this pass */

	struct holders owners; /* by the last look */
	uint64_t directories_unread;

	enum tmpfs_phase phase;
	size_t at; /* the next mount of the phase */
	size_t kept;
	size_t entries; /* that were looked at, of all */
	size_t end;     /* how many these may be when the one at .at is done */
	struct tmpfs_level level[TMPFS_DEPTH];
	size_t depth; /* of levels that are open */
};

void tmpfs_done(struct tmpfs *t);

/*
 * Takes over which file systems are mounted from TEXT, of mountinfo, which is changed. Their mounts are in the order in
 * which they are to be tried: such as show all of it first. Pure. -ENOMEM.
 */
int tmpfs_parse(struct tmpfs *t, char *text, size_t len);

/*
 * How many entries one of COUNT file systems may have looked at, of LEFT: an even share of what there is, so that what
 * one does not need is for those behind it, and none has less than an even share of all, whatever is on the others. Pure.
 */
static inline size_t tmpfs_share(size_t left, size_t count)
{
	return (left + count - 1) / count;
}

/*
 * A pass at NOW_NS (CLOCK_MONOTONIC) begins: looks at what is mounted if that was long ago, by way of SCRATCH. Where it
 * can't be read nothing is known of any.
 */
void tmpfs_begin(struct tmpfs *t, int procfs_fd, uint64_t now_ns, struct buffer *scratch);

/* Does a little: one file system, or some entries of a directory. False: all is done. */
bool tmpfs_step(struct tmpfs *t);

#endif
