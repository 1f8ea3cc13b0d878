/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/pages/pagerow.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "cli/table/cell.h"
#include "cli/table/column.h"
#include "cli/table/jsontext.h"
#include "cli/table/mapline.h"
#include "inspect/pages/kpage.h"

enum {
	KIB = 1024,
	STATE_WIDTH = 9,
	TYPE_WIDTH = 5,
	ADDRESS_WIDTH = 12,
	PERMS_WIDTH = 5,
	FLAGS_WIDTH = 40,
	TEXT_SIZE = 48,
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

enum pagerow_by pagerow_find_by(const char *name)
{
	unsigned int i = 0;

	while (i < PAGEROW_BYS && strcmp(bys[i], name) != 0)
		i++;
	return (enum pagerow_by)i;
}

static const struct {
	const char *head;
	enum pagesum_field field;
} columns[] = {
	{"SIZE", PAGESUM_SIZE},
	{"RSS", PAGESUM_RSS},
	{"ANON", PAGESUM_ANON},
	{"FILE", PAGESUM_FILE},
	{"PRIVATE", PAGESUM_PRIVATE},
	{"SHARED", PAGESUM_SHARED},
	{"HUGE", PAGESUM_HUGE},
	{"KSM", PAGESUM_KSM},
	{"ZERO", PAGESUM_ZERO},
	{"SWAPPED", PAGESUM_SWAPPED},
	{"HUGETLB", PAGESUM_HUGETLB},
};

static bool pagerow_is_known(const struct pagerow_format *f, enum pagesum_field field)
{
	return (f->known >> field) & 1;
}

static void pagerow_add_amount(const struct pagerow_format *f, const struct pagesum *s,
	enum pagesum_field field, struct mapline *l)
{
	size_t width = mapline_width(f->bytes);

