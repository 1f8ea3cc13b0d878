/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/compare/scrape.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "base/saturate.h"
#include "base/scan.h"
#include "base/text.h"
#include "snapshot/record.h"

#define OF_EXPORTER "namedprocess_"

/* The name of a group without one, as rules name it. */
#define NO_NAME "(unnamed)"

/* Values are doubles, with exponents up to 308. */
enum { EXPONENT_MAX = 999, DECIMAL = 10 };

static const struct {
	const char *metric, *memtype; /* .memtype: the label; NULL: the metric has none */
} sources[SCRAPE_QUANTITIES] = {
	[SCRAPE_PROCESSES] = {OF_EXPORTER "namegroup_num_procs", NULL},
	[SCRAPE_RSS] = {OF_EXPORTER "namegroup_memory_bytes", "resident"},
	[SCRAPE_PSS] = {OF_EXPORTER "namegroup_memory_bytes", "proportionalResident"},
};

struct scrape_sample {
	size_t name; /* offset in the names */
	enum scrape_quantity quantity;
	uint64_t value;
};

/* The samples of a text. */
struct scrape_reading {
	struct scrape_sample *sample; /* owned */
	size_t samples, room;
	struct buffer names;          /* owned */
	struct buffer group, memtype; /* owned; values of labels of the line that is being parsed */
	bool is_of_exporter;
};

static void scrape_reading_done(struct scrape_reading *r)
{
	free(r->sample);
	buffer_done(&r->names);
	buffer_done(&r->group);
	buffer_done(&r->memtype);
}

void scrape_done(struct scrape *s)
{
	free(s->group);
	buffer_done(&s->names);
	*s = (struct scrape){0};
}

static void scrape_skip_blanks(struct scan *l)
{
	while (scan_char(l, ' ') || scan_char(l, '\t'))
		;
}

/* Skips blanks, and C if it comes then. Returns whether it does. */
static bool scrape_take(struct scan *l, char c)
{
	scrape_skip_blanks(l);
	return scan_char(l, c);
}

/* Skips blanks. Returns the bytes up to one of ENDS; they may be none. */
static struct scan scrape_take_word(struct scan *l, const char *ends)
{
	const char *start;

	scrape_skip_blanks(l);
	start = l->at;
	while (l->at < l->end && !strchr(ends, *l->at))
		l->at++;
	return (struct scan){start, l->at};
}

/* Writes the value of a label, which is in quotes and has escapes, to TO. Returns false without one. */
static bool scrape_take_value(struct scan *l, struct buffer *to)
{
	buffer_clear(to);
	if (!scrape_take(l, '"'))
		return false;
	for (; l->at < l->end && *l->at != '"'; l->at++) {
		char c = *l->at;

		if (c == '\\') {
			if (++l->at == l->end)
				return false;
			c = *l->at == 'n' ? '\n' : *l->at;
		}
		buffer_add_char(to, c);
	}
	return scrape_take(l, '"');
}

/* Reads labels with their braces. Returns false if they are malformed, or lack the group. */
static bool scrape_take_labels(struct scan *l, struct scrape_reading *r)
{
	AUTO_BUFFER struct buffer other = {0};
	bool has_group = false;

	buffer_clear(&r->memtype);
	if (!scrape_take(l, '{'))
		return false;
	while (!scrape_take(l, '}')) {
		struct scan name = scrape_take_word(l, " \t=");
		bool is_group = scan_is(&name, "groupname");
		struct buffer *to = is_group                    ? &r->group
		                    : scan_is(&name, "memtype") ? &r->memtype
		                                                : &other;

		if (!scrape_take(l, '=') || !scrape_take_value(l, to))
			return false;
		has_group = has_group || is_group;
		if (!scrape_take(l, ',') && (l->at == l->end || *l->at != '}'))
			return false;
	}
	return has_group;
}

/* Reads an exponent such as "+06"; "" is 0. Returns false if WORD is malformed or out of range. */
static bool scrape_parse_exponent(struct scan word, int *ret)
{
	bool has_exponent = scan_left(&word), is_negative;
	uint64_t value = 0;

	word.at += has_exponent; /* the e */
	is_negative = scan_char(&word, '-');
	if (!is_negative)
		scan_char(&word, '+');
	if (has_exponent &&
		(number_parse_u64(word.at, scan_left(&word), &value) < 0 || value > EXPONENT_MAX))
		return false;
	*ret = is_negative ? -(int)value : (int)value;
	return true;
}

/*
 * Reads a number as Go prints a double that is not negative, such as 3, 1.048576e+06 or 5e-324,
 * without its fraction. Returns false if WORD is malformed or above INT64_MAX.
 */
static bool scrape_parse_number(struct scan word, uint64_t *ret)
{
	uint64_t value = 0;
	bool has_point = false, has_digit = false;
	int exponent, scale = 0;

	for (; word.at < word.end && *word.at != 'e' && *word.at != 'E'; word.at++) {
		uint64_t digit = (uint64_t)(*word.at - '0');

		if (*word.at == '.' && !has_point) {
			has_point = true;
			continue;
		}
		if (digit >= DECIMAL)
			return false;
		has_digit = true;
		scale -= has_point;
		if (value <= (UINT64_MAX - digit) / DECIMAL)
			value = value * DECIMAL + digit;
		else
			scale++;
	}
	if (!has_digit || !scrape_parse_exponent(word, &exponent))
		return false;
	for (scale += exponent; scale < 0 && value; scale++)
		value /= DECIMAL;
	for (; scale > 0 && value; scale--)
		if (__builtin_mul_overflow(value, (uint64_t)DECIMAL, &value))
			return false;
	*ret = value;
	return value <= INT64_MAX;
}

