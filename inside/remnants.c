/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inside/remnants.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memfd.h"
#include "collectors/mountinfo.h"
#include "inside/kind.h"
#include "inside/openfiles.h"
#include "inside/remnant.h"

enum { PATH_SIZE = 32 };

/*
 * What has no name is all on one device, which is mounted nowhere; so what we make is there, too. It is not reopened, as by /proc, which
 * may be mounted elsewhere.
 */
static int learn_kernels_device(struct memdevices *d)
{
	AUTO_CLOSE int fd = memfd_new("memtally");
	struct stat found;

	if (fd < 0)
		return fd;
	if (fstat(fd, &found) < 0)
		return -errno;
	return memdevices_add(d, major(found.st_dev), minor(found.st_dev), true);
}

/* PATH is mountinfo: what can't be read of it is not known. 0 or -ENOMEM. */
static int learn_mounts(struct remnants *r, const char *path)
{
	AUTO_BUFFER struct buffer text = {0};
	int e = file_read_all(r->procfs_fd, path, MOUNTINFO_TEXT_MAX, &text);

	if (e == 0)
		e = memdevices_parse(&r->devices, text.data, text.len);
	return e == -ENOMEM ? e : 0;
}

int remnants_open(struct remnants *r, int procfs_fd)
{
	int e;

	*r = (struct remnants){.procfs_fd = procfs_fd, .descriptors = REMNANTS_DESCRIPTORS_MAX};
	e = learn_kernels_device(&r->devices);
	return e == 0 ? learn_mounts(r, "self/mountinfo") : e;
}

void remnants_done(struct remnants *r)
{
	memdevices_done(&r->devices);
	memfiles_done(&r->files);
}

void remnants_begin(struct remnants *r, pid_t pid, uint32_t group)
{
	r->pid = pid;
	r->has_asked = false;
	memfiles_begin(&r->files, pid, group);
}

/*
 * By what is mounted where the process is, which is read once, since a user may mount as much as takes long. What is not mounted
 * there, as below another root, may be known from another process.
 */
static int learn_devices(struct remnants *r)
{
	char path[PATH_SIZE];

	if (r->has_asked)
		return 0;
	r->has_asked = true;
	snprintf(path, sizeof(path), "%d/mountinfo", (int)r->pid);
	return learn_mounts(r, path);
}

/* Whether files of that device are memory: 1, 0, or -ENOMEM. tmpfs is on no block device. */
static int is_memory(struct remnants *r, uint32_t major, uint32_t minor)
{
	enum memdevices_answer answer = memdevices_ask(&r->devices, major, minor);
	int e;

	if (major || answer != MEMDEVICES_UNKNOWN)
		return !major && answer == MEMDEVICES_YES;
	e = learn_devices(r);
	return e < 0 ? e : memdevices_ask(&r->devices, major, minor) == MEMDEVICES_YES;
}

int remnants_map(const struct mapping *m, void *context)
{
	struct remnants *r = context;
	int e = kind_has_file(m) ? is_memory(r, m->major, m->minor) : 0;

	return e > 0 ? memfiles_map(&r->files, m) : e;
}

static int hold(uint32_t major, uint32_t minor, uint64_t inode, void *context)
{
	struct remnants *r = context;
	int e = is_memory(r, major, minor);

	return e > 0 ? memfiles_hold(&r->files, major, minor, inode) : e;
}

int remnants_hold(struct remnants *r, struct target *t)
{
	uint64_t most = r->descriptors < REMNANTS_DESCRIPTORS_EACH ? r->descriptors
	                                                           : REMNANTS_DESCRIPTORS_EACH;
	uint64_t left = most;
	int fd, e = target_file(t, "fd", &fd);

	if (e != 0)
		return e;
	e = openfiles_read(fd, &left, hold, r);
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

int remnants_weigh(struct remnants *r)
{
	bool swapping = is_swapping();

	for (uint32_t i = 0; i < r->files.count; i++) {
		struct memfile *file = r->files.file[i];
		int e = file->is_mapped ? remnant_read(r->procfs_fd, file, swapping) : 0;

		if (e < 0)
			return e;
	}
	r->files.is_closed = true;
	return 0;
}

/* Whether it goes with its group, which has it alone. */
static bool is_alone(const struct memfile *file)
{
	return file->is_told && !file->is_shared && !file->is_kept;
}

bool remnants_stays(const struct remnants *r, uint32_t number)
{
	const struct memfile *file = memfiles_at(&r->files, number);

	return !is_alone(file);
}

bool remnants_has_any(const struct remnants *r)
{
	for (uint32_t i = 0; i < r->files.count; i++) {
		const struct memfile *file = r->files.file[i];

		if (is_alone(file) && (file->unmapped_bytes || file->met))
			return true;
	}
	return false;
}

void remnants_count(struct remnants *r, struct stakes *s)
{
	for (uint32_t i = 0; i < r->files.count; i++) {
		const struct memfile *file = r->files.file[i];

		if (is_alone(file))
			stakes_add_unmapped(s, file->group, file->unmapped_bytes);
		else if (file->is_told)
			r->kept_bytes += file->unmapped_bytes;
		else
			r->untold += file->is_mapped;
	}
	r->untold += r->files.missed;
}

size_t remnants_bytes(const struct remnants *r)
{
	return memfiles_bytes(&r->files) + r->devices.room * sizeof(*r->devices.item);
}