	if (pagerow_is_known(f, field))
		mapline_add_number(l, f->bytes ? s->q[field] : s->q[field] / KIB, width);
	else
		mapline_add_right(l, "-", width);
}

static const char *head_of(const struct pagerow_format *f)
{
	return f->by == PAGEROW_BY_KIND      ? "KIND"
	       : f->by == PAGEROW_BY_PROCESS ? "PROCESS"
	                                     : "MAPPING";
}

/* Appends the last column, which names the row, and a newline. */
static void add_of(const struct pagerow_format *f, const struct pagerow *row, struct buffer *to)
{
	buffer_add_char(to, ' ');
	if (f->by == PAGEROW_BY_KIND) {
		buffer_add_text(to, kind_name(row->kind));
	} else {
		if (f->by == PAGEROW_BY_PROCESS)
			buffer_printf(to, "%d ", (int)row->pid);
		cell_add_printable(to, row->name);
	}
	buffer_add_char(to, '\n');
}

static void pagerow_add_pid(const struct pagerow_format *f, pid_t pid, struct mapline *l)
{
	if (!f->has_pid)
		return;
	mapline_add_number(l, (uint64_t)pid, MAPLINE_PID_WIDTH);
	mapline_add_char(l, ' ');
}

static void add_pid_head(const struct pagerow_format *f, struct mapline *l)
{
	if (!f->has_pid)
		return;
	mapline_add_right(l, "PID", MAPLINE_PID_WIDTH);
	mapline_add_char(l, ' ');
}

/* Adds the first cells of a line: addresses and access of mapping ROW; blanks if ROW is NULL. */
static void pagerow_add_place(
	const struct pagerow_format *f, const struct pagerow *row, struct mapline *l)
{
	if (f->by != PAGEROW_BY_MAPPING)
		return;
	if (!row) {
		mapline_add_right(
			l, "", MAPLINE_PLACE_WIDTH + (f->has_pid ? MAPLINE_PID_WIDTH + 1 : 0));
		return;
	}
	pagerow_add_pid(f, row->pid, l);
	mapline_add_range(l, row->start, row->end, row->perms);
}

static void add_place_head(const struct pagerow_format *f, struct mapline *l)
{
	if (f->by != PAGEROW_BY_MAPPING)
		return;
	add_pid_head(f, l);
	mapline_add_place_head(l);
}

static void pagerow_add_amounts(
	const struct pagerow_format *f, const struct pagesum *sum, struct mapline *l)
{
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		pagerow_add_amount(f, sum, columns[i].field, l);
}

void pagerow_add_head(const struct pagerow_format *f, struct buffer *to)
{
	struct mapline l;

	mapline_begin(&l);
	add_place_head(f, &l);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		mapline_add_right(&l, columns[i].head, mapline_width(f->bytes));
	buffer_add(to, l.text, l.len);
	buffer_printf(to, " %s\n", head_of(f));
}

void pagerow_add_line(const struct pagerow_format *f, const struct pagerow *row, struct buffer *to)
{
	struct mapline l;

	mapline_begin(&l);
	pagerow_add_place(f, row, &l);
	pagerow_add_amounts(f, &row->sum, &l);
	buffer_add(to, l.text, l.len);
	add_of(f, row, to);
}

void pagerow_add_total(
	const struct pagerow_format *f, const struct pagerow *total, size_t rows, struct buffer *to)
{
	struct mapline l;

	mapline_begin(&l);
	pagerow_add_place(f, NULL, &l);
	pagerow_add_amounts(f, &total->sum, &l);
	mapline_add_sum_to(&l, to);
	buffer_printf(to, " total of %zu row%s%s\n", rows, rows == 1 ? "" : "s",
		f->bytes ? "" : ", in KiB");
}

/* Returns true if the histogram shows the column of FIELD. */
static bool pagerow_is_shown(const struct pagerow *total, unsigned int field)
{
	return field == PAGESUM_MAPPED_FIRST || total->sum.q[field];
}

void pagerow_add_times_head(
	const struct pagerow_format *f, const struct pagerow *total, struct buffer *to)
{
	struct mapline l;

	buffer_add_text(to, "\nRSS by how many times its pages are mapped, by any process:\n");
	mapline_begin(&l);
	add_place_head(f, &l);
	for (unsigned int i = PAGESUM_MAPPED_FIRST; i <= PAGESUM_MAPPED_LAST; i++) {
		uint64_t from, until;
		char text[TEXT_SIZE];

		if (!pagerow_is_shown(total, i))
			continue;
		pagesum_times((enum pagesum_field)i, &from, &until);
		if (from == until)
			snprintf(text, sizeof(text), "%llu", (unsigned long long)from);
		else if (until == UINT64_MAX)
			snprintf(text, sizeof(text), ">%llu", (unsigned long long)(from - 1));
		else
			snprintf(text, sizeof(text), "%llu-%llu", (unsigned long long)from,
				(unsigned long long)until);
		mapline_add_right(&l, text, mapline_width(f->bytes));
	}
	buffer_add(to, l.text, l.len);
	buffer_printf(to, " %s\n", head_of(f));
}

void pagerow_add_times(const struct pagerow_format *f, const struct pagerow *row,
	const struct pagerow *total, struct buffer *to)
{
	struct mapline l;

	mapline_begin(&l);
	pagerow_add_place(f, row == total ? NULL : row, &l);
	for (unsigned int i = PAGESUM_MAPPED_FIRST; i <= PAGESUM_MAPPED_LAST; i++)
		if (pagerow_is_shown(total, i))
			pagerow_add_amount(f, &row->sum, (enum pagesum_field)i, &l);
	buffer_add(to, l.text, l.len);
	if (row == total)
		buffer_add_text(to, " total\n");
	else
		add_of(f, row, to);
}

static void pagerow_add_json_amounts(
	const struct pagerow_format *f, const struct pagesum *s, struct buffer *to)
{
	for (unsigned int i = 0; i < PAGESUM_FIELDS; i++)
		if (pagerow_is_known(f, (enum pagesum_field)i))
			buffer_printf(to, ",\"%s\":%llu", pagesum_name((enum pagesum_field)i),
				(unsigned long long)s->q[i]);
}

void pagerow_add_json(const struct pagerow_format *f, const struct pagerow *row, struct buffer *to)
{
	buffer_printf(to, "{\"mappings\":%llu", (unsigned long long)row->mappings);
	if (f->by != PAGEROW_BY_KIND)
		buffer_printf(to, ",\"pid\":%d", (int)row->pid);
	if (f->by == PAGEROW_BY_MAPPING)
		buffer_printf(to, ",\"start\":\"%08llx\",\"end\":\"%08llx\",\"perms\":\"%s\"",
			(unsigned long long)row->start, (unsigned long long)row->end, row->perms);
	if (f->by != PAGEROW_BY_PROCESS)
		buffer_printf(to, ",\"kind\":\"%s\"", kind_name(row->kind));
	if (f->by != PAGEROW_BY_KIND)
		jsontext_add(to, f->by == PAGEROW_BY_PROCESS ? "program" : "name", row->name);
	pagerow_add_json_amounts(f, &row->sum, to);
	buffer_add_char(to, '}');
}

void pagerow_add_json_sums(
	const struct pagerow_format *f, const struct pagerow *row, struct buffer *to)
{
	buffer_printf(to, "{\"mappings\":%llu", (unsigned long long)row->mappings);
	pagerow_add_json_amounts(f, &row->sum, to);
	buffer_add_char(to, '}');
}

void pagerow_add_csv_head(const struct pagerow_format *f, struct buffer *to)
{
	buffer_add_text(to, f->by == PAGEROW_BY_KIND      ? "mappings,kind"
			    : f->by == PAGEROW_BY_PROCESS ? "mappings,pid,program"
							  : "pid,start,end,perms,kind,name");
	for (unsigned int i = 0; i < PAGESUM_FIELDS; i++)
		buffer_printf(to, ",%s", pagesum_name((enum pagesum_field)i));
	buffer_add_char(to, '\n');
}

void pagerow_add_csv(const struct pagerow_format *f, const struct pagerow *row, struct buffer *to)
{
	if (f->by == PAGEROW_BY_MAPPING)
		buffer_printf(to, "%d,%08llx,%08llx,%s,%s,", (int)row->pid,
			(unsigned long long)row->start, (unsigned long long)row->end, row->perms,
			kind_name(row->kind));
	else
		buffer_printf(to, "%llu,", (unsigned long long)row->mappings);
	if (f->by == PAGEROW_BY_PROCESS)
		buffer_printf(to, "%d,", (int)row->pid);
	if (f->by == PAGEROW_BY_KIND)
		buffer_add_text(to, kind_name(row->kind));
	else
		column_add_csv_text(to, row->name);
	for (unsigned int i = 0; i < PAGESUM_FIELDS; i++) {
		buffer_add_char(to, ',');
		if (pagerow_is_known(f, (enum pagesum_field)i))
			buffer_add_u64(to, row->sum.q[i]);
	}
	buffer_add_char(to, '\n');
}

/*
 * Appends the kernel's names of the flags of a page, in the kernel's order, with BETWEEN between
 * them and QUOTE around each.
 */
static void pagerow_add_flags(
	const struct page *p, const char *between, const char *quote, struct buffer *to)
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
	const char *before = "";