/* Returns the quantity of METRIC with the label MEMTYPE; SCRAPE_QUANTITIES if it is none. */
static enum scrape_quantity scrape_find(const struct scan *metric, const struct buffer *memtype)
{
	const char *type = memtype->data ? memtype->data : "";
	struct scan label = {type, type + memtype->len};
	unsigned int i = 0;

	while (i < SCRAPE_QUANTITIES &&
		!(scan_is(metric, sources[i].metric) &&
			(!sources[i].memtype || scan_is(&label, sources[i].memtype))))
		i++;
	return (enum scrape_quantity)i;
}

static int scrape_add(struct scrape_reading *r, enum scrape_quantity quantity, uint64_t value)
{
	const struct buffer *group = &r->group;
	size_t name = r->names.len;

	if (group->len)
		text_add_name(&r->names, group->data, group->len, SNAPSHOT_NAME_MAX);
	else
		buffer_add_text(&r->names, NO_NAME);
	buffer_add_char(&r->names, '\0');
	if (r->names.error || ARRAY_RESERVE(r->sample, r->room, r->samples + 1) < 0)
		return -ENOMEM;
	r->sample[r->samples++] = (struct scrape_sample){name, quantity, value};
	return 0;
}

/* Parses a line. Returns 0, -EINVAL or -ENOMEM. */
static int scrape_read_line(struct scan l, struct scrape_reading *r)
{
	struct scan metric = scrape_take_word(&l, " \t{"), value;
	enum scrape_quantity quantity;
	bool is_good;
	uint64_t number;

	if (!scan_sees(&metric, OF_EXPORTER))
		return 0;
	r->is_of_exporter = true;
	if (!scan_is(&metric, sources[SCRAPE_PROCESSES].metric) &&
		!scan_is(&metric, sources[SCRAPE_RSS].metric))
		return 0;
	is_good = scrape_take_labels(&l, r);
	if (r->group.error || r->memtype.error)
		return -ENOMEM;
	value = scrape_take_word(&l, " \t\r"); /* a time may follow */
	if (!is_good)
		return -EINVAL;
	quantity = scrape_find(&metric, &r->memtype);
	if (quantity == SCRAPE_QUANTITIES || scan_is(&value, "NaN"))
		return 0;
	return scrape_parse_number(value, &number) ? scrape_add(r, quantity, number) : -EINVAL;
}

static int scrape_read(const char *text, size_t len, struct scrape_reading *r,
	char error[static SCRAPE_ERROR_SIZE])
{
	const char *end = text + len;
	size_t line = 1;
	int result = 0;

	for (const char *at = text; result == 0 && at < end; line++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		struct scan l = {at, newline ? newline : end};

		result = scrape_read_line(l, r);
		at = newline ? newline + 1 : end;
	}
	if (result == -EINVAL)
		snprintf(error, SCRAPE_ERROR_SIZE,
			"line %zu: expected a metric of a group, such as %s{groupname=\"a\"} 1",
			line - 1, sources[SCRAPE_PROCESSES].metric);
	else if (result == 0 && !r->is_of_exporter) {
		snprintf(error, SCRAPE_ERROR_SIZE,
			"expected the metrics of process-exporter, found none (%s...)",
			OF_EXPORTER);
		result = -EINVAL;
	}
	return result;
}

static int scrape_compare_samples(const void *a_, const void *b_, void *context)
{
	const struct scrape_sample *a = a_, *b = b_;
	const char *names = context;

	return strcmp(names + a->name, names + b->name);
}

/* Makes groups of the samples. Returns 0 or -ENOMEM. */
static int scrape_group(struct scrape_reading *r, struct scrape *ret)
{
	struct scrape s = {.group = calloc(r->samples + 1, sizeof(*s.group))};

	if (!s.group)
		return -ENOMEM;
	if (r->samples)
		qsort_r(r->sample, r->samples, sizeof(*r->sample), scrape_compare_samples,
			r->names.data);
	for (size_t i = 0; i < r->samples; i++) {
		const struct scrape_sample *sample = &r->sample[i];
		const char *name = r->names.data + sample->name;
		struct scrape_group *g;

		if (!s.count || strcmp(s.group[s.count - 1].name, name) != 0)
			s.group[s.count++].name = name;
		g = &s.group[s.count - 1];
		ROW_SET(g, sample->quantity,
			saturate_min(g->q[sample->quantity] + sample->value, INT64_MAX));
	}
	s.names = r->names;
	r->names = (struct buffer){0};
	*ret = s;
	return 0;
}

int scrape_parse(
	const char *text, size_t len, struct scrape *ret, char error[static SCRAPE_ERROR_SIZE])
{
	CLEANUP(scrape_reading_done) struct scrape_reading r = {0};
	int result = scrape_read(text, len, &r, error);

	return result == 0 ? scrape_group(&r, ret) : result;
}
