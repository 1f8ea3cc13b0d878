/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/lists/hosttable.h"

#include <stdio.h>

#include "render/human.h"
#include "snapshot/balance.h"

struct build {
	const struct view *view;
	const struct snapshot_balance *balance;
	struct table *to;
	bool bytes;
};

static const char absent[] = "-";

static void hosttable_end_cell(struct build *b)
{
	buffer_add_char(&b->to->text, '\0');
}

static void add_text_cell(struct build *b, const char *text)
{
	buffer_add_text(&b->to->text, text);
	hosttable_end_cell(b);
}

static void hosttable_add_amount(const struct build *b, struct buffer *to, uint64_t bytes)
{
	if (b->bytes)
		buffer_add_u64(to, bytes);
	else
		human_add_bytes(to, bytes);
}

static uint64_t hosttable_size_of(int64_t bytes)
{
	return bytes < 0 ? -(uint64_t)bytes : (uint64_t)bytes;
}

static void add_signed(const struct build *b, struct buffer *to, int64_t bytes)
{
	if (bytes < 0)
		buffer_add_char(to, '-');
	hosttable_add_amount(b, to, hosttable_size_of(bytes));
}

static void hosttable_add_column(struct build *b, const char *head, bool is_right)
{
	struct table_column *c = &b->to->column[b->to->columns++];

	snprintf(c->head, sizeof(c->head), "%s", head);
	c->is_right = is_right;
}

/* Adds a line with BYTES, which may be negative, and its share of WHOLE bytes. */
static void add_line(struct build *b, int64_t bytes, uint64_t whole, const char *name)
{
	struct buffer *to = &b->to->text;

	add_signed(b, to, bytes);
	hosttable_end_cell(b);
	if (bytes < 0)
		buffer_add_char(to, '-');
	human_add_percent(to, (double)hosttable_size_of(bytes) / (double)whole);
	hosttable_end_cell(b);
	add_text_cell(b, name);
	b->to->rows++;
}

static void hosttable_add_total(struct build *b, uint64_t whole, const char *name)
{
	hosttable_add_amount(b, &b->to->text, whole);
	hosttable_end_cell(b);
	add_text_cell(b, "100 %");
	hosttable_end_cell(b); /* the name */
	hosttable_end_cell(b); /* the meaning; the text beside the total is: */
	buffer_add_text(&b->to->total, name);
	b->to->rows++;
	b->to->has_total = true;
}

static bool is_far(const struct build *b, enum balance_quantity i, int64_t from)
{
	int64_t to = (int64_t)b->balance->q[i];

	return ROW_HAS(b->balance, i) &&
	       (hosttable_size_of(to) != hosttable_size_of(from) || (to < 0) != (from < 0)) &&
	       (b->bytes || !human_is_alike(hosttable_size_of(to), hosttable_size_of(from)));
}

/*
 * Adds the line of the residual: its amount, the part that is of processes, and its bounds if the
 * PSS is estimated.
 */
static void add_residual(struct build *b, int64_t residual, uint64_t whole)
{
	const struct snapshot_balance *s = b->balance;
	struct buffer *to = &b->to->text;

	add_line(b, residual, whole, "unaccounted");
	buffer_add_text(to, "memory that no counter of the kernel contains");
	if (ROW_HAS(s, BALANCE_RESIDUAL_PROCESSES) && s->q[BALANCE_RESIDUAL_PROCESSES]) {
		buffer_add_text(to, "; in processes, but in no PSS: ");
		add_signed(b, to, (int64_t)s->q[BALANCE_RESIDUAL_PROCESSES]);
	}
	if (is_far(b, BALANCE_RESIDUAL_LOW, residual) ||
		is_far(b, BALANCE_RESIDUAL_HIGH, residual)) {
		buffer_add_text(to, "; between ");
		if (ROW_HAS(s, BALANCE_RESIDUAL_LOW))
			add_signed(b, to, (int64_t)s->q[BALANCE_RESIDUAL_LOW]);
		else
			buffer_add_text(to, "an unknown amount");
		buffer_add_text(to, " and ");
		add_signed(b, to,
			(int64_t)s->q[ROW_HAS(s, BALANCE_RESIDUAL_HIGH) ? BALANCE_RESIDUAL_HIGH
									: BALANCE_RESIDUAL]);
		buffer_add_text(to, ", by the bounds of the PSS and of drivers' memory");
	}
	hosttable_end_cell(b);
}

/* Kinds with 0 bytes are left out. */
static int build_memory(struct build *b)
{
	const struct snapshot_balance *s = b->balance;
	const struct snapshot_scope *host = view_host(b->view);
	uint64_t total = host->q[SCOPE_MEM_TOTAL];

	if (!ROW_HAS(host, SCOPE_MEM_TOTAL) || !total || !ROW_HAS(s, BALANCE_RESIDUAL))
		return HOSTTABLE_EMPTY;
	hosttable_add_column(b, "MEMORY", true);
	hosttable_add_column(b, "SHARE", true);
	hosttable_add_column(b, "KIND", false);
	hosttable_add_column(b, "WHAT IT IS", false);
	b->to->column[3].is_prose = true;
	for (unsigned int n = 0; n < BALANCE_KINDS; n++) {
		const struct balance_kind *kind = balance_kind(n);

		if (!ROW_HAS(s, kind->line) || !s->q[kind->line])
			continue;
		add_line(b, (int64_t)s->q[kind->line], total, kind->name);
		add_text_cell(b, kind->help);
	}
	add_residual(b, (int64_t)s->q[BALANCE_RESIDUAL], total);
	hosttable_add_total(b, total, "MemTotal");
	return 0;
}

