/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "naming/pattern.h"

#include <errno.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/saturate.h"
#include "base/text.h"
#include "naming/pattern-private.h"

/*
 * A search takes a step for a bounded amount of work. The pattern has a callout at each beginning of
 * an alternative, after each repetition, and after PATTERN_STEP characters; so all the work of
 * backtracking is counted. PCRE2's own limit begins anew at each character of the subject. Its
 * possessive repetitions (PCRE2_NO_AUTO_POSSESS) would read to the end of the subject without a step.
 *
 * 100000 steps in 32 KiB take 1.5 to 2 ms on a server of 2020. With the most groups, or the most
 * ranges in a class, 6 ms. ".*foo.*bar" takes up to 66000 steps in 32 KiB. Memory for backtracking is
 * allocated anew, in double size, when it is used up: a search that uses all of it takes 3 ms, of
 * which callouts count 7000 steps.
 */
enum {
	PATTERN_MAX = 4096,              /* bytes of a pattern */
	COMPILED_MAX = 32 << 10,         /* bytes of a compiled pattern */
	CONTEXT_BYTES = 128,             /* of a context for searches; about */
	QUOTED_MAX = 300,                /* bytes of a pattern in a message */
	SEARCH_MEMORY_MAX_KIB = 2 << 10, /* of a search */
	USUAL_MEMORY = 64 << 10,         /* of a search; more memory counts as steps */
	MEMORY_PER_STEP = 32,            /* bytes: page faults and copies take as long */
};

struct pattern {
	pcre2_code *code;
	pcre2_match_context *context;
	char *names; /* of the groups in their order, each terminated */
	size_t groups;
	size_t bytes;     /* of .code */
	size_t allocated; /* bytes since the last search began */
	uint64_t steps;   /* of the last search */
};

static void *pattern_allocate(size_t size, void *pattern)
{
	((struct pattern *)pattern)->allocated += size;
	return malloc(size);
}

static void pattern_release(void *p, void *pattern)
{
	(void)pattern;
	free(p);
}

static void free_general(pcre2_general_context **context)
{
	pcre2_general_context_free(*context);
}

static void free_compile(pcre2_compile_context **context)
{
	pcre2_compile_context_free(*context);
}

static void free_match(pcre2_match_data **match)
{
	pcre2_match_data_free(*match);
}

static void free_pattern(struct pattern **p)
{
	pattern_free(*p);
}

static void translation_done(struct translation *t)
{
	buffer_done(&t->out);
	buffer_done(&t->names);
}

/* Returns how many characters TEXT has before byte AT. */
static size_t count_characters(const char *text, size_t at)
{
	size_t count = 0;

	for (size_t i = 0; i < at; i++)
		count += (text[i] & 0xc0) != 0x80;
	return count;
}

/* Writes the message that TEXT is wrong for REASON, AT some byte of it if that is not NULL. */
static int pattern_refuse(
	const char *text, const char *reason, const char *at, char error[static NAMING_ERROR_SIZE])
{
	AUTO_BUFFER struct buffer quoted = {0};
	size_t len = strlen(text);
	char place[40] = "";

	text_add_clean_max(&quoted, text, len, QUOTED_MAX);
	buffer_add_char(&quoted, '\0');
	if (quoted.error)
		return quoted.error;
	if (at)
		snprintf(place, sizeof(place), " at character %zu",
			count_characters(text, (size_t)(at - text)) + 1);
	snprintf(error, NAMING_ERROR_SIZE, "pattern '%s%s': %s%s", quoted.data,
		len > QUOTED_MAX ? "..." : "", reason, place);
	return -EINVAL;
}

/* Returns the first byte of TEXT that is no UTF-8. NULL: there is none. */
static const char *find_invalid(const char *text, size_t len)
{
	uint32_t c;
	size_t n;

	for (const char *end = text + len; text < end; text += n) {
		n = text_decode(text, (size_t)(end - text), &c);
		if (!n)
			return text;
	}
	return NULL;
}

static int translate_text(
	const char *text, struct translation *t, char error[static NAMING_ERROR_SIZE])
{
	size_t len = strlen(text);
	const char *invalid = find_invalid(text, len);
	int r;

	if (len > PATTERN_MAX)
		return pattern_refuse(text, "the pattern is longer than 4096 bytes", NULL, error);
	if (invalid)
		return pattern_refuse(text, "invalid UTF-8", invalid, error);
	*t = (struct translation){.in = {text, text + len}};
	r = pattern_translate(t);
	if (t->out.error || t->names.error)
		return -ENOMEM;
	return r < 0 ? pattern_refuse(text, t->fault, t->fault_at, error) : 0;
}

