/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/frames/unmapped-shmem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/os/memfd.h"
#include "base/siphash.h"
#include "inspect/frames/openfiles.h"
#include "inspect/frames/unmapped-pages.h"
#include "inspect/maps/kind.h"

enum { PATH_SIZE = 32 };

/*
 * All files without a name are on one device, which is mounted nowhere; a memfd shows it. The memfd
 * is not reopened below /proc, which may be mounted elsewhere.
 */
static int learn_kernels_device(struct shmem_devices *d)
{
	AUTO_CLOSE int fd = memfd_new("memtally");
	struct stat found;

	if (fd < 0)
		return fd;
	if (fstat(fd, &found) < 0)
		return -errno;
	return shmem_devices_add(d, major(found.st_dev), minor(found.st_dev), SHMEM_DEVICES_YES);
}

/*
 * memfd_secret(2), Linux 5.14. A kernel that refuses it (secretmem.enable=0) has no such files.
 * Returns 0 or -ENOMEM.
 */
static int learn_secret_device(struct shmem_devices *d)
{
#ifdef SYS_memfd_secret
	AUTO_CLOSE int fd = (int)syscall(SYS_memfd_secret, O_CLOEXEC);
	struct stat found;

	if (fd >= 0 && fstat(fd, &found) == 0)
		return shmem_devices_add(
			d, major(found.st_dev), minor(found.st_dev), SHMEM_DEVICES_SECRET);
#else
	(void)d;
#endif
	return 0;
}

