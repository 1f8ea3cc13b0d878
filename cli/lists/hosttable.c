/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/lists/hosttable.h"

#include <string.h>

#include "base/saturate.h"
#include "render/decimal.h"
#include "render/human.h"
#include "snapshot/balance.h"

struct build {
	const struct view *view;
	const struct snapshot_balance *balance;
	struct list *to;
};

static void hosttable_begin(struct build *b, const struct column *column, size_t columns)
{
	b->to->column = column;
	b->to->columns = columns;
	list_begin(b->to);
}

/* A line of a sheet: BYTES, which may be negative, of WHOLE bytes. */
struct sheet_line {
	int64_t bytes;
	uint64_t whole;
	const char *name, *help;
};

enum { SHEET_BYTES, SHEET_SHARE, SHEET_NAME, SHEET_HELP };

static bool get_sheet(
	const struct list *l, const struct column *c, const void *row, struct column_value *ret)
{
	const struct sheet_line *line = row;

	(void)l;
	switch (c->index) {
	case SHEET_BYTES: ret->change = line->bytes; return true;
	case SHEET_SHARE: ret->real = (double)line->bytes / (double)line->whole; return true;
	case SHEET_NAME: return column_use_text(ret, line->name);
	default: return column_use_text(ret, line->help);
	}
}

#define SHEET_COLUMNS(name)                                                                        \
	{                                                                                          \
		{(name), NULL, COLUMN_SIGNED, get_sheet, SHEET_BYTES, .flags = COLUMN_SUM},        \
			{"SHARE", NULL, COLUMN_RATIO, get_sheet, SHEET_SHARE,                      \
				.flags = COLUMN_SUM},                                              \
			{"KIND", NULL, COLUMN_TEXT, get_sheet, SHEET_NAME},                        \
			{"MEANING", NULL, COLUMN_TEXT, get_sheet, SHEET_HELP,                      \
				.flags = COLUMN_PROSE},                                            \
	}

static void hosttable_add_total(struct build *b, uint64_t whole, const char *name)
{
	const struct sheet_line line = {.bytes = (int64_t)whole, .whole = whole};
	AUTO_BUFFER struct buffer beside = {0};

	buffer_add_text(&beside, name);
	list_total(b->to, &line, &beside);
}

/*
 * Returns how far the bound I, which is present, is from the residual FROM, in bytes; 0 if both are
 * printed as the same text.
 */
static uint64_t hosttable_doubt(const struct build *b, enum balance_quantity i, int64_t from)
{
	int64_t to = (int64_t)b->balance->q[i];
	uint64_t to_size = saturate_size(to), from_size = saturate_size(from);

	if ((to < 0) != (from < 0))
		return saturate_add(to_size, from_size);
	return !b->to->bytes && human_is_alike(to_size, from_size)
	               ? 0
	               : saturate_distance(to_size, from_size);
}

/*
 * Appends one more figure about the residual, the larger of two: the error of the sum of PSS, as
 * AnonPages and Mapped show it, or the possible error, by the bounds of PSS and drivers' memory.
 * Both bounds of the residual are present.
 */
static void add_residual_error(const struct build *b, int64_t residual, struct buffer *to)
{
	const struct snapshot_balance *s = b->balance;
	bool has_error = ROW_HAS(s, BALANCE_RESIDUAL_PROCESSES);
	int64_t error = has_error ? (int64_t)s->q[BALANCE_RESIDUAL_PROCESSES] : 0;
	uint64_t doubt = saturate_max(hosttable_doubt(b, BALANCE_RESIDUAL_LOW, residual),
		hosttable_doubt(b, BALANCE_RESIDUAL_HIGH, residual));

	if (doubt > saturate_size(error)) {
		buffer_add_text(to, "; by the bounds of its parts, off by at most ");
		column_add_amount(to, doubt, b->to->bytes);
	} else if (error) {
		buffer_add_text(to, error < 0 ? "; the sum of PSS is too high by "
					      : "; the sum of PSS is too low by ");
		column_add_amount(to, saturate_size(error), b->to->bytes);
	}
}

