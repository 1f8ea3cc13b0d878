/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/map/maprow.h"

#include <string.h>

#include "cli/table/cell.h"
#include "cli/table/column.h"
#include "cli/table/mapline.h"
#include "render/decimal.h"

enum { KIB = 1024 };

static const char *const names[MAPPING_FIELDS] = {
	[MAPPING_SIZE] = "size_bytes",
	[MAPPING_KERNEL_PAGE_SIZE] = "kernel_page_size_bytes",
	[MAPPING_MMU_PAGE_SIZE] = "mmu_page_size_bytes",
	[MAPPING_RSS] = "rss_bytes",
	[MAPPING_PSS] = "pss_bytes",
	[MAPPING_PSS_DIRTY] = "pss_dirty_bytes",
	[MAPPING_SHARED_CLEAN] = "shared_clean_bytes",
	[MAPPING_SHARED_DIRTY] = "shared_dirty_bytes",
	[MAPPING_PRIVATE_CLEAN] = "private_clean_bytes",
	[MAPPING_PRIVATE_DIRTY] = "private_dirty_bytes",
	[MAPPING_REFERENCED] = "referenced_bytes",
	[MAPPING_ANONYMOUS] = "anonymous_bytes",
	[MAPPING_KSM] = "ksm_bytes",
	[MAPPING_LAZY_FREE] = "lazy_free_bytes",
	[MAPPING_ANON_HUGE_PAGES] = "anon_huge_pages_bytes",
	[MAPPING_SHMEM_PMD_MAPPED] = "shmem_pmd_mapped_bytes",
	[MAPPING_FILE_PMD_MAPPED] = "file_pmd_mapped_bytes",
	[MAPPING_SHARED_HUGETLB] = "shared_hugetlb_bytes",
	[MAPPING_PRIVATE_HUGETLB] = "private_hugetlb_bytes",
	[MAPPING_SWAP] = "swap_bytes",
	[MAPPING_SWAP_PSS] = "swap_pss_bytes",
	[MAPPING_LOCKED] = "locked_bytes",
	[MAPPING_THP_ELIGIBLE] = "thp_eligible",
	[MAPPING_PROTECTION_KEY] = "protection_key",
};

const char *maprow_name(enum mapping_field field)
{
	return names[field];
}

enum mapping_field maprow_find(const char *name)
{
	unsigned int i = 0;

	while (i < MAPPING_FIELDS && strcmp(names[i], name) != 0)
		i++;
	return (enum mapping_field)i;
}

const char *maprow_head(enum mapping_table_by by)
{
	static const char *const heads[MAPPING_TABLE_BYS] = {
		[MAPPING_TABLE_BY_MAPPING] = "MAPPING",
		[MAPPING_TABLE_BY_FILE] = "FILE",
		[MAPPING_TABLE_BY_KIND] = "KIND",
	};

	return heads[by];
}

static void maprow_add_amounts(
	const struct maprow_format *f, const struct mapping_table_row *row, struct mapline *l)
{
	size_t width = mapline_width(f->bytes);
	double sharers;
	uint64_t value;

	for (unsigned int i = 0; i < MAPCOLUMNS; i++)
		if (mapcolumn_sum(row->q, row->present, (enum mapcolumn)i, &value))
			mapline_add_number(l, f->bytes ? value : value / KIB, width);
		else
			mapline_add_right(l, "-", width);
	if (mapping_table_sharers(row, &sharers) && sharers < 1e6) {
		uint64_t tenths = (uint64_t)(sharers * 10 + 0.5);

		mapline_add_number(l, tenths / 10, MAPLINE_NUMBER_WIDTH - 2);
		mapline_add_char(l, '.');
		mapline_add_char(l, (char)('0' + tenths % 10));
	} else {
		mapline_add_right(l, "-", MAPLINE_NUMBER_WIDTH);
	}
}

/* Returns true if lines begin with the pid. */
static bool has_pid(const struct maprow_format *f)
{
	return f->has_pid && f->by == MAPPING_TABLE_BY_MAPPING;
}

void maprow_add_head(const struct maprow_format *f, struct buffer *to)
{
	struct mapline l;

	mapline_begin(&l);
	if (has_pid(f)) {
		mapline_add_right(&l, "PID", MAPLINE_PID_WIDTH);
		mapline_add_char(&l, ' ');
	}
	if (f->by == MAPPING_TABLE_BY_MAPPING)
		mapline_add_place_head(&l);
	else
		mapline_add_right(&l, "MAPPINGS", MAPLINE_NUMBER_WIDTH);
	mapline_add_amounts_head(&l, f->bytes);
	mapline_add_right(&l, "SHARERS", MAPLINE_NUMBER_WIDTH);
	buffer_add(to, l.text, l.len);
	buffer_printf(to, " %s\n", maprow_head(f->by));
}

