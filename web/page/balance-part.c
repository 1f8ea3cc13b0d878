/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/page/balance-part.h"

#include "render/human.h"
#include "snapshot/balance.h"
#include "web/page/html.h"

#define LINE(line) (UINT64_C(1) << (line))

/* Lines of the balance sheet that the page shows as one. */
struct balance_group {
	const char *id; /* the end of the name of its colour in web/assets/style.css */
	const char *title;
	const char *help;
	uint64_t lines; /* a mask of enum balance_quantity; each line is in one group */
};

static const struct balance_group groups[] = {
	{"processes", "Processes", "what the processes of the tables below use: their PSS",
		LINE(BALANCE_PSS_ANON) | LINE(BALANCE_PSS_FILE) | LINE(BALANCE_PSS_DRIVER) |
			LINE(BALANCE_PSS_SHMEM) | LINE(BALANCE_PSS_UNSPLIT)},
	{"cache", "Cache",
		"copies of files that no process maps; the kernel drops them if memory is needed",
		LINE(BALANCE_PAGE_CACHE) | LINE(BALANCE_SWAP_CACHE)},
	{"shared", "Shared memory and tmpfs",
		"without a process that maps it; no process's exit frees it",
		LINE(BALANCE_SYSV) | LINE(BALANCE_TMPFS) | LINE(BALANCE_SHMEM)},
	{"hugetlb", "Huge pages", "set aside in pools, used or not", LINE(BALANCE_HUGETLB)},
	{"kernel", "Kernel", "the kernel's own tables, caches and buffers",
		LINE(BALANCE_PAGE_TABLES) | LINE(BALANCE_SECONDARY_PAGE_TABLES) |
			LINE(BALANCE_KERNEL_STACKS) | LINE(BALANCE_SLAB_RECLAIMABLE) |
			LINE(BALANCE_SLAB_UNRECLAIMABLE) | LINE(BALANCE_KERNEL_RECLAIMABLE) |
			LINE(BALANCE_VMALLOC) | LINE(BALANCE_PERCPU) | LINE(BALANCE_ZSWAP) |
			LINE(BALANCE_ZRAM) | LINE(BALANCE_WRITEBACK_TMP) | LINE(BALANCE_MEMMAP) |
			LINE(BALANCE_HARDWARE_CORRUPTED)},
	{"free", "Free", "unused", LINE(BALANCE_FREE) | LINE(BALANCE_FREE_LISTS)},
};

/* Returns the sum of LINES of ROW. Returns 0 if ROW has none of them. */
static uint64_t balance_part_sum(const struct snapshot_balance *row, uint64_t lines)
{
	uint64_t sum = 0;

	for (unsigned int n = 0; n < BALANCE_KINDS; n++) {
		enum balance_quantity line = balance_kind(n)->line;

		if (lines & LINE(line) && ROW_HAS(row, line) &&
			__builtin_add_overflow(sum, row->q[line], &sum))
			return UINT64_MAX;
	}
	return sum;
}

/* Appends the names of LINES, separated by blanks: the script finds the amounts by them. */
static void balance_part_add_names(struct buffer *to, uint64_t lines)
{
	const char *between = "";

	for (unsigned int n = 0; n < BALANCE_KINDS; n++)
		if (lines & LINE(balance_kind(n)->line)) {
			buffer_add_text(to, between);
			buffer_add_text(to, balance_kind(n)->name);
			between = " ";
		}
}

/* Appends the bar of all groups and a row of swatches, all of which the table repeats. */
static void balance_part_add_bar(
	const struct snapshot_balance *row, uint64_t total_bytes, struct buffer *to)
{
	uint64_t before = 0;

	buffer_add_text(to, "<svg id=\"balance-bar\" class=\"stack\" aria-hidden=\"true\">");
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		uint64_t sum = balance_part_sum(row, groups[i].lines);

		buffer_printf(to, "<rect class=\"group-%s\" x=\"", groups[i].id);
		html_add_share(to, before, total_bytes);
		buffer_add_text(to, "\" width=\"");
		html_add_share(to, sum, total_bytes);
		buffer_add_text(to, "\" height=\"100%\"/>");
		before += sum;
	}
	buffer_add_text(to, "</svg>\n");
}

/*
 * Begins the row for LINES, which is hidden if ROW has none of them: the script shows it when they
 * come.
 */
static void balance_part_begin_row(
	const struct snapshot_balance *row, uint64_t lines, struct buffer *to)
{
	buffer_add_text(to, row->present & lines ? "<tr" : "<tr hidden");
	buffer_add_text(to, " data-lines=\"");
	balance_part_add_names(to, lines);
	buffer_add_text(to, "\">");
}

/* Appends the cells of a row without an amount. */
static void balance_part_add_dash(struct buffer *to)
{
	buffer_add_text(to, "<td class=\"number\">\u2013</td><td class=\"number\"></td></tr>\n");
}