static void describe_residual(const struct build *b, int64_t residual, struct buffer *to)
{
	buffer_add_text(to, "memory that no counter of the kernel contains");
	if (!ROW_HAS(b->balance, BALANCE_RESIDUAL_LOW))
		buffer_add_text(to, "; off by an unknown amount, since a PSS has no upper bound");
	else if (!ROW_HAS(b->balance, BALANCE_RESIDUAL_HIGH))
		buffer_add_text(to, "; off by an unknown amount, since a PSS has no lower bound");
	else
		add_residual_error(b, residual, to);
	buffer_add_char(to, '\0');
}

/* Kinds with 0 bytes are left out. */
static int build_memory(struct build *b)
{
	static const struct column columns[] = SHEET_COLUMNS("MEMORY");
	const struct snapshot_balance *s = b->balance;
	const struct snapshot_scope *host = view_host(b->view);
	uint64_t total = host->q[SCOPE_MEM_TOTAL];
	AUTO_BUFFER struct buffer help = {0};
	int64_t residual;

	if (!ROW_HAS(host, SCOPE_MEM_TOTAL) || !total || !ROW_HAS(s, BALANCE_RESIDUAL))
		return HOSTTABLE_EMPTY;
	hosttable_begin(b, columns, ARRAY_SIZE(columns));
	for (unsigned int n = 0; n < BALANCE_KINDS; n++) {
		const struct balance_kind *kind = balance_kind(n);

		if (ROW_HAS(s, kind->line) && s->q[kind->line])
			list_add(b->to, &(struct sheet_line){(int64_t)s->q[kind->line], total,
						kind->name, kind->help});
	}
	residual = (int64_t)s->q[BALANCE_RESIDUAL];
	describe_residual(b, residual, &help);
	if (help.error)
		return help.error;
	list_add(b->to, &(struct sheet_line){residual, total, "unaccounted", help.data});
	hosttable_add_total(b, total, "MemTotal");
	return 0;
}

static int build_swap(struct build *b)
{
	static const struct column columns[] = SHEET_COLUMNS("SWAP");
	static const struct {
		enum balance_quantity index;
		const char *name, *help;
	} lines[] = {
		{BALANCE_SWAP_PROCESSES, "processes", "their SwapPss"},
		{BALANCE_SWAP_SYSV, "sysv", "SysV segments"},
		{BALANCE_SWAP_UNKNOWN, "unknown", "other swapped memory, such as files on tmpfs"},
		{BALANCE_SWAP_FREE, "free", "free"},
	};
	const struct snapshot_balance *s = b->balance;
	int64_t total = 0;

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		if (!ROW_HAS(s, lines[i].index))
			return HOSTTABLE_EMPTY;
		if (__builtin_add_overflow(total, (int64_t)s->q[lines[i].index], &total))
			return HOSTTABLE_EMPTY;
	}
	if (total <= 0)
		return HOSTTABLE_EMPTY;
	hosttable_begin(b, columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		list_add(b->to, &(struct sheet_line){(int64_t)s->q[lines[i].index], (uint64_t)total,
					lines[i].name, lines[i].help});
	hosttable_add_total(b, (uint64_t)total, "SwapTotal");
	return 0;
}

static bool get_held(
	const struct list *l, const struct column *c, const void *row_, struct column_value *ret)
{
	const struct snapshot_holding *row = row_;

	(void)l;
	ret->number = row->q[c->index];
	return ROW_HAS(row, c->index);
}

static bool get_holder(
	const struct list *l, const struct column *c, const void *row, struct column_value *ret)
{
	const struct build *b = l->context;

	(void)c;
	ret->text = view_text(b->view, ((const struct snapshot_holding *)row)->name);
	return true;
}

