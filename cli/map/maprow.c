/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/map/maprow.h"

#include <stdlib.h>
#include <string.h>

#define BIT(field) (UINT64_C(1) << (field))

enum {
	PARTS_MAX = 5,
	PID_WIDTH = 8,
	COUNT_WIDTH = 9,
	RANGE_WIDTH = 26, /* two addresses of 12 digits, a dash and a blank */
	PERMS_WIDTH = 4,
};

/* Variants of the list. */
enum { BY_MAPPING = 1 << 0, BY_FILE = 1 << 1, BY_KIND = 1 << 2, WITH_PID = 1 << 3 };

static const struct {
	uint64_t needs; /* fields that must be present, as bits */
	unsigned int parts;
	enum mapping_field part[PARTS_MAX];
} sums[MAPROW_SUMS - MAPPING_FIELDS] = {
	[MAPROW_SHARED - MAPPING_FIELDS] = {BIT(MAPPING_SHARED_CLEAN) | BIT(MAPPING_SHARED_DIRTY),
		2, {MAPPING_SHARED_CLEAN, MAPPING_SHARED_DIRTY}},
	[MAPROW_PRIVATE -
		MAPPING_FIELDS] = {BIT(MAPPING_PRIVATE_CLEAN) | BIT(MAPPING_PRIVATE_DIRTY), 2,
		{MAPPING_PRIVATE_CLEAN, MAPPING_PRIVATE_DIRTY}},
	[MAPROW_DIRTY - MAPPING_FIELDS] = {BIT(MAPPING_SHARED_DIRTY) | BIT(MAPPING_PRIVATE_DIRTY),
		2, {MAPPING_SHARED_DIRTY, MAPPING_PRIVATE_DIRTY}},
	/* Older kernels print fewer kinds. */
	[MAPROW_HUGE - MAPPING_FIELDS] = {BIT(MAPPING_ANON_HUGE_PAGES), PARTS_MAX,
		{MAPPING_ANON_HUGE_PAGES, MAPPING_SHMEM_PMD_MAPPED, MAPPING_FILE_PMD_MAPPED,
			MAPPING_SHARED_HUGETLB, MAPPING_PRIVATE_HUGETLB}},
};

bool maprow_sum(const uint64_t q[static MAPPING_FIELDS], uint64_t present, unsigned int index,
	uint64_t *ret)
{
	unsigned int at = index - MAPPING_FIELDS;

	if (index < MAPPING_FIELDS) {
		*ret = q[index];
		return present >> index & 1;
	}
	*ret = 0;
	for (unsigned int i = 0; i < sums[at].parts; i++)
		*ret += q[sums[at].part[i]];
	return !(sums[at].needs & ~present);
}

/* The names in JSON and CSV. */
static const char *const states[MAPPING_FATES] = {
	[MAPPING_DELETED] = "deleted",
	[MAPPING_REPLACED] = "replaced",
	[MAPPING_UNCERTAIN] = "uncertain",
	[MAPPING_UNLINKED] = "unlinked",
};

enum mapping_fate maprow_find_state(const char *name)
{
	for (unsigned int i = 0; i < MAPPING_FATES; i++)
		if (states[i] && !strcmp(states[i], name))
			return (enum mapping_fate)i;
	return MAPPING_NOT_ASKED;
}

/* JSON has both sums or none. */
static bool maprow_get_sum(const struct list *l, const struct mapping_table_row *row,
	unsigned int index, struct column_value *ret)
{
	unsigned int other = index == MAPROW_SHARED    ? MAPROW_PRIVATE
	                     : index == MAPROW_PRIVATE ? MAPROW_SHARED
	                                               : index;
	uint64_t unused;

	if (l->form & (LIST_JSON | LIST_SUMS) && !maprow_sum(row->q, row->present, other, &unused))
		return false;
	return maprow_sum(row->q, row->present, index, &ret->number);
}

/* Lines have one decimal, rounded, and nothing that is too wide for them. */
static bool maprow_get_sharers(
	const struct list *l, const struct mapping_table_row *row, struct column_value *ret)
{
	if (!mapping_table_sharers(row, &ret->real))
		return false;
	if (l->form != LIST_LINES)
		return true;
	if (ret->real >= 1e6)
		return false;
	ret->real = (double)(uint64_t)(ret->real * 10 + 0.5) / 10;
	return true;
}

