/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sandbox of memtally-recorder: before it opens its files it gives up all rights, all files
 * outside of its directory, and all system calls that it does not need.
 */
#ifndef MEMTALLY_RECORDER_SANDBOX_H
#define MEMTALLY_RECORDER_SANDBOX_H

/*
 * Enters the sandbox, for good. If the process is root, it becomes the user memtally-recorder, or, if
 * there is no such user, the owner of DIRECTORY. It has no capabilities afterwards. It may use the
 * files in DIRECTORY (an absolute path) and remove SOCKET (NULL: none), which it has made. Logs each
 * restriction that the kernel does not support.
 *
 * Returns 0 or a negative errno, which is logged: then some rights may be left, and the program
 * must end.
 */
int recorder_sandbox_confine(const char *directory, const char *socket);

#endif
