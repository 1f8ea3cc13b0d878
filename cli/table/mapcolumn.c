/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/table/mapcolumn.h"

#define BIT(field) (UINT64_C(1) << (field))

enum { PARTS_MAX = 5 };

static const struct {
	const char *head;
	uint64_t needs; /* fields that must be present, as bits */
	unsigned int parts;
	enum mapping_field part[PARTS_MAX];
} columns[MAPCOLUMNS] = {
	[MAPCOLUMN_SIZE] = {"SIZE", BIT(MAPPING_SIZE), 1, {MAPPING_SIZE}},
	[MAPCOLUMN_RSS] = {"RSS", BIT(MAPPING_RSS), 1, {MAPPING_RSS}},
	[MAPCOLUMN_PSS] = {"PSS", BIT(MAPPING_PSS), 1, {MAPPING_PSS}},
	[MAPCOLUMN_SHARED] = {"SHARED", BIT(MAPPING_SHARED_CLEAN) | BIT(MAPPING_SHARED_DIRTY), 2,
		{MAPPING_SHARED_CLEAN, MAPPING_SHARED_DIRTY}},
	[MAPCOLUMN_PRIVATE] = {"PRIVATE", BIT(MAPPING_PRIVATE_CLEAN) | BIT(MAPPING_PRIVATE_DIRTY),
		2, {MAPPING_PRIVATE_CLEAN, MAPPING_PRIVATE_DIRTY}},
	[MAPCOLUMN_DIRTY] = {"DIRTY", BIT(MAPPING_SHARED_DIRTY) | BIT(MAPPING_PRIVATE_DIRTY), 2,
		{MAPPING_SHARED_DIRTY, MAPPING_PRIVATE_DIRTY}},
	[MAPCOLUMN_SWAP] = {"SWAP", BIT(MAPPING_SWAP), 1, {MAPPING_SWAP}},
	/* Older kernels print fewer kinds. */
	[MAPCOLUMN_HUGE] = {"HUGE", BIT(MAPPING_ANON_HUGE_PAGES), PARTS_MAX,
		{MAPPING_ANON_HUGE_PAGES, MAPPING_SHMEM_PMD_MAPPED, MAPPING_FILE_PMD_MAPPED,
			MAPPING_SHARED_HUGETLB, MAPPING_PRIVATE_HUGETLB}},
};

const char *mapcolumn_head(enum mapcolumn column)
{
	return columns[column].head;
}

bool mapcolumn_sum(const uint64_t q[static MAPPING_FIELDS], uint64_t present, enum mapcolumn column,
	uint64_t *ret)
{
	*ret = 0;
	for (unsigned int i = 0; i < columns[column].parts; i++)
		*ret += q[columns[column].part[i]];
	return !(columns[column].needs & ~present);
}
