/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes of characters. Go's classes with a name have ASCII characters only, and with (?i) they
 * also have U+017F and U+212A, which are s and k in another case. PCRE2 has others in \s, and no
 * other case in \w. So they are written as ranges.
 */
#include "config.h"

#include "naming/pattern-private.h"

#include <string.h>

enum {
	LONG_S = 0x17f,
	KELVIN = 0x212a,
	WIDE_MAX = 32, /* ranges beyond ASCII: PCRE2 compares a character with each */
};

/* Ranges of ASCII characters, sorted: pairs of the first and the last character. */
struct ranges {
	const char *at;
	size_t len; /* two bytes for each range */
};

#define RANGES(text)                                                                               \
	{                                                                                          \
		text, sizeof(text) - 1                                                             \
	}

static const struct {
	const char *name;
	struct ranges ranges;
} classes[] = {
	{"alnum", RANGES("09AZaz")},
	{"alpha", RANGES("AZaz")},
	{"ascii", RANGES("\0\x7f")},
	{"blank", RANGES("\t\t  ")},
	{"cntrl", RANGES("\0\x1f\x7f\x7f")},
	{"digit", RANGES("09")},
	{"graph", RANGES("!~")},
	{"lower", RANGES("az")},
	{"print", RANGES(" ~")},
	{"punct", RANGES("!/:@[`{~")},
	{"space", RANGES("\t\r  ")},
	{"upper", RANGES("AZ")},
	{"word", RANGES("09AZ__az")},
	{"xdigit", RANGES("09AFaf")},
	/* escape sequences, by their letter */
	{"d", RANGES("09")},
	{"s", RANGES("\t\n\f\r  ")},
	{"w", RANGES("09AZ__az")},
};

static void put_range(struct translation *t, uint32_t first, uint32_t last)
{
	if (first > last)
		return;
	t->wide += last >= 0x80;
	pattern_put_char(t, first);
	if (first == last)
		return;
	buffer_add_char(&t->out, '-');
	pattern_put_char(t, last);
}

static void put_ranges(struct translation *t, const struct ranges *r)
{
	for (size_t i = 0; i < r->len; i += 2)
		put_range(t, (uint32_t)r->at[i], (uint32_t)r->at[i + 1]);
}

/* Writes all characters that are not in R, and do not become one by a change of case. */
static void put_complement(struct translation *t, const struct ranges *r)
{
	bool has_s = false;
	uint32_t next = 0;

	for (size_t i = 0; i < r->len; i += 2) {
		if (r->at[i])
			put_range(t, next, (uint32_t)r->at[i] - 1);
		next = (uint32_t)r->at[i + 1] + 1;
		has_s |= r->at[i] <= 's' && r->at[i + 1] >= 's';
	}
	if (has_s && (t->flags & PATTERN_FOLD)) {
		put_range(t, next, LONG_S - 1);
		put_range(t, LONG_S + 1, KELVIN - 1);
		next = KELVIN + 1;
	}
	put_range(t, next, PATTERN_CHAR_MAX);
}

/* Returns the ranges of the class NAME. NULL: there is none. */
static const struct ranges *find_class(const struct scan *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		if (scan_is(name, classes[i].name))
			return &classes[i].ranges;
	return NULL;
}

/* Returns the ranges of [:NAME:] with the current flags. NULL: there is no such class. */
static const struct ranges *find_named(const struct translation *t, struct scan name)
{
	static const char alpha[] = "alpha";
	bool has_case = scan_is(&name, "upper") || scan_is(&name, "lower");

	if (has_case && (t->flags & PATTERN_FOLD))
		name = (struct scan){alpha, alpha + strlen(alpha)};
	return scan_left(&name) > 1 ? find_class(&name) : NULL;
}

/* Writes the class R of an escape sequence outside of brackets. */
static void put_class(struct translation *t, const struct ranges *r, bool is_negated)
{
	buffer_add_text(&t->out, is_negated ? "[^" : "[");
	put_ranges(t, r);
	buffer_add_char(&t->out, ']');
}

int pattern_class_escape(struct translation *t, bool in_brackets)
{
	char letter = scan_left(&t->in) >= 2 && *t->in.at == '\\' ? t->in.at[1] : '\0';
	char lower = (char)(letter | 0x20);
	const struct ranges *ranges = find_class(&(struct scan){&lower, &lower + 1});

	if (letter == 'p' || letter == 'P')
		return pattern_fault(t, t->in.at, "\\p and \\P are not supported");
	if (!ranges)
		return 0;
	t->in.at += 2;
	if (!in_brackets)
		put_class(t, ranges, letter != lower);
	else if (letter == lower)
		put_ranges(t, ranges);
	else
		put_complement(t, ranges);
	return 1;
}

/*
 * Reads and writes [:NAME:] or [:^NAME:]. Returns as pattern_class_escape(). Without a later ":]"
 * the bracket is a character.
 */
static int read_named_class(struct translation *t)
{
	const char *start = t->in.at;
	const char *end = scan_sees(&t->in, "[:") ? strstr(start + 2, ":]") : NULL;
	struct scan name = {start + 2, end};
	const struct ranges *ranges;
	bool is_negated;

	if (!end)
		return 0;
	is_negated = scan_char(&name, '^');
	ranges = find_named(t, name);
	if (!ranges)
		return pattern_fault(t, start, "unknown class of characters");
	if (is_negated)
		put_complement(t, ranges);
	else
		put_ranges(t, ranges);
	t->in.at = end + 2;
	return 1;
}

static int read_element_char(struct translation *t, uint32_t *ret)
{
	if (*t->in.at == '\\')
		return pattern_read_escape(t, ret);
	pattern_read_char(t, ret);
	return 0;
}

/* Reads and writes a character or a range. A '-' before the final ']' is a character. */
static int read_range(struct translation *t)
{
	const char *start = t->in.at;
	uint32_t first, last;
	int r = read_element_char(t, &first);

	if (r < 0)
		return r;
	last = first;
	if (scan_left(&t->in) >= 2 && *t->in.at == '-' && t->in.at[1] != ']') {
		t->in.at++;
		r = read_element_char(t, &last);
	}
	if (r < 0)
		return r;
	if (last < first)
		return pattern_fault(t, start, "the range ends before it begins");
	put_range(t, first, last);
	return 0;
}

static int read_element(struct translation *t)
{
	int r = read_named_class(t);

	if (!r)
		r = pattern_class_escape(t, true);
	return r ? r : read_range(t);
}

int pattern_class(struct translation *t)
{
	const char *start = t->in.at++;
	bool is_first = true;

	t->wide = 0;
	buffer_add_text(&t->out, scan_char(&t->in, '^') ? "[^" : "[");
	for (; is_first || !scan_char(&t->in, ']'); is_first = false) {
		int r = scan_left(&t->in) ? read_element(t)
		                          : pattern_fault(t, start, "'[' has no ']'");

		if (r < 0)
			return r;
	}
	buffer_add_char(&t->out, ']');
	if (t->wide > WIDE_MAX)
		return pattern_fault(t, start, "the class has more than 32 ranges beyond ASCII");
	return 0;
}
