/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/pages/partrow.h"

enum {
	PARTROW_PID,
	PARTROW_FILE,
	PARTROW_NAME,
	PARTROW_ADDRESS,
	PARTROW_ALIASES,
};

/* Variants of the list. */
enum { OF_SECTIONS = 1 << 0, OF_SYMBOLS = 1 << 1, WITH_PID = 1 << 2 };

enum { AMOUNT_WIDTH = 12, ADDRESS_WIDTH = 12, NAME_WIDTH = 25, PID_WIDTH = 8 };

/* The rest of a file has a name in tables and CSV only. */
static bool partrow_get(
	const struct list *l, const struct column *c, const void *row_, struct column_value *ret)
{
	const struct partrow_format *f = l->context;
	const struct partrow *row = row_;

	switch (c->index) {
	case PARTROW_PID: ret->number = (uint64_t)row->pid; return true;
	case PARTROW_FILE: return column_use_text(ret, row->object);
	case PARTROW_NAME:
		ret->text = row->name ? row->name : f->of_symbols ? "(no symbol)" : "(no section)";
		return row->name || l->form != LIST_JSON;
	case PARTROW_ADDRESS: ret->number = row->address; return row->name;
	default:
		ret->number = row->aliases;
		return l->form == LIST_CSV || (f->of_symbols && row->name);
	}
}

static bool partrow_get_amount(
	const struct list *l, const struct column *c, const void *row, struct column_value *ret)
{
	const struct partrow_format *f = l->context;

	ret->number = ((const struct partrow *)row)->q[c->index];
	return c->index != PARTROW_DIRTY || f->knows_dirty;
}

/* clang-format off */
#define PLACE(name, type, of) .field = (name), .kind = (type), .get = partrow_get, .index = (of)
#define AMOUNT(name, of)                                                                           \
	.field = (name), .kind = COLUMN_BYTES, .get = partrow_get_amount, .index = (of),           \
	.flags = COLUMN_SUM | COLUMN_SORT, .place = 2, .csv_place = 5, .width = AMOUNT_WIDTH
/* clang-format on */

static const struct column columns[] = {
	{PLACE("pid", COLUMN_COUNT, PARTROW_PID), .head = "PID", .only = WITH_PID,
		.width = PID_WIDTH},
	{PLACE("file", COLUMN_TEXT, PARTROW_FILE), .head = "FILE", .flags = COLUMN_PATH, .place = 4,
		.csv_place = 3},
	{PLACE("section", COLUMN_TEXT, PARTROW_NAME), .head = "SECTION", .flags = COLUMN_CUT,
		.only = OF_SECTIONS, .place = 3, .csv_place = 2, .width = NAME_WIDTH},
	{PLACE("symbol", COLUMN_TEXT, PARTROW_NAME), .head = "SYMBOL", .flags = COLUMN_CUT,
		.only = OF_SYMBOLS, .place = 3, .csv_place = 2, .width = NAME_WIDTH},
	{PLACE("address", COLUMN_ADDRESS, PARTROW_ADDRESS), .head = "ADDRESS", .drop = 1,
		.place = 1, .csv_place = 1, .width = ADDRESS_WIDTH},
	{PLACE("aliases", COLUMN_COUNT, PARTROW_ALIASES), .csv_place = 4},
	{AMOUNT("size_bytes", PARTROW_SIZE), .head = "SIZE", .drop = 2},
	{AMOUNT("resident_bytes", PARTROW_RESIDENT), .head = "RESIDENT"},
	{AMOUNT("private_bytes", PARTROW_PRIVATE), .head = "PRIVATE", .drop = 3},
	{AMOUNT("shared_bytes", PARTROW_SHARED), .head = "SHARED", .drop = 4},
	{AMOUNT("written_bytes", PARTROW_WRITTEN), .head = "WRITTEN", .drop = 6},
	{AMOUNT("dirty_bytes", PARTROW_DIRTY), .head = "DIRTY", .drop = 7},
	{AMOUNT("swapped_bytes", PARTROW_SWAPPED), .head = "SWAPPED", .drop = 5},
};

const struct columns partrow_columns = {columns, ARRAY_SIZE(columns)};

struct list partrow_list(const struct partrow_format *f, struct buffer *to)
{
	bool has_pid = f->has_pid || f->look.form != LIST_LINES;
	struct list l = list_make(&partrow_columns, &f->look, f, to);

	l.variant = (f->of_symbols ? OF_SYMBOLS : OF_SECTIONS) | (has_pid ? WITH_PID : 0);
	l.bytes = true;
	return l;
}
