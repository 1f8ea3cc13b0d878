/* SPDX-License-Identifier: Apache-2.0 */
/* Structure of patterns: alternatives, groups, flags and repetitions, as RE2 reads them. */
#include "config.h"

#include "naming/pattern-private.h"

#include <errno.h>
#include <string.h>

enum {
	DEPTH_MAX = 100,    /* of groups; PCRE2 allows 250 */
	REPEATS_MAX = 1000, /* RE2's, also for the product of repetitions in repetitions */
};

static const char flag_letters[] = "imsU"; /* in the order of PATTERN_FOLD ... */

/* A part of a pattern. */
struct part {
	bool is_repeatable;   /* it is no assertion and no setting of flags */
	bool is_single;       /* it is one character, or a class of them */
	bool may_be_empty;    /* it can match no character */
	unsigned int repeats; /* the highest product of repetitions in repetitions in it */
};

struct repetition {
	uint64_t min, max;
	bool is_endless; /* no .max */
};

static int read_alternatives(struct translation *t, struct part *ret);

/* Writes the callout of STEPS steps. */
static void put_steps(struct translation *t, unsigned int steps)
{
	buffer_printf(&t->out, "(?C%u)", steps - 1);
	t->run = 0;
}

static unsigned int highest_of(unsigned int a, unsigned int b)
{
	return a > b ? a : b;
}

/* Reads flags up to ':' or ')', as in (?is-m). Returns false if there are others. */
static bool read_flags(struct scan *in, unsigned int *flags)
{
	bool is_cleared = false, has_flag = true;

	for (; in->at < in->end; in->at++) {
		const char *letter = strchr(flag_letters, *in->at);

		if (*in->at == ':' || *in->at == ')')
			return has_flag;
		if (*in->at == '-' && !is_cleared) {
			is_cleared = true;
			has_flag = false;
			continue;
		}
		if (!letter)
			return false;
		has_flag = true;
		if (is_cleared)
			*flags &= ~(1u << (letter - flag_letters));
		else
			*flags |= 1u << (letter - flag_letters);
	}
	return false;
}

/* Writes the beginning of a group with FLAGS, without its ':' or ')'. PCRE2 has the same flags. */
static void put_flags(struct translation *t, unsigned int flags)
{
	buffer_add_text(&t->out, "(?");
	for (unsigned int i = 0; flag_letters[i]; i++)
		if (flags & 1u << i)
			buffer_add_char(&t->out, flag_letters[i]);
	buffer_add_char(&t->out, '-');
	for (unsigned int i = 0; flag_letters[i]; i++)
		if (!(flags & 1u << i))
			buffer_add_char(&t->out, flag_letters[i]);
}

/* Reads the alternatives of a group up to its ')', which is at START. */
static int read_group_rest(struct translation *t, const char *start, struct part *ret)
{
	int r;

	if (t->depth >= DEPTH_MAX)
		return pattern_fault(t, start, "groups are nested too deeply");
	t->depth++;
	r = read_alternatives(t, ret);
	t->depth--;
	if (r < 0)
		return r;
	if (!scan_char(&t->in, ')'))
		return pattern_fault(t, start, "'(' has no ')'");
	buffer_add_char(&t->out, ')');
	return 0;
}

/* Adds a group with the name of LEN bytes. */
static int add_group(struct translation *t, const char *start, const char *name, size_t len)
{
	if (t->groups == PATTERN_GROUPS_MAX)
		return pattern_fault(
			t, start, "more than 64 groups (write (?:...) for those without a use)");
	t->groups++;
	buffer_add(&t->names, name, len);
	buffer_add_char(&t->names, '\0');
	buffer_add_char(&t->out, '(');
	return 0;
}

/* Reads a group's name and its '>'. */
static int read_name(struct translation *t, const char *start)
{
	static const char allowed[] =
		"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
	const char *name = t->in.at;
	size_t len = strspn(name, allowed);

	t->in.at += len;
	if (!len || !scan_char(&t->in, '>'))
		return pattern_fault(
			t, start, "expected (?P<NAME>...) with letters, digits and '_' in NAME");
	return add_group(t, start, name, len);
}

static bool is_look_around(const struct scan *s)
{
	return scan_sees(s, "=") || scan_sees(s, "!") || scan_sees(s, "<=") || scan_sees(s, "<!");
}

/*
 * Reads the text behind "(?": flags, or only a ':'. Returns 1 if they are set for the rest
 * of the group that is being read, 0 if a group of their own begins.
 */