void maprow_add_name(const struct mapping_table_row *row, struct buffer *to)
{
	buffer_add_char(to, ' ');
	cell_add_printable(to, row->name);
	buffer_add_text(to, kind_note(row->is_deleted, row->fate));
	buffer_add_char(to, '\n');
}

void maprow_add_line(
	const struct maprow_format *f, const struct mapping_table_row *row, struct buffer *to)
{
	struct mapline l;

	mapline_begin(&l);
	if (has_pid(f)) {
		mapline_add_number(&l, (uint64_t)row->pid, MAPLINE_PID_WIDTH);
		mapline_add_char(&l, ' ');
	}
	if (f->by == MAPPING_TABLE_BY_MAPPING)
		mapline_add_place(&l, row);
	else
		mapline_add_number(&l, row->mappings, MAPLINE_NUMBER_WIDTH);
	maprow_add_amounts(f, row, &l);
	buffer_add(to, l.text, l.len);
	maprow_add_name(row, to);
}

void maprow_add_total(const struct maprow_format *f, const struct mapping_table_row *total,
	size_t rows, struct buffer *to)
{
	struct mapline l;

	mapline_begin(&l);
	if (has_pid(f))
		mapline_add_right(&l, "", MAPLINE_PID_WIDTH + 1);
	if (f->by == MAPPING_TABLE_BY_MAPPING)
		mapline_add_right(&l, "", MAPLINE_PLACE_WIDTH);
	else
		mapline_add_number(&l, total->mappings, MAPLINE_NUMBER_WIDTH);
	maprow_add_amounts(f, total, &l);
	mapline_add_sum_to(&l, to);
	buffer_printf(to, " total of %zu row%s%s\n", rows, rows == 1 ? "" : "s",
		f->bytes ? "" : ", in KiB");
}

/* Appends a member with a comma before it. */
static void add_json_number(struct buffer *to, const char *name, uint64_t value)
{
	buffer_add_text(to, ",\"");
	buffer_add_text(to, name);
	buffer_add_text(to, "\":");
	buffer_add_u64(to, value);
}

static void add_json_flags(struct buffer *to, const char *flags)
{
	buffer_add_text(to, ",\"flags\":[");
	for (size_t i = 0; flags[i]; i += flags[i + 2] ? 3 : 2) {
		buffer_add_text(to, i ? ",\"" : "\"");
		buffer_add(to, flags + i, 2);
		buffer_add_char(to, '"');
	}
	buffer_add_char(to, ']');
}

static void maprow_add_address(uint64_t address, struct buffer *to)
{
	struct mapline l;

	mapline_begin(&l);
	mapline_add_hex(&l, address);
	buffer_add(to, l.text, l.len);
}

/* Appends the first address of ROW, BETWEEN and its end. */
static void maprow_add_range(
	const struct mapping_table_row *row, const char *between, struct buffer *to)
{
	maprow_add_address(row->start, to);
	buffer_add_text(to, between);
	maprow_add_address(row->end, to);
}

void maprow_add_json_place(const struct mapping_table_row *row, struct buffer *to)
{
	buffer_add_text(to, ",\"start\":\"");
	maprow_add_range(row, "\",\"end\":\"", to);
	buffer_add_text(to, "\",\"perms\":\"");
	buffer_add_text(to, row->perms);
	buffer_add_char(to, '"');
	add_json_number(to, "offset_bytes", row->offset);
}

void maprow_add_json_file(const struct mapping_table_row *row, struct buffer *to)
{
	if (row->inode)
		buffer_printf(to, ",\"device\":\"%x:%x\",\"inode\":%llu", row->major, row->minor,
			(unsigned long long)row->inode);
}

/* The names in JSON and CSV. */
static const char *const states[MAPPING_FATES] = {
	[MAPPING_DELETED] = "deleted",
	[MAPPING_REPLACED] = "replaced",
	[MAPPING_UNCERTAIN] = "uncertain",
	[MAPPING_UNLINKED] = "unlinked",
};

/* Returns the state of ROW's file for JSON and CSV; NULL if it has none. */
static const char *maprow_state_of(const struct mapping_table_row *row)
{
	return row->is_deleted || row->fate == MAPPING_UNLINKED ? states[row->fate] : NULL;
}

enum mapping_fate maprow_find_state(const char *name)
{
	for (unsigned int i = 0; i < MAPPING_FATES; i++)
		if (states[i] && !strcmp(states[i], name))
			return (enum mapping_fate)i;
	return MAPPING_NOT_ASKED;
}

void maprow_add_json_name(const struct mapping_table_row *row, struct buffer *to)
{
	buffer_add_text(to, ",\"name\":");
	column_add_json_text(to, row->name);
	buffer_add_text(to, ",\"kind\":\"");
	buffer_add_text(to, kind_name(row->kind));
	buffer_add_text(to, row->is_deleted ? "\",\"deleted\":true" : "\",\"deleted\":false");
	if (maprow_state_of(row))
		buffer_printf(to, ",\"state\":\"%s\"", maprow_state_of(row));
}