/* Compiles T, the translation of TEXT. */
static int compile_translation(const char *text, const struct translation *t,
	pcre2_compile_context *context, struct pattern *p, char error[static NAMING_ERROR_SIZE])
{
	char reason[120];
	size_t at;
	int fault;

	p->code = pcre2_compile((PCRE2_SPTR)t->out.data, t->out.len,
		PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_ALT_CIRCUMFLEX | PCRE2_NO_AUTO_POSSESS |
			PCRE2_NEVER_BACKSLASH_C,
		&fault, &at, context);
	if (!p->code && fault == PCRE2_ERROR_HEAP_FAILED)
		return -ENOMEM;
	if (!p->code && fault != PCRE2_ERROR_PATTERN_TOO_LARGE) {
		pcre2_get_error_message(fault, (PCRE2_UCHAR *)reason, sizeof(reason));
		return pattern_refuse(text, reason, NULL, error);
	}
	if (p->code)
		pcre2_pattern_info(p->code, PCRE2_INFO_SIZE, &p->bytes);
	if (!p->code || p->bytes > COMPILED_MAX)
		return pattern_refuse(
			text, "the pattern is too large with its repetitions", NULL, error);
	return 0;
}

/* Compiles T with memory that this program's allocator gives, and P counts. */
static int build_pattern(const char *text, const struct translation *t, struct pattern *p,
	char error[static NAMING_ERROR_SIZE])
{
	CLEANUP(free_general)
	pcre2_general_context *general = pcre2_general_context_create(
		pattern_allocate, pattern_release, p);
	CLEANUP(free_compile)
	pcre2_compile_context *context = general ? pcre2_compile_context_create(general) : NULL;

	p->context = general ? pcre2_match_context_create(general) : NULL;
	if (!context || !p->context)
		return -ENOMEM;
	pcre2_set_newline(context, PCRE2_NEWLINE_LF);
	pcre2_set_heap_limit(p->context, SEARCH_MEMORY_MAX_KIB);
	return compile_translation(text, t, context, p, error);
}

int pattern_new(const char *text, struct pattern **ret, char error[static NAMING_ERROR_SIZE])
{
	CLEANUP(translation_done) struct translation t = {0};
	CLEANUP(free_pattern) struct pattern *p = NULL;
	int r = translate_text(text, &t, error);

	if (r < 0)
		return r;
	p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	p->groups = t.groups;
	p->names = TAKE_PTR(t.names.data);
	r = build_pattern(text, &t, p, error);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(p);
	return 0;
}

void pattern_free(struct pattern *p)
{
	if (!p)
		return;
	pcre2_code_free(p->code);
	pcre2_match_context_free(p->context);
	free(p->names);
	free(p);
}

size_t pattern_bytes(const struct pattern *p)
{
	return sizeof(*p) + CONTEXT_BYTES + p->bytes;
}

size_t pattern_captures(const struct pattern *p)
{
	return p->groups + 1;
}

uint64_t pattern_steps(const struct pattern *p)
{
	return p->steps;
}

/* Called at each callout. Ends the search when its steps are used up. */
static int take_steps(pcre2_callout_block *block, void *data)
{
	unsigned int *left = data, steps = block->callout_number + 1;

	if (*left < steps)
		return PCRE2_ERROR_CALLOUT;
	*left -= steps;
	return 0;
}

static int search_error(int r)
{
	switch (r) {
	case PCRE2_ERROR_NOMATCH: return 0;
	case PCRE2_ERROR_NOMEMORY: return -ENOMEM;
	default: /* steps, memory */ return -EOVERFLOW;
	}
}

static void fill_captures(
	const struct pattern *p, pcre2_match_data *match, const char *subject, struct capture *ret)
{
	const size_t *places = pcre2_get_ovector_pointer(match);
	const char *name = p->names;

	for (size_t i = 0; i <= p->groups; i++) {
		const size_t *place = places + 2 * i;

		ret[i] = (struct capture){.name = i ? name : "", .text = ""};
		if (i)
			name += strlen(name) + 1;
		if (place[0] == place[1]) /* as for an unused group */
			continue;
		ret[i].text = subject + place[0];
		ret[i].len = place[1] - place[0];
	}
}

int pattern_search(
	struct pattern *p, const char *subject, size_t len, uint64_t steps, struct capture *ret)
{
	unsigned int max = steps < PATTERN_STEPS_MAX ? (unsigned int)steps : PATTERN_STEPS_MAX,
		     left = max;
	CLEANUP(free_match) pcre2_match_data *match = NULL;
	int r;

	p->steps = p->allocated = 0;
	match = pcre2_match_data_create_from_pattern(p->code, NULL); /* with P's allocator */
	if (!match)
		return -ENOMEM;
	if (!subject)
		subject = ""; /* PCRE2 refuses NULL before 10.41 */
	pcre2_set_callout(p->context, take_steps, &left);
	r = pcre2_match(
		p->code, (PCRE2_SPTR)subject, len, 0, PCRE2_NO_UTF_CHECK, match, p->context);
	p->steps = max - left + saturate_less(p->allocated, USUAL_MEMORY) / MEMORY_PER_STEP;
	if (r < 0)
		return search_error(r);
	fill_captures(p, match, subject, ret);
	return 1;
}