static int read_flag_group(struct translation *t, const char *start)
{
	unsigned int flags = t->flags;

	if (!read_flags(&t->in, &flags))
		return pattern_fault(t, start, "this kind of group is not supported");
	t->flags = flags;
	put_flags(t, flags);
	buffer_add_char(&t->out, *t->in.at);
	return *t->in.at++ == ')';
}

/* Reads the beginning of a group. Returns as read_flag_group(). */
static int read_group_start(struct translation *t, const char *start)
{
	if (!scan_text(&t->in, "?"))
		return add_group(t, start, "", 0);
	if (is_look_around(&t->in))
		return pattern_fault(t, start, "look-around is not supported");
	if (scan_text(&t->in, "P<") || scan_text(&t->in, "<"))
		return read_name(t, start);
	return read_flag_group(t, start);
}

static int read_group(struct translation *t, struct part *ret)
{
	const char *start = t->in.at++;
	unsigned int outer = t->flags;
	int r = read_group_start(t, start);

	if (r < 0)
		return r;
	if (r > 0) {
		*ret = (struct part){.may_be_empty = true, .repeats = 1};
		return 0;
	}
	r = read_group_rest(t, start, ret);
	t->flags = outer;
	ret->is_repeatable = true;
	return r;
}

/* Reads and writes an assertion, if one is next: they are the same in both syntaxes. */
static bool read_assertion(struct translation *t)
{
	static const char *const assertions[] = {"^", "$", "\\A", "\\b", "\\B", "\\z"};

	for (size_t i = 0; i < ARRAY_SIZE(assertions); i++)
		if (scan_text(&t->in, assertions[i])) {
			buffer_add_text(&t->out, assertions[i]);
			return true;
		}
	return false;
}

/* Reads and writes a character that is not a class: itself, or an escape sequence. */
static int read_char(struct translation *t)
{
	uint32_t c;
	int r = 0;

	if (*t->in.at == '\\' && !t->is_quoted)
		r = pattern_read_escape(t, &c);
	else
		pattern_read_char(t, &c);
	if (r < 0)
		return r;
	pattern_put_char(t, c);
	return 0;
}

/* Reads and writes a character, a dot or a class. */
static int read_single(struct translation *t)
{
	int r;

	if (*t->in.at == '[')
		return pattern_class(t);
	if (scan_char(&t->in, '.')) {
		buffer_add_char(&t->out, '.');
		return 0;
	}
	r = pattern_class_escape(t, false);
	if (r)
		return r < 0 ? r : 0;
	return read_char(t);
}

/*
 * Reads and writes a character of \Q...\E, and the \E if that is next: a repetition behind it is
 * that of the character.
 */
static int read_quoted(struct translation *t)
{
	int r = read_char(t);

	t->is_quoted = !scan_text(&t->in, "\\E");
	return r;
}

static int read_part(struct translation *t, struct part *ret)
{
	*ret = (struct part){.repeats = 1, .may_be_empty = true};
	if (*t->in.at == '(' && !t->is_quoted)
		return read_group(t, ret);
	if (t->run++ >= PATTERN_STEP)
		put_steps(t, 1);
	if (!t->is_quoted && scan_text(&t->in, "\\Q")) {
		t->is_quoted = !scan_text(&t->in, "\\E");
		return 0;
	}
	if (!t->is_quoted && read_assertion(t))
		return 0;
	*ret = (struct part){.repeats = 1, .is_repeatable = true, .is_single = true};
	return t->is_quoted ? read_quoted(t) : read_single(t);
}

/* Reads a number without leading zeros. */
static bool read_repeat_count(struct scan *s, uint64_t *ret)
{
	int len = number_scan_u64(s->at, scan_left(s), ret);

	if (!len || (*s->at == '0' && len != 1))
		return false;
	if (len < 0) {
		*ret = UINT64_MAX;
		len = (int)strspn(s->at, "0123456789");
	}
	s->at += len;
	return true;
}

/* Reads {MIN}, {MIN,} or {MIN,MAX}. Returns false, and takes nothing, if it is none of them. */
static bool read_counts(struct scan *s, struct repetition *ret)
{
	struct scan at = *s;
	bool is_range;

	if (!scan_char(&at, '{') || !read_repeat_count(&at, &ret->min))
		return false;
	is_range = scan_char(&at, ',');
	ret->is_endless = is_range && scan_sees(&at, "}");
	ret->max = ret->min;
	if (is_range && !ret->is_endless && !read_repeat_count(&at, &ret->max))
		return false;
	if (!scan_char(&at, '}'))
		return false;
	*s = at;
	return true;
}

