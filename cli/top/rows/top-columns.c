/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/top/rows/top-columns.h"

#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "cli/table/cell.h"
#include "cli/top/cells/brief.h"
#include "snapshot/owner.h"

#define ONLY(view) (1U << TOP_VIEW_##view)

enum {
	ALL = (1U << TOP_VIEWS) - 1,
	PROCESSES = ONLY(PROCESS) | ONLY(TREE) | ONLY(NESTED),
	OWNERS = ONLY(USER) | ONLY(PROGRAM) | ONLY(UNIT) | ONLY(CONTAINER) | ONLY(TREE) |
	         ONLY(NESTED),
};

static const struct top_column_spec columns[TOP_COLUMNS] = {
	[TOP_COLUMN_PID] = {"pid", "pid", "PID", "the process", 'D', 7, .drop = 3,
		.views = PROCESSES},
	[TOP_COLUMN_USER] = {"user", "user", "USER", "the user of the process", 'L', 9, true, true,
		.drop = 7, .views = ONLY(PROCESS) | ONLY(TREE)},
	[TOP_COLUMN_PSS] = {"pss", "pss_bytes", "PSS",
		"memory, with each process's share of what it shares", 'P', 7, .views = ALL},
	[TOP_COLUMN_DOUBT] = {"uncertainty", NULL, "\xc2\xb1", "how far the PSS may be off", 'E', 6,
		.drop = 1, .views = ALL},
	[TOP_COLUMN_USS] = {"uss", "uss_bytes", "USS", "memory that no other process shares", 'U',
		6, .drop = 6, .views = ALL},
	[TOP_COLUMN_RSS] = {"rss", "rss_bytes", "RSS", "memory that is mapped, shared or not", 'R',
		6, .drop = 8, .views = ALL},
	[TOP_COLUMN_SWAP] = {"swap", "swap_pss_bytes", "SWAP", "swapped memory, in shares as PSS",
		'S', 6, .drop = 5, .views = ALL},
	[TOP_COLUMN_PSS_SWAP] = {"pss+swap", NULL, "PSS+SW", "PSS and SWAP together", 'W', 7,
		.drop = 9, .views = ALL},
	[TOP_COLUMN_GROWTH_1] = {"growth1", NULL, "+1min",
		"growth of the PSS over one minute, or less if less is known", 'g', 6, .drop = 4,
		.views = ALL},
	[TOP_COLUMN_GROWTH_10] = {"growth10", NULL, "+10min",
		"growth of the PSS over ten minutes, or less if less is known", 'G', 7, .drop = 2,
		.views = ALL},
	[TOP_COLUMN_TREND] = {NULL, NULL, "TREND", "the PSS of the last ten minutes", 0,
		HISTORY_TREND, true, .drop = 5, .views = ALL},
	[TOP_COLUMN_PROCESSES] = {"processes", "processes", "PROCS", "the number of processes", 'C',
		6, .drop = 10, .views = OWNERS},
	[TOP_COLUMN_NAME] = {"name", NULL, "NAME", "the name", 'N', TOP_NAME_MIN, true, true,
		.views = ALL},
};

const struct top_column_spec *top_columns_spec(enum top_column c)
{
	return &columns[c];
}

const char *top_columns_head(enum top_column c, enum top_view view)
{
	enum metric_scope scope = top_state_scope(view);

	if (c == TOP_COLUMN_DOUBT && !cell_is_utf8())
		return "+-";
	if (c != TOP_COLUMN_NAME)
		return columns[c].head;
	if (view == TOP_VIEW_NESTED)
		return "USER / PROGRAM / PROCESS";
	return owner_of(metric_is_owner(scope) ? metric_owner_kind(scope) : OWNER_PROGRAM)->title;
}

bool top_columns_is_growth(enum top_column c)
{
	return c == TOP_COLUMN_GROWTH_1 || c == TOP_COLUMN_GROWTH_10;
}

static enum top_span span_of(enum top_column growth)
{
	return growth == TOP_COLUMN_GROWTH_1 ? TOP_SPAN_SHORT : TOP_SPAN_LONG;
}

void top_columns_add_head(
	enum top_column c, enum top_view view, const struct top_known *known, struct buffer *to)
{
	uint64_t span_s;

	if (!top_columns_is_growth(c) || !known->span_ns[span_of(c)] ||
		known->span_ns[span_of(c)] >= top_span_ns(span_of(c))) {
		buffer_add_text(to, top_columns_head(c, view));
		return;
	}
	span_s = known->span_ns[span_of(c)] / NS_PER_SEC;
	buffer_add_char(to, '+');
	buffer_add_u64(to, span_s < 60 ? span_s : span_s / 60);
	buffer_add_text(to, span_s < 60 ? "s" : "min");
}

