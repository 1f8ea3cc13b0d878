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

static bool is_there(int dir_fd, const char *name, size_t i)
{
	char path[NAME_SIZE];
	struct stat st;

	add_end(name, i, path);
	return fstatat(dir_fd, path, &st, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT;
}

static bool is_taken(int dir_fd, const char *name)
{
	for (size_t i = 0; i < STORE_FILES; i++)
		if (is_there(dir_fd, name, i))
			return true;
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
 * renamed already is so again when the file itself can't be. Which is the first that there was.
 */
static int move(int dir_fd, const char *name, size_t *ret_first)
{
	char from[NAME_SIZE], to[NAME_SIZE];
	size_t first = 0;

	for (size_t i = STORE_FILES; i > 0; i--) {
		add_end(STORE_FILE, i - 1, from);
		add_end(name, i - 1, to);
		if (renameat(dir_fd, from, dir_fd, to) == 0) {
			first = i - 1;
		} else if (errno != ENOENT) {
			int r = -errno;

			for (; i < STORE_FILES; i++) {
				add_end(STORE_FILE, i, from);
				add_end(name, i, to);
				renameat(dir_fd, to, dir_fd, from);
			}
			return r;
		}
	}
	*ret_first = first;
	return 0;
}

/* Takes what is added to the names of what belongs to a file off NAME; which of these it is. */
static size_t take_end(char name[static NAME_SIZE])
{
	size_t len = strlen(name);

	for (size_t i = 1; i < STORE_FILES; i++) {
		size_t end = strlen(store_files[i]);

		if (len > end && !strcmp(name + len - end, store_files[i])) {
			name[len - end] = '\0';
			return i;
		}
	}
	return 0;
}

/*
 * Whether NAME is the first of the names of one that was set aside, which is that of the file where there is one; what
 * that is, or would be. Longer ones than are given here are somebody else's.
 */
static bool is_aside(int dir_fd, const char *name, char ret_file[static NAME_SIZE])
{
	size_t end;

	snprintf(ret_file, NAME_SIZE, "%s", name);
	end = take_end(ret_file);
	if (strlen(ret_file) > NAME_LEN_MAX || strncmp(ret_file, PREFIX, strlen(PREFIX)) != 0)
		return false;
	for (size_t i = 0; i < end; i++)
		if (is_there(dir_fd, ret_file, i))
			return false;
	return true;
}

/* How many there are, and which is the smallest, and of several the oldest, but for KEPT. */
static size_t find_smallest(DIR *dir, const char *kept, char ret_name[static NAME_SIZE])
{
	const struct dirent *entry;
	char file[NAME_SIZE];
	off_t smallest = 0;
	size_t count = 0;
	struct stat st;

	*ret_name = '\0';
	rewinddir(dir);
	while ((entry = readdir(dir))) {
		if (!is_aside(dirfd(dir), entry->d_name, file) ||
			fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
			!S_ISREG(st.st_mode))
			continue;
		count++;
		if (!strcmp(file, kept) || (*ret_name && st.st_size > smallest) ||
			(*ret_name && st.st_size == smallest && strcmp(file, ret_name) > 0))
			continue;
		smallest = st.st_size;
		snprintf(ret_name, NAME_SIZE, "%s", file);
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
	size_t first = 0;
	int r = dir_fd < 0 ? -errno : choose(dir_fd, realtime_ns, to);

	if (r == 0)
		r = move(dir_fd, to, &first);
	if (r < 0)
		return r;
	remove_surplus(dir_fd, to);
	snprintf(name, STORE_ERROR_SIZE, "%.200s/%s%s", directory, to, store_files[first]);
	return first ? ASIDE_NO_FILE : 0;
}
