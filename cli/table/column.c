/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers and strings are written by hand because a list may have 60,000 rows: printf() and a JSON
 * library take several times as long.
 */
#include "config.h"

#include "cli/table/column.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/saturate.h"
#include "base/scan.h"
#include "render/decimal.h"
#include "render/human.h"

enum { HEX_DIGITS = 16 };

bool column_use_room(struct column_value *v)
{
	buffer_add_char(v->room, '\0');
	v->text = v->room->error ? "" : v->room->data;
	return true;
}

bool column_is_right(const struct column *c)
{
	return c->kind >= COLUMN_COUNT && c->kind != COLUMN_ADDRESS;
}

bool column_is_zero(const struct column *c, const struct column_value *v)
{
	switch (c->kind) {
	case COLUMN_TEXT:
	case COLUMN_WORD:
	case COLUMN_WORDS: return !*v->text;
	case COLUMN_DIGITS: return !v->text[strspn(v->text, "-0.")];
	case COLUMN_FLAG:
	case COLUMN_COUNT:
	case COLUMN_BYTES:
	case COLUMN_SECONDS:
	case COLUMN_ADDRESS: return v->number == 0;
	case COLUMN_SIGNED:
	case COLUMN_CHANGE: return v->change == 0;
	case COLUMN_REAL:
	case COLUMN_RATIO: return v->real == 0;
	}
	return false;
}

void column_add_json_text(struct buffer *to, const char *text)
{
	buffer_add_char(to, '"');
	while (*text) {
		size_t plain = strcspn(text, "\"\\");

		buffer_add(to, text, plain);
		text += plain;
		if (*text) {
			buffer_add_char(to, '\\');
			buffer_add_char(to, *text++);
		}
	}
	buffer_add_char(to, '"');
}

/*
 * Characters that start a formula in spreadsheets. Some spreadsheets also accept the full-width
 * forms of East Asian text.
 */
static bool is_formula(const char *text)
{
	static const char *const wide[] = {
		"\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"};

	for (size_t i = 0; i < ARRAY_SIZE(wide); i++)
		if (!strncmp(text, wide[i], strlen(wide[i])))
			return true;
	return *text && strchr("=+-@\t\r\n", *text);
}

/* A cell without quotes contains no character that any spreadsheet takes for a separator. */
void column_add_csv_text(struct buffer *to, const char *text)
{
	const char *before = is_formula(text) || *text == '\'' ? "'" : "";

	if (!text[strcspn(text, ",;\"\t\r\n")]) {
		buffer_add_text(to, before);
		buffer_add_text(to, text);
		return;
	}
	buffer_add_char(to, '"');
	buffer_add_text(to, before);
	for (; *text; text++) {
		if (*text == '"')
			buffer_add_char(to, '"');
		buffer_add_char(to, *text);
	}
	buffer_add_char(to, '"');
}

void column_add_hex(struct buffer *to, uint64_t value, unsigned int digits)
{
	char text[HEX_DIGITS], *end = text + HEX_DIGITS, *at = end;

	for (; value || at > end - digits; value >>= 4)
		*--at = "0123456789abcdef"[value & 15];
	buffer_add(to, at, (size_t)(end - at));
}

/* Appends the words of TEXT with BETWEEN them, and QUOTE around each. */
static void column_add_words(
	struct buffer *to, const char *text, const char *between, const char *quote)
{
	struct scan left = {text, text + strlen(text)}, word;

	for (const char *before = ""; scan_word(&left, &word); before = between) {
		buffer_add_text(to, before);
		buffer_add_text(to, quote);
		buffer_add(to, word.at, scan_left(&word));
		buffer_add_text(to, quote);
	}
}

/* Appends a value of a kind that is a number in each form, exactly. */
static void column_add_exact(
	struct buffer *to, const struct column *c, const struct column_value *v)
{
	switch (c->kind) {
	case COLUMN_SIGNED:
	case COLUMN_CHANGE:
		if (v->change < 0)
			buffer_add_char(to, '-');
		buffer_add_u64(to, saturate_size(v->change));
		break;
	case COLUMN_DIGITS: buffer_add_text(to, v->text); break;
	case COLUMN_SECONDS: decimal_add_seconds(to, v->number); break;
	case COLUMN_REAL:
	case COLUMN_RATIO: decimal_add_real(to, v->real); break;
	default: buffer_add_u64(to, v->number);
	}
}

void column_add_json(struct buffer *to, const struct column *c, const struct column_value *v)
{
	switch (c->kind) {
	case COLUMN_TEXT:
	case COLUMN_WORD: column_add_json_text(to, v->text); break;
	case COLUMN_WORDS:
		buffer_add_char(to, '[');
		column_add_words(to, v->text, ",", "\"");
		buffer_add_char(to, ']');
		break;
	case COLUMN_FLAG: buffer_add_text(to, v->number ? "true" : "false"); break;
	case COLUMN_ADDRESS:
		buffer_add_char(to, '"');
		column_add_hex(to, v->number, 8);
		buffer_add_char(to, '"');
		break;
	default: column_add_exact(to, c, v);
	}
}

void column_add_csv(struct buffer *to, const struct column *c, const struct column_value *v)
{
	switch (c->kind) {
	case COLUMN_TEXT: column_add_csv_text(to, v->text); break;
	case COLUMN_WORD:
	case COLUMN_WORDS: buffer_add_text(to, v->text); break;
	case COLUMN_FLAG: buffer_add_text(to, v->number ? "true" : "false"); break;
	case COLUMN_ADDRESS: column_add_hex(to, v->number, 8); break;
	default: column_add_exact(to, c, v);
	}
}

void column_add_amount(struct buffer *to, uint64_t bytes, bool exact)
{
	if (exact)
		buffer_add_u64(to, bytes);
	else
		human_add_bytes(to, bytes);
}

static void column_add_bare(
	struct buffer *to, const struct column *c, const struct column_value *v, bool exact)
{
	switch (c->kind) {
	case COLUMN_TEXT:
	case COLUMN_WORD: buffer_add_text(to, v->text); break;
	case COLUMN_WORDS: column_add_words(to, v->text, ",", ""); break;
	case COLUMN_FLAG: buffer_add_text(to, v->number ? "yes" : "no"); break;
	case COLUMN_BYTES: column_add_amount(to, v->number, exact); break;
	case COLUMN_SIGNED:
	case COLUMN_CHANGE:
		if (v->change < 0)
			buffer_add_char(to, '-');
		else if (v->change && c->kind == COLUMN_CHANGE)
			buffer_add_char(to, '+');
		column_add_amount(to, saturate_size(v->change), exact);
		break;
	case COLUMN_REAL:
		if (c->decimals)
			buffer_printf(to, "%.*f", (int)c->decimals, v->real);
		else
			decimal_add_real(to, v->real);
		break;
	case COLUMN_RATIO:
		if (v->real < 0)
			buffer_add_char(to, '-');
		human_add_percent(to, v->real < 0 ? -v->real : v->real);
		break;
	case COLUMN_ADDRESS: column_add_hex(to, v->number, 12); break;
	default: column_add_exact(to, c, v);
	}
}

void column_add_shown(
	struct buffer *to, const struct column *c, const struct column_value *v, bool exact)
{
	if (v->before)
		buffer_add_text(to, v->before);
	column_add_bare(to, c, v, exact);
	if (v->after)
		buffer_add_text(to, v->after);
}