/* Appends the cells with BYTES, and with their part of TOTAL_BYTES. */
static void balance_part_add_cells(struct buffer *to, uint64_t bytes, uint64_t total_bytes)
{
	buffer_add_text(to, "<td class=\"number\">");
	human_add_bytes(to, bytes);
	buffer_add_text(to, "</td><td class=\"number\">");
	human_add_percent(to, total_bytes ? (double)bytes / (double)total_bytes : 0);
	buffer_add_text(to, "</td></tr>\n");
}

static void balance_part_add_group(const struct snapshot_balance *row,
	const struct balance_group *group, uint64_t total_bytes, struct buffer *to)
{
	balance_part_begin_row(row, group->lines, to);
	buffer_printf(to,
		"<th scope=\"row\"><svg class=\"swatch\" aria-hidden=\"true\"><rect "
		"class=\"group-%s\" width=\"100%%\" height=\"100%%\"/></svg> %s "
		"<span class=\"note\">%s</span></th>",
		group->id, group->title, group->help);
	if (row->present & group->lines)
		balance_part_add_cells(to, balance_part_sum(row, group->lines), total_bytes);
	else
		balance_part_add_dash(to);
}

/* Appends the residual, which is negative if the lines exceed MemTotal. */
static void balance_part_add_residual(
	const struct snapshot_balance *row, uint64_t total_bytes, struct buffer *to)
{
	int64_t residual;

	buffer_printf(to,
		"<tr%s data-lines=\"residual\"><th scope=\"row\"><svg class=\"swatch\" "
		"aria-hidden=\"true\"></svg> Not accounted for <span class=\"note\">memory without "
		"a counter in the kernel, and errors of the PSS</span></th>",
		ROW_HAS(row, BALANCE_RESIDUAL) ? "" : " hidden");
	if (!ROW_HAS(row, BALANCE_RESIDUAL)) {
		balance_part_add_dash(to);
		return;
	}
	residual = (int64_t)row->q[BALANCE_RESIDUAL];
	if (residual >= 0) {
		balance_part_add_cells(to, (uint64_t)residual, total_bytes);
		return;
	}
	buffer_add_text(to, "<td class=\"number\">\u2212");
	human_add_bytes(to, -(uint64_t)residual);
	buffer_add_text(to, "</td><td class=\"number\"></td></tr>\n");
}

static void balance_part_add_head(struct buffer *to, const char *caption)
{
	buffer_printf(to,
		"<div class=\"wide\"><table>\n<caption>%s</caption>\n<thead><tr><th "
		"scope=\"col\">Use</th><th scope=\"col\" class=\"number\">Amount</th><th "
		"scope=\"col\" class=\"number\">Part</th></tr></thead>\n<tbody>\n",
		caption);
}

/* Appends every line of the sheet. */
static void balance_part_add_lines(
	const struct snapshot_balance *row, uint64_t total_bytes, struct buffer *to)
{
	buffer_add_text(to, "<details><summary>Every line of the balance sheet</summary>\n");
	balance_part_add_head(to, "Lines of the balance sheet");
	for (unsigned int n = 0; n < BALANCE_KINDS; n++) {
		const struct balance_kind *kind = balance_kind(n);

		balance_part_begin_row(row, LINE(kind->line), to);
		buffer_printf(to,
			"<th scope=\"row\"><code>%s</code> <span class=\"note\">%s</span></th>",
			kind->name, kind->help);
		if (ROW_HAS(row, kind->line))
			balance_part_add_cells(to, row->q[kind->line], total_bytes);
		else
			balance_part_add_dash(to);
	}
	buffer_add_text(to, "</tbody></table></div></details>\n");
}

void balance_part_render(const struct view *view, struct buffer *to)
{
	const struct snapshot_balance *row = view_balance(view);
	const struct snapshot_scope *host = view_host(view);
	uint64_t total_bytes = host->q[SCOPE_MEM_TOTAL];

	buffer_add_text(to, "<section id=\"balance\" aria-labelledby=\"balance-title\">\n"
			    "<h2 id=\"balance-title\">Memory of the host</h2>\n");
	if (!row || !ROW_HAS(host, SCOPE_MEM_TOTAL)) {
		buffer_add_text(to, "<p>The balance sheet of the host is not known.</p>\n"
				    "</section>\n");
		return;
	}
	buffer_add_text(to, "<p>The host has <b id=\"mem-total\">");
	human_add_bytes(to, total_bytes);
	buffer_add_text(to, "</b> of memory.</p>\n");
	balance_part_add_bar(row, total_bytes, to);
	balance_part_add_head(to, "Where the memory is");
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		balance_part_add_group(row, &groups[i], total_bytes, to);
	balance_part_add_residual(row, total_bytes, to);
	buffer_add_text(to, "</tbody></table></div>\n");
	balance_part_add_lines(row, total_bytes, to);
	buffer_add_text(to, "</section>\n");
}
