/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/past/past-series.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/saturate.h"
#include "base/when.h"
#include "cli/past/chart.h"
#include "render/human.h"
#include "render/json.h"

enum {
	WIDE_BYTES = 1 << 20, /* bounds that are closer are not shown, as in cli/table/note.h */
	WIDE_PART = 20,       /* nor those within a twentieth of the PSS */
};

/* The marks, the most important one first. */
static const struct {
	enum past_mark mark;
	char letter; /* in a chart; 0: it is not drawn, since it is seen as a gap or no event */
	const char *word;
	const char *meaning;
} marks[] = {
	{PAST_MARK_OOM, 'O', "oom", "OOM kill"},
	{PAST_MARK_PRESSURE, 'p', "pressure", "memory pressure"},
	{PAST_MARK_START, 0, "start", NULL},
	{PAST_MARK_GAP, 0, "gap", NULL},
};

void past_series_done(struct past_series *s)
{
	free(s->point);
	*s = (struct past_series){.points = 0};
}

int past_series_add(struct past_series *s, const struct past_series_point *point)
{
	if (ARRAY_RESERVE(s->point, s->room, s->points + 1) < 0)
		return -ENOMEM;
	s->point[s->points++] = *point;
	return 0;
}

int past_series_add_recorded(struct past_series *s, const struct past_point *points, size_t count,
	uint64_t step_ns, uint64_t until_ns)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < count; i++) {
		const struct past_point *p = &points[i];
		uint64_t hold_ns = i ? saturate_max(step_ns, p->at_ns - points[i - 1].at_ns)
		                     : step_ns;
		bool has_next = i + 1 < count && !(points[i + 1].marks & PAST_MARK_GAP);
		uint64_t until = has_next ? points[i + 1].at_ns
		                          : saturate_min(saturate_add(p->at_ns, hold_ns),
						    i + 1 < count ? points[i + 1].at_ns : until_ns);
		const struct past_series_point point = {
			.source = PAST_SERIES_RECORDER,
			.from_ns = p->at_ns,
			.until_ns = saturate_max(until, p->at_ns),
			.has_pss = p->present & 1,
			.has_bounds = p->present >> 1 & 1,
			.pss = p->value,
			.low = p->low,
			.high = p->high,
			.marks = p->marks,
		};

		r = past_series_add(s, &point);
	}
	return r;
}

enum {
	PAST_SERIES_TIME,
	PAST_SERIES_UNTIL,
	PAST_SERIES_PSS,
	PAST_SERIES_LOW,
	PAST_SERIES_HIGH,
	PAST_SERIES_MAX,
	PAST_SERIES_SOURCE,
	PAST_SERIES_MARKS,
	PAST_SERIES_NOTE,
};

/* Variants of the list. */
enum { WITH_MAX = 1 << 0, WITH_NOTE = 1 << 1 };

static bool past_series_is_wide(const struct past_series_point *p)
{
	uint64_t between = saturate_less(p->high, p->low);

	return p->has_pss && p->has_bounds && between >= WIDE_BYTES &&
	       between >= p->pss / WIDE_PART;
}

static void add_marks(const struct past_series_point *p, struct buffer *to)
{
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		if (!(p->marks & marks[i].mark))
			continue;
		if (to->len)
			buffer_add_char(to, ' ');
		buffer_add_text(to, marks[i].word);
	}
}

/* Appends the marks and the bounds of the PSS, or nothing. */
static void past_series_add_note(const struct past_series_point *p, bool exact, struct buffer *to)
{
	add_marks(p, to);
	if (!past_series_is_wide(p))
		return;
	if (to->len)
		buffer_add_text(to, ", ");
	if (exact)
		buffer_printf(to, "%llu to %llu", (unsigned long long)p->low,
			(unsigned long long)p->high);
	else
		human_add_range(to, p->low, "to", p->high);
}

/* Gets a time: local in a table, RFC 3339 in other forms. */
static bool past_series_get_time(const struct list *l, uint64_t ns, struct column_value *ret)
{
	char local[WHEN_TEXT_SIZE], utc[CLOCK_TEXT_SIZE];

	when_format(ns, local);
	clock_format_rfc3339(ns, utc);
	buffer_add_text(ret->room, l->form == LIST_TABLE ? local : utc);
	return column_use_room(ret);
}

static bool past_series_get(
	const struct list *l, const struct column *c, const void *row, struct column_value *ret)
{
	const struct past_series_point *p = row;

	switch (c->index) {
	case PAST_SERIES_TIME: return past_series_get_time(l, p->from_ns, ret);
	case PAST_SERIES_UNTIL:
		return past_series_get_time(l, p->until_ns, ret) && p->source == PAST_SERIES_LEDGER;
	case PAST_SERIES_PSS: ret->number = p->pss; return p->has_pss;
	case PAST_SERIES_LOW: ret->number = p->low; return p->has_bounds;
	case PAST_SERIES_HIGH: ret->number = p->high; return p->has_bounds;
	case PAST_SERIES_MAX: ret->number = p->max; return p->has_max;
	case PAST_SERIES_SOURCE:
		return column_use_text(
			ret, p->source == PAST_SERIES_LEDGER ? "ledger" : "recorder");
	case PAST_SERIES_MARKS: add_marks(p, ret->room); return column_use_room(ret) && p->marks;
	default: past_series_add_note(p, l->bytes, ret->room); return column_use_room(ret);
	}
}