/* Adds the devices in mountinfo PATH, as far as it can be read. Returns 0 or -ENOMEM. */
static int learn_mounts(struct unmapped_shmem *r, const char *path)
{
	AUTO_CLOSE int fd = openat(r->procfs_fd, path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? 0 : shmem_devices_read(&r->devices, fd);
}

int unmapped_shmem_open(struct unmapped_shmem *r, int procfs_fd)
{
	int e;

	*r = (struct unmapped_shmem){.procfs_fd = procfs_fd,
		.files.index.seed = siphash_new_key().half[0],
		.descriptors = UNMAPPED_SHMEM_DESCRIPTORS_MAX};
	e = learn_kernels_device(&r->devices);
	if (e == 0)
		e = learn_secret_device(&r->devices);
	return e == 0 ? learn_mounts(r, "self/mountinfo") : e;
}

void unmapped_shmem_done(struct unmapped_shmem *r)
{
	shmem_devices_done(&r->devices);
	shmem_files_done(&r->files);
}

void unmapped_shmem_begin(struct unmapped_shmem *r, pid_t pid, uint32_t group)
{
	r->pid = pid;
	r->has_read_mounts = false;
	shmem_files_begin(&r->files, pid, group);
}

/*
 * Adds the devices of the mounts of the process. They are read once, since a user may mount so much
 * that reading takes long. Mounts that the process does not see, such as below another root, may be
 * known from another process.
 */
static int unmapped_shmem_learn_devices(struct unmapped_shmem *r)
{
	char path[PATH_SIZE];

	if (r->has_read_mounts)
		return 0;
	r->has_read_mounts = true;
	snprintf(path, sizeof(path), "%d/mountinfo", (int)r->pid);
	return learn_mounts(r, path);
}

enum { NOT_FREED = 1, NOT_KNOWN };

/*
 * Writes to *RET the kind of the files of a device that the kernel frees with their last user.
 * Returns 0; NOT_FREED if it frees none; NOT_KNOWN if the device is in no mountinfo that was read;
 * -ENOMEM. Of files on a disk it frees only those that MAY_BE_UNLINKED. tmpfs is on no block
 * device.
 */
static int find_kind(struct unmapped_shmem *r, uint32_t major, uint32_t minor, bool may_be_unlinked,
	enum shmem_file_kind *ret)
{
	enum shmem_devices_answer answer;
	int e = 0;

	if (major && !may_be_unlinked)
		return NOT_FREED;
	answer = shmem_devices_ask(&r->devices, major, minor);
	if (answer == SHMEM_DEVICES_UNKNOWN) {
		e = unmapped_shmem_learn_devices(r);
		answer = shmem_devices_ask(&r->devices, major, minor);
	}
	if (e < 0)
		return e;
	if (answer == SHMEM_DEVICES_UNKNOWN)
		return NOT_KNOWN;
	if (answer == SHMEM_DEVICES_YES && !major)
		*ret = SHMEM_FILE_SHMEM;
	else if (answer == SHMEM_DEVICES_SECRET)
		*ret = SHMEM_FILE_SECRET;
	else if (answer == SHMEM_DEVICES_DISK && may_be_unlinked)
		*ret = SHMEM_FILE_DISK;
	else
		return NOT_FREED;
	return 0;
}

int unmapped_shmem_map(const struct mapping *m, void *context)
{
	struct unmapped_shmem *r = context;
	enum shmem_file_kind what = SHMEM_FILE_SOCKET;
	int e = 0;

	if (!kind_has_file(m))
		return 0;
	if (!kind_is_pseudo(m) || !kind_begins(m, "socket:["))
		e = find_kind(r, m->major, m->minor, kind_may_be_unlinked(m), &what);
	if (e != 0)
		return e < 0 ? e : 0;
	/*
	 * The kernel's name of SysV segments (ipc/shm.c). Names of memfds always begin differently.
	 */
	if (what == SHMEM_FILE_SHMEM && kind_begins(m, "/SYSV"))
		what = SHMEM_FILE_SYSV;
	r->has_sockets |= what == SHMEM_FILE_SOCKET;
	return shmem_files_map(&r->files, what, m);
}

/*
 * The device of a descriptor may be in no mountinfo: stat() shows another device than maps for
 * files on btrfs (of the subvolume) and on overlayfs (of a layer), and the mounts of another
 * process may be read later. So the descriptor keeps each file that it may belong to.
 */
static int hold_unknown(struct unmapped_shmem *r, uint32_t major, uint32_t minor, uint64_t inode)
{
	int e = shmem_files_hold(&r->files, SHMEM_FILE_DISK, major, minor, inode);

	return e == 0 && !major ? shmem_files_hold(&r->files, SHMEM_FILE_SHMEM, major, minor, inode)
	                        : e;
}

static int unmapped_shmem_hold_file(uint32_t major, uint32_t minor, uint64_t inode, void *context)
{
	struct unmapped_shmem *r = context;
	enum shmem_file_kind what = SHMEM_FILE_SOCKET;
	int e = major || minor ? find_kind(r, major, minor, true, &what) : 0;

	if (e == NOT_KNOWN)
		return hold_unknown(r, major, minor, inode);
	if (e != 0)
		return e < 0 ? e : 0;
	return shmem_files_hold(&r->files, what, major, minor, inode);
}

int unmapped_shmem_hold(struct unmapped_shmem *r, struct target *t)
{
	uint64_t most = r->descriptors < UNMAPPED_SHMEM_DESCRIPTORS_EACH
	                        ? r->descriptors
	                        : UNMAPPED_SHMEM_DESCRIPTORS_EACH;
	uint64_t left = most;
	int fd, e = target_file(t, "fd", &fd);

	if (e != 0)
		return e;
	/*
	 * Most sockets have no packet ring, so sockets are read only after those with one are
	 * known.
	 */
	e = openfiles_read(
		fd, r->files.is_closed && r->has_sockets, &left, unmapped_shmem_hold_file, r);
	r->descriptors -= most - left;
	if (e != OPENFILES_MANY)
		return e;
	r->untold++;
	return 0;
}

static bool is_swapping(void)
{
	struct sysinfo info;

	return sysinfo(&info) < 0 || info.totalswap != info.freeswap;
}

struct weighing {
	int procfs_fd;
	struct shmem_file *file;
	bool is_swapping;
};

static int unmapped_shmem_weigh_all(void *context)
{
	struct weighing *w = context;

	return unmapped_pages_read(w->procfs_fd, w->file, w->is_swapping);
}

/*
 * Reads FILE. If that fails, what keeps FILE stays unknown. Returns 0, a positive number, or
 * -ENOMEM, -EMFILE or -ENFILE.
 */
static int weigh_file(const struct unmapped_shmem *r, struct shmem_file *file, bool is_swapping)
{
	struct weighing w = {.procfs_fd = r->procfs_fd, .file = file, .is_swapping = is_swapping};

	return r->shield ? r->shield(file->pid, unmapped_shmem_weigh_all, &w)
	                 : unmapped_shmem_weigh_all(&w);
}

int unmapped_shmem_weigh(struct unmapped_shmem *r)
{
	bool swapping = is_swapping();

	for (uint32_t i = 0; i < r->files.count; i++) {
		struct shmem_file *file = r->files.file[i];
		bool has_no_name = file->what == SHMEM_FILE_SECRET ||
		                   file->what == SHMEM_FILE_SOCKET;
		int e = 0;

		if (has_no_name)
			file->is_known = file->is_mapped;
		else if (file->is_mapped)
			e = weigh_file(r, file, swapping);
		if (e < 0)
			return e;
	}
	r->files.is_closed = true;
	return 0;
}

/* Whether FILE is freed with its group, the only one that uses it. */
static bool is_alone(const struct shmem_file *file)
{
	return file->is_known && !file->is_shared && !file->is_kept;
}

bool unmapped_shmem_stays(const struct unmapped_shmem *r, uint32_t number)
{
	return !is_alone(shmem_files_at(&r->files, number));
}

bool unmapped_shmem_seeks_sockets(const struct unmapped_shmem *r)
{
	for (uint32_t i = 0; r->has_sockets && i < r->files.count; i++)
		if (r->files.file[i]->what == SHMEM_FILE_SOCKET && is_alone(r->files.file[i]))
			return true;
	return false;
}

bool unmapped_shmem_has_any(const struct unmapped_shmem *r)
{
	for (uint32_t i = 0; i < r->files.count; i++) {
		const struct shmem_file *file = r->files.file[i];

		if (is_alone(file) && (file->unmapped_bytes || file->met))
			return true;
	}
	return false;
}

void unmapped_shmem_count(struct unmapped_shmem *r, struct frame_owners *s)
{
	for (uint32_t i = 0; i < r->files.count; i++) {
		const struct shmem_file *file = r->files.file[i];

		if (is_alone(file))
			frame_owners_add_unmapped(s, file->group, file->unmapped_bytes);
		else if (file->is_known)
			r->kept_bytes += file->unmapped_bytes;
		else
			r->untold += file->is_mapped;
	}
	r->untold += r->files.missed;
}

size_t unmapped_shmem_bytes(const struct unmapped_shmem *r)
{
	return shmem_files_bytes(&r->files) + r->devices.room * sizeof(*r->devices.item);
}
