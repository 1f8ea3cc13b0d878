/* SPDX-License-Identifier: Apache-2.0 */
/* The text of values, as Go's fmt package prints them. */
#include "config.h"

#include "naming/template-private.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/text.h"

static const struct verb plain = {.letter = 'v', .precision = SIZE_MAX};

static const char *const types[] = {
	[VALUE_MISSING] = "<nil>",
	[VALUE_BOOL] = "bool",
	[VALUE_INT] = "int",
	[VALUE_TEXT] = "string",
};

void template_emit(struct sink *to, const char *text, size_t len)
{
	size_t room = to->end > to->to->len ? to->end - to->to->len : 0;

	if (to->is_full)
		return;
	if (len > room) {
		to->is_full = true;
		for (len = room; len && ((unsigned char)text[len] & 0xc0) == 0x80;)
			len--;
	}
	buffer_add(to->to, text, len);
}

static void emit_text(struct sink *to, const char *text)
{
	template_emit(to, text, strlen(text));
}

/* Returns the length of the first COUNT characters of a text: a byte that is not UTF-8 is one. */
static size_t measure_characters(const char *text, size_t len, size_t count, size_t *ret_count)
{
	size_t at = 0, n = 0;
	uint32_t c;

	for (; at < len && n < count; n++) {
		size_t bytes = text_decode(text + at, len - at, &c);

		at += bytes ? bytes : 1;
	}
	*ret_count = n;
	return at;
}

/* Fills up what is printed from byte FROM on to the width of F. */
static void pad_to_width(struct sink *to, size_t from, const struct verb *f)
{
	struct buffer *b = to->to;
	size_t count;
	char *end;

	if (b->error || !f->width)
		return;
	measure_characters(b->data + from, b->len - from, f->width, &count);
	end = count < f->width ? buffer_reserve(b, f->width - count) : NULL;
	if (!end)
		return;
	if (f->has_zeros && from < b->len && b->data[from] == '-')
		from++;
	count = f->width - count;
	if (f->is_left) {
		memset(end, ' ', count);
	} else {
		memmove(b->data + from + count, b->data + from, b->len - from);
		memset(b->data + from, f->has_zeros ? '0' : ' ', count);
	}
	b->len += count;
}

/*
 * Returns whether Go prints C as it is. Go's unicode.IsPrint() has a table of all characters that are
 * assigned; here are the most common ones that it does not print.
 */
static bool is_printed(uint32_t c)
{
	static const struct {
		uint32_t first, last;
	} others[] = {{0x00, 0x1f}, {0x7f, 0xa0}, {0xad, 0xad}, {0x600, 0x605}, {0x61c, 0x61c},
		{0x6dd, 0x6dd}, {0x70f, 0x70f}, {0x1680, 0x1680}, {0x180e, 0x180e},
		{0x2000, 0x200f}, {0x2028, 0x202f}, {0x205f, 0x206f}, {0x3000, 0x3000},
		{0xe000, 0xf8ff}, {0xfdd0, 0xfdef}, {0xfeff, 0xfeff}, {0xfff0, 0xfffb},
		{0xfffe, 0xffff}, {0xe0000, 0xe00ff}, {0xe01f0, 0x10ffff}};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (c >= others[i].first && c <= others[i].last)
			return false;
	return true;
}

/* Prints the character C of LEN bytes; LEN 0: the byte at TEXT, which is not UTF-8. */
static void emit_quoted(struct sink *to, const char *text, size_t len, uint32_t c)
{
	static const char letters[] = "abfnrtv\\\"", meanings[] = "\a\b\f\n\r\t\v\\\"";
	const char *known = len == 1 && c ? strchr(meanings, (int)c) : NULL;
	char escape[sizeof("\\U0010ffff")];

	if (known)
		snprintf(escape, sizeof(escape), "\\%c", letters[known - meanings]);
	else if (!len || c < 0x20 || c == 0x7f)
		snprintf(escape, sizeof(escape), "\\x%02x", (unsigned char)*text);
	else if (is_printed(c))
		return template_emit(to, text, len);
	else
		snprintf(
			escape, sizeof(escape), c < 0x10000 ? "\\u%04" PRIx32 : "\\U%08" PRIx32, c);
	emit_text(to, escape);
}

static void print_quoted(struct sink *to, const char *text, size_t len)
{
	template_emit(to, "\"", 1);
	for (size_t at = 0; at < len && !to->is_full;) {
		uint32_t c = 0;
		size_t n = text_decode(text + at, len - at, &c);

		emit_quoted(to, text + at, n, c);
		at += n ? n : 1;
	}
	template_emit(to, "\"", 1);
}

static void print_text(struct sink *to, const char *text, size_t len, const struct verb *f)
{
	size_t from = to->to->len, count;

	if (f->precision < len)
		len = measure_characters(text, len, f->precision, &count);
	if (f->letter == 'q')
		print_quoted(to, text, len);
	else
		template_emit(to, text, len);
	pad_to_width(to, from, f);
}

static void print_number(struct sink *to, int64_t number, const struct verb *f)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRId64, number);
	size_t from = to->to->len;

	template_emit(to, digits, (size_t)len);
	pad_to_width(to, from, f);
}

