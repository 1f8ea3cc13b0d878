/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/pages/pagerow.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "inspect/pages/kpage.h"

enum {
	PAGEROW_MAPPINGS,
	PAGEROW_PID,
	PAGEROW_RANGE,
	PAGEROW_START,
	PAGEROW_END,
	PAGEROW_PERMS,
	PAGEROW_KIND,
	PAGEROW_NAME,
	PAGEROW_ADDRESS,
	PAGEROW_STATE,
	PAGEROW_TYPE,
	PAGEROW_EXCLUSIVE,
	PAGEROW_MAPPED,
	PAGEROW_FRAME,
	PAGEROW_FLAGS,
};

/* Variants of the list. */
enum { BY_KIND = 1 << 0, BY_PROCESS = 1 << 1, BY_MAPPING = 1 << 2, WITH_PID = 1 << 3 };

/* Places in a line. */
enum { AT_BEGIN, AT_AMOUNTS, AT_END };

enum {
	PID_WIDTH = 8,
	COUNT_WIDTH = 9,
	RANGE_WIDTH = 26,
	ADDRESS_WIDTH = 13,
	PERMS_WIDTH = 4,
	PAGE_PERMS_WIDTH = 5,
	STATE_WIDTH = 9,
	TYPE_WIDTH = 5,
	FLAGS_WIDTH = 41,
};

static const char *const bys[PAGEROW_BYS] = {
	[PAGEROW_BY_KIND] = "kind",
	[PAGEROW_BY_PROCESS] = "process",
	[PAGEROW_BY_MAPPING] = "mapping",
	[PAGEROW_BY_PAGE] = "page",
	[PAGEROW_BY_SECTION] = "section",
	[PAGEROW_BY_SYMBOL] = "symbol",
};

const char *pagerow_by_name(enum pagerow_by by)
{
	return bys[by];
}

static bool pagerow_get(
	const struct list *l, const struct column *c, const void *row_, struct column_value *ret)
{
	const struct pagerow_format *f = l->context;
	const struct pagerow *row = row_;

	switch (c->index) {
	case PAGEROW_MAPPINGS: ret->number = row->mappings; return true;
	case PAGEROW_PID: ret->number = (uint64_t)row->pid; return true;
	case PAGEROW_RANGE:
		column_add_hex(ret->room, row->start, 8);
		buffer_add_char(ret->room, '-');
		column_add_hex(ret->room, row->end, 8);
		return column_use_room(ret);
	case PAGEROW_START: ret->number = row->start; return true;
	case PAGEROW_END: ret->number = row->end; return true;
	case PAGEROW_PERMS: return column_use_text(ret, row->perms);
	case PAGEROW_KIND: return column_use_text(ret, kind_name(row->kind));
	default:
		ret->text = row->name;
		if (l->form != LIST_LINES || f->by != PAGEROW_BY_PROCESS)
			return true;
		buffer_printf(ret->room, "%d %s", (int)row->pid, row->name);
		return column_use_room(ret);
	}
}

static bool pagerow_get_amount(
	const struct list *l, const struct column *c, const void *row, struct column_value *ret)
{
	const struct pagerow_format *f = l->context;

	ret->number = ((const struct pagerow *)row)->sum.q[c->index];
	return f->known >> c->index & 1;
}

/* clang-format off */
#define PLACE(name, type, of) .field = (name), .kind = (type), .get = pagerow_get, .index = (of)
#define AMOUNT(name, of)                                                                           \
	.field = (name), .kind = COLUMN_BYTES, .get = pagerow_get_amount, .index = (of),           \
	.flags = COLUMN_SUM | COLUMN_SORT, .place = AT_AMOUNTS
/* clang-format on */

