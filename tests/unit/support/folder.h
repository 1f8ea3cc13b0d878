/* SPDX-License-Identifier: Apache-2.0 */
/* Temporary folders. */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_FOLDER_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_FOLDER_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder_entered[] = "test-folder-XXXXXX";

/* For a group of tests that work in an empty folder of their own: makes it, and changes into it. */
static inline int folder_enter(void **state)
{
	(void)state;
	return mkdtemp(folder_entered) ? chdir(folder_entered) : -1;
}

/* Leaves and removes that folder. Fails if a test has left a file there. */
static inline int folder_leave(void **state)
{
	(void)state;
	return chdir("..") < 0 ? -1 : rmdir(folder_entered);
}

static inline int folder_remove_one(
	const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	(void)type;
	(void)where;
	return remove(path);
}

/* Removes PATH and all that is in it. Returns 0 or -1. */
static inline int folder_remove(const char *path)
{
	return nftw(path, folder_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