static int build_swap(struct build *b)
{
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
	hosttable_add_column(b, "SWAP", true);
	hosttable_add_column(b, "SHARE", true);
	hosttable_add_column(b, "KIND", false);
	hosttable_add_column(b, "WHAT IT IS", false);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		add_line(b, (int64_t)s->q[lines[i].index], (uint64_t)total, lines[i].name);
		add_text_cell(b, lines[i].help);
	}
	hosttable_add_total(b, (uint64_t)total, "SwapTotal");
	return 0;
}

struct column {
	const char *head;
	unsigned int index;
	bool is_count;
};

/* Adds a row for each holding of KIND, with COLUMNS and a column NAME. */
static int build_holdings(struct build *b, enum holding_kind kind, const struct column *columns,
	size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		hosttable_add_column(b, columns[i].head, true);
	hosttable_add_column(b, name, false);
	b->to->column[count].is_wide = true;
	for (uint32_t k = 0; k < view_holding_count(b->view); k++) {
		const struct snapshot_holding *row = view_holding(b->view, k);

		if (row->kind != kind)
			continue;
		for (size_t i = 0; i < count; i++) {
			if (!ROW_HAS(row, columns[i].index))
				buffer_add_text(&b->to->text, absent);
			else if (columns[i].is_count)
				buffer_add_u64(&b->to->text, row->q[columns[i].index]);
			else
				hosttable_add_amount(b, &b->to->text, row->q[columns[i].index]);
			hosttable_end_cell(b);
		}
		add_text_cell(b, view_text(b->view, row->name));
		b->to->rows++;
	}
	return b->to->rows ? 0 : HOSTTABLE_EMPTY;
}

static int build_shmem(struct build *b)
{
	static const struct column columns[] = {
		{"SYSV", SHMEM_SYSV, false},
		{"UNATTACHED", SHMEM_SYSV_UNATTACHED, false},
		{"SWAPPED", SHMEM_SYSV_SWAP, false},
		{"SEGMENTS", SHMEM_SYSV_SEGMENTS, true},
		{"TMPFS", SHMEM_TMPFS, false},
	};

	return build_holdings(b, HOLDING_SHMEM, columns, ARRAY_SIZE(columns), "USER");
}

static uint64_t hosttable_count_of(const struct build *b, enum balance_quantity i)
{
	return ROW_HAS(b->balance, i) ? b->balance->q[i] : 0;
}

/* Adds the sums over all tmpfs, and how many of them and of their directories could not be read. */
static void add_tmpfs_total(struct build *b)
{
	uint64_t used = 0, owned = 0, unread = hosttable_count_of(b, BALANCE_TMPFS_UNREAD);
	uint64_t directories = hosttable_count_of(b, BALANCE_DIRECTORIES_UNREAD);
	struct buffer *to = &b->to->total;

	for (uint32_t i = 0; i < view_holding_count(b->view); i++) {
		const struct snapshot_holding *row = view_holding(b->view, i);

		if (row->kind != HOLDING_TMPFS)
			continue;
		used += ROW_HAS(row, TMPFS_USED) ? row->q[TMPFS_USED] : 0;
		owned += ROW_HAS(row, TMPFS_OWNED) ? row->q[TMPFS_OWNED] : 0;
	}
	hosttable_add_amount(b, &b->to->text, used);
	hosttable_end_cell(b);
	add_text_cell(b, absent); /* limits do not add up */
	hosttable_add_amount(b, &b->to->text, owned);
	hosttable_end_cell(b);
	hosttable_end_cell(b); /* the name */
	buffer_add_text(to, "total");
	if (unread)
		buffer_printf(to, ", %llu tmpfs not read", (unsigned long long)unread);
	if (directories)
		buffer_printf(to, ", %llu director%s not read", (unsigned long long)directories,
			directories == 1 ? "y" : "ies");
	b->to->rows++;
	b->to->has_total = true;
}

static int build_tmpfs(struct build *b)
{
	static const struct column columns[] = {
		{"USED", TMPFS_USED, false},
		{"SIZE", TMPFS_SIZE, false},
		{"OWNED", TMPFS_OWNED, false},
	};

	int r = build_holdings(b, HOLDING_TMPFS, columns, ARRAY_SIZE(columns), "TMPFS");

	if (r == 0)
		add_tmpfs_total(b);
	return r;
}

static int hosttable_add_rows(struct build *b, enum hosttable which)
{
	switch (which) {
	case HOSTTABLE_MEMORY: return build_memory(b);
	case HOSTTABLE_SWAP: return build_swap(b);
	case HOSTTABLE_SHMEM: return build_shmem(b);
	case HOSTTABLE_TMPFS: return build_tmpfs(b);
	case HOSTTABLES: break;
	}
	return HOSTTABLE_EMPTY;
}

int hosttable_build(const struct view *view, enum hosttable which, bool bytes, struct table *ret)
{
	struct build b = {.view = view, .balance = view_balance(view), .to = ret, .bytes = bytes};
	int r;

	*ret = (struct table){0};
	if (!b.balance)
		return HOSTTABLE_EMPTY;
	r = hosttable_add_rows(&b, which);
	if (ret->text.error || ret->total.error)
		return -ENOMEM;
	return r;
}