static int print_time(struct sink *to, int64_t time_s, const struct verb *f)
{
	time_t time = (time_t)time_s;
	char text[64];
	struct tm tm;
	size_t len;

	if (f->letter == 'd' || !gmtime_r(&time, &tm))
		return -EINVAL;
	len = strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S +0000 UTC", &tm);
	print_text(to, text, len, f);
	return 0;
}

/* Returns whether printf takes a value that is no list with the verb LETTER. */
static bool is_verb_of(enum value_kind kind, char letter)
{
	return letter == 'v' || (kind == VALUE_TEXT && letter != 'd') ||
	       (kind == VALUE_INT && letter == 'd');
}

/* Prints a value that is no list. */
static void print_value(struct sink *to, const struct value *v, const struct verb *f)
{
	const char *text = v->kind == VALUE_MISSING ? types[v->kind] : v->number ? "true" : "false";

	if (v->kind == VALUE_INT)
		print_number(to, v->number, f);
	else if (v->kind == VALUE_TEXT)
		print_text(to, v->text.text, v->text.len, f);
	else
		print_text(to, text, strlen(text), f);
}

/* Prints a value with a verb that is not for its type: %!d(string=root). */
static int print_mismatch(struct sink *to, const struct value *v, const struct verb *f)
{
	struct verb with_v = *f;

	if (v->kind == VALUE_INT && f->letter == 'q')
		return -EINVAL; /* Go: a character constant */
	with_v.letter = 'v';
	emit_text(to, "%!");
	template_emit(to, &f->letter, 1);
	emit_text(to, "(");
	emit_text(to, types[v->kind]);
	if (v->kind != VALUE_MISSING) {
		emit_text(to, "=");
		print_value(to, v, &with_v);
	}
	emit_text(to, ")");
	return 0;
}

static int print_list(struct run *r, struct sink *to, const struct value *v, const struct verb *f)
{
	int result = 0;

	emit_text(to, "[");
	for (size_t i = 0; i < v->count && result == 0 && !to->is_full; i++) {
		struct value item = template_value_text(v->list[i].text, v->list[i].len);

		template_emit(to, " ", i > 0);
		result = template_print_verb(r, to, &item, f);
	}
	emit_text(to, "]");
	return result;
}

static int print_matches(struct run *r, struct sink *to, const struct verb *f)
{
	const struct capture *c = NULL;
	bool is_first = true;
	int result = 0;

	emit_text(to, "map[");
	for (; result == 0 && (c = template_next_match(r, c)); is_first = false) {
		struct value name = template_value_text(c->name, strlen(c->name));
		struct value text = template_value_text(c->text, c->len);

		template_emit(to, " ", !is_first);
		result = template_print_verb(r, to, &name, f);
		emit_text(to, ":");
		if (result == 0)
			result = template_print_verb(r, to, &text, f);
	}
	emit_text(to, "]");
	return result;
}

static int print_process(struct run *r, struct sink *to, const struct verb *f)
{
	int result = 0;

	emit_text(to, "{");
	for (size_t i = 0; i < TEMPLATE_FIELDS && result == 0; i++) {
		struct value v = template_value_at(r->p, i);

		template_emit(to, " ", i > 0);
		result = template_print_verb(r, to, &v, f);
	}
	emit_text(to, "}");
	return result;
}

int template_print_verb(struct run *r, struct sink *to, const struct value *v, const struct verb *f)
{
	switch (v->kind) {
	case VALUE_LIST: return print_list(r, to, v, f);
	case VALUE_MATCHES: return print_matches(r, to, f);
	case VALUE_TIME: return print_time(to, v->number, f);
	case VALUE_PROCESS: emit_text(to, "&"); return print_process(r, to, f);
	default:
		if (!is_verb_of(v->kind, f->letter))
			return print_mismatch(to, v, f);
		print_value(to, v, f);
		return 0;
	}
}

void template_print(struct run *r, struct sink *to, const struct value *v)
{
	template_print_verb(r, to, v, &plain);
}

void template_show(struct run *r, struct sink *to, const struct value *v)
{
	if (v->kind == VALUE_MISSING)
		emit_text(to, "<no value>");
	else if (v->kind == VALUE_PROCESS)
		print_process(r, to, &plain);
	else
		template_print(r, to, v);
}

/* Takes a number of at most three digits. */
static size_t take_number(struct scan *s)
{
	size_t number = 0;

	for (int i = 0; i < 3 && s->at < s->end && *s->at >= '0' && *s->at <= '9'; i++)
		number = number * 10 + (size_t)(*s->at++ - '0');
	return number;
}

int template_verb(struct scan *s, struct verb *ret)
{
	*ret = plain;
	if (scan_char(s, '%')) {
		ret->letter = '%';
		return 0;
	}
	for (;;) {
		if (scan_char(s, '-'))
			ret->is_left = true;
		else if (scan_char(s, '0'))
			ret->has_zeros = true;
		else
			break;
	}
	ret->width = take_number(s);
	if (scan_char(s, '.'))
		ret->precision = take_number(s);
	ret->letter = s->at < s->end ? *s->at++ : 0;
	if (!ret->letter || !strchr("svqd", ret->letter))
		return -EINVAL;
	/* Go's precision of a number is a count of digits; versions of Go differ in texts with zeros. */
	if ((ret->has_zeros && ret->letter != 'd') ||
		(ret->precision != SIZE_MAX && ret->letter != 's' && ret->letter != 'q'))
		return -EINVAL;
	return 0;
}