	if (p->is_huge) {
		buffer_printf(to, "%shuge%s", quote, quote);
		before = between;
	}
	for (size_t i = 0; p->knows_frame && i < ARRAY_SIZE(flags); i++) {
		if (!(p->flags & flags[i].flag))
			continue;
		buffer_printf(to, "%s%s%s%s", before, quote, flags[i].name, quote);
		before = between;
	}
}

/* Returns "file" or "anon"; "" if the page is not resident. */
static const char *type_of(const struct page *p)
{
	if (p->state != PAGE_RESIDENT && p->state != PAGE_HUGETLB)
		return "";
	return p->is_file ? "file" : "anon";
}

/*
 * Writes how often the page is mapped, such as "3"; without frames "1" or ">1"; "-" if it is not
 * resident.
 */
static void add_mapped(const struct page *p, char to[static TEXT_SIZE])
{
	if (p->state != PAGE_RESIDENT && p->state != PAGE_HUGETLB)
		snprintf(to, TEXT_SIZE, "-");
	else if (p->knows_frame)
		snprintf(to, TEXT_SIZE, "%llu", (unsigned long long)p->mappings);
	else
		snprintf(to, TEXT_SIZE, "%s", p->is_exclusive ? "1" : ">1");
}

void pagerow_add_page_head(const struct pagerow_format *f, struct buffer *to)
{
	struct mapline l;

	mapline_begin(&l);
	add_pid_head(f, &l);
	mapline_add_left(&l, "ADDRESS", ADDRESS_WIDTH + 1);
	mapline_add_left(&l, "PERM", PERMS_WIDTH);
	mapline_add_left(&l, "STATE", STATE_WIDTH);
	mapline_add_left(&l, "TYPE", TYPE_WIDTH);
	mapline_add_right(&l, "MAPPED", MAPLINE_NUMBER_WIDTH);
	buffer_add(to, l.text, l.len);
	buffer_printf(to, " %-*s MAPPING\n", FLAGS_WIDTH, "FLAGS");
}

