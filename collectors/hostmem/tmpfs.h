/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmpfs: how much is on each tmpfs file system that is mounted in this mount namespace, each
 * counted once, and the owners of the files. How much is on each is read in every pass. Which there
 * are, and their files' owners, are looked up once a minute, as far as they can be seen without
 * rights; the owners sooner if files were deleted.
 *
 *     tmpfs_begin -> tmpfs_step ... -> the result is in the fields
 *
 * No call here waits for another program. Only tmpfs is read. A mount point is not looked up if it
 * lies below a file system that may be a network's or a program's (FUSE), or where users other than
 * root could mount one. A directory that turns out to be on another file system is not entered.
 */
#ifndef MEMTALLY_COLLECTORS_HOSTMEM_TMPFS_H
#define MEMTALLY_COLLECTORS_HOSTMEM_TMPFS_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "collectors/hostmem/shmem-owners.h"

#define TMPFS_LOOK_NS  (UINT64_C(60) * 1000000000) /* between two checks of what is mounted */
#define TMPFS_AGAIN_NS (UINT64_C(10) * 1000000000) /* at least, between two rounds over files */

/*
 * A file system has lost files if its used amount fell since the last round over files by more than
 * TMPFS_LOST_BYTES, and by more than the TMPFS_LOST_PART-th part.
 */
#define TMPFS_LOST_BYTES (UINT64_C(1) << 20)
enum { TMPFS_LOST_PART = 16 };

enum {
	TMPFS_MAX = 1000, /* file systems that are read */
	/* entries of directories read in one round over all file systems: some 20 ms */
	TMPFS_ENTRIES = 8192,
	TMPFS_DEPTH = 6, /* directories within directories; each is open while it is read */
};

/* A mount of a tmpfs. */
struct tmpfs_mount {
	char *path; /* owned; as the kernel prints it; NULL: must not be opened */
	uint32_t major, minor;
	bool is_whole; /* the mount shows all of the file system, not a part */

	/*
	 * it was read in this pass, and the kernel reported the amount: it does not without a size
	 * limit
	 */
	bool is_read;
	uint64_t used_bytes;
	uint64_t size_bytes; /* 0: above INT64_MAX */
	/* names on it; UINT64_MAX: not counted, since there is no limit of inodes */
	uint64_t names;
	uint64_t owned_bytes;  /* bytes of the files that the last round found */
	uint64_t walked_bytes; /* .used_bytes in the pass of the last round */
};

enum tmpfs_phase {
	TMPFS_IDLE,
	TMPFS_CHOOSE, /* chooses for each file system one mount that may be opened */
	TMPFS_WALK,   /* finds the owners of files */
	TMPFS_READ,
};

/* State and results. Zeroed: nothing is known. */
struct tmpfs {
	/*
	 * By device, so that mounts of one file system are neighbours. After TMPFS_CHOOSE, one of
	 * each file system, those with few names first.
	 */
	struct tmpfs_mount *mount;
	size_t count;
	bool is_known;      /* the mounts are known */
	uint64_t looked_ns; /* CLOCK_MONOTONIC: last check of what is mounted; 0: never */
	uint64_t begun_ns;  /* CLOCK_MONOTONIC: begin of the pass */
	uint64_t walked_ns; /* CLOCK_MONOTONIC: begin of the pass with the last round over files */
	/* file systems without a mount that may be opened, or beyond TMPFS_MAX */
	uint64_t unchosen;
	uint64_t unread; /* .unchosen, and file systems that could not be read in this pass */

	struct shmem_owners owners; /* of files, by the last round */
	uint64_t directories_unread;

	enum tmpfs_phase phase;
	size_t at; /* the next mount of the phase */
	size_t kept;
	size_t entries;          /* entries read so far, on all file systems */
	size_t end;              /* limit of .entries for the file system at .at */
	DIR *level[TMPFS_DEPTH]; /* owned: open directories, each within the one before it */
	size_t depth;            /* their number */
};

void tmpfs_done(struct tmpfs *t);

/*
 * Sets the file systems and their mounts from TEXT, a mountinfo (LEN bytes), which is changed.
 * Mounts are in the order in which they are tried: those that show the whole file system come
 * first. Returns 0; or -ENOMEM or -EBADMSG: nothing is known then. Pure.
 */
int tmpfs_parse(struct tmpfs *t, char *text, size_t len);

/*
 * Returns how many entries one of COUNT file systems may use, of LEFT that remain: an even share.
 * Entries that one file system does not need are left to the later ones, and none gets less than an
 * even share of all, whatever the others have. Pure.
 */
static inline size_t tmpfs_share(size_t left, size_t count)
{
	return (left + count - 1) / count;
}

/*
 * Begins a pass at NOW_NS (CLOCK_MONOTONIC). If the last check is TMPFS_LOOK_NS ago, reads
 * "self/mountinfo" below PROCFS_FD into SCRATCH, which is overwritten. If it cannot be read,
 * nothing is known. If a file system has lost files since the last round over files, and that is
 * TMPFS_AGAIN_NS ago, the pass has a round, too.
 */
void tmpfs_begin(struct tmpfs *t, int procfs_fd, uint64_t now_ns, struct buffer *scratch);

/*
 * Does a small step: one file system, or some entries of a directory. Returns false if all is done.
 */
bool tmpfs_step(struct tmpfs *t);

#endif