static void maprow_add_json_amounts(const struct mapping_table_row *row, struct buffer *to)
{
	uint64_t shared, private;
	double sharers;

	for (unsigned int i = 0; i < MAPPING_FIELDS; i++)
		if ((row->present >> i) & 1)
			add_json_number(to, names[i], row->q[i]);
	if (mapping_table_figure(row, MAPPING_TABLE_SHARED, &shared) &&
		mapping_table_figure(row, MAPPING_TABLE_PRIVATE, &private)) {
		add_json_number(to, "shared_bytes", shared);
		add_json_number(to, "private_bytes", private);
	}
	if (mapping_table_sharers(row, &sharers)) {
		buffer_add_text(to, ",\"sharers_mean\":");
		decimal_add_real(to, sharers);
	}
}

void maprow_add_json(
	const struct maprow_format *f, const struct mapping_table_row *row, struct buffer *to)
{
	buffer_add_text(to, "{\"mappings\":");
	buffer_add_u64(to, row->mappings);
	if (f->by == MAPPING_TABLE_BY_MAPPING) {
		add_json_number(to, "pid", (uint64_t)row->pid);
		maprow_add_json_place(row, to);
	}
	maprow_add_json_file(row, to);
	maprow_add_json_name(row, to);
	if (row->flags)
		add_json_flags(to, row->flags);
	maprow_add_json_amounts(row, to);
	buffer_add_char(to, '}');
}

void maprow_add_json_sums(const struct mapping_table_row *row, struct buffer *to)
{
	buffer_printf(to, "{\"mappings\":%llu", (unsigned long long)row->mappings);
	maprow_add_json_amounts(row, to);
	buffer_add_char(to, '}');
}

void maprow_add_csv_head(const struct maprow_format *f, struct buffer *to)
{
	buffer_add_text(to, f->by == MAPPING_TABLE_BY_MAPPING
				    ? "pid,start,end,perms,offset_bytes,device,inode,kind,flags,"
				    : "mappings,device,inode,kind,");
	buffer_add_text(to, "name,deleted,state,shared_bytes,private_bytes,sharers_mean");
	for (unsigned int i = 0; i < MAPPING_FIELDS; i++)
		buffer_printf(to, ",%s", names[i]);
	buffer_add_char(to, '\n');
}

void maprow_add_csv_place(const struct mapping_table_row *row, struct buffer *to)
{
	maprow_add_range(row, ",", to);
	buffer_add_char(to, ',');
	buffer_add_text(to, row->perms);
	buffer_add_char(to, ',');
}

void maprow_add_csv_file(const struct mapping_table_row *row, struct buffer *to)
{
	if (row->inode)
		buffer_printf(to, "%x:%x,%llu,%s,", row->major, row->minor,
			(unsigned long long)row->inode, kind_name(row->kind));
	else
		buffer_printf(to, ",,%s,", kind_name(row->kind));
}

void maprow_add_csv_name(const struct mapping_table_row *row, struct buffer *to)
{
	column_add_csv_text(to, row->name);
	buffer_add_text(to, row->is_deleted ? ",true," : ",false,");
	if (maprow_state_of(row))
		buffer_add_text(to, maprow_state_of(row));
}

/* Appends the cells before the name. */
static void add_csv_head(
	const struct maprow_format *f, const struct mapping_table_row *row, struct buffer *to)
{
	if (f->by == MAPPING_TABLE_BY_MAPPING) {
		buffer_add_u64(to, (uint64_t)row->pid);
		buffer_add_char(to, ',');
		maprow_add_csv_place(row, to);
		buffer_add_u64(to, row->offset);
	} else {
		buffer_add_u64(to, row->mappings);
	}
	buffer_add_char(to, ',');
	maprow_add_csv_file(row, to);
	if (f->by == MAPPING_TABLE_BY_MAPPING) {
		buffer_add_text(to, row->flags ? row->flags : "");
		buffer_add_char(to, ',');
	}
}

/* Appends the cells that are computed from the fields of smaps. */
static void add_csv_figures(const struct mapping_table_row *row, struct buffer *to)
{
	double sharers;
	uint64_t value;

	for (unsigned int i = 0; i < MAPPING_TABLE_FIGURES; i++) {
		buffer_add_char(to, ',');
		if (mapping_table_figure(row, (enum mapping_table_figure)i, &value))
			buffer_add_u64(to, value);
	}
	buffer_add_char(to, ',');
	if (mapping_table_sharers(row, &sharers))
		decimal_add_real(to, sharers);
}

void maprow_add_csv(
	const struct maprow_format *f, const struct mapping_table_row *row, struct buffer *to)
{
	add_csv_head(f, row, to);
	maprow_add_csv_name(row, to);
	add_csv_figures(row, to);
	for (unsigned int i = 0; i < MAPPING_FIELDS; i++) {
		buffer_add_char(to, ',');
		if ((row->present >> i) & 1)
			buffer_add_u64(to, row->q[i]);
	}
	buffer_add_char(to, '\n');
}