/* Reads a repetition, without the '?' behind it, if one is next. */
static bool read_repetition(struct scan *s, struct repetition *ret)
{
	*ret = (struct repetition){.is_endless = true};
	if (scan_char(s, '*'))
		return true;
	if (scan_char(s, '+')) {
		ret->min = 1;
		return true;
	}
	if (scan_char(s, '?')) {
		*ret = (struct repetition){.max = 1};
		return true;
	}
	return read_counts(s, ret);
}

/* Checks the repetition Q, at AT, of PART. */
static int check_repetition(
	struct translation *t, const struct repetition *q, const char *at, const struct part *part)
{
	uint64_t most = q->is_endless ? q->min : q->max;

	if (most > REPEATS_MAX || most * part->repeats > REPEATS_MAX)
		return pattern_fault(t, at, "more than 1000 repetitions");
	if (q->min > most)
		return pattern_fault(t, at, "the repetition has a maximum below its minimum");
	if (q->is_endless && part->may_be_empty)
		return pattern_fault(t, at, "cannot repeat a part that may match no character");
	return 0;
}

/* Inserts the callout of STEPS steps at byte AT of the output. */
static void insert_steps(struct translation *t, size_t at, unsigned int steps)
{
	AUTO_BUFFER struct buffer part = {0};

	buffer_add(&part, t->out.data + at, t->out.len - at);
	t->out.len = at;
	put_steps(t, steps);
	buffer_add(&t->out, part.data, part.len);
	t->out.error = t->out.error ? t->out.error : part.error;
}

/*
 * Reads the repetition of PART, which is written from byte START on. A search compares the minimum
 * number of single characters without a callout, so they are counted before.
 */
static int read_repetition_of(struct translation *t, size_t start, struct part *part)
{
	const char *at = t->in.at;
	struct repetition q;
	unsigned int most;
	int r;

	if (t->is_quoted || !part->is_repeatable || !read_repetition(&t->in, &q))
		return 0;
	scan_char(&t->in, '?');
	r = check_repetition(t, &q, at, part);
	if (r < 0)
		return r;
	most = (unsigned int)(q.is_endless ? q.min : q.max);
	if (part->is_single && q.min > PATTERN_STEP && !t->out.error)
		insert_steps(t, start, (unsigned int)q.min / PATTERN_STEP);
	buffer_add(&t->out, at, (size_t)(t->in.at - at));
	put_steps(t, 1);
	part->may_be_empty |= !q.min;
	part->repeats = q.max || q.is_endless ? part->repeats * highest_of(most, 1) : 1;
	return 0;
}

/* Returns true if a repetition is next that has nothing before it, or another repetition. */
static bool is_stray_repetition(const struct translation *t)
{
	struct scan in = t->in;
	struct repetition q;

	return !t->is_quoted && read_repetition(&in, &q);
}

static bool is_at_end(const struct translation *t)
{
	return !scan_left(&t->in) || (!t->is_quoted && (*t->in.at == '|' || *t->in.at == ')'));
}

static int read_branch(struct translation *t, struct part *ret)
{
	*ret = (struct part){.may_be_empty = true, .repeats = 1};
	put_steps(t, 1);
	while (!is_at_end(t)) {
		size_t start = t->out.len;
		struct part part = {0};
		int r = is_stray_repetition(t)
		                ? pattern_fault(t, t->in.at, "there is nothing to repeat")
		                : read_part(t, &part);

		if (!r)
			r = read_repetition_of(t, start, &part);
		if (r < 0)
			return r;
		ret->may_be_empty &= part.may_be_empty;
		ret->repeats = highest_of(ret->repeats, part.repeats);
	}
	return 0;
}

static int read_alternatives(struct translation *t, struct part *ret)
{
	struct part branch;
	int r = read_branch(t, ret);

	while (!r && scan_char(&t->in, '|')) {
		buffer_add_char(&t->out, '|');
		r = read_branch(t, &branch);
		ret->may_be_empty |= branch.may_be_empty;
		ret->repeats = highest_of(ret->repeats, branch.repeats);
	}
	return r;
}

int pattern_translate(struct translation *t)
{
	struct part whole;
	int r = read_alternatives(t, &whole);

	if (!r && scan_left(&t->in))
		return pattern_fault(t, t->in.at, "')' has no '('");
	return r;
}