/* Adds a row for each holding of KIND. */
static int build_holdings(
	struct build *b, enum holding_kind kind, const struct column *column, size_t columns)
{
	hosttable_begin(b, column, columns);
	for (uint32_t k = 0; k < view_holding_count(b->view); k++)
		if (view_holding(b->view, k)->kind == kind)
			list_add(b->to, view_holding(b->view, k));
	return b->to->rows ? 0 : HOSTTABLE_EMPTY;
}

static int build_shmem(struct build *b)
{
	static const struct column columns[] = {
		{"SYSV", NULL, COLUMN_BYTES, get_held, SHMEM_SYSV},
		{"UNATTACHED", NULL, COLUMN_BYTES, get_held, SHMEM_SYSV_UNATTACHED},
		{"SWAPPED", NULL, COLUMN_BYTES, get_held, SHMEM_SYSV_SWAP},
		{"SEGMENTS", NULL, COLUMN_COUNT, get_held, SHMEM_SYSV_SEGMENTS},
		{"TMPFS", NULL, COLUMN_BYTES, get_held, SHMEM_TMPFS},
		{"USER", NULL, COLUMN_TEXT, get_holder, .flags = COLUMN_CUT},
	};

	return build_holdings(b, HOLDING_SHMEM, columns, ARRAY_SIZE(columns));
}

static uint64_t hosttable_count_of(const struct build *b, enum balance_quantity i)
{
	return ROW_HAS(b->balance, i) ? b->balance->q[i] : 0;
}

/*
 * Adds the sums over all tmpfs, and how many of them and of their directories could not be read.
 * Limits do not add up.
 */
static void add_tmpfs_total(struct build *b)
{
	uint64_t used = 0, owned = 0, unread = hosttable_count_of(b, BALANCE_TMPFS_UNREAD);
	uint64_t directories = hosttable_count_of(b, BALANCE_DIRECTORIES_UNREAD);
	AUTO_BUFFER struct buffer beside = {0};
	struct snapshot_holding total = {0};

	for (uint32_t i = 0; i < view_holding_count(b->view); i++) {
		const struct snapshot_holding *row = view_holding(b->view, i);

		if (row->kind != HOLDING_TMPFS)
			continue;
		used += ROW_HAS(row, TMPFS_USED) ? row->q[TMPFS_USED] : 0;
		owned += ROW_HAS(row, TMPFS_OWNED) ? row->q[TMPFS_OWNED] : 0;
	}
	ROW_SET(&total, TMPFS_USED, used);
	ROW_SET(&total, TMPFS_OWNED, owned);
	buffer_add_text(&beside, "total");
	if (unread)
		buffer_printf(&beside, ", %llu tmpfs not read", (unsigned long long)unread);
	if (directories)
		buffer_printf(&beside, ", %llu director%s not read",
			(unsigned long long)directories, directories == 1 ? "y" : "ies");
	list_total(b->to, &total, &beside);
}

static int build_tmpfs(struct build *b)
{
	static const struct column columns[] = {
		{"USED", NULL, COLUMN_BYTES, get_held, TMPFS_USED, .flags = COLUMN_SUM},
		{"SIZE", NULL, COLUMN_BYTES, get_held, TMPFS_SIZE, .flags = COLUMN_SUM},
		{"OWNED", NULL, COLUMN_BYTES, get_held, TMPFS_OWNED, .flags = COLUMN_SUM},
		{"TMPFS", NULL, COLUMN_TEXT, get_holder, .flags = COLUMN_CUT},
	};
	int r = build_holdings(b, HOLDING_TMPFS, columns, ARRAY_SIZE(columns));

	if (r == 0)
		add_tmpfs_total(b);
	return r;
}