bool maprow_get(
	const struct list *l, const struct column *c, const void *row_, struct column_value *ret)
{
	const struct mapping_table_row *row = row_;

	switch (c->index) {
	case MAPROW_SHARERS: return maprow_get_sharers(l, row, ret);
	case MAPROW_MAPPINGS: ret->number = row->mappings; return true;
	case MAPROW_PID: ret->number = (uint64_t)row->pid; return true;
	case MAPROW_RANGE:
		column_add_hex(ret->room, row->start, 8);
		buffer_add_char(ret->room, '-');
		column_add_hex(ret->room, row->end, 8);
		return column_use_room(ret);
	case MAPROW_START: ret->number = row->start; return true;
	case MAPROW_END: ret->number = row->end; return true;
	case MAPROW_PERMS: return column_use_text(ret, row->perms);
	case MAPROW_OFFSET: ret->number = row->offset; return true;
	case MAPROW_DEVICE:
		buffer_printf(ret->room, "%x:%x", row->major, row->minor);
		return column_use_room(ret) && row->inode;
	case MAPROW_INODE: ret->number = row->inode; return row->inode;
	case MAPROW_NAME:
		ret->after = kind_note(row->is_deleted, row->fate);
		return column_use_text(ret, row->name);
	case MAPROW_KIND: return column_use_text(ret, kind_name(row->kind));
	case MAPROW_DELETED: ret->number = row->is_deleted; return true;
	case MAPROW_STATE:
		return (row->is_deleted || row->fate == MAPPING_UNLINKED) &&
		       column_use_text(ret, states[row->fate]);
	case MAPROW_FLAGS: return column_use_text(ret, row->flags);
	default: return maprow_get_sum(l, row, c->index, ret);
	}
}

/* clang-format off */
#define PLACE(name, type, of) .field = (name), .kind = (type), .get = maprow_get, .index = (of)
#define AMOUNT(name, type, of)                                                                     \
	.field = (name), .kind = (type), .get = maprow_get, .index = (of),                         \
	.flags = COLUMN_SUM | COLUMN_SORT
#define FIELD(name, type, of) AMOUNT(name, type, of), .csv_place = 3
/* clang-format on */

static const struct column columns[] = {
	{PLACE("mappings", COLUMN_COUNT, MAPROW_MAPPINGS), .forms = LIST_JSON | LIST_SUMS,
		.flags = COLUMN_SUM},
	{PLACE("mappings", COLUMN_COUNT, MAPROW_MAPPINGS), .head = "MAPPINGS", .drop = 6,
		.forms = LIST_LINES | LIST_CSV, .only = BY_FILE | BY_KIND, .width = COUNT_WIDTH,
		.flags = COLUMN_SUM | COLUMN_SORT},
	{PLACE("pid", COLUMN_COUNT, MAPROW_PID), .head = "PID", .only = WITH_PID,
		.width = PID_WIDTH},
	{PLACE(NULL, COLUMN_WORD, MAPROW_RANGE), .head = "ADDRESS", .only = BY_MAPPING,
		.width = RANGE_WIDTH},
	{PLACE("start", COLUMN_ADDRESS, MAPROW_START), .only = BY_MAPPING},
	{PLACE("end", COLUMN_ADDRESS, MAPROW_END), .only = BY_MAPPING},
	{PLACE("perms", COLUMN_WORD, MAPROW_PERMS), .head = "PERM", .drop = 1, .only = BY_MAPPING,
		.width = PERMS_WIDTH},
	{PLACE("offset_bytes", COLUMN_COUNT, MAPROW_OFFSET), .only = BY_MAPPING},
	{PLACE("device", COLUMN_WORD, MAPROW_DEVICE)},
	{PLACE("inode", COLUMN_COUNT, MAPROW_INODE)},
	{PLACE("name", COLUMN_TEXT, MAPROW_NAME), .head = "MAPPING", .flags = COLUMN_PATH,
		.only = BY_MAPPING, .place = MAPROW_AT_NAME, .csv_place = 1},
	{PLACE("name", COLUMN_TEXT, MAPROW_NAME), .head = "FILE", .flags = COLUMN_PATH,
		.only = BY_FILE, .place = MAPROW_AT_NAME, .csv_place = 1},
	{PLACE("name", COLUMN_TEXT, MAPROW_NAME), .head = "KIND", .flags = COLUMN_CUT,
		.only = BY_KIND, .place = MAPROW_AT_NAME, .csv_place = 1},
	{PLACE("kind", COLUMN_WORD, MAPROW_KIND)},
	{PLACE("deleted", COLUMN_FLAG, MAPROW_DELETED), .csv_place = 1},
	{PLACE("state", COLUMN_WORD, MAPROW_STATE), .csv_place = 1},
	{PLACE("flags", COLUMN_WORDS, MAPROW_FLAGS), .only = BY_MAPPING},
	{FIELD("size_bytes", COLUMN_BYTES, MAPPING_SIZE), .head = "SIZE", .drop = 3, .place = 1},
	{FIELD("kernel_page_size_bytes", COLUMN_BYTES, MAPPING_KERNEL_PAGE_SIZE)},
	{FIELD("mmu_page_size_bytes", COLUMN_BYTES, MAPPING_MMU_PAGE_SIZE)},
	{FIELD("rss_bytes", COLUMN_BYTES, MAPPING_RSS), .head = "RSS", .drop = 2, .place = 1},
	{FIELD("pss_bytes", COLUMN_BYTES, MAPPING_PSS), .head = "PSS", .place = 1},
	{FIELD("pss_dirty_bytes", COLUMN_BYTES, MAPPING_PSS_DIRTY)},
	{FIELD("shared_clean_bytes", COLUMN_BYTES, MAPPING_SHARED_CLEAN)},
	{FIELD("shared_dirty_bytes", COLUMN_BYTES, MAPPING_SHARED_DIRTY)},
	{FIELD("private_clean_bytes", COLUMN_BYTES, MAPPING_PRIVATE_CLEAN)},
	{FIELD("private_dirty_bytes", COLUMN_BYTES, MAPPING_PRIVATE_DIRTY)},
	{FIELD("referenced_bytes", COLUMN_BYTES, MAPPING_REFERENCED)},
	{FIELD("anonymous_bytes", COLUMN_BYTES, MAPPING_ANONYMOUS)},
	{FIELD("ksm_bytes", COLUMN_BYTES, MAPPING_KSM)},
	{FIELD("lazy_free_bytes", COLUMN_BYTES, MAPPING_LAZY_FREE)},
	{FIELD("anon_huge_pages_bytes", COLUMN_BYTES, MAPPING_ANON_HUGE_PAGES)},
	{FIELD("shmem_pmd_mapped_bytes", COLUMN_BYTES, MAPPING_SHMEM_PMD_MAPPED)},
	{FIELD("file_pmd_mapped_bytes", COLUMN_BYTES, MAPPING_FILE_PMD_MAPPED)},
	{FIELD("shared_hugetlb_bytes", COLUMN_BYTES, MAPPING_SHARED_HUGETLB)},
	{FIELD("private_hugetlb_bytes", COLUMN_BYTES, MAPPING_PRIVATE_HUGETLB)},
	{FIELD("swap_bytes", COLUMN_BYTES, MAPPING_SWAP), .head = "SWAP", .drop = 5, .place = 4},
	{FIELD("swap_pss_bytes", COLUMN_BYTES, MAPPING_SWAP_PSS)},
	{FIELD("locked_bytes", COLUMN_BYTES, MAPPING_LOCKED)},
	{FIELD("thp_eligible", COLUMN_COUNT, MAPPING_THP_ELIGIBLE)},
	{FIELD("protection_key", COLUMN_COUNT, MAPPING_PROTECTION_KEY)},
	{AMOUNT("shared_bytes", COLUMN_BYTES, MAPROW_SHARED), .head = "SHARED", .drop = 7,
		.place = 2, .csv_place = 2},
	{AMOUNT("private_bytes", COLUMN_BYTES, MAPROW_PRIVATE), .head = "PRIVATE", .drop = 4,
		.place = 2, .csv_place = 2},
	{AMOUNT(NULL, COLUMN_BYTES, MAPROW_DIRTY), .head = "DIRTY", .drop = 8, .place = 3},
	{AMOUNT(NULL, COLUMN_BYTES, MAPROW_HUGE), .head = "HUGE", .drop = 9, .place = 5},
	{AMOUNT("sharers_mean", COLUMN_REAL, MAPROW_SHARERS), .head = "SHARERS", .drop = 10,
		.place = 6, .csv_place = 2, .width = COUNT_WIDTH, .decimals = 1},
};

