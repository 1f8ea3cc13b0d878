/* SPDX-License-Identifier: Apache-2.0 */
/* Parsers of the files in /proc that say which limits of memory a process has. Pure. */
#ifndef MEMTALLY_CLI_GROWTH_LIMIT_TEXT_H
#define MEMTALLY_CLI_GROWTH_LIMIT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads the soft limit of the address space in TEXT, the LEN bytes of /proc/PID/limits, into *RET, in
 * bytes. Returns false if there is none.
 */
bool limit_text_parse_space(const char *text, size_t len, uint64_t *ret);

/*
 * Reads the path of the cgroup that the memory controller charges in TEXT, the LEN bytes of
 * /proc/PID/cgroup, into PATH of SIZE bytes, terminated. IS_UNIFIED: of cgroup v2. Returns false if
 * there is none, it does not fit, or it is outside of the cgroup namespace.
 */
bool limit_text_parse_cgroup(
	const char *text, size_t len, bool is_unified, char *path, size_t size);

#endif