enum top_column top_columns_find(const char *name)
{
	for (unsigned int c = 0; c < TOP_COLUMNS; c++)
		if (columns[c].name &&
			(!strcasecmp(columns[c].name, name) ||
				(columns[c].field && !strcasecmp(columns[c].field, name))))
			return (enum top_column)c;
	return TOP_COLUMNS;
}

/* Returns the width of the columns in USED, with a blank before each but the first. */
static size_t width_of(unsigned int used)
{
	size_t width = 0;

	for (unsigned int c = 0; c < TOP_COLUMNS; c++)
		if (used >> c & 1)
			width += columns[c].width + 1;
	return width ? width - 1 : 0;
}

/* Returns the column of USED that disappears first, but not SORT; TOP_COLUMNS: none may. */
static unsigned int next_drop(unsigned int used, enum top_column sort)
{
	unsigned int found = TOP_COLUMNS;

	for (unsigned int c = 0; c < TOP_COLUMNS; c++)
		if (used >> c & 1 && columns[c].drop && c != sort &&
			(found == TOP_COLUMNS || columns[c].drop > columns[found].drop))
			found = c;
	return found;
}

size_t top_columns_fit(enum top_view view, size_t width, enum top_column sort,
	enum top_column ret[static TOP_COLUMNS])
{
	size_t more = top_state_is_tree(view) ? TOP_NAME_TREE_MIN - TOP_NAME_MIN : 0, count = 0;
	unsigned int used = 0, drop;

	for (unsigned int c = 0; c < TOP_COLUMNS; c++)
		if (columns[c].views >> view & 1)
			used |= 1U << c;
	while (width_of(used) + more > width && (drop = next_drop(used, sort)) < TOP_COLUMNS)
		used &= ~(1U << drop);
	if (width_of(used) > width && columns[sort].drop)
		used &= ~(1U << sort);
	for (unsigned int c = 0; c < TOP_COLUMNS; c++)
		if (used >> c & 1)
			ret[count++] = (enum top_column)c;
	return count;
}

/* The columns of amounts. */
static const struct {
	bool is_amount;
	enum amount amount;
} amount_of[TOP_COLUMNS] = {
	[TOP_COLUMN_PSS] = {true, AMOUNT_PSS},
	[TOP_COLUMN_USS] = {true, AMOUNT_USS},
	[TOP_COLUMN_RSS] = {true, AMOUNT_RSS},
	[TOP_COLUMN_SWAP] = {true, AMOUNT_SWAP},
	[TOP_COLUMN_PSS_SWAP] = {true, AMOUNT_PSS_SWAP},
	[TOP_COLUMN_PROCESSES] = {true, AMOUNT_PROCESSES},
};

/* A new row has grown by its whole PSS. */
static bool get_growth(enum top_column c, const struct top_row *r, int64_t *ret)
{
	const struct top_growth *growth = &r->was.growth[span_of(c)];

	*ret = growth->bytes;
	return growth->is_known;
}

/* Rows are sorted by the bytes of doubt. A PSS without an upper bound comes first. */
static bool get_doubt(const struct top_row *r, int64_t *ret)
{
	uint64_t low, high, pss;

	if (!amounts_get(&r->amounts, AMOUNT_PSS, &pss))
		return false;
	*ret = INT64_MAX;
	if (amounts_get(&r->amounts, AMOUNT_PSS_HIGH, &high) &&
		amounts_get(&r->amounts, AMOUNT_PSS_LOW, &low))
		*ret = (int64_t)(high > low ? high - low : 0);
	return true;
}

bool top_columns_rank(enum top_column c, const struct top_row *r, int64_t *ret)
{
	uint64_t value;

	switch (c) {
	case TOP_COLUMN_PID: *ret = r->process ? r->process->pid : 0; return r->process;
	case TOP_COLUMN_DOUBT: return get_doubt(r, ret);
	case TOP_COLUMN_GROWTH_1:
	case TOP_COLUMN_GROWTH_10: return get_growth(c, r, ret);
	default:
		if (!amount_of[c].is_amount ||
			!amounts_get(&r->amounts, amount_of[c].amount, &value))
			return false;
		*ret = (int64_t)value;
		return true;
	}
}

const char *top_columns_text(const struct top_glance *g, enum top_column c, const struct top_row *r)
{
	if (c == TOP_COLUMN_USER && r->process)
		return view_owner(g->view, r->process, OWNER_USER);
	return c == TOP_COLUMN_USER ? "" : r->name;
}

