/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What memtally-web gives up before it serves anybody: every right, all files but a few that it may read, and the system
 * calls that it does not need.
 */
#ifndef MEMTALLY_WEB_ENCLOSURE_H
#define MEMTALLY_WEB_ENCLOSURE_H

#include <stddef.h>

#include "web/listen.h"

/*
 * For good: becomes the user memtally-web if it is root, or where there is none a uid that is nobody's, which is said on the
 * log, without any capability. Of files it may read the COUNT ones of FILES and what else lies in their directories, and in
 * those of the files that symbolic links lead to, so that they can be replaced (but nothing else where that directory is "/");
 * and its own /proc/self; and remove the sockets of SET. FILES may hold NULL and paths that do not exist. Whatever the kernel
 * has not is said on the log. Negative errno: what should have been given up may be left, it is on the log, and nobody must be
 * served. -EPERM, too, where it is root of the host and can't leave that.
 */
int enclosure_enter(const char *const *files, size_t count, const struct listen_set *set);

#endif
