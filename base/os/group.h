/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Host's Group File
 *
 * Looks up a group in /etc/group itself. No name service is asked: its modules should not run with
 * memtallyd's capabilities, it may hang, and a remote server could decide which users are
 * privileged.
 */
#ifndef MEMTALLY_BASE_OS_GROUP_H
#define MEMTALLY_BASE_OS_GROUP_H

#include <stddef.h>
#include <sys/types.h>

enum { GROUP_ABSENT = 1 }; /* there is no such group */

/*
 * Looks up the group NAME in the file at PATH (/etc/group) and writes its gid to *RET. Returns 0;
 * GROUP_ABSENT if there is no such group or no file; or an error of file_read_all(), with a limit
 * of 16 MiB.
 */
int group_find(const char *path, const char *name, gid_t *ret);

/*
 * Looks up the group NAME in TEXT, the LEN bytes of a group file, and writes its gid to *RET.
 * Returns 0 or GROUP_ABSENT. Pure.
 */
int group_parse(const char *text, size_t len, const char *name, gid_t *ret);

#endif
