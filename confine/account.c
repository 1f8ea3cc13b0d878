/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "confine/account.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"

enum {
	ENTRY_SIZE = 4096,
	ENTRY_SIZE_MOST = 16 << 20,
	PART_SIZE = (ACCOUNT_LAST - ACCOUNT_FIRST + 1) / ACCOUNT_PARTS,
};

static void cleanup_fclose(FILE **file)
{
	if (*file)
		fclose(*file);
}

/*
 * Calls VISIT for each entry until it returns true, and sets *RET to whether it did. If a line does
 * not fit, reads the file again with a larger buffer: the position after ERANGE differs between
 * versions of glibc. Returns 0 or a negative errno; a missing file counts as empty.
 */
static int account_walk(
	const char *path, bool (*visit)(const struct passwd *entry, void *to), void *to, bool *ret)
{
	CLEANUP(cleanup_fclose) FILE *file = fopen(path, "re");
	int r = ERANGE;

	*ret = false;
	if (!file)
		return errno == ENOENT ? 0 : -errno;
	for (size_t size = ENTRY_SIZE; r == ERANGE && size <= ENTRY_SIZE_MOST; size *= 4) {
		AUTO_FREE char *text = malloc(size);
		struct passwd entry, *found;

		if (!text)
			return -ENOMEM;
		rewind(file);
		while ((r = fgetpwent_r(file, &entry, text, size, &found)) == 0)
			if (visit(found, to)) {
				*ret = true;
				return 0;
			}
	}
	return r == ENOENT ? 0 : -r;
}

struct search {
	const char *name;
	struct account account;
};

static bool is_named(const struct passwd *entry, void *search_)
{
	struct search *search = search_;

	if (strcmp(entry->pw_name, search->name) != 0)
		return false;
	search->account = (struct account){.uid = entry->pw_uid, .gid = entry->pw_gid};
	return true;
}

int account_find(const char *path, const char *name, struct account *ret)
{
	struct search search = {.name = name};
	bool is_found;
	int r = account_walk(path, is_named, &search, &is_found);

	if (r < 0)
		return r;
	if (!is_found || search.account.uid == 0)
		return ACCOUNT_ABSENT;
	*ret = search.account;
	return 0;
}

int account_choose(const char *name, struct account *ret)
{
	if (geteuid() == 0)
		return account_find(ACCOUNT_PASSWD, name, ret);
	*ret = (struct account){.uid = geteuid(), .gid = getegid()};
	return 0;
}

struct range {
	uid_t first;
	bool is_used[PART_SIZE];
};

static bool account_mark(const struct passwd *entry, void *range_)
{
	struct range *range = range_;

	if (entry->pw_uid >= range->first && entry->pw_uid - range->first < PART_SIZE)
		range->is_used[entry->pw_uid - range->first] = true;
	return false;
}

/*
 * Returns whether the kernel finds processes of that real uid. This is cheaper than reading /proc,
 * and finds processes that /proc hides.
 */
static bool has_processes(uid_t uid)
{
	errno = 0;
	return getpriority(PRIO_USER, uid) != -1 || errno != ESRCH;
}

int account_take(const char *path, enum account_part part, struct account *ret)
{
	struct range range = {.first = ACCOUNT_FIRST + (uid_t)part * PART_SIZE};
	unsigned int start = 0;
	bool is_found;
	int r = account_walk(path, account_mark, &range, &is_found);

	if (r < 0)
		return r;
	/*
	 * Without randomness start at the first: randomness only spreads the uids of several
	 * daemons.
	 */
	(void)!getrandom(&start, sizeof(start), GRND_NONBLOCK);
	for (unsigned int i = 0; i < PART_SIZE; i++) {
		unsigned int at = (start % PART_SIZE + i) % PART_SIZE;
		uid_t uid = range.first + at;

		if (range.is_used[at] || has_processes(uid))
			continue;
		*ret = (struct account){.uid = uid, .gid = (gid_t)uid, .is_taken = true};
		return 0;
	}
	return ACCOUNT_ABSENT;
}
