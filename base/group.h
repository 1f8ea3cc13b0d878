/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups as the host's own file has them. No name service is asked: its modules are nothing to run with all rights, it may
 * hang, and whoever answers for it could say who is privileged.
 */
#ifndef MEMTALLY_BASE_GROUP_H
#define MEMTALLY_BASE_GROUP_H

#include <stddef.h>
#include <sys/types.h>

enum { GROUP_ABSENT = 1 }; /* there is no such group */

/* The group NAME in the file at PATH, /etc/group. 0, or GROUP_ABSENT. Errors of file_read_all(). */
int group_find(const char *path, const char *name, gid_t *ret);

/* The same of the file's text. Pure. */
int group_parse(const char *text, size_t len, const char *name, gid_t *ret);

#endif
