/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/http/negotiate.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"

/* A part of a header's text without surrounding blanks. */
struct span {
	const char *at;
	size_t len;
};

static struct span negotiate_trim(const char *from, const char *end)
{
	while (from < end && (*from == ' ' || *from == '\t'))
		from++;
	while (from < end && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	return (struct span){.at = from, .len = (size_t)(end - from)};
}

static bool span_is(struct span s, const char *text)
{
	return s.len == strlen(text) && !strncasecmp(s.at, text, s.len);
}

/*
 * Returns the text from *AT to the next DELIMITER outside quotes, and moves *AT behind it, or sets
 * it to NULL after the last piece.
 */
static struct span negotiate_next_piece(const char **at, const char *end, char delimiter)
{
	const char *from = *at, *p;
	bool quoted = false;

	for (p = from; p < end; p++) {
		if (quoted && *p == '\\' && p + 1 < end)
			p++;
		else if (*p == '"')
			quoted = !quoted;
		else if (*p == delimiter && !quoted)
			break;
	}
	*at = p < end ? p + 1 : NULL;
	return negotiate_trim(from, p);
}

/*
 * Returns the quality in S, such as "0.5", in thousandths: at most three decimals, at most 1.
 * Returns -1 if S is no quality.
 */
static int parse_quality(struct span s)
{
	int value, weight = 100;

	if (!s.len || (s.at[0] != '0' && s.at[0] != '1') || s.len > 5)
		return -1;
	value = s.at[0] == '1' ? 1000 : 0;
	if (s.len > 1 && s.at[1] != '.')
		return -1;
	for (size_t i = 2; i < s.len; i++, weight /= 10) {
		if (s.at[i] < '0' || s.at[i] > '9')
			return -1;
		value += (s.at[i] - '0') * weight;
	}
	return value <= 1000 ? value : -1;
}

/* One element of a list that is separated by commas. */
struct element {
	struct span name;
	struct span version; /* length 0: none */
	int quality;         /* -1: malformed */
};

static struct span negotiate_unquote(struct span s)
{
	if (s.len >= 2 && s.at[0] == '"' && s.at[s.len - 1] == '"')
		return (struct span){.at = s.at + 1, .len = s.len - 2};
	return s;
}

static struct element parse_element(struct span s)
{
	const char *at = s.at, *end = s.at + s.len;
	struct element e = {.name = negotiate_next_piece(&at, end, ';'), .quality = 1000};

	while (at) {
		struct span param = negotiate_next_piece(&at, end, ';');
		const char *value = param.at;
		struct span name = negotiate_next_piece(&value, param.at + param.len, '=');

		if (!value)
			continue;
		param = negotiate_unquote(negotiate_trim(value, param.at + param.len));
		if (span_is(name, "q"))
			e.quality = parse_quality(param);
		else if (span_is(name, "version"))
			e.version = param;
	}
	return e;
}

static void negotiate_raise_to(int *quality, int value)
{
	if (value > *quality)
		*quality = value;
}

void negotiate_init(struct negotiate *n)
{
	*n = (struct negotiate){-1, -1, -1, -1, -1, -1, -1};
}

void negotiate_add_accept(struct negotiate *n, const char *value)
{
	const struct {
		const char *range, *version;
		int *quality;
	} known[] = {
		{"application/openmetrics-text", "1.0.0", &n->openmetrics},
		{"text/plain", "0.0.4", &n->text},
		{"text/*", NULL, &n->any_text},
		{"*/*", NULL, &n->any},
	};
	const char *end = value + strlen(value);

	while (value) {
		struct element e = parse_element(negotiate_next_piece(&value, end, ','));

		for (size_t i = 0; i < ARRAY_SIZE(known); i++)
			if (span_is(e.name, known[i].range) &&
				(!e.version.len || !known[i].version ||
					span_is(e.version, known[i].version)))
				negotiate_raise_to(known[i].quality, e.quality);
	}
}

void negotiate_add_encoding(struct negotiate *n, const char *value)
{
	const char *end = value + strlen(value);

	while (value) {
		struct element e = parse_element(negotiate_next_piece(&value, end, ','));

		if (span_is(e.name, "gzip") || span_is(e.name, "x-gzip"))
			negotiate_raise_to(&n->gzip, e.quality);
		else if (span_is(e.name, "identity"))
			negotiate_raise_to(&n->identity, e.quality);
		else if (span_is(e.name, "*"))
			negotiate_raise_to(&n->any_coding, e.quality);
	}
}

bool negotiate_openmetrics(const struct negotiate *n)
{
	int text = n->text >= 0 ? n->text : n->any_text >= 0 ? n->any_text : n->any;

	return n->openmetrics > 0 && n->openmetrics >= text;
}

bool negotiate_gzip(const struct negotiate *n)
{
	int gzip = n->gzip >= 0 ? n->gzip : n->any_coding;

	return gzip > 0 && gzip >= n->identity;
}

static struct span opaque_tag(struct span s)
{
	if (s.len > 2 && s.at[0] == 'W' && s.at[1] == '/')
		return (struct span){.at = s.at + 2, .len = s.len - 2};
	return s;
}

bool negotiate_etag_matches(const char *value, const char *etag)
{
	const char *end = value + strlen(value);
	struct span own = opaque_tag((struct span){.at = etag, .len = strlen(etag)});

	while (value) {
		struct span s = negotiate_next_piece(&value, end, ',');
		struct span tag = opaque_tag(s);

		if (span_is(s, "*"))
			return true;
		if (tag.len == own.len && !memcmp(tag.at, own.at, own.len))
			return true;
	}
	return false;
}
