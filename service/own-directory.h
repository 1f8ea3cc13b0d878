/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sandbox of a service that keeps files in a directory of its own: how it gives up rights, and
 * all other files (service/renounce.h).
 */
#ifndef MEMTALLY_SERVICE_OWN_DIRECTORY_H
#define MEMTALLY_SERVICE_OWN_DIRECTORY_H

#include <stdint.h>

/*
 * If the process is root, it becomes the user USER, or, if there is no such user, the owner of
 * DIRECTORY: tomorrow's process must be able to use today's files. Afterwards it has no capability,
 * as after renounce_rights() with DATA_BYTES and ADVICE, and makes files with the modes of MASK only.
 * Returns 0 or a negative errno, which is logged.
 */
int own_directory_rights(const char *user, const char *directory, uint64_t data_bytes,
	unsigned int mask, const char *advice);

/*
 * Gives up all files but those in DIRECTORY (an absolute path), and the removal of SOCKET (NULL:
 * none), which the process has made. Returns as renounce_files().
 */
int own_directory_files(const char *directory, const char *socket);

#endif
