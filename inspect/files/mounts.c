/* SPDX-License-Identifier: Apache-2.0 */
/*
 * statfs() would ask the server of a network file system. fdinfo (Linux 3.15) tells which mount a
 * descriptor is on, and mountinfo what is mounted there, without asking.
 *
 * After an unmount the kernel reuses the number of the mount and of its device, and a user with a
 * mount namespace can unmount at any moment. But a descriptor keeps its mount and the number, and
 * an open mountinfo keeps its namespace and reports mounts and unmounts to poll() (Linux 2.6.30).
 * So the list is valid for a descriptor if poll() reports no change after the descriptor was
 * opened.
 *
 * In a user namespace of their own, users may mount FUSE, and an overlay over it (Linux 5.11).
 */
#include "config.h"

#include "inspect/files/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/buffer.h"
#include "base/number.h"
#include "base/os/file.h"
#include "base/os/userns.h"
#include "collectors/procfs/mountinfo.h"
#include "collectors/procfs/procfs.h"

enum { TRIES = 8 };

static void close_lists(struct mounts *m)
{
	while (m->lists)
		fd_close(m->list[--m->lists]);
}

void mounts_done(struct mounts *m)
{
	close_lists(m);
	free(m->item);
	buffer_done(&m->places);
	*m = (struct mounts){.count = 0};
}

static int mounts_add_one(struct mounts *m, const struct mountinfo *one, bool is_one)
{
	size_t place = m->places.len;

	if (ARRAY_RESERVE(m->item, m->room, m->count + 1) < 0)
		return -ENOMEM;
	buffer_add(&m->places, one->mountpoint, strlen(one->mountpoint) + 1);
	if (m->places.error)
		return m->places.error;
	m->item[m->count++] = (struct mounts_one){.id = one->id,
		.parent_id = one->parent_id,
		.major = one->major,
		.minor = one->minor,
		.is_one = is_one,
		.is_overlay = !strcmp(one->fstype, "overlay"),
		.is_proc = !strcmp(one->fstype, "proc"),
		.place = place};
	return 0;
}

static bool has_device(const struct mounts *m, uint32_t major, uint32_t minor)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->item[i].is_one && m->item[i].major == major && m->item[i].minor == minor)
			return true;
	return false;
}

static const struct mounts_one *find_id(const struct mounts *m, uint64_t id)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->item[i].is_one && m->item[i].id == id)
			return &m->item[i];
	return NULL;
}

static bool is_one(const struct mounts *m, const struct mountinfo *one, enum mounts_owner owner)
{
	if (owner == MOUNTS_OURS && !strcmp(one->mountpoint, "/"))
		return true;
	/* A mount of ours at another place. */
	if (owner == MOUNTS_UNTRUSTED && !strcmp(one->fstype, "overlay"))
		return has_device(m, one->major, one->minor);
	return mountinfo_is_local(one->fstype);
}

int mounts_add(struct mounts *m, char *text, size_t len, enum mounts_owner owner)
{
	char *at = text;
	struct mountinfo one;
	int r;

	while ((r = mountinfo_next(&at, text + len, &one)) == 0 || r == MOUNTINFO_OTHER) {
		if (r != 0)
			continue;
		r = mounts_add_one(m, &one, is_one(m, &one, owner));
		if (r < 0)
			return r;
		if (owner != MOUNTS_OURS && !strcmp(one.mountpoint, "/") && m->root != MOUNTS_OTHER)
			m->root = find_id(m, one.id) ? MOUNTS_ONE : MOUNTS_OTHER;
	}
	return r < 0 ? r : 0;
}

/* Returns the owner of the mount namespace of process PID. */
static enum mounts_owner mounts_owner_of(int procfs_fd, pid_t pid)
{
	AUTO_CLOSE int mounts = -1;
	AUTO_CLOSE int owner = -1;
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "%d/ns/mnt", (int)pid);
	mounts = openat(procfs_fd, path, O_RDONLY | O_CLOEXEC);
	if (mounts < 0)
		return MOUNTS_UNTRUSTED;
	owner = ioctl(mounts, NS_GET_USERNS);
	/*
	 * Before Linux 4.9 the owner is not told, and no user could have mounted a file system that
	 * blocks.
	 */
	if (owner < 0)
		return errno == ENOTTY ? MOUNTS_THEIRS : MOUNTS_UNTRUSTED;
	return fstat(owner, &st) == 0 && st.st_ino == userns_id() ? MOUNTS_THEIRS
	                                                          : MOUNTS_UNTRUSTED;
}

/* FD stays open in M, to report changes. */
static int mounts_read_one(struct mounts *m, int fd, enum mounts_owner owner)
{
	AUTO_BUFFER struct buffer text = {0};
	int r;

	m->list[m->lists++] = fd;
	r = file_read_all_fd(fd, MOUNTINFO_TEXT_MAX, &text);
	if (r == 0)
		r = mounts_add(m, text.data, text.len, owner);
	return r == -ENOMEM ? r : 0;
}