void pagerow_add_page(const struct pagerow_format *f, const struct pagerow *mapping,
	const struct page *page, struct buffer *to)
{
	AUTO_BUFFER struct buffer flags = {0};
	char mapped[TEXT_SIZE], address[TEXT_SIZE];
	struct mapline l;

	pagerow_add_flags(page, ",", "", &flags);
	if (!flags.len)
		buffer_add_char(&flags, '-');
	buffer_add_char(&flags, '\0');
	if (flags.error)
		to->error = flags.error;
	add_mapped(page, mapped);
	snprintf(address, sizeof(address), "%012llx", (unsigned long long)page->address);
	mapline_begin(&l);
	pagerow_add_pid(f, mapping->pid, &l);
	mapline_add_left(&l, address, ADDRESS_WIDTH + 1);
	mapline_add_left(&l, mapping->perms, PERMS_WIDTH);
	mapline_add_left(&l, page_state_name(page->state), STATE_WIDTH);
	mapline_add_left(&l, type_of(page), TYPE_WIDTH);
	mapline_add_right(&l, mapped, MAPLINE_NUMBER_WIDTH);
	buffer_add(to, l.text, l.len);
	buffer_printf(to, " %-*s ", FLAGS_WIDTH, flags.error ? "" : flags.data);
	cell_add_printable(to, mapping->name);
	buffer_add_char(to, '\n');
}

void pagerow_add_page_json(
	const struct pagerow *mapping, const struct page *page, struct buffer *to)
{
	bool is_there = page->state == PAGE_RESIDENT || page->state == PAGE_HUGETLB;

	buffer_printf(to, "{\"pid\":%d,\"address\":\"%08llx\",\"perms\":\"%s\",\"state\":\"%s\"",
		(int)mapping->pid, (unsigned long long)page->address, mapping->perms,
		page_state_name(page->state));
	jsontext_add(to, "name", mapping->name);
	if (is_there)
		buffer_printf(to, ",\"type\":\"%s\",\"exclusive\":%s", type_of(page),
			page->is_exclusive ? "true" : "false");
	if (is_there && page->knows_frame)
		buffer_printf(to, ",\"mapped\":%llu", (unsigned long long)page->mappings);
	if (page->knows_frame)
		buffer_printf(to, ",\"frame\":%llu", (unsigned long long)page->frame);
	buffer_add_text(to, ",\"flags\":[");
	pagerow_add_flags(page, ",", "\"", to);
	buffer_add_text(to, "]}");
}

void pagerow_add_page_csv_head(struct buffer *to)
{
	buffer_add_text(to, "pid,address,perms,state,type,exclusive,mapped,frame,flags,name\n");
}

void pagerow_add_page_csv(const struct pagerow *mapping, const struct page *page, struct buffer *to)
{
	bool is_there = page->state == PAGE_RESIDENT || page->state == PAGE_HUGETLB;

	buffer_printf(to, "%d,%08llx,%s,%s,%s,%s,", (int)mapping->pid,
		(unsigned long long)page->address, mapping->perms, page_state_name(page->state),
		type_of(page),
		!is_there            ? ""
		: page->is_exclusive ? "true"
				     : "false");
	if (is_there && page->knows_frame)
		buffer_add_u64(to, page->mappings);
	buffer_add_char(to, ',');
	if (page->knows_frame)
		buffer_add_u64(to, page->frame);
	buffer_add_char(to, ',');
	pagerow_add_flags(page, " ", "", to);
	buffer_add_char(to, ',');
	column_add_csv_text(to, mapping->name);
	buffer_add_char(to, '\n');
}