static const struct column columns[] = {
	{PLACE("mappings", COLUMN_COUNT, PAGEROW_MAPPINGS), .forms = LIST_JSON | LIST_SUMS,
		.flags = COLUMN_SUM},
	{PLACE("mappings", COLUMN_COUNT, PAGEROW_MAPPINGS), .forms = LIST_CSV,
		.only = BY_KIND | BY_PROCESS},
	{PLACE("pid", COLUMN_COUNT, PAGEROW_PID), .head = "PID", .only = WITH_PID,
		.width = PID_WIDTH},
	{PLACE(NULL, COLUMN_WORD, PAGEROW_RANGE), .head = "ADDRESS", .only = BY_MAPPING,
		.width = RANGE_WIDTH},
	{PLACE("start", COLUMN_ADDRESS, PAGEROW_START), .only = BY_MAPPING},
	{PLACE("end", COLUMN_ADDRESS, PAGEROW_END), .only = BY_MAPPING},
	{PLACE("perms", COLUMN_WORD, PAGEROW_PERMS), .head = "PERM", .drop = 1, .only = BY_MAPPING,
		.width = PERMS_WIDTH},
	{PLACE("kind", COLUMN_WORD, PAGEROW_KIND), .only = BY_MAPPING},
	{PLACE("kind", COLUMN_WORD, PAGEROW_KIND), .head = "KIND", .flags = COLUMN_CUT,
		.only = BY_KIND, .place = AT_END},
	{PLACE("program", COLUMN_TEXT, PAGEROW_NAME), .head = "PROCESS", .flags = COLUMN_CUT,
		.only = BY_PROCESS, .place = AT_END},
	{PLACE("name", COLUMN_TEXT, PAGEROW_NAME), .head = "MAPPING", .flags = COLUMN_PATH,
		.only = BY_MAPPING, .place = AT_END},
	{AMOUNT("size_bytes", PAGESUM_SIZE), .head = "SIZE", .drop = 2},
	{AMOUNT("rss_bytes", PAGESUM_RSS), .head = "RSS"},
	{AMOUNT("anon_bytes", PAGESUM_ANON), .head = "ANON", .drop = 6},
	{AMOUNT("file_bytes", PAGESUM_FILE), .head = "FILE", .drop = 7},
	{AMOUNT("private_bytes", PAGESUM_PRIVATE), .head = "PRIVATE", .drop = 3},
	{AMOUNT("shared_bytes", PAGESUM_SHARED), .head = "SHARED", .drop = 5},
	{AMOUNT("written_bytes", PAGESUM_WRITTEN)},
	{AMOUNT("dirty_bytes", PAGESUM_DIRTY)},
	{AMOUNT("huge_bytes", PAGESUM_HUGE), .head = "HUGE", .drop = 9},
	{AMOUNT("large_folio_bytes", PAGESUM_LARGE)},
	{AMOUNT("ksm_bytes", PAGESUM_KSM), .head = "KSM", .drop = 11},
	{AMOUNT("zero_bytes", PAGESUM_ZERO), .head = "ZERO", .drop = 10},
	{AMOUNT("swapped_bytes", PAGESUM_SWAPPED), .head = "SWAPPED", .drop = 4},
	{AMOUNT("hugetlb_bytes", PAGESUM_HUGETLB), .head = "HUGETLB", .drop = 8},
	{AMOUNT("device_bytes", PAGESUM_DEVICE)},
	{AMOUNT("mapped_1_bytes", PAGESUM_MAPPED_FIRST)},
	{AMOUNT("mapped_2_bytes", PAGESUM_MAPPED_FIRST + 1), .drop = 2},
	{AMOUNT("mapped_3_to_4_bytes", PAGESUM_MAPPED_FIRST + 2), .drop = 3},
	{AMOUNT("mapped_5_to_8_bytes", PAGESUM_MAPPED_FIRST + 3), .drop = 4},
	{AMOUNT("mapped_9_to_16_bytes", PAGESUM_MAPPED_FIRST + 4), .drop = 5},
	{AMOUNT("mapped_17_to_32_bytes", PAGESUM_MAPPED_FIRST + 5), .drop = 6},
	{AMOUNT("mapped_33_to_64_bytes", PAGESUM_MAPPED_FIRST + 6), .drop = 7},
	{AMOUNT("mapped_65_to_128_bytes", PAGESUM_MAPPED_FIRST + 7), .drop = 8},
	{AMOUNT("mapped_129_to_256_bytes", PAGESUM_MAPPED_FIRST + 8), .drop = 9},
	{AMOUNT("mapped_257_to_512_bytes", PAGESUM_MAPPED_FIRST + 9), .drop = 10},
	{AMOUNT("mapped_513_to_1024_bytes", PAGESUM_MAPPED_FIRST + 10), .drop = 11},
	{AMOUNT("mapped_more_bytes", PAGESUM_MAPPED_LAST), .drop = 12},
};

