/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/map/mapchange.h"

#include "cli/table/mapline.h"

enum { KIB = 1024 };

static const struct mapping_table_row *row_of(const struct compare_row *row)
{
	return row->now ? row->now : row->then;
}

static const char *mapchange_change_of(const struct compare_row *row)
{
	return !row->then ? "new" : !row->now ? "gone" : "changed";
}

static void mapchange_add_amounts(
	const struct maprow_format *f, const struct compare_row *row, struct mapline *l)
{
	size_t width = mapline_width(f->bytes);
	uint64_t sum;

	for (unsigned int i = 0; i < MAPCOLUMNS; i++)
		if (mapcolumn_sum((const uint64_t *)row->q, row->present, (enum mapcolumn)i, &sum))
			mapline_add_signed(l, f->bytes ? (int64_t)sum : (int64_t)sum / KIB, width);
		else
			mapline_add_right(l, "-", width);
}

void mapchange_add_head(const struct maprow_format *f, struct buffer *to)
{
	struct mapline l;

	mapline_begin(&l);
	if (f->by == MAPPING_TABLE_BY_MAPPING)
		mapline_add_place_head(&l);
	mapline_add_amounts_head(&l, f->bytes);
	buffer_add(to, l.text, l.len);
	buffer_printf(to, " CHANGE  %s\n", maprow_head(f->by));
}

void mapchange_add_line(
	const struct maprow_format *f, const struct compare_row *row, struct buffer *to)
{
	struct mapline l;

	mapline_begin(&l);
	if (f->by == MAPPING_TABLE_BY_MAPPING)
		mapline_add_place(&l, row_of(row));
	mapchange_add_amounts(f, row, &l);
	buffer_add(to, l.text, l.len);
	buffer_printf(to, " %-7s", mapchange_change_of(row));
	maprow_add_name(row_of(row), to);
}

void mapchange_add_total(const struct maprow_format *f, const struct compare_row *total,
	size_t rows, struct buffer *to)
{
	struct mapline l;

	mapline_begin(&l);
	if (f->by == MAPPING_TABLE_BY_MAPPING)
		mapline_add_right(&l, "", MAPLINE_PLACE_WIDTH);
	mapchange_add_amounts(f, total, &l);
	mapline_add_sum_to(&l, to);
	buffer_printf(to, " total of %zu changed row%s%s\n", rows, rows == 1 ? "" : "s",
		f->bytes ? "" : ", in KiB");
}

void mapchange_add_json(
	const struct maprow_format *f, const struct compare_row *row, struct buffer *to)
{
	const struct mapping_table_row *one = row_of(row);

	buffer_printf(to, "{\"change\":\"%s\"", one ? mapchange_change_of(row) : "total");
	if (one && f->by == MAPPING_TABLE_BY_MAPPING)
		maprow_add_json_place(one, to);
	if (one) {
		maprow_add_json_file(one, to);
		maprow_add_json_name(one, to);
	}
	for (unsigned int i = 0; i < MAPPING_FIELDS; i++)
		if ((row->present >> i) & 1)
			buffer_printf(to, ",\"%s\":%lld", maprow_name((enum mapping_field)i),
				(long long)row->q[i]);
	buffer_add_char(to, '}');
}

void mapchange_add_csv_head(const struct maprow_format *f, struct buffer *to)
{
	buffer_add_text(to, f->by == MAPPING_TABLE_BY_MAPPING
				    ? "change,start,end,perms,device,inode,kind,name,deleted,state"
				    : "change,device,inode,kind,name,deleted,state");
	for (unsigned int i = 0; i < MAPPING_FIELDS; i++)
		if (mapping_table_is_sum((enum mapping_field)i))
			buffer_printf(to, ",%s", maprow_name((enum mapping_field)i));
	buffer_add_char(to, '\n');
}

void mapchange_add_csv(
	const struct maprow_format *f, const struct compare_row *row, struct buffer *to)
{
	const struct mapping_table_row *one = row_of(row);

	buffer_printf(to, "%s,", mapchange_change_of(row));
	if (f->by == MAPPING_TABLE_BY_MAPPING)
		maprow_add_csv_place(one, to);
	maprow_add_csv_file(one, to);
	maprow_add_csv_name(one, to);
	for (unsigned int i = 0; i < MAPPING_FIELDS; i++) {
		if (!mapping_table_is_sum((enum mapping_field)i))
			continue;
		buffer_add_char(to, ',');
		if ((row->present >> i) & 1)
			buffer_printf(to, "%lld", (long long)row->q[i]);
	}
	buffer_add_char(to, '\n');
}
