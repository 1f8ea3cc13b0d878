/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/top/pages/host-lines.h"

#include <string.h>

#include "base/saturate.h"
#include "cli/top/cells/brief.h"
#include "render/human.h"
#include "render/shares.h"
#include "snapshot/balance.h"

/* Bands of the bar, in its order. */
static const struct band {
	char letter;
	const char *word;  /* begins with the letter */
	const char *words; /* if there is room; begins with the letter */
	const char *less;  /* in place of both if the amount is below 0; NULL: it never is */
	enum style style;
	bool is_rare; /* not in the legend if there is none */
} bands[] = {
	{'A', "Anon", "Anonymous memory", NULL, STYLE_ANON, false},
	{'F', "File", "Files that processes map", NULL, STYLE_FILE, false},
	{'S', "Shared", "Shared memory", NULL, STYLE_SHARED, false},
	{'U', "Unsplit", "Unsplit: Anon, File or Shared", NULL, STYLE_UNSPLIT, true},
	{'C', "Cache", "Cache", NULL, STYLE_CACHE, false},
	{'K', "Kernel", "Kernel", NULL, STYLE_KERNEL, false},
	{'H', "Hugetlb", "Hugetlb pools", NULL, STYLE_HUGETLB, true},
	{'.', ".free", ".free", NULL, STYLE_FREE, false},
	{'?', "?unaccounted", "?unaccounted", "?overcounted", STYLE_UNACCOUNTED, false},
};

enum { BANDS = ARRAY_SIZE(bands), PERCENT = 100 };

/* Returns the style of the band of LINE. All that is not named here is the kernel's. */
static enum style band_of(enum balance_quantity line)
{
	switch (line) {
	case BALANCE_PSS_ANON: return STYLE_ANON;
	case BALANCE_PSS_FILE: return STYLE_FILE;
	case BALANCE_PSS_SHMEM:
	case BALANCE_SYSV:
	case BALANCE_TMPFS:
	case BALANCE_SHMEM: return STYLE_SHARED;
	case BALANCE_PSS_UNSPLIT: return STYLE_UNSPLIT;
	case BALANCE_PAGE_CACHE:
	case BALANCE_SWAP_CACHE: return STYLE_CACHE;
	case BALANCE_HUGETLB: return STYLE_HUGETLB;
	case BALANCE_FREE:
	case BALANCE_FREE_LISTS: return STYLE_FREE;
	default: return STYLE_KERNEL;
	}
}

struct sheet {
	int64_t bytes[BANDS];
	bool is_present[BANDS];
	uint64_t positive; /* the sum of the bands above 0, in bytes */
	uint64_t total;    /* MemTotal in bytes; 0: not known */
};

static void sheet_add(struct sheet *s, size_t i, int64_t bytes)
{
	s->bytes[i] = saturate_sum(s->bytes[i], bytes);
	s->is_present[i] = true;
}

static void sheet_of(const struct view *view, const struct snapshot_balance *b, struct sheet *ret)
{
	const struct snapshot_scope *host = view_host(view);

	*ret = (struct sheet){
		.total = ROW_HAS(host, SCOPE_MEM_TOTAL) ? host->q[SCOPE_MEM_TOTAL] : 0};
	for (unsigned int n = 0; n < BALANCE_KINDS; n++) {
		enum balance_quantity line = balance_kind(n)->line;

		for (size_t i = 0; ROW_HAS(b, line) && i < BANDS; i++)
			if (bands[i].style == band_of(line))
				sheet_add(ret, i, (int64_t)b->q[line]);
	}
	if (ROW_HAS(b, BALANCE_RESIDUAL))
		sheet_add(ret, BANDS - 1, (int64_t)b->q[BALANCE_RESIDUAL]);
	for (size_t i = 0; i < BANDS; i++)
		if (ret->bytes[i] > 0)
			ret->positive = saturate_add(ret->positive, (uint64_t)ret->bytes[i]);
}

/* A band that is not 0 and rounds to no column is missing in the bar; the legend has it. */
static void draw_bands(const struct sheet *s, struct grid *g, size_t y)
{
	double sum = 0;
	size_t at = 0;

	for (size_t i = 0; i < BANDS && s->positive; i++) {
		size_t end;

		sum += s->bytes[i] > 0 ? (double)s->bytes[i] : 0;
		end = (size_t)(sum / (double)s->positive * (double)g->width + 0.5);
		if (end > at)
			grid_fill(g, at, y, end - at, bands[i].style, (wchar_t)bands[i].letter);
		at = end > at ? end : at;
	}
}

/* Forms of the legend, the longest first. */
enum legend { LEGEND_WORDS, LEGEND_SHARES, LEGEND_WORD, LEGEND_LETTER, LEGENDS };

static void add_entry(const struct sheet *s, size_t i, enum legend form, struct buffer *to)
{
	const struct band *b = &bands[i];
	bool is_less = s->bytes[i] < 0 && b->less;

	if (form == LEGEND_LETTER)
		buffer_add_char(to, b->letter);
	else
		buffer_add_text(to, is_less ? b->less : form == LEGEND_WORDS ? b->words : b->word);
	buffer_add_char(to, ' ');
	if (s->bytes[i] < 0 && (form == LEGEND_LETTER || !is_less))
		buffer_add_char(to, '-');
	brief_add_bytes(to, saturate_size(s->bytes[i]));
	if (form <= LEGEND_SHARES && s->total)
		buffer_printf(to, " %.0f%%",
			(double)saturate_size(s->bytes[i]) * PERCENT / (double)s->total);
}

/*
 * Draws the legend, or only measures it if G is NULL. Entries that do not fit into WIDTH columns go
 * to the next line. Returns the number of lines.
 */