/* Returns why processes with the value NAME of a label "reason" were not measured. */
static const char *hosttable_reason(const char *name)
{
	static const char *const reasons[][2] = {
		{"denied", "the kernel refuses to show their memory"},
		{"malformed", "their files in /proc have text that no kernel prints"},
		{"changing", "they called exec during each of two readings"},
		{"error", "reading them failed for another reason"},
		{"blocked", "the kernel blocks readers of their files in /proc"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
		if (!strcmp(name, reasons[i][0]))
			return reasons[i][1];
	return name;
}

/* Appends the meaning of M, of which all metrics of a family have the same help. */
static void add_meaning(const struct metric *m, struct buffer *to)
{
	if (m->label && !strcmp(m->label, "reason"))
		buffer_printf(to, "%s that could not be measured, because %s.",
			metric_is_bytes(m) ? "RSS of processes" : "Processes",
			hosttable_reason(m->value));
	else
		buffer_add_text(to, m->help);
}

/* A quantity of the host. */
struct host_field {
	const struct metric *metric;
	uint64_t value;
};

enum { HOST_VALUE, HOST_FIELD, HOST_MEANING };

static bool get_field(
	const struct list *l, const struct column *c, const void *row_, struct column_value *ret)
{
	const struct host_field *row = row_;
	const struct metric *m = row->metric;
	char field[METRIC_NAME_SIZE];

	switch (c->index) {
	case HOST_VALUE:
		if (l->form == LIST_TABLE && !l->bytes && metric_is_bytes(m))
			human_add_bytes(ret->room, row->value);
		else
			decimal_add_quantity(ret->room, m->kind, row->value);
		return column_use_room(ret);
	case HOST_FIELD:
		metric_field(m, field);
		buffer_add_text(ret->room, field);
		if (m->label)
			buffer_printf(ret->room, ".%s", m->value);
		return column_use_room(ret);
	default: add_meaning(m, ret->room); return column_use_room(ret);
	}
}

/* Adds the metrics of SCOPE. A table has no row for 0. */
static int add_host_fields(
	struct list *l, enum metric_scope scope, uint64_t present, const uint64_t *q)
{
	size_t count;
	const struct metric *table = metric_table(scope, &count);
	int r = 0;

	for (const struct metric *m = table; r == 0 && m < table + count; m++) {
		struct host_field row = {.metric = m};

		if (metric_get(m, present, q, &row.value) && (row.value || l->form == LIST_CSV))
			r = list_add(l, &row);
	}
	return r;
}

/* Adds the host's quantities, and in CSV those of its balance sheet, which a table has already. */
static int build_fields(struct build *b)
{
	static const struct column columns[] = {
		{"VALUE", "value", COLUMN_DIGITS, get_field, HOST_VALUE, .csv_place = 1},
		{"FIELD", "field", COLUMN_WORD, get_field, HOST_FIELD},
		{"MEANING", NULL, COLUMN_TEXT, get_field, HOST_MEANING, .flags = COLUMN_PROSE},
	};
	const struct snapshot_scope *host = view_host(b->view);
	int r;

	hosttable_begin(b, columns, ARRAY_SIZE(columns));
	r = add_host_fields(b->to, METRIC_HOST, host->present, host->q);
	if (r == 0 && b->to->form == LIST_CSV && b->balance)
		r = add_host_fields(b->to, METRIC_BALANCE, b->balance->present, b->balance->q);
	return r;
}

static int hosttable_add_rows(struct build *b, enum hosttable which)
{
	if (which == HOSTTABLE_FIELDS)
		return build_fields(b);
	if (!b->balance)
		return HOSTTABLE_EMPTY;
	switch (which) {
	case HOSTTABLE_MEMORY: return build_memory(b);
	case HOSTTABLE_SWAP: return build_swap(b);
	case HOSTTABLE_SHMEM: return build_shmem(b);
	case HOSTTABLE_TMPFS: return build_tmpfs(b);
	default: return HOSTTABLE_EMPTY;
	}
}

int hosttable_build(const struct view *view, enum hosttable which, const struct list_look *look,
	struct buffer *to, struct list *ret)
{
	struct build b = {.view = view, .balance = view_balance(view), .to = ret};
	int r;

	*ret = list_make(&(const struct columns){0}, look, &b, to);
	r = hosttable_add_rows(&b, which);
	ret->context = NULL;
	return to->error ? to->error : r;
}
