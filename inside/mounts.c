/* SPDX-License-Identifier: Apache-2.0 */
/*
 * statfs() would ask the server for what kind of file system it is. Which mount a descriptor is on the kernel tells by itself, in fdinfo
 * (Linux 3.15), and mountinfo what is mounted there.
 *
 * In a user namespace of his own anybody may mount FUSE, and an overlay over that (Linux 5.11).
 */
#include "config.h"

#include "inside/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/number.h"
#include "base/userns.h"
#include "collectors/mountinfo.h"

void mounts_done(struct mounts *m)
{
	free(m->item);
	*m = (struct mounts){.count = 0};
}

static int add(struct mounts *m, const struct mountinfo *one)
{
	if (m->count == m->room) {
		size_t room = m->room ? 2 * m->room : 64;
		struct mounts_one *more = reallocarray(m->item, room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		m->item = more;
		m->room = room;
	}
	m->item[m->count++] = (struct mounts_one){
		.id = one->id, .major = one->major, .minor = one->minor};
	return 0;
}

static bool is_one(const struct mounts *m, const struct mountinfo *one, enum mounts_whose whose)
{
	if (whose == MOUNTS_OURS && !strcmp(one->mountpoint, "/"))
		return true;
	if (whose == MOUNTS_ANYBODYS && !strcmp(one->fstype, "overlay"))
		return mounts_has_device(m, one->major, one->minor); /* ours, in another place */
	return mountinfo_is_local(one->fstype);
}

int mounts_add(struct mounts *m, char *text, size_t len, enum mounts_whose whose)
{
	char *at = text;
	struct mountinfo one;
	int r;

	while ((r = mountinfo_next(&at, text + len, &one)) == 0 || r == MOUNTINFO_OTHER) {
		if (r != 0 || !is_one(m, &one, whose))
			continue;
		r = add(m, &one);
		if (r < 0)
			return r;
	}
	return r < 0 ? r : 0;
}

static int read_one(struct mounts *m, int procfs_fd, const char *path, enum mounts_whose whose)
{
	AUTO_BUFFER struct buffer text = {0};
	int r = file_read_all(procfs_fd, path, MOUNTINFO_TEXT_MAX, &text);

	if (r == 0)
		r = mounts_add(m, text.data, text.len, whose);
	return r == -ENOMEM ? r : 0;
}

/* Whose the mount namespace of process PID is. */
static enum mounts_whose whose_are(int procfs_fd, pid_t pid)
{
	AUTO_CLOSE int mounts = -1;
	AUTO_CLOSE int owner = -1;
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "%d/ns/mnt", (int)pid);
	mounts = openat(procfs_fd, path, O_RDONLY | O_CLOEXEC);
	if (mounts < 0)
		return MOUNTS_ANYBODYS;
	owner = ioctl(mounts, NS_GET_USERNS);
	if (owner < 0) /* before Linux 4.9 it is not told, and nobody could have done so */
		return errno == ENOTTY ? MOUNTS_THEIRS : MOUNTS_ANYBODYS;
	return fstat(owner, &st) == 0 && st.st_ino == userns_id() ? MOUNTS_THEIRS : MOUNTS_ANYBODYS;
}

int mounts_read(struct mounts *m, int procfs_fd, pid_t pid)
{
	char path[64];
	int r;

	m->count = 0;
	snprintf(path, sizeof(path), "%d/mountinfo", (int)pid);
	r = read_one(m, AT_FDCWD, "/proc/self/mountinfo", MOUNTS_OURS);
	return r == 0 ? read_one(m, procfs_fd, path, whose_are(procfs_fd, pid)) : r;
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

bool mounts_has(const struct mounts *m, int fd)
{
	uint64_t id;

	if (mounts_find_id(fd, &id) < 0)
		return false;
	for (size_t i = 0; i < m->count; i++)
		if (m->item[i].id == id)
			return true;
	return false;
}

bool mounts_has_device(const struct mounts *m, uint32_t major, uint32_t minor)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->item[i].major == major && m->item[i].minor == minor)
			return true;
	return false;
}
