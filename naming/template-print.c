/* SPDX-License-Identifier: Apache-2.0 */
/* The text of values, as Go's fmt package prints them. */
#include "config.h"

#include "naming/template-private.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

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

static void print_number(struct sink *to, int64_t number)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRId64, number);
	emit_text(to, digits);
}

static void print_time(struct sink *to, int64_t time_s)
{
	time_t time = (time_t)time_s;
	char text[64] = "";
	struct tm tm;

	if (gmtime_r(&time, &tm))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S +0000 UTC", &tm);
	emit_text(to, text);
}

static void print_list(struct sink *to, const struct value *v)
{
	emit_text(to, "[");
	for (size_t i = 0; i < v->count && !to->is_full; i++) {
		template_emit(to, " ", i > 0);
		template_emit(to, v->list[i].text, v->list[i].len);
	}
	emit_text(to, "]");
}

static void print_matches(struct run *r, struct sink *to)
{
	const struct capture *c = NULL;
	bool is_first = true;

	emit_text(to, "map[");
	for (; (c = template_next_match(r, c)); is_first = false) {
		template_emit(to, " ", !is_first);
		emit_text(to, c->name);
		emit_text(to, ":");
		template_emit(to, c->text, c->len);
	}
	emit_text(to, "]");
}

void template_print(struct run *r, struct sink *to, const struct value *v)
{
	switch (v->kind) {
	case VALUE_MISSING: emit_text(to, "<nil>"); break;
	case VALUE_BOOL: emit_text(to, v->number ? "true" : "false"); break;
	case VALUE_INT: print_number(to, v->number); break;
	case VALUE_TEXT: template_emit(to, v->text.text, v->text.len); break;
	case VALUE_LIST: print_list(to, v); break;
	case VALUE_MATCHES: print_matches(r, to); break;
	case VALUE_TIME: print_time(to, v->number); break;
	case VALUE_PROCESS: break; /* the parser refuses it as a value */
	}
}

void template_show(struct run *r, struct sink *to, const struct value *v)
{
	if (v->kind == VALUE_MISSING)
		emit_text(to, "<no value>");
	else
		template_print(r, to, v);
}
