/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A controller is bound to one hierarchy at a time. Mount options name the controllers of a v1
 * hierarchy; in the unified hierarchy the file cgroup.controllers does.
 *
 * Paths in /proc/PID/cgroup and roots in mountinfo are relative to the root of the reader's cgroup
 * namespace. A mount shows the cgroups below its root. A mount with a root that leads up ("/..")
 * cannot be matched with such paths.
 */
#include "config.h"

#include "collectors/procfs/cgroup/memcg-mount.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/os/file.h"
#include "base/scan.h"
#include "collectors/procfs/host/psi.h"
#include "collectors/procfs/mountinfo.h"

enum {
	TEXT_SIZE = 1 << 14, /* memory.stat of Linux 6.18 has 2 KiB */
	EVENTS_SIZE = 1024,  /* memory.events of Linux 6.18 has 90 bytes */
	CANDIDATES = 16,     /* mounts that are considered; hosts have two */
	RANKS = 8,
};

/*
 * The usual place. A mount elsewhere may lie behind one that hangs, so it is opened only if none is
 * here.
 */
#define USUAL "/sys/fs/cgroup"

void memcg_mount_init(struct memcg_mount *fs)
{
	*fs = (struct memcg_mount){.fd = -1};
}

static void memcg_mount_forget(struct memcg_mount *fs)
{
	memcg_mount_close(fs);
	free(fs->mountpoint);
	free(fs->root);
	memcg_mount_init(fs);
}

void memcg_mount_done(struct memcg_mount *fs)
{
	memcg_mount_forget(fs);
}

static bool memcg_mount_is_below(const char *path, const char *above)
{
	size_t len = strlen(above);

	return !strncmp(path, above, len) && (!path[len] || path[len] == '/');
}

/* Whether M may have the memory controller, and in which version. */
static bool memcg_mount_is_candidate(const struct mountinfo *m, enum memcg_stat_version *ret)
{
	if (!strcmp(m->fstype, "cgroup2"))
		*ret = MEMCG_STAT_V2;
	else if (!strcmp(m->fstype, "cgroup") && mountinfo_has_option(m->super_options, "memory"))
		*ret = MEMCG_STAT_V1;
	else
		return false;
	return m->root[0] == '/' && !memcg_mount_is_below(m->root, "/..");
}

/* Candidates are tried by rising rank. */
static unsigned int memcg_mount_rank_of(const struct mountinfo *m, enum memcg_stat_version version)
{
	return (memcg_mount_is_below(m->mountpoint, USUAL) ? 0U : 4U) + (m->root[1] ? 2U : 0U) +
	       (version == MEMCG_STAT_V2);
}

static bool memcg_mount_has_memory(int fd)
{
	struct scan line, word;
	char text[1024];
	size_t len;

	if (file_read(fd, "cgroup.controllers", text, sizeof(text), &len) < 0 ||
		!scan_part(&(struct scan){text, text + len}, '\n', &line))
		return false;
	while (scan_word(&line, &word))
		if (scan_is(&word, "memory"))
			return true;
	return false;
}

