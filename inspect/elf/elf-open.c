/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/elf/elf-open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/buffer.h"
#include "base/os/file.h"
#include "inspect/files/safe-lookup.h"
#include "inspect/maps/mapping.h"

enum {
	PATH_SIZE = 96,
	PIECE = 1 << 16,
};

/*
 * Opens the file of the O_PATH descriptor PLACE for reading. It is checked first, because opening a
 * device may have an effect, and a server may block; the descriptor keeps it the same file.
 * -ENOENT: no regular file.
 */
static int open_regular(struct mounts *mounts, int place, struct statx *ret_stat, int *ret_fd)
{
	char self[64];
	int opened;

	if (!mounts_find(mounts, place))
		return ELF_OPEN_MAY_WAIT;
	if (statx(place, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_INO, ret_stat) <
		0)
		return -errno;
	if (!S_ISREG(ret_stat->stx_mode))
		return -ENOENT;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", place);
	opened = open(self, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (opened < 0)
		return -errno;
	*ret_fd = opened;
	return 0;
}

/* Opens PATH below the directory ROOT. */
static int elf_open_open_path(struct mounts *mounts, int root, const char *path, bool it_follows,
	struct statx *ret_stat, int *ret_fd)
{
	AUTO_CLOSE int place = -1;
	int r = safe_lookup_open(mounts, root, path, it_follows, &place);

	if (r == SAFE_LOOKUP_MAY_WAIT)
		return ELF_OPEN_MAY_WAIT;
	return r == 0 ? open_regular(mounts, place, ret_stat, ret_fd) : r;
}

/* A mapping in our own address space. */
struct found {
	uint64_t start;
	const struct elf_open_mapping *of;
	bool is_same; /* it has the device and inode of .of */
};

static int compare_mapping(const struct mapping *m, void *context)
{
	struct found *f = context;

	f->is_same |= m->start == f->start && m->inode == f->of->inode &&
	              m->major == f->of->major && m->minor == f->of->minor;
	return 0;
}

/*
 * For overlayfs and btrfs stat() shows other numbers than maps. So this maps the file, and reads
 * its numbers in our own maps.
 */
static bool is_same_when_mapped(int fd, const struct elf_open_mapping *m)
{
	AUTO_CLOSE int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	void *here = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	struct found found = {.start = (uint64_t)(uintptr_t)here, .of = m};

	if (here == MAP_FAILED)
		return false;
	if (mapping_read(maps, compare_mapping, &found) != 0)
		found.is_same = false;
	munmap(here, 1);
	return found.is_same;
}

static bool elf_open_is_same(int fd, const struct statx *st, const struct elf_open_mapping *m)
{
	if (st->stx_ino == m->inode && st->stx_dev_major == m->major &&
		st->stx_dev_minor == m->minor)
		return true;
	return is_same_when_mapped(fd, m);
}

/*
 * Opens the mapped file itself. Following the link may block on NFS, which asks its server at once
 * (d_weak_revalidate()).
 */
static int open_mapped(
	int procfs_fd, struct mounts *mounts, const struct elf_open_mapping *m, int *ret_fd)
{
	AUTO_CLOSE int place = -1;
	char path[PATH_SIZE];
	struct statx st;

	if (!mounts_has_device(mounts, m->major, m->minor))
		return ELF_OPEN_MAY_WAIT;
	snprintf(path, sizeof(path), "%d/map_files/%llx-%llx", (int)m->pid,
		(unsigned long long)m->start, (unsigned long long)m->end);
	place = openat(procfs_fd, path, O_PATH | O_CLOEXEC);
	return place < 0 ? -errno : open_regular(mounts, place, &st, ret_fd);
}

int elf_open_file(
	int procfs_fd, struct mounts *mounts, const struct elf_open_mapping *m, int *ret_fd)
{
	AUTO_CLOSE int root = -1;
	AUTO_CLOSE int fd = -1;
	char path[PATH_SIZE];
	struct statx st;
	int r;

	if (open_mapped(procfs_fd, mounts, m, ret_fd) == 0)
		return 0;
	if (m->path[0] != '/')
		return -ENOENT;
	if (!mounts_has_root(mounts))
		return ELF_OPEN_MAY_WAIT;
	snprintf(path, sizeof(path), "%d/root", (int)m->pid);
	root = openat(procfs_fd, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -errno;
	r = elf_open_open_path(mounts, root, m->path, false, &st, &fd);
	if (r != 0)
		return r;
	if (!elf_open_is_same(fd, &st, m))
		return -ESTALE;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

/* .gnu_debuglink has the CRC-32 of gzip. */
static bool has_checksum(int fd, uint32_t expected, uint64_t *budget)
{
	unsigned char piece[PIECE];
	uLong crc = crc32(0, NULL, 0);
	struct stat st;
	ssize_t n = 0;

	if (fstat(fd, &st) < 0 || (uint64_t)st.st_size > *budget)
		return false;
	*budget -= (uint64_t)st.st_size;
	for (off_t at = 0; at < st.st_size; at += n) {
		n = file_read_at(fd, piece, sizeof(piece), at);
		if (n <= 0)
			return false;
		crc = crc32(crc, piece, (uInt)n);
	}
	return crc == expected;
}

/* A search for debugging information. */
struct search {
	const struct elffile *f;
	struct mounts *mounts;
	int root; /* our root directory */
	uint64_t *budget;
};

/* Opens PATH if it has the debugging information of F. Returns 0, -ENOENT or -ENOMEM. */
static int try_debug(const struct search *s, const char *path, struct elffile *ret, int *ret_fd)
{
	AUTO_ELFFILE struct elffile debug = {.segments = 0};
	AUTO_CLOSE int fd = -1;
	const struct elffile *f = s->f;
	const char *why;
	struct statx st;
	int r = elf_open_open_path(s->mounts, s->root, path, true, &st, &fd);

	if (r == 0)
		r = elffile_open(fd, &debug, &why);
	if (r != 0)
		return r == -ENOMEM ? r : -ENOENT;
	if (f->build_id_len && debug.build_id_len) {
		if (f->build_id_len != debug.build_id_len ||
			memcmp(f->build_id, debug.build_id, f->build_id_len) != 0)
			return -ENOENT;
	} else if (!f->debuglink || !has_checksum(fd, f->debuglink_crc, s->budget)) {
		return -ENOENT;
	}
	*ret = debug;
	debug = (struct elffile){.segments = 0};
	*ret_fd = TAKE_FD(fd);
	return 0;
}

static int try_build_id(
	const struct search *s, const char *folder, struct elffile *ret, int *ret_fd)
{
	AUTO_BUFFER struct buffer path = {0};
	const struct elffile *f = s->f;

	if (!f->build_id_len)
		return -ENOENT;
	buffer_printf(&path, "%s/.build-id/%02x/", folder, f->build_id[0]);
	for (size_t i = 1; i < f->build_id_len; i++)
		buffer_printf(&path, "%02x", f->build_id[i]);
	buffer_add(&path, ".debug", sizeof(".debug"));
	return path.error ? path.error : try_debug(s, path.data, ret, ret_fd);
}

int elf_open_debug(const struct elffile *f, struct mounts *mounts, const char *path,
	const char *folder, uint64_t *budget, struct elffile *ret, int *ret_fd)
{
	AUTO_CLOSE int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	const struct search search = {.f = f, .mounts = mounts, .root = root, .budget = budget};
	const char *slash = strrchr(path, '/');
	int len = slash ? (int)(slash - path) : 0, r;
	const struct {
		const char *before, *after;
	} places[] = {{"", "/"}, {"", "/.debug/"}, {folder, "/"}};

	if (root < 0)
		return -ENOENT;
	r = try_build_id(&search, folder, ret, ret_fd);
	for (size_t i = 0; r == -ENOENT && f->debuglink && slash && i < ARRAY_SIZE(places); i++) {
		AUTO_BUFFER struct buffer name = {0};

		buffer_printf(&name, "%s%.*s%s%s", places[i].before, len, path, places[i].after,
			f->debuglink);
		buffer_add_char(&name, '\0');
		r = name.error ? name.error : try_debug(&search, name.data, ret, ret_fd);
	}
	return r;
}
