/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/pages/partrow.h"

#include <stdio.h>
#include <string.h>

#include "cli/table/cell.h"
#include "cli/table/column.h"
#include "cli/table/jsontext.h"
#include "cli/table/mapline.h"

enum {
	AMOUNT_WIDTH = 12,
	ADDRESS_WIDTH = 12,
	NAME_WIDTH = 24,
	TEXT_SIZE = 24,
};

static const char *const names[PARTROW_FIELDS] = {
	[PARTROW_SIZE] = "size_bytes",
	[PARTROW_RESIDENT] = "resident_bytes",
	[PARTROW_PRIVATE] = "private_bytes",
	[PARTROW_SHARED] = "shared_bytes",
	[PARTROW_WRITTEN] = "written_bytes",
	[PARTROW_DIRTY] = "dirty_bytes",
	[PARTROW_SWAPPED] = "swapped_bytes",
};

static const char *const heads[PARTROW_FIELDS] = {
	[PARTROW_SIZE] = "SIZE",
	[PARTROW_RESIDENT] = "RESIDENT",
	[PARTROW_PRIVATE] = "PRIVATE",
	[PARTROW_SHARED] = "SHARED",
	[PARTROW_WRITTEN] = "WRITTEN",
	[PARTROW_DIRTY] = "DIRTY",
	[PARTROW_SWAPPED] = "SWAPPED",
};

const char *partrow_name(enum partrow_field field)
{
	return names[field];
}

enum partrow_field partrow_find(const char *name)
{
	unsigned int i = 0;

	while (i < PARTROW_FIELDS && strcmp(names[i], name) != 0)
		i++;
	return (enum partrow_field)i;
}

static bool partrow_is_known(const struct partrow_format *f, unsigned int field)
{
	return field != PARTROW_DIRTY || f->knows_dirty;
}

static const char *none_of(const struct partrow_format *f)
{
	return f->of_symbols ? "(no symbol)" : "(no section)";
}

static void partrow_add_amounts(
	const struct partrow_format *f, const struct partrow *row, struct mapline *l)
{
	for (unsigned int i = 0; i < PARTROW_FIELDS; i++) {
		if (partrow_is_known(f, i))
			mapline_add_number(l, row->q[i], AMOUNT_WIDTH);
		else
			mapline_add_right(l, "-", AMOUNT_WIDTH);
	}
}

/* Adds the pid if rows are of several processes. */
static void partrow_add_pid(const struct partrow_format *f, pid_t pid, struct mapline *l)
{
	if (!f->has_pid)
		return;
	mapline_add_number(l, (uint64_t)pid, MAPLINE_PID_WIDTH);
	mapline_add_char(l, ' ');
}

void partrow_add_head(const struct partrow_format *f, struct buffer *to)
{
	struct mapline l;

	mapline_begin(&l);
	if (f->has_pid) {
		mapline_add_right(&l, "PID", MAPLINE_PID_WIDTH);
		mapline_add_char(&l, ' ');
	}
	mapline_add_left(&l, "ADDRESS", ADDRESS_WIDTH);
	for (unsigned int i = 0; i < PARTROW_FIELDS; i++)
		mapline_add_right(&l, heads[i], AMOUNT_WIDTH);
	buffer_add(to, l.text, l.len);
	buffer_printf(to, " %-*s FILE\n", NAME_WIDTH, f->of_symbols ? "SYMBOL" : "SECTION");
}

void partrow_add_line(const struct partrow_format *f, const struct partrow *row, struct buffer *to)
{
	char address[TEXT_SIZE] = "-";
	struct mapline l;
	size_t begin;

	if (row->name)
		snprintf(address, sizeof(address), "%012llx", (unsigned long long)row->address);
	mapline_begin(&l);
	partrow_add_pid(f, row->pid, &l);
	mapline_add_left(&l, address, ADDRESS_WIDTH);
	partrow_add_amounts(f, row, &l);
	buffer_add(to, l.text, l.len);
	buffer_add_char(to, ' ');
	begin = to->len;
	cell_add_printable(to, row->name ? row->name : none_of(f));
	do
		buffer_add_char(to, ' ');
	while (!to->error && to->len < begin + NAME_WIDTH + 1);
	cell_add_printable(to, row->object);
	buffer_add_char(to, '\n');
}

void partrow_add_total(
	const struct partrow_format *f, const struct partrow *total, size_t rows, struct buffer *to)
{
	struct mapline l;

	mapline_begin(&l);
	mapline_add_right(&l, "", ADDRESS_WIDTH + (f->has_pid ? MAPLINE_PID_WIDTH + 1 : 0));
	partrow_add_amounts(f, total, &l);
	mapline_add_sum_to(&l, to);
	buffer_printf(to, " total of %zu row%s, in bytes\n", rows, rows == 1 ? "" : "s");
}

static void partrow_add_json_amounts(
	const struct partrow_format *f, const struct partrow *row, struct buffer *to)
{
	const char *before = "";

	for (unsigned int i = 0; i < PARTROW_FIELDS; i++) {
		if (!partrow_is_known(f, i))
			continue;
		buffer_printf(to, "%s\"%s\":%llu", before, names[i], (unsigned long long)row->q[i]);
		before = ",";
	}
}

void partrow_add_json(const struct partrow_format *f, const struct partrow *row, struct buffer *to)
{
	buffer_printf(to, "{\"pid\":%d", (int)row->pid);
	jsontext_add(to, "file", row->object);
	if (row->name) {
		jsontext_add(to, f->of_symbols ? "symbol" : "section", row->name);
		buffer_printf(to, ",\"address\":\"%08llx\"", (unsigned long long)row->address);
	}
	if (f->of_symbols && row->name)
		buffer_printf(to, ",\"aliases\":%lu", (unsigned long)row->aliases);
	buffer_add_char(to, ',');
	partrow_add_json_amounts(f, row, to);
	buffer_add_char(to, '}');
}

void partrow_add_json_sums(
	const struct partrow_format *f, const struct partrow *row, struct buffer *to)
{
	buffer_add_char(to, '{');
	partrow_add_json_amounts(f, row, to);
	buffer_add_char(to, '}');
}

void partrow_add_csv_head(const struct partrow_format *f, struct buffer *to)
{
	buffer_printf(to, "pid,address,%s,file,aliases", f->of_symbols ? "symbol" : "section");
	for (unsigned int i = 0; i < PARTROW_FIELDS; i++)
		buffer_printf(to, ",%s", names[i]);
	buffer_add_char(to, '\n');
}

void partrow_add_csv(const struct partrow_format *f, const struct partrow *row, struct buffer *to)
{
	buffer_printf(to, "%d,", (int)row->pid);
	if (row->name)
		buffer_printf(to, "%08llx", (unsigned long long)row->address);
	buffer_add_char(to, ',');
	column_add_csv_text(to, row->name ? row->name : none_of(f));
	buffer_add_char(to, ',');
	column_add_csv_text(to, row->object);
	buffer_printf(to, ",%lu", (unsigned long)row->aliases);
	for (unsigned int i = 0; i < PARTROW_FIELDS; i++) {
		buffer_add_char(to, ',');
		if (partrow_is_known(f, i))
			buffer_add_u64(to, row->q[i]);
	}
	buffer_add_char(to, '\n');
}