const struct columns pagerow_columns = {columns, ARRAY_SIZE(columns)};

static unsigned int pagerow_variant_of(const struct pagerow_format *f)
{
	bool is_text = f->look.form == LIST_LINES, has_pid = !is_text || f->has_pid;

	switch (f->by) {
	case PAGEROW_BY_KIND: return BY_KIND;
	case PAGEROW_BY_PROCESS: return BY_PROCESS | (is_text ? 0 : WITH_PID);
	case PAGEROW_BY_MAPPING: return BY_MAPPING | (has_pid ? WITH_PID : 0);
	default: return has_pid ? WITH_PID : 0;
	}
}

static struct list pagerow_list_of(
	const struct pagerow_format *f, const struct columns *of, struct buffer *to)
{
	struct list l = list_make(of, &f->look, f, to);

	l.variant = pagerow_variant_of(f);
	return l;
}

static void name_times(enum pagesum_field field, char *to, size_t size)
{
	uint64_t from, until;

	pagesum_times(field, &from, &until);
	if (from == until)
		snprintf(to, size, "%llu", (unsigned long long)from);
	else if (until == UINT64_MAX)
		snprintf(to, size, ">%llu", (unsigned long long)(from - 1));
	else
		snprintf(
			to, size, "%llu-%llu", (unsigned long long)from, (unsigned long long)until);
}

struct list pagerow_times_list(const struct pagerow_format *f, const struct pagerow *total,
	struct pagerow_times *times, struct buffer *to)
{
	struct columns found = {times->column, 0};
	struct list l;

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		const struct column *c = &columns[i];
		bool is_amount = c->place == AT_AMOUNTS;
		char *head;

		if (is_amount ? c->index < PAGESUM_MAPPED_FIRST ||
					(c->index > PAGESUM_MAPPED_FIRST && !total->sum.q[c->index])
			      : !c->head)
			continue;
		times->column[found.count] = *c;
		if (is_amount) {
			head = times->head[c->index - PAGESUM_MAPPED_FIRST];
			name_times((enum pagesum_field)c->index, head, sizeof(times->head[0]));
			times->column[found.count].head = head;
		}
		found.count++;
	}
	l = pagerow_list_of(f, &found, to);
	l.limit = 0;
	l.has_no_rule = true;
	return l;
}

/* Appends the kernel's names of the flags of a page, in the kernel's order. */
static void pagerow_add_flags(const struct page *p, struct buffer *to)
{
	static const struct {
		uint64_t flag;
		const char *name;
	} flags[] = {
		{KPAGE_REFERENCED, "referenced"},
		{KPAGE_UPTODATE, "uptodate"},
		{KPAGE_DIRTY, "dirty"},
		{KPAGE_LRU, "lru"},
		{KPAGE_ACTIVE, "active"},
		{KPAGE_WRITEBACK, "writeback"},
		{KPAGE_SWAPCACHE, "swapcache"},
		{KPAGE_SWAPBACKED, "swapbacked"},
		{KPAGE_HUGE, "hugetlb"},
		{KPAGE_UNEVICTABLE, "unevictable"},
		{KPAGE_KSM, "ksm"},
		{KPAGE_THP, "thp"},
	};

	if (p->is_huge)
		buffer_add_text(to, "huge");
	for (size_t i = 0; p->knows_frame && i < ARRAY_SIZE(flags); i++)
		if (p->flags & flags[i].flag)
			buffer_printf(to, "%s%s", to->len ? " " : "", flags[i].name);
}