static size_t draw_legend(const struct sheet *s, enum legend form, size_t width, struct grid *g,
	size_t y, size_t most)
{
	size_t x = 0, lines = 1;

	for (size_t i = 0; i < BANDS; i++) {
		AUTO_BUFFER struct buffer entry = {0};

		if (!s->is_present[i] || (bands[i].is_rare && !s->bytes[i]))
			continue;
		add_entry(s, i, form, &entry);
		if (entry.error)
			return lines;
		if (x && x + entry.len > width) {
			x = 0;
			lines++;
		}
		buffer_add_char(&entry, '\0');
		if (g && lines <= most) {
			grid_text(g, x, y + lines - 1, SIZE_MAX, STYLE_NORMAL, entry.data);
			grid_restyle(g, x, y + lines - 1, 1, bands[i].style);
		}
		x += entry.len + (form <= LEGEND_SHARES ? 1 : 0);
	}
	return lines;
}

size_t host_lines_draw_bar(const struct view *view, struct grid *g, size_t y, size_t most)
{
	const struct snapshot_balance *b = view_balance(view);
	unsigned int form = 0;
	size_t allowed = 1, lines;
	struct sheet s;

	if (!b) {
		grid_text(g, 0, y, g->width, STYLE_BAD,
			"this snapshot has no balance sheet of the host");
		return 1;
	}
	sheet_of(view, b, &s);
	draw_bands(&s, g, y);
	if (most < 2)
		return 1;
	while (form + 1 < LEGENDS) {
		lines = draw_legend(&s, (enum legend)form, g->width, NULL, 0, 0);
		allowed = form == LEGEND_WORDS || most < 3 ? 1 : most - 1;
		if (form == LEGEND_SHARES && allowed > 2)
			allowed = 2;
		if (lines <= allowed)
			break;
		form++;
	}
	lines = draw_legend(&s, (enum legend)form, g->width, g, y + 1, most - 1);
	return 1 + (lines < most ? lines : most - 1);
}

/* Appends a separator if TO is not empty. */
static void next_part(struct buffer *to)
{
	if (to->len)
		buffer_add_text(to, "  ");
}

static void add_swap(const struct snapshot_balance *b, struct buffer *to)
{
	static const enum balance_quantity used[] = {
		BALANCE_SWAP_PROCESSES, BALANCE_SWAP_SYSV, BALANCE_SWAP_UNKNOWN};
	int64_t sum = 0;

	if (!b || !ROW_HAS(b, BALANCE_SWAP_FREE)) {
		buffer_add_text(to, "swap: not known");
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(used); i++)
		sum += ROW_HAS(b, used[i]) ? (int64_t)b->q[used[i]] : 0;
	if (!sum && !b->q[BALANCE_SWAP_FREE]) {
		buffer_add_text(to, "no swap space");
		return;
	}
	buffer_add_text(to, "swap ");
	brief_add_bytes(to, sum > 0 ? (uint64_t)sum : 0);
	buffer_add_text(to, " of ");
	brief_add_bytes(to, (sum > 0 ? (uint64_t)sum : 0) + b->q[BALANCE_SWAP_FREE]);
}

static void host_lines_add_pressure(const struct snapshot_self *self, struct buffer *to)
{
	if (!ROW_HAS(self, SELF_MEMORY_PRESSURE))
		return;
	next_part(to);
	buffer_printf(to, "pressure %.1f %%", metric_real(self->q[SELF_MEMORY_PRESSURE]) * PERCENT);
}

/* Appends the bounds of the host's PSS, unless both look the same. */
static void host_lines_add_bounds(const struct snapshot_scope *host, struct buffer *to)
{
	uint64_t low = host->q[SCOPE_PSS_LOW], high = host->q[SCOPE_PSS_HIGH];

	if (!ROW_HAS(host, SCOPE_PSS_LOW))
		return;
	if (!ROW_HAS(host, SCOPE_PSS_HIGH))
		buffer_add_text(to, ", at least ");
	else if (human_is_alike(low, high))
		return;
	else
		buffer_add_text(to, ", ");
	brief_add_bytes(to, low);
	if (!ROW_HAS(host, SCOPE_PSS_HIGH))
		return;
	buffer_add_text(to, " to ");
	brief_add_bytes(to, high);
}

/* Appends BYTES of the PSS of S as a percentage, and WHAT they are, if there are any. */
static void host_lines_add_part(
	const struct shares *s, uint64_t bytes, const char *what, struct buffer *to)
{
	if (!bytes)
		return;
	buffer_add_text(to, ", ");
	shares_add_percent(to, s, bytes);
	buffer_add_text(to, what);
}

/* Appends how much of the host's PSS is measured, estimated and guessed, and its bounds. */
static void host_lines_add_certainty(const struct snapshot_scope *host, struct buffer *to)
{
	struct shares s;

	if (!shares_of(host, &s))
		return;
	next_part(to);
	buffer_add_text(to, "PSS ");
	shares_add_measured(to, &s, host);
	buffer_add_text(to, " measured");
	host_lines_add_part(&s, s.estimated_bytes, " estimated", to);
	host_lines_add_part(&s, s.guessed_bytes, " guessed", to);
	host_lines_add_bounds(host, to);
}

void host_lines_draw_rest(const struct view *view, struct grid *g, size_t y)
{
	AUTO_BUFFER struct buffer text = {0};

	add_swap(view_balance(view), &text);
	host_lines_add_pressure(view_self(view), &text);
	host_lines_add_certainty(view_host(view), &text);
	buffer_add_char(&text, '\0');
	if (!text.error)
		grid_text(g, 0, y, g->width, STYLE_NORMAL, text.data);
}