int memcg_mount_open(struct memcg_mount *fs)
{
	AUTO_CLOSE int fd = -1;
	struct stat st;

	memcg_mount_close(fs);
	if (!fs->mountpoint)
		return -ENODEV;
	fd = open(fs->mountpoint, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	/* Another mount may be there now. */
	if (major(st.st_dev) != fs->major || minor(st.st_dev) != fs->minor)
		return -ENODEV;
	fs->fd = TAKE_FD(fd);
	return 0;
}

void memcg_mount_close(struct memcg_mount *fs)
{
	fs->fd = fd_close(fs->fd);
}

/*
 * Takes M into RET if it has the memory controller, and sets *RET_HAS. Returns 0 in both cases, or
 * -ENOMEM.
 */
static int try_mount(const struct mountinfo *m, enum memcg_stat_version version,
	struct memcg_mount *ret, bool *ret_has)
{
	struct memcg_mount fs = {
		.fd = -1, .major = m->major, .minor = m->minor, .version = version};

	fs.mountpoint = strdup(m->mountpoint);
	fs.root = strdup(m->root[1] ? m->root : "");
	if (!fs.mountpoint || !fs.root) {
		memcg_mount_forget(&fs);
		return -ENOMEM;
	}
	*ret_has = memcg_mount_open(&fs) == 0 &&
	           (version == MEMCG_STAT_V1 || memcg_mount_has_memory(fs.fd));
	memcg_mount_close(&fs);
	if (!*ret_has) {
		memcg_mount_forget(&fs);
		return 0;
	}
	memcg_mount_forget(ret);
	*ret = fs;
	return 0;
}

int memcg_mount_find(struct memcg_mount *fs, char *text, size_t len)
{
	struct mountinfo m, candidate[CANDIDATES];
	enum memcg_stat_version version[CANDIDATES];
	char *end = text + len;
	bool has = false;
	size_t count = 0;
	int r;

	while ((r = mountinfo_next(&text, end, &m)) == 0 || r == MOUNTINFO_OTHER)
		if (r == 0 && count < CANDIDATES && memcg_mount_is_candidate(&m, &version[count]))
			candidate[count++] = m;
	for (unsigned int rank = 0; rank < RANKS; rank++)
		for (size_t i = count; i-- > 0;) { /* of mounts at one place the last is on top */
			if (memcg_mount_rank_of(&candidate[i], version[i]) != rank)
				continue;
			r = try_mount(&candidate[i], version[i], fs, &has);
			if (r < 0 || has)
				return r;
		}
	memcg_mount_forget(fs);
	return 0;
}

int memcg_mount_look(struct memcg_mount *fs, int procfs_fd)
{
	AUTO_BUFFER struct buffer text = {0};
	int r = mountinfo_read(procfs_fd, &text);

	return r < 0 ? r : memcg_mount_find(fs, text.data, text.len);
}

/* Returns PATH relative to the mount, NULL if the mount does not show it. */
static const char *memcg_mount_relative(const struct memcg_mount *fs, const char *path)
{
	if (!memcg_mount_is_below(path, fs->root))
		return NULL;
	path += strlen(fs->root);
	while (*path == '/')
		path++;
	return *path ? path : ".";
}

/* The outcome for ERROR, a negative errno of open or read in a cgroup's directory. */
static enum charge_outcome memcg_mount_outcome_of(int error)
{
	switch (error) {
	case -ENOENT:
	/* the cgroup was removed, before or after its directory was opened */
	case -ENODEV: return CHARGE_NONE;
	case -EACCES:
	case -EPERM: return CHARGE_DENIED;
	case -EBADMSG: return CHARGE_MALFORMED;
	default: return CHARGE_ERROR; /* for example no descriptor or no memory left */
	}
}

static int memcg_mount_read_value(
	int dirfd, const char *file, enum memcg_stat_field field, struct memcg_stat *ret)
{
	char text[64];
	size_t len;
	int r = file_read(dirfd, file, text, sizeof(text), &len);

	if (r == -EFBIG)
		return -EBADMSG;
	return r < 0 ? r : memcg_stat_parse_value(text, len, field, ret);
}

static int memcg_mount_read_stat(int dirfd, enum memcg_stat_version version, struct memcg_stat *ret)
{
	char text[TEXT_SIZE];
	size_t len;
	int r = file_read(dirfd, "memory.stat", text, sizeof(text), &len);

	return r < 0 ? r : memcg_stat_parse_stat(text, len, version, ret);
}

/* Returns R, the result of reading a file that a kernel may lack, or 0 if the kernel lacks it. */
static int forgive_absence(int r)
{
	return r == -ENOENT || r == -EOPNOTSUPP ? 0 : r;
}

/*
 * For a file that a kernel may lack: accounting of swap and of kernel memory can be left out or
 * switched off.
 */
static int read_optional(
	int dirfd, const char *file, enum memcg_stat_field field, struct memcg_stat *ret)
{
	return forgive_absence(memcg_mount_read_value(dirfd, file, field, ret));
}

static int memcg_mount_read_events(
	int dirfd, enum memcg_stat_version version, struct memcg_stat *ret)
{
	char text[EVENTS_SIZE];
	size_t len;
	int r = file_read(dirfd, version == MEMCG_STAT_V1 ? "memory.oom_control" : "memory.events",
		text, sizeof(text), &len);

	return r < 0 ? r : memcg_stat_parse_events(text, len, version, ret);
}

static int memcg_mount_read_pressure(int dirfd, struct memcg_stat *ret)
{
	char text[PSI_TEXT_SIZE];
	struct psi psi = {0};
	size_t len;
	int r = file_read(dirfd, "memory.pressure", text, sizeof(text), &len);

	if (r == 0)
		r = psi_parse(text, len, &psi);
	if (r < 0)
		return r;
	if (psi.has_waited)
		ROW_SET(ret, MEMCG_STAT_WAITED, psi.waited_ns);
	if (psi.has_stalled)
		ROW_SET(ret, MEMCG_STAT_STALLED, psi.stalled_ns);
	return 0;
}

/* Reads what is no charge: each file may be absent. */
static int memcg_mount_read_history(
	int dirfd, enum memcg_stat_version version, struct memcg_stat *ret)
{
	bool is_v1 = version == MEMCG_STAT_V1;
	int r[] = {
		memcg_mount_read_events(dirfd, version, ret),
		memcg_mount_read_value(dirfd, is_v1 ? "memory.max_usage_in_bytes" : "memory.peak",
			MEMCG_STAT_PEAK, ret),
		is_v1 ? memcg_mount_read_value(dirfd, "memory.failcnt", MEMCG_STAT_MAX_EVENTS, ret)
		      : memcg_mount_read_pressure(dirfd, ret),
	};

	for (size_t i = 0; i < ARRAY_SIZE(r); i++)
		if (forgive_absence(r[i]) < 0)
			return r[i];
	return 0;
}

static int memcg_mount_read_all(int dirfd, enum memcg_stat_version version, struct memcg_stat *ret)
{
	bool is_v1 = version == MEMCG_STAT_V1;
	int r = memcg_mount_read_value(
		dirfd, is_v1 ? "memory.usage_in_bytes" : "memory.current", MEMCG_STAT_TOTAL, ret);
	int of_stat, of_rest, of_history;

	/* A cgroup without the controller's files is charged as a part of one above it. */
	if (r == -ENOENT || r == -ENODEV)
		return r;
	of_stat = memcg_mount_read_stat(dirfd, version, ret);
	of_rest = is_v1 ? read_optional(dirfd, "memory.kmem.usage_in_bytes", MEMCG_STAT_KERNEL, ret)
	                : read_optional(dirfd, "memory.swap.current", MEMCG_STAT_SWAP, ret);
	of_history = memcg_mount_read_history(dirfd, version, ret);
	if (r == 0)
		r = of_stat;
	if (r == 0)
		r = of_rest;
	return r == 0 ? of_history : r;
}

enum charge_outcome memcg_mount_read(
	const struct memcg_mount *fs, const char *path, struct memcg_stat *ret)
{
	const char *below = memcg_mount_relative(fs, path);
	AUTO_CLOSE int dirfd = -1;
	int r;

	*ret = (struct memcg_stat){0};
	if (!below)
		return CHARGE_NONE;
	dirfd = openat(fs->fd, below, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dirfd < 0)
		return memcg_mount_outcome_of(-errno);
	r = memcg_mount_read_all(dirfd, fs->version, ret);
	return r == 0 ? CHARGE_READ : memcg_mount_outcome_of(r);
}
