/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sandbox
 *
 * memtally-web gives up its rights before it answers any request: capabilities, all files but a
 * few, and all system calls that it does not need.
 */
#ifndef MEMTALLY_WEB_SANDBOX_H
#define MEMTALLY_WEB_SANDBOX_H

#include <stddef.h>

#include "web/net/listen.h"

/*
 * Enters the sandbox for good.
 *
 * * If the process is root, it becomes the user memtally-web without any capability. Without such a
 *   user it becomes a uid that no user has, and logs this.
 * * It may then read each of the COUNT files in FILES and other files in the same directory, so
 *   that a replaced file can be read; the same for the target of a symbolic link. If the directory
 *   is "/", it may read the file only. FILES may contain NULL and paths that do not exist.
 * * It may read /proc/self, and remove the socket files of SET.
 * * System calls are limited to those that memtally-web needs.
 *
 * Features that the kernel lacks are logged. Returns 0; a negative errno if rights may be left (the
 * reason is logged), and then no request must be answered. -EPERM also if the process is root of
 * the host and cannot become another user.
 */
int sandbox_enter(const char *const *files, size_t count, const struct listen_set *set);

#endif
