/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/top/pages/help-lines.h"

#include <string.h>

#include "cli/table/cell.h"
#include "cli/top/rows/top-columns.h"
#include "cli/top/pages/top-keys.h"

enum { INDENT = 11 };

/* The meanings of the lines above the rows, and of words in them. */
static const char *const sentences[] = {
	"The bar is all memory of the host. Its letters are the first letters of the legend: Anon, "
	"memory of processes that is in no file; File, files that processes map; Shared, shared "
	"memory and tmpfs; Unsplit, PSS that memtallyd has not divided into these three yet; Cache, "
	"files that no process maps; Kernel; . is free. ? is unaccounted: no counter explains it. "
	"If it says overcounted, all figures together are by so much more than the memory, since "
	"estimates are too high.",
	"PSS is the memory of a process, with its share of each page that it shares. Figures of users, "
	"programs and units are sums, and add up to that of the host. In the views tree and nested a "
	"row is the sum of its branch: of the process and of all below it. K, M, G are KiB, MiB, GiB.",
	"A PSS is measured within the last interval, estimated from an earlier measurement, or guessed "
	"if the process was never measured. The line below the legend has these parts of all PSS.",
	"The column beside PSS says how far the PSS may be off: by a percentage of it; a sign of at least "
	"or at most, with an amount: the PSS itself may be so much; guess: the PSS is guessed. It is "
	"empty if the PSS is certain to 5 % or 1 MiB. The sum of all processes is surer than its "
	"parts, because the kernel has counters of it.",
	"A word in place of the PSS says why there is none: denied (no permission), blocked (the kernel "
	"keeps readers waiting), changes (exec during the reading), invalid, error, shared (the memory "
	"counts at another process).",
	"Growth is over exactly the time that the head of its column says. If less is known than one or "
	"ten minutes, the head says how much, and the line PSS: says since when. new: the row has "
	"appeared in that time. The time before memtally top was started comes from memtally-recorder, "
	"if that runs. A trend has eight cells for ten minutes.",
	"In the past, the first line says PAST, and which moment is shown. Growth is that before the "
	"moment. memtally-recorder has the past.",
};

/* Appends "NAME  TEXT", folded to WIDTH with TEXT in a column of its own. */
static void add_pair(struct buffer *to, const char *name, const char *text, size_t width)
{
	AUTO_BUFFER struct buffer lines = {0};
	size_t at = 0;

	buffer_add_text(to, name);
	buffer_printf(to, "%*s", INDENT - (int)cell_width(name, strlen(name)), "");
	cell_add_folded(&lines, text, strlen(text), 0, width > INDENT ? width - INDENT : width);
	while (at < lines.len) {
		const char *end = memchr(lines.data + at, '\n', lines.len - at);
		size_t len = end ? (size_t)(end - lines.data) - at : lines.len - at;

		if (at)
			buffer_printf(to, "%*s", INDENT, "");
		buffer_add(to, lines.data + at, len);
		buffer_add_char(to, '\n');
		at += len + 1;
	}
}

static void add_paragraph(struct buffer *to, const char *text, size_t width)
{
	cell_add_folded(to, text, strlen(text), 0, width);
	buffer_add_text(to, "\n\n");
}

void help_lines_add(size_t width, struct buffer *to)
{
	const struct top_key *key;

	buffer_add_text(to, "KEYS\n");
	for (size_t i = 0; (key = top_keys_at(i)); i++)
		add_pair(to, key->names, key->help, width);
	buffer_add_text(to, "\nCOLUMNS, and the keys that sort by them (again: the other way)\n");
	for (unsigned int c = 0; c < TOP_COLUMNS; c++) {
		const struct top_column_spec *spec = top_columns_spec((enum top_column)c);
		AUTO_BUFFER struct buffer name = {0};

		buffer_printf(&name, "%c %s", spec->key ? spec->key : ' ',
			top_columns_head((enum top_column)c, TOP_VIEW_PROCESS));
		buffer_add_char(&name, '\0');
		if (!name.error)
			add_pair(
				to, c == TOP_COLUMN_NAME ? "N NAME" : name.data, spec->help, width);
	}
	buffer_add_text(to, "\nTHE SCREEN\n");
	for (size_t i = 0; i < ARRAY_SIZE(sentences); i++)
		add_paragraph(to, sentences[i], width);
}
