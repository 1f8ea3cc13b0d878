/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sandbox of memtally-recorder: before it opens its files it gives up all rights, all files
 * outside of its directory, and all system calls that it does not need.
 */
#ifndef MEMTALLY_RECORDER_SANDBOX_H
#define MEMTALLY_RECORDER_SANDBOX_H

/* Enters it, as own_directory_confine(). */
int recorder_sandbox_confine(const char *directory, const char *socket);

#endif
