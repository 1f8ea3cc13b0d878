/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sandbox of memtally-ledger: before it opens its database it gives up all rights, all files
 * outside of its directory, and all system calls that it does not need.
 */
#ifndef MEMTALLY_LEDGER_SANDBOX_H
#define MEMTALLY_LEDGER_SANDBOX_H

/* Enters it, as own_directory_confine(). */
int sandbox_confine(const char *directory, const char *socket);

#endif
