/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "ledger/store/quarantine.h"

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
	NAME_LEN_MAX = NAME_MAX - 16, /* leaves room for the suffixes of store_files */
	SAME_TIME_MAX = 1000,
};

/* Writes file NAME with suffix I of store_files to TO. */
static void quarantine_add_end(const char *name, size_t i, char to[static NAME_SIZE])
{
	snprintf(to, NAME_SIZE, "%.*s%s", NAME_LEN_MAX, name, store_files[i]);
}

static bool quarantine_is_there(int dir_fd, const char *name, size_t i)
{
	char path[NAME_SIZE];
	struct stat st;

	quarantine_add_end(name, i, path);
	return fstatat(dir_fd, path, &st, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT;
}

/* Returns whether NAME exists with any suffix of store_files. */
static bool is_taken(int dir_fd, const char *name)
{
	for (size_t i = 0; i < STORE_FILES; i++)
		if (quarantine_is_there(dir_fd, name, i))
			return true;
	return false;
}

/*
 * Writes to TO the name for a quarantined database. Returns 0, or -EEXIST if all names of this
 * second are taken.
 */
static int quarantine_choose(int dir_fd, uint64_t realtime_ns, char to[static NAME_SIZE])
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
 * Renames ledger.db and its companions to NAME. Sets *RET_FIRST to the first suffix of store_files
 * that existed, or STORE_FILES if none did. Returns 0 or a negative errno; then renames the
 * companions back.
 *
 * The log goes first: a database without its log is only older, but with another database's log it
 * is unreadable.
 */
static int quarantine_move(int dir_fd, const char *name, size_t *ret_first)
{
	char from[NAME_SIZE], to[NAME_SIZE];
	size_t first = STORE_FILES;

	for (size_t i = STORE_FILES; i > 0; i--) {
		quarantine_add_end(STORE_FILE, i - 1, from);
		quarantine_add_end(name, i - 1, to);
		if (renameat(dir_fd, from, dir_fd, to) == 0) {
			first = i - 1;
		} else if (errno != ENOENT) {
			int r = -errno;

			for (; i < STORE_FILES; i++) {
				quarantine_add_end(STORE_FILE, i, from);
				quarantine_add_end(name, i, to);
				renameat(dir_fd, to, dir_fd, from);
			}
			return r;
		}
	}
	*ret_first = first;
	return 0;
}

/* Removes the suffix of store_files from NAME. Returns its index, 0 if there is none. */
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
 * Returns whether NAME is the first existing file of a quarantined database (the database itself,
 * if it exists). Writes the name of that database to RET_FILE. Names longer than
 * quarantine_choose() makes belong to other programs.
 */
static bool is_aside(int dir_fd, const char *name, char ret_file[static NAME_SIZE])
{
	size_t end;

	snprintf(ret_file, NAME_SIZE, "%s", name);
	end = take_end(ret_file);
	if (strlen(ret_file) > NAME_LEN_MAX || strncmp(ret_file, PREFIX, strlen(PREFIX)) != 0)
		return false;
	for (size_t i = 0; i < end; i++)
		if (quarantine_is_there(dir_fd, ret_file, i))
			return false;
	return true;
}

/*
 * Returns how many quarantined databases DIR has. Writes to RET_NAME the smallest one, and of
 * several the oldest, but not KEPT; "" if there is none.
 */
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

/*
 * Removes the smallest quarantined databases beyond QUARANTINE_MAX, but not KEPT. Stops at a
 * failure; the next call tries again.
 */
static void remove_surplus(int dir_fd, const char *kept)
{
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSEDIR DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	char name[NAME_SIZE], path[NAME_SIZE];

	if (!dir) {
		fd_close(fd);
		return;
	}
	while (find_smallest(dir, kept, name) > QUARANTINE_MAX && *name) {
		for (size_t i = STORE_FILES; i > 0; i--) {
			quarantine_add_end(name, i - 1, path);
			if (unlinkat(dir_fd, path, 0) < 0 && errno != ENOENT)
				return;
		}
	}
}

int quarantine_put(const char *directory, uint64_t realtime_ns, char name[static STORE_ERROR_SIZE])
{
	AUTO_CLOSE int dir_fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char to[NAME_SIZE];
	size_t first = 0;
	int r = dir_fd < 0 ? -errno : quarantine_choose(dir_fd, realtime_ns, to);

	if (r == 0)
		r = quarantine_move(dir_fd, to, &first);
	if (r < 0)
		return r;
	if (first == STORE_FILES)
		return QUARANTINE_NOTHING;
	remove_surplus(dir_fd, to);
	snprintf(name, STORE_ERROR_SIZE, "%.200s/%s%s", directory, to, store_files[first]);
	return first ? QUARANTINE_NO_FILE : 0;
}