const struct columns maprow_columns = {columns, ARRAY_SIZE(columns)};

const char *maprow_name(enum mapping_field field)
{
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (columns[i].index == (unsigned int)field)
			return columns[i].field;
	return NULL;
}

struct list maprow_list(const struct maprow_format *f, const struct columns *of, struct buffer *to)
{
	bool is_single = f->by == MAPPING_TABLE_BY_MAPPING;
	bool has_pid = is_single && (f->has_pid || f->look.form != LIST_LINES);
	struct list l = list_make(of, &f->look, f, to);

	l.variant = BIT(f->by) | (has_pid ? WITH_PID : 0);
	return l;
}

/* Gets the value of INDEX by which ROW is sorted. Returns false if it is absent. */
static bool maprow_key_of(const struct mapping_table_row *row, unsigned int index, uint64_t *ret)
{
	double sharers;

	if (index < MAPROW_SUMS)
		return maprow_sum(row->q, row->present, index, ret);
	if (index == MAPROW_MAPPINGS) {
		*ret = row->mappings;
		return true;
	}
	if (!mapping_table_sharers(row, &sharers))
		return false;
	*ret = sharers < 1e15 ? (uint64_t)(sharers * 1000) : UINT64_MAX;
	return true;
}

/* Rows that are alike stay in the order of process, address and name. */
static int maprow_compare(const void *a_, const void *b_, void *index)
{
	const struct mapping_table_row *a = a_, *b = b_;
	uint64_t x, y;
	bool has_x = maprow_key_of(a, *(unsigned int *)index, &x);
	bool has_y = maprow_key_of(b, *(unsigned int *)index, &y);

	if (has_x != has_y)
		return has_x ? -1 : 1;
	if (has_x && x != y)
		return x < y ? 1 : -1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return strcmp(a->name, b->name);
}

void maprow_sort(struct mapping_table *a, unsigned int index)
{
	if (a->rows)
		qsort_r(a->row, a->rows, sizeof(*a->row), maprow_compare, &index);
	hashmap_done(&a->index);
}
