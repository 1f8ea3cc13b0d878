/* SPDX-License-Identifier: Apache-2.0 */
/*
 * st_blocks of a file on tmpfs counts its allocated pages, including those in swap (info->alloced
 * in mm/shmem.c). The kernel tells the swapped part only for SysV segments. For other files it is
 * the data that is not in memory, page by page, so it is computed only if the host has something in
 * swap. Pages in the swap cache count as in memory.
 */
#include "config.h"

#include "inspect/frames/unmapped-pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

enum {
	PATH_SIZE = 80,
	BLOCK = 512,           /* bytes of a block in st_blocks */
	ASKED_PAGES = 1 << 14, /* pages of one mincore() */
};

#ifndef SHM_DEST
#define SHM_DEST 01000 /* of shm_perm.mode: removed with its last mapping */
#endif

static int unmapped_pages_open_path(int dirfd, const char *path, int flags, int *ret_fd)
{
	int fd = openat(dirfd, path, flags | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOMEM || errno == EMFILE || errno == ENFILE ? -errno
		                                                             : UNMAPPED_PAGES_GONE;
	*ret_fd = fd;
	return 0;
}

static int find_file(int procfs_fd, const struct shmem_file *file, int *ret_place)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), "%d/map_files/%llx-%llx", (int)file->pid,
		(unsigned long long)file->start, (unsigned long long)file->end);
	return unmapped_pages_open_path(procfs_fd, path, O_PATH, ret_place);
}

/*
 * Whether PLACE is FILE, which was on tmpfs or a disk. The process may have mapped another file
 * there since, on FUSE or a network, that may never answer. So this asks no file system.
 */
static bool unmapped_pages_is_same(int place, const struct shmem_file *file, struct statx *ret)
{
	const unsigned int mask = STATX_TYPE | STATX_INO | STATX_NLINK | STATX_BLOCKS;

	if (statx(place, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, mask, ret) < 0 ||
		!S_ISREG(ret->stx_mode) || ret->stx_ino != file->inode)
		return false;
	if (file->what == SHMEM_FILE_DISK && !file->major)
		return true;
	return ret->stx_dev_major == file->major && ret->stx_dev_minor == file->minor;
}

/* Whether PID has our IPC namespace: ids of segments in another one mean other segments here. */
static bool is_our_ipc(int procfs_fd, pid_t pid)
{
	struct stat ours, theirs;
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), "%d/ns/ipc", (int)pid);
	return fstatat(procfs_fd, "self/ns/ipc", &ours, 0) == 0 &&
	       fstatat(procfs_fd, path, &theirs, 0) == 0 && ours.st_ino == theirs.st_ino &&
	       ours.st_dev == theirs.st_dev;
}

/* Whether the segment stays after its last mapping; true if that is not known. */
static bool is_segment_kept(int procfs_fd, const struct shmem_file *file)
{
	struct shmid_ds segment;

	return !is_our_ipc(procfs_fd, file->pid) ||
	       shmctl((int)file->inode, IPC_STAT, &segment) < 0 ||
	       !(segment.shm_perm.mode & SHM_DEST);
}

/* Adds to *ABSENT the pages of the LEN bytes from AT on that are not in memory. */
static int count_absent(int fd, off_t at, size_t len, size_t page_size, uint64_t *absent)
{
	unsigned char here[ASKED_PAGES];
	void *block = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, at);
	int r;

	if (block == MAP_FAILED)
		return -errno;
	r = mincore(block, len, here) < 0 ? -errno : 0;
	munmap(block, len);
	for (size_t i = 0; r == 0 && i < len / page_size; i++)
		*absent += !(here[i] & 1);
	return r;
}

/* Does the same for the pages from AT to END. */
static int count_swapped_between(
	int fd, uint64_t at, uint64_t end, size_t page_size, uint64_t *swapped)
{
	const uint64_t most = ASKED_PAGES * (uint64_t)page_size;
	int r = 0;

	for (; r == 0 && at < end; at += most)
		r = count_absent(fd, (off_t)at, (size_t)(end - at < most ? end - at : most),
			page_size, swapped);
	return r;
}

/*
 * Counts pages of data that are not in memory; holes are no data. If more than ALLOCATED pages are
 * found, the file was changed meanwhile: a process that writes ahead and punches holes behind would
 * keep this loop running.
 */
static int count_swapped(int fd, uint64_t allocated, size_t page_size, uint64_t *ret)
{
	uint64_t swapped = 0, asked = 0, end;
	off_t at = 0, hole;
	int r = 0;

	while (r == 0 && (at = lseek(fd, at, SEEK_DATA)) >= 0) {
		hole = lseek(fd, at, SEEK_HOLE);
		if (hole < 0)
			break;
		/* The file may end within its last page, at the largest offset. */
		end = ((uint64_t)hole + page_size - 1) / page_size * page_size;
		asked += (end - (uint64_t)at) / page_size;
		if (asked > allocated || end > INT64_MAX)
			return UNMAPPED_PAGES_GONE;
		r = count_swapped_between(fd, (uint64_t)at, end, page_size, &swapped);
		at = (off_t)end;
	}
	if (r == 0 && errno != ENXIO) /* ENXIO: no more data */
		r = -errno;
	if (r == 0)
		*ret = swapped;
	return r;
}

/* PLACE was checked, so opening it has no effect; the mapping may be of another file by now. */
static int read_swapped(
	int procfs_fd, int place, uint64_t allocated, size_t page_size, uint64_t *ret)
{
	AUTO_CLOSE int fd = -1;
	char path[PATH_SIZE];
	int r;

	snprintf(path, sizeof(path), "self/fd/%d", place);
	r = unmapped_pages_open_path(procfs_fd, path, O_RDONLY, &fd);
	if (r != 0)
		return r;
	r = count_swapped(fd, allocated, page_size, ret);
	return r < 0 && r != -ENOMEM ? UNMAPPED_PAGES_GONE : r;
}

int unmapped_pages_read(int procfs_fd, struct shmem_file *file, bool is_swapping)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	AUTO_CLOSE int place = -1;
	uint64_t allocated, swapped = 0;
	struct statx found;
	int r = find_file(procfs_fd, file, &place);

	if (r != 0)
		return r;
	if (!unmapped_pages_is_same(place, file, &found))
		return UNMAPPED_PAGES_GONE;
	if (file->what == SHMEM_FILE_DISK) {
		file->is_kept = found.stx_nlink;
		file->is_known = true;
		return 0;
	}
	allocated = found.stx_blocks * BLOCK / page_size;
	if (is_swapping && allocated > file->met)
		r = read_swapped(procfs_fd, place, allocated, page_size, &swapped);
	if (r != 0)
		return r;
	swapped += file->met;
	file->unmapped_bytes = allocated > swapped ? (allocated - swapped) * page_size : 0;
	file->is_kept = found.stx_nlink ||
	                (file->what == SHMEM_FILE_SYSV && is_segment_kept(procfs_fd, file));
	file->is_known = true;
	return 0;
}
