/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/past/chart.h"

#include <string.h>

#include "base/clock.h"
#include "base/saturate.h"
#include "base/when.h"
#include "cli/table/cell.h"
#include "cli/table/column.h"

enum {
	LEVELS = 8, /* of a character: eighths of a block */
	DAY_S = 86400,
	LONG_DAYS = 300, /* times of a chart of more days have the year */
	TIME_SIZE = 32,
};

/* A column of the chart. */
struct bar {
	bool has_amount;
	uint64_t bytes;
	char mark;
};

/* The chart in columns. */
struct drawing {
	struct bar bar[CHART_WIDTH_MAX];
	size_t bars;
	size_t margin; /* columns of the amounts at the left */
	uint64_t most;
	bool is_utf8, has_marks;
};

/* Returns the column at NS, between .from_ns and .until_ns. */
static size_t bar_at(const struct chart *c, const struct drawing *d, uint64_t ns)
{
	return (size_t)saturate_part(ns - c->from_ns, d->bars, c->until_ns - c->from_ns);
}

static void add_point(const struct chart *c, const struct chart_point *p, struct drawing *d)
{
	uint64_t from_ns = saturate_max(p->from_ns, c->from_ns);
	uint64_t until_ns = saturate_min(p->until_ns, c->until_ns);
	size_t first, last;

	if (from_ns >= until_ns)
		return;
	first = bar_at(c, d, from_ns);
	last = bar_at(c, d, until_ns - 1);
	for (size_t i = first; i <= last; i++) {
		struct bar *bar = &d->bar[i];

		bar->bytes = saturate_max(bar->bytes, p->bytes);
		bar->has_amount = true;
	}
	if (p->mark && p->from_ns >= c->from_ns) {
		d->bar[first].mark = p->mark;
		d->has_marks = true;
	}
}

static size_t chart_amount_width(const struct chart *c, uint64_t bytes)
{
	AUTO_BUFFER struct buffer text = {0};

	column_add_amount(&text, bytes, c->bytes);
	return text.len;
}

static void chart_draw(const struct chart *c, struct drawing *d)
{
	size_t width = saturate_clamp(c->width, CHART_WIDTH_MIN, CHART_WIDTH_MAX);

	d->is_utf8 = cell_is_utf8();
	for (size_t i = 0; i < c->points; i++)
		d->most = saturate_max(d->most, c->point[i].bytes);
	d->margin = saturate_max(
		chart_amount_width(c, d->most), chart_amount_width(c, d->most / 2));
	d->margin = saturate_max(d->margin, chart_amount_width(c, 0)) + 1;
	d->bars = width > d->margin + 1 ? width - d->margin - 1 : 1;
	for (size_t i = 0; i < c->points; i++)
		add_point(c, &c->point[i], d);
}

/* Appends an amount at the right of the margin, or only blanks, and the axis. */
static void chart_add_margin(const struct chart *c, const struct drawing *d, bool has_amount,
	uint64_t bytes, struct buffer *to)
{
	AUTO_BUFFER struct buffer text = {0};

	if (has_amount)
		column_add_amount(&text, bytes, c->bytes);
	buffer_printf(to, "%*.*s ", (int)d->margin - 1, (int)text.len, text.data ? text.data : "");
	buffer_add_text(to, d->is_utf8 ? "\xe2\x94\x82" : "|");
}

/* Appends the character for LEVEL eighths. */
static void chart_add_level(const struct drawing *d, uint64_t level, struct buffer *to)
{
	if (!level)
		buffer_add_char(to, ' ');
	else if (d->is_utf8)
		buffer_add(to, (const char[]){'\xe2', '\x96', (char)(0x80 + level)}, 3);
	else
		buffer_add_char(to, level >= LEVELS / 2 ? '#' : '_');
}

/* Returns how high BAR is, in levels of all lines. An amount has one level at least. */
static uint64_t height_of(const struct drawing *d, const struct bar *bar)
{
	uint64_t height;

	if (!bar->has_amount || !bar->bytes)
		return 0;
	height = saturate_part(bar->bytes, (uint64_t)CHART_HEIGHT * LEVELS, d->most);
	return height ? height : 1;
}

static void end_line(struct buffer *to)
{
	while (to->len && !to->error && to->data[to->len - 1] == ' ')
		to->len--;
	buffer_add_char(to, '\n');
}

static void chart_add_line(
	const struct chart *c, const struct drawing *d, unsigned int line, struct buffer *to)
{
	uint64_t below = (uint64_t)(CHART_HEIGHT - 1 - line) * LEVELS;
	bool is_middle = line == CHART_HEIGHT / 2, is_last = line == CHART_HEIGHT - 1;

	chart_add_margin(c, d, line == 0 || is_middle || is_last,
		is_last     ? 0
		: is_middle ? d->most / 2
			    : d->most,
		to);
	for (size_t i = 0; i < d->bars; i++)
		chart_add_level(d,
			saturate_min(saturate_less(height_of(d, &d->bar[i]), below), LEVELS), to);
	end_line(to);
}

static void chart_add_marks(const struct chart *c, const struct drawing *d, struct buffer *to)
{
	chart_add_margin(c, d, false, 0, to);
	for (size_t i = 0; i < d->bars; i++)
		buffer_add_char(to, d->bar[i].mark ? d->bar[i].mark : ' ');
	end_line(to);
}

/* Returns the format of the times of C: with the day if it begins and ends on several ones. */
static const char *chart_time_format(const struct chart *c)
{
	int64_t from_s = (int64_t)(c->from_ns / NS_PER_SEC);
	int64_t until_s = (int64_t)(c->until_ns / NS_PER_SEC);

	if (until_s - from_s > LONG_DAYS * DAY_S)
		return "%Y-%m-%d %H:%M";
	return when_midnight(from_s, 0) == when_midnight(until_s, 0) ? "%H:%M:%S" : "%b %d %H:%M";
}

static void chart_format_time(const struct chart *c, uint64_t ns, char to[static TIME_SIZE])
{
	struct tm tm = when_local((int64_t)(ns / NS_PER_SEC));

	if (!strftime(to, TIME_SIZE, chart_time_format(c), &tm))
		to[0] = '\0';
}

/* Appends the time of the begin below the first column and that of the end below the last one. */
static void chart_add_times(const struct chart *c, const struct drawing *d, struct buffer *to)
{
	char from[TIME_SIZE], until[TIME_SIZE];
	size_t used;

	chart_format_time(c, c->from_ns, from);
	chart_format_time(c, c->until_ns, until);
	used = strlen(from) + strlen(until);
	buffer_printf(to, "%*s%s", (int)d->margin + 1, "", from);
	if (used + 1 < d->bars)
		buffer_printf(to, "%*s%s", (int)(d->bars - used), "", until);
	buffer_add_char(to, '\n');
}

void chart_render(const struct chart *c, struct buffer *to)
{
	struct drawing d = {.bars = 0};

	chart_draw(c, &d);
	for (unsigned int line = 0; line < CHART_HEIGHT; line++)
		chart_add_line(c, &d, line, to);
	if (d.has_marks)
		chart_add_marks(c, &d, to);
	chart_add_times(c, &d, to);
}
