/* SPDX-License-Identifier: Apache-2.0 */
/* A sample smaps mapping: a deleted library, with a value for every quantity that a row prints. */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_CLI_MAPPED_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_CLI_MAPPED_H

#include "inspect/maps/mapping.h"

enum { KIB = 1024 };

static const struct mapping mapped_library = {
	.start = 0x400000,
	.end = 0x420000,
	.offset = 4096,
	.inode = 7,
	.major = 8,
	.minor = 17,
	.perms = "r-xp",
	.path = "/lib/a, \"b\" (deleted)",
	.path_len = sizeof("/lib/a, \"b\" (deleted)") - 1,
	.flags = "\x1b, ex rd",
	.flags_len = 8,
	.present = (UINT64_C(1) << MAPPING_THP_ELIGIBLE) - 1,
	.q =
		{
			[MAPPING_SIZE] = 128 * KIB,
			[MAPPING_RSS] = 100 * KIB,
			[MAPPING_PSS] = 50 * KIB,
			[MAPPING_SHARED_CLEAN] = 60 * KIB,
			[MAPPING_SHARED_DIRTY] = 15 * KIB,
			[MAPPING_PRIVATE_CLEAN] = 5 * KIB,
			[MAPPING_PRIVATE_DIRTY] = 20 * KIB,
			[MAPPING_SWAP] = 3 * KIB,
			[MAPPING_ANON_HUGE_PAGES] = 2048 * KIB,
			[MAPPING_PRIVATE_HUGETLB] = 1024 * KIB,
		},
};

#endif