/* Words of at most seven letters that stand in place of the PSS of a process without one. */
static const char *const why_absent[OUTCOME_COUNT_] = {
	[OUTCOME_MEASURED] = "-",
	[OUTCOME_DENIED] = "denied",
	[OUTCOME_GONE] = "exited",
	[OUTCOME_NO_MM] = "none",
	[OUTCOME_MALFORMED] = "invalid",
	[OUTCOME_CHANGING] = "changes",
	[OUTCOME_SHARED_MM] = "shared",
	[OUTCOME_ERROR] = "error",
	[OUTCOME_BLOCKED] = "blocked",
};

static enum style add_absent_pss(const struct top_row *r, struct buffer *to)
{
	uint64_t unmeasured;

	if (r->process && !r->children && r->process->outcome < OUTCOME_COUNT_)
		buffer_add_text(to, why_absent[r->process->outcome]);
	else if (amounts_get(&r->amounts, AMOUNT_UNMEASURED, &unmeasured) && unmeasured)
		buffer_add_text(to, "unread");
	else
		buffer_add_char(to, '-');
	return STYLE_BAD;
}

static enum style add_doubt(const struct top_row *r, struct buffer *to)
{
	uint64_t bytes, pss, guessed;
	bool is_utf8 = cell_is_utf8();
	enum amounts_doubt doubt = amounts_doubt(&r->amounts, &bytes);

	switch (doubt) {
	case AMOUNTS_EXACT:
		if (r->process && amounts_get(&r->amounts, AMOUNT_GUESSED, &guessed) && guessed) {
			buffer_add_text(to, "guess");
			return STYLE_UNCERTAIN;
		}
		return STYLE_NORMAL;
	case AMOUNTS_AT_LEAST: buffer_add_text(to, is_utf8 ? "\xe2\x89\xa5" : ">="); break;
	case AMOUNTS_UP_TO:
		buffer_add_text(to, is_utf8 ? "\xe2\x89\xa4" : "<");
		brief_add_bytes(to, bytes);
		break;
	case AMOUNTS_BETWEEN:
		amounts_get(&r->amounts, AMOUNT_PSS, &pss);
		buffer_printf(to, "%s%u%%", is_utf8 ? "\xc2\xb1" : "+-",
			(unsigned int)((double)bytes * 100 / (double)pss + 0.999));
		break;
	}
	return STYLE_UNCERTAIN;
}

static void add_trend(const struct top_row *r, struct buffer *to)
{
	static const char plain[HISTORY_LEVELS + 1] = " _.-=+*#@";
	bool is_utf8 = cell_is_utf8();
	uint64_t pss;

	if (!amounts_get(&r->amounts, AMOUNT_PSS, &pss))
		return;
	for (unsigned int i = 0; i < HISTORY_TREND; i++) {
		/* from U+2581 (one eighth of a cell) to U+2588 */
		const char block[] = {'\xe2', '\x96', (char)(0x80 + r->was.trend[i])};

		if (r->was.trend[i] && is_utf8)
			buffer_add(to, block, sizeof(block));
		else
			buffer_add_char(to, plain[r->was.trend[i]]);
	}
}

static enum style add_growth(enum top_column c, const struct top_row *r, struct buffer *to)
{
	int64_t bytes;

	if (!get_growth(c, r, &bytes)) {
		buffer_add_char(to, '-');
		return STYLE_DIM;
	}
	if (r->was.growth[span_of(c)].is_new)
		buffer_add_text(to, "new");
	else
		brief_add_change(to, bytes);
	return bytes > 0 ? STYLE_GROWN : STYLE_NORMAL;
}

static enum style top_columns_add_amount(
	enum top_column c, const struct top_row *r, struct buffer *to)
{
	uint64_t value;

	if (!amounts_get(&r->amounts, amount_of[c].amount, &value)) {
		if (c == TOP_COLUMN_PSS)
			return add_absent_pss(r, to);
		buffer_add_char(to, '-');
		return STYLE_DIM;
	}
	if (c == TOP_COLUMN_PROCESSES)
		buffer_add_u64(to, value);
	else
		brief_add_bytes(to, value);
	return STYLE_NORMAL;
}

enum style top_columns_add(
	const struct top_glance *g, enum top_column c, const struct top_row *r, struct buffer *to)
{
	switch (c) {
	case TOP_COLUMN_PID:
		if (r->process)
			buffer_add_u64(to, r->process->pid);
		return STYLE_NORMAL;
	case TOP_COLUMN_USER:
	case TOP_COLUMN_NAME: buffer_add_text(to, top_columns_text(g, c, r)); return STYLE_NORMAL;
	case TOP_COLUMN_DOUBT: return add_doubt(r, to);
	case TOP_COLUMN_TREND: add_trend(r, to); return STYLE_NORMAL;
	case TOP_COLUMN_GROWTH_1:
	case TOP_COLUMN_GROWTH_10: return add_growth(c, r, to);
	default: return top_columns_add_amount(c, r, to);
	}
}
