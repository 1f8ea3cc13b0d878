/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What memtally-ledger gives up before it opens its file: every right, all files but those of its directory, and the
 * system calls that it does not need.
 */
#ifndef MEMTALLY_LEDGER_ENCLOSURE_H
#define MEMTALLY_LEDGER_ENCLOSURE_H

/*
 * For good: becomes the user memtally-ledger if it is root, or where there is none the owner of DIRECTORY; without
 * any capability. It may use the files in DIRECTORY, an absolute path, and remove SOCKET, which it has made (NULL: it
 * has not). Whatever the kernel has not is said on the log. Negative errno: what should have been given up may be
 * left, it is on the log, and nothing must be done.
 */
int enclosure_confine(const char *directory, const char *socket);

#endif
