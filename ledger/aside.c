/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "ledger/aside.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"

#define PREFIX STORE_FILE ".damaged-"

enum {
	NAME_SIZE = NAME_MAX + 1,
	NAME_LEN_MAX = NAME_MAX - 16, /* a file's, to which ends are added */
	SAME_TIME_MAX = 1000,
};

static void add_end(const char *name, size_t i, char to[static NAME_SIZE])
{
	snprintf(to, NAME_SIZE, "%.*s%s", NAME_LEN_MAX, name, store_files[i]);
}

static bool is_taken(int dir_fd, const char *name)
{
	char path[NAME_SIZE];
	struct stat st;

	for (size_t i = 0; i < STORE_FILES; i++) {
		add_end(name, i, path);
		if (fstatat(dir_fd, path, &st, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT)
			return true;
	}
	return false;
}

static int choose(int dir_fd, uint64_t realtime_ns, char to[static NAME_SIZE])
{
	time_t now = (time_t)(realtime_ns / NS_PER_SEC);
	char stamp[32] = "";
	struct tm tm;

	if (gmtime_r(&now, &tm))
		strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &tm);
	snprintf(to, NAME_SIZE, PREFIX "%s", stamp);
	for (int i = 2; i < SAME_TIME_MAX && is_taken(dir_fd, to); i++)
		snprintf(to, NAME_SIZE, PREFIX "%s-%d", stamp, i);
	return is_taken(dir_fd, to) ? -EEXIST : 0;
}

/*
 * The log first: without it the file is an older one of its states, but with another's it would be none. What was
 * renamed already is so again when the file itself can't be.
 */
static int move(int dir_fd, const char *name)
{
	char from[NAME_SIZE], to[NAME_SIZE];

	for (size_t i = STORE_FILES; i > 0; i--) {
		add_end(STORE_FILE, i - 1, from);
		add_end(name, i - 1, to);
		if (renameat(dir_fd, from, dir_fd, to) < 0 && errno != ENOENT) {
			int r = -errno;

			for (; i < STORE_FILES; i++) {
				add_end(STORE_FILE, i, from);
				add_end(name, i, to);
				renameat(dir_fd, to, dir_fd, from);
			}
			return r;
		}
	}
	return 0;
}

/*
 * Whether NAME is that of a file that was set aside, and not of what belongs to one. Longer ones than are given here are
 * somebody else's.
 */
static bool is_aside(const char *name)
{
	size_t len = strlen(name);

	if (len > NAME_LEN_MAX || strncmp(name, PREFIX, strlen(PREFIX)) != 0)
		return false;
	for (size_t i = 1; i < STORE_FILES; i++) {
		size_t end = strlen(store_files[i]);

		if (len > end && !strcmp(name + len - end, store_files[i]))
			return false;
	}
	return true;
}

/* How many there are, and which is the smallest, and of several the oldest, but for KEPT. */
static size_t find_smallest(DIR *dir, const char *kept, char ret_name[static NAME_SIZE])
{
	const struct dirent *entry;
	off_t smallest = 0;
	size_t count = 0;
	struct stat st;

	*ret_name = '\0';
	rewinddir(dir);
	while ((entry = readdir(dir))) {
		if (!is_aside(entry->d_name) ||
			fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
			!S_ISREG(st.st_mode))
			continue;
		count++;
		if (!strcmp(entry->d_name, kept) || (*ret_name && st.st_size > smallest) ||
			(*ret_name && st.st_size == smallest &&
				strcmp(entry->d_name, ret_name) > 0))
			continue;
		smallest = st.st_size;
		snprintf(ret_name, NAME_SIZE, "%s", entry->d_name);
	}
	return count;
}

/* As far as it can be done: what is left is looked at the next time. */
static void remove_surplus(int dir_fd, const char *kept)
{
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSEDIR DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	char name[NAME_SIZE], path[NAME_SIZE];

	if (!dir) {
		fd_close(fd);
		return;
	}
	while (find_smallest(dir, kept, name) > ASIDE_MAX && *name) {
		for (size_t i = STORE_FILES; i > 0; i--) {
			add_end(name, i - 1, path);
			if (unlinkat(dir_fd, path, 0) < 0 && errno != ENOENT)
				return;
		}
	}
}

int aside_put(const char *directory, uint64_t realtime_ns, char name[static STORE_ERROR_SIZE])
{
	AUTO_CLOSE int dir_fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char to[NAME_SIZE];
	int r = dir_fd < 0 ? -errno : choose(dir_fd, realtime_ns, to);

	if (r == 0)
		r = move(dir_fd, to);
	if (r < 0)
		return r;
	remove_surplus(dir_fd, to);
	snprintf(name, STORE_ERROR_SIZE, "%.200s/%s", directory, to);
	return 0;
}