/* clang-format off */
#define COLUMN(name, type, of) .field = (name), .kind = (type), .get = past_series_get, .index = (of)
/* clang-format on */

static const struct column columns[] = {
	{COLUMN("time", COLUMN_WORD, PAST_SERIES_TIME), .head = "TIME"},
	{COLUMN("until", COLUMN_WORD, PAST_SERIES_UNTIL)},
	{COLUMN("pss_bytes", COLUMN_BYTES, PAST_SERIES_PSS), .head = "PSS"},
	{COLUMN("pss_low_bytes", COLUMN_BYTES, PAST_SERIES_LOW)},
	{COLUMN("pss_high_bytes", COLUMN_BYTES, PAST_SERIES_HIGH)},
	{COLUMN("pss_max_bytes", COLUMN_BYTES, PAST_SERIES_MAX), .head = "MAX", .only = WITH_MAX,
		.drop = 2},
	{COLUMN("source", COLUMN_WORD, PAST_SERIES_SOURCE), .head = "SOURCE", .drop = 1},
	{COLUMN("marks", COLUMN_WORDS, PAST_SERIES_MARKS)},
	{COLUMN(NULL, COLUMN_TEXT, PAST_SERIES_NOTE), .head = "NOTE", .only = WITH_NOTE},
};

const struct columns past_series_columns = {columns, ARRAY_SIZE(columns)};

static unsigned int past_series_variant(const struct past_series *s)
{
	unsigned int variant = 0;

	for (size_t i = 0; i < s->points; i++) {
		variant |= s->point[i].has_max ? WITH_MAX : 0;
		variant |= s->point[i].marks || past_series_is_wide(&s->point[i]) ? WITH_NOTE : 0;
	}
	return variant;
}

static void past_series_add_time(const char *name, uint64_t ns, struct buffer *to)
{
	char text[CLOCK_TEXT_SIZE];

	clock_format_rfc3339(ns, text);
	buffer_printf(to, ",\"%s\":\"%s\"", name, text);
}

static void add_subject(const struct past_series_subject *subject, struct buffer *to)
{
	buffer_printf(to, "{\"history\":{\"scope\":\"%s\"", subject->scope);
	if (subject->name) {
		buffer_add_text(to, ",\"name\":");
		json_render_string(subject->name, to);
	}
	if (subject->pid)
		buffer_printf(to, ",\"pid\":%u", subject->pid);
	past_series_add_time("from", subject->from_ns, to);
	past_series_add_time("to", subject->until_ns, to);
	buffer_add_char(to, '}');
}

int past_series_print(const struct past_series *s, const struct past_series_subject *subject,
	const struct list_look *look, struct buffer *to)
{
	AUTO_LIST struct list l = list_make(&past_series_columns, look, NULL, to);
	int r = 0;

	l.variant = l.form == LIST_TABLE ? past_series_variant(s) : WITH_MAX;
	if (l.form == LIST_JSON) {
		add_subject(subject, to);
		buffer_add_text(to, ",\"points\":[");
	}
	list_begin(&l);
	for (size_t i = 0; r == 0 && i < s->points; i++)
		r = list_add(&l, &s->point[i]);
	if (l.form == LIST_JSON)
		buffer_add_text(to, "]}\n");
	return r == 0 ? list_end(&l) : r;
}

/* Returns the letter of the most important mark of P; 0: none. */
static char letter_of(const struct past_series_point *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (p->marks & marks[i].mark && marks[i].letter)
			return marks[i].letter;
	return 0;
}

/* Appends "O: OOM kill, p: memory pressure", of those that S has; nothing if it has none. */
static void past_series_add_legend(const struct past_series *s, struct buffer *to)
{
	const char *before = "";
	uint32_t all = 0;

	for (size_t i = 0; i < s->points; i++)
		all |= s->point[i].marks;
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		if (!(all & marks[i].mark) || !marks[i].letter)
			continue;
		buffer_printf(to, "%s%c: %s", before, marks[i].letter, marks[i].meaning);
		before = ", ";
	}
	if (*before)
		buffer_add_char(to, '\n');
}

/* Returns the time at which the first point with something to draw begins, not before FROM_NS. */
static uint64_t past_series_begin(const struct past_series *s, uint64_t from_ns)
{
	for (size_t i = 0; i < s->points; i++)
		if (s->point[i].has_pss || letter_of(&s->point[i]))
			return saturate_max(s->point[i].from_ns, from_ns);
	return from_ns;
}

int past_series_draw(const struct past_series *s, const struct past_series_subject *subject,
	size_t width, bool exact, struct buffer *to)
{
	AUTO_FREE struct chart_point *point = calloc(s->points + 1, sizeof(*point));
	struct chart chart = {
		.point = point,
		.from_ns = past_series_begin(s, subject->from_ns),
		.until_ns = subject->until_ns,
		.width = width,
		.bytes = exact,
	};

	if (!point)
		return -ENOMEM;
	if (chart.from_ns >= chart.until_ns)
		chart.from_ns = subject->from_ns;
	for (size_t i = 0; i < s->points; i++) {
		const struct past_series_point *p = &s->point[i];

		if (p->has_pss || letter_of(p))
			point[chart.points++] = (struct chart_point){
				.from_ns = p->from_ns,
				.until_ns = p->until_ns,
				.bytes = p->has_pss ? p->pss : 0,
				.mark = letter_of(p),
			};
	}
	chart_render(&chart, to);
	past_series_add_legend(s, to);
	return to->error;
}