/*
 * Gets how often page P is mapped. Without frames it is only known whether a single process maps
 * it, which tables show.
 */
static bool get_mapped(enum list_form form, const struct page *p, struct column_value *ret)
{
	ret->number = p->knows_frame ? p->mappings : 1;
	ret->before = p->knows_frame || p->is_exclusive ? NULL : ">";
	return p->knows_frame || form == LIST_LINES;
}

static bool pagerow_get_page(
	const struct list *l, const struct column *c, const void *row_, struct column_value *ret)
{
	const struct pagerow_page *row = row_;
	const struct page *p = row->page;
	bool is_there = p->state == PAGE_RESIDENT || p->state == PAGE_HUGETLB;

	switch (c->index) {
	case PAGEROW_ADDRESS: ret->number = p->address; return true;
	case PAGEROW_STATE: return column_use_text(ret, page_state_name(p->state));
	case PAGEROW_TYPE:
		column_use_text(ret, !is_there ? "" : p->is_file ? "file" : "anon");
		return is_there || l->form == LIST_LINES;
	case PAGEROW_EXCLUSIVE: ret->number = p->is_exclusive; return is_there;
	case PAGEROW_MAPPED: return is_there && get_mapped(l->form, p, ret);
	case PAGEROW_FRAME: ret->number = p->frame; return p->knows_frame;
	case PAGEROW_FLAGS:
		pagerow_add_flags(p, ret->room);
		return column_use_room(ret) && (*ret->text || l->form == LIST_JSON);
	default: return pagerow_get(l, c, row->mapping, ret);
	}
}

#define OF_PAGE(name, type, of)                                                                    \
	.field = (name), .kind = (type), .get = pagerow_get_page, .index = (of)

static const struct column page_columns[] = {
	{OF_PAGE("pid", COLUMN_COUNT, PAGEROW_PID), .head = "PID", .only = WITH_PID,
		.width = PID_WIDTH},
	{OF_PAGE("address", COLUMN_ADDRESS, PAGEROW_ADDRESS), .head = "ADDRESS",
		.width = ADDRESS_WIDTH},
	{OF_PAGE("perms", COLUMN_WORD, PAGEROW_PERMS), .head = "PERM", .drop = 2,
		.width = PAGE_PERMS_WIDTH},
	{OF_PAGE("state", COLUMN_WORD, PAGEROW_STATE), .head = "STATE", .drop = 1,
		.width = STATE_WIDTH},
	{OF_PAGE("name", COLUMN_TEXT, PAGEROW_NAME), .head = "MAPPING", .flags = COLUMN_PATH,
		.place = 1, .csv_place = 1},
	{OF_PAGE("type", COLUMN_WORD, PAGEROW_TYPE), .head = "TYPE", .drop = 3,
		.width = TYPE_WIDTH},
	{OF_PAGE("exclusive", COLUMN_FLAG, PAGEROW_EXCLUSIVE)},
	{OF_PAGE("mapped", COLUMN_COUNT, PAGEROW_MAPPED), .head = "MAPPED", .width = COUNT_WIDTH},
	{OF_PAGE("frame", COLUMN_COUNT, PAGEROW_FRAME)},
	{OF_PAGE("flags", COLUMN_WORDS, PAGEROW_FLAGS), .head = "FLAGS", .drop = 4,
		.width = FLAGS_WIDTH},
};

struct list pagerow_list(const struct pagerow_format *f, struct buffer *to)
{
	static const struct columns of_pages = {page_columns, ARRAY_SIZE(page_columns)};

	return pagerow_list_of(f, f->by == PAGEROW_BY_PAGE ? &of_pages : &pagerow_columns, to);
}