int mounts_read(struct mounts *m, int procfs_fd, pid_t pid)
{
	char path[64];
	int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC), r = 0;

	close_lists(m);
	m->count = 0;
	buffer_clear(&m->places);
	m->root = procfs_is_kernels(procfs_fd) ? MOUNTS_NOTHING : MOUNTS_ONE;
	m->procfs_fd = procfs_fd;
	m->pid = pid;
	if (fd >= 0)
		r = mounts_read_one(m, fd, MOUNTS_OURS);
	if (r < 0 || !pid)
		return r;
	snprintf(path, sizeof(path), "%d/mountinfo", (int)pid);
	fd = openat(procfs_fd, path, O_RDONLY | O_CLOEXEC);
	/*
	 * The owner is read afterwards: any process can enter a namespace of its own, but not
	 * return.
	 */
	return fd < 0 ? 0 : mounts_read_one(m, fd, mounts_owner_of(procfs_fd, pid));
}

int mounts_find_id(int fd, uint64_t *ret)
{
	static const char key[] = "mnt_id:\t";
	char path[64], text[1024];
	const char *at;
	size_t len;
	int r;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	r = file_read(AT_FDCWD, path, text, sizeof(text), &len);
	if (r < 0)
		return r;
	at = memmem(text, len, key, sizeof(key) - 1);
	if (!at)
		return -EBADMSG;
	at += sizeof(key) - 1;
	return number_scan_u64(at, len - (size_t)(at - text), ret) > 0 ? 0 : -EBADMSG;
}

static bool have_changed(const struct mounts *m)
{
	struct pollfd list[MOUNTS_LISTS];

	for (size_t i = 0; i < m->lists; i++)
		list[i] = (struct pollfd){.fd = m->list[i], .events = POLLPRI};
	if (poll(list, m->lists, 0) < 0)
		return true;
	for (size_t i = 0; i < m->lists; i++)
		if (list[i].revents & (POLLPRI | POLLERR))
			return true;
	return false;
}

/* Reads the mounts again if they changed. Returns false if that fails. */
static bool mounts_renew(struct mounts *m)
{
	for (int i = 0; i < TRIES; i++) {
		if (!have_changed(m))
			return true;
		if (mounts_read(m, m->procfs_fd, m->pid) < 0)
			return false;
	}
	return false;
}

const struct mounts_one *mounts_find(struct mounts *m, int fd)
{
	uint64_t id;

	return mounts_find_id(fd, &id) == 0 && mounts_renew(m) ? find_id(m, id) : NULL;
}

enum mounts_device mounts_compare_device(const struct mounts_one *one, uint32_t stat_major,
	uint32_t stat_minor, uint32_t major, uint32_t minor)
{
	bool is_file_systems = major == one->major && minor == one->minor;

	if (major == stat_major && minor == stat_minor)
		return MOUNTS_SAME_DEVICE;
	if (one->is_overlay)
		return MOUNTS_LIKE_DEVICE;
	return is_file_systems ? MOUNTS_LIKE_DEVICE : MOUNTS_ANOTHER_DEVICE;
}

/* Whether PLACE is the first LEN bytes of PATH, in which several slashes count as one. */
static bool is_place(const char *place, const char *path, size_t len)
{
	const char *end = path + len;

	for (;;) {
		size_t n;

		while (path < end && *path == '/')
			path++;
		place += strspn(place, "/");
		if (path == end || !*place)
			return path == end && !*place;
		n = strcspn(place, "/");
		if (n > (size_t)(end - path) || memcmp(place, path, n) != 0)
			return false;
		place += n;
		path += n;
		if (path < end && *path != '/')
			return false;
	}
}

/* Returns the mount at that path on mount PARENT_ID; NULL: nothing is mounted there. */
static const struct mounts_one *find_at(
	const struct mounts *m, uint64_t parent_id, const char *path, size_t len)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->item[i].parent_id == parent_id &&
			is_place(m->places.data + m->item[i].place, path, len))
			return &m->item[i];
	return NULL;
}

enum mounts_there mounts_at(struct mounts *m, int fd, const char *path, size_t len)
{
	uint64_t id;

	if (mounts_find_id(fd, &id) < 0 || !mounts_renew(m))
		return MOUNTS_OTHER;
	/*
	 * Mounts may be stacked, and the lookup goes through each of them. There are at most
	 * .count.
	 */
	for (size_t i = 0; i <= m->count; i++) {
		const struct mounts_one *one = find_at(m, id, path, len);

		if (!one)
			return i ? MOUNTS_ONE : MOUNTS_NOTHING;
		id = one->id;
		if (!find_id(m, id))
			return MOUNTS_OTHER;
	}
	return MOUNTS_OTHER;
}

bool mounts_has_root(struct mounts *m)
{
	return mounts_renew(m) && m->root == MOUNTS_ONE;
}

bool mounts_has_device(struct mounts *m, uint32_t major, uint32_t minor)
{
	return mounts_renew(m) && has_device(m, major, minor);
}
