/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "naming/rules-private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "base/saturate.h"
#include "base/scan.h"
#include "base/text.h"
#include "snapshot/record.h"

enum {
	STEPS_LEAST = 2000,    /* of a process */
	STEPS_LEAST_EACH = 40, /* the same for each pattern */
	USUAL_TIMES = 10, /* the least: a few steps of each pattern for each byte of most lines */
	STEPS_EXTRA_MAX = 1000000, /* of a process, beyond twice the usual */
	BYTES_PER_STEP = 32, /* a search that takes no step may look at each byte of the line */
};

/* A process while it is matched. */
struct matching {
	const struct naming_process *process;
	bool has_arguments;
	struct template_text arguments; /* raw, with NUL bytes between them */
	struct template_text exe;       /* the first one; empty if there is none */
	struct template_text base;      /* last component of .exe; it is found once for all rules */
	struct template_text line; /* as patterns see them; .text is NULL until they are joined */
	struct buffer line_text;
	struct capture *capture; /* owned: what the patterns of the last rule found */
	size_t captures, room;
	struct naming_rules *rules; /* .steps is counted there */
	uint64_t steps_max;
	bool is_spent; /* a search needed more than was left of .steps_max */
	bool has_failed;
};

/* Paths of control groups. */
struct paths {
	struct template_text *item; /* owned */
	size_t count, room;
};

/* A process as templates see it. */
struct subject {
	struct buffer texts;
	struct paths paths;
	struct template_process process;
};

/*
 * Appends TEXT to TO: each byte that is not UTF-8 becomes U+FFFD, each NUL a blank. TO has room for
 * 3 * LEN bytes, so that earlier results stay where they are. Returns what was appended.
 */
static struct template_text add_valid(struct buffer *to, const char *text, size_t len)
{
	size_t begin = to->len, from = 0, at = 0;

	while (at < len) {
		uint32_t c;
		size_t n = text_decode(text + at, len - at, &c);

		if (!n || !c) {
			buffer_add(to, text + from, at - from);
			buffer_add_text(to, n ? " " : "\xef\xbf\xbd");
			from = at + 1;
		}
		at += n ? n : 1;
	}
	buffer_add(to, text + from, len - from);
	return (struct template_text){to->data + begin, to->len - begin};
}

/* Returns the last component of PATH without slashes at the end, as filepath.Base() of Go does. */
static struct template_text base_name(struct template_text path)
{
	size_t begin;

	if (!path.len)
		return (struct template_text){".", 1};
	while (path.len && path.text[path.len - 1] == '/')
		path.len--;
	begin = path.len;
	while (begin && path.text[begin - 1] != '/')
		begin--;
	if (begin == path.len)
		return (struct template_text){"/", 1};
	return (struct template_text){path.text + begin, path.len - begin};
}

/*
 * Begins to match P. Its command line is cut at NAMING_CMDLINE_MAX; NUL bytes at the end are no
 * arguments, as in process-exporter.
 */
static struct matching matching_of(const struct naming_process *p)
{
	size_t len = p->cmdline_len < NAMING_CMDLINE_MAX ? p->cmdline_len : NAMING_CMDLINE_MAX;
	struct matching m = {.process = p, .has_arguments = len > 0};

	while (len && !p->cmdline[len - 1])
		len--;
	m.arguments = (struct template_text){len ? p->cmdline : "", len};
	m.exe = (struct template_text){m.arguments.text, strnlen(m.arguments.text, len)};
	m.base = base_name(m.exe);
	return m;
}

static void matching_done(struct matching *m)
{
	buffer_done(&m->line_text);
	free(m->capture);
}

static bool comm_matches(const struct words *words, const struct naming_process *p)
{
	struct template_text comm = {p->comm, p->comm_len};

	for (size_t at = 0; at < words->text.len; at += strlen(words->text.data + at) + 1)
		if (template_text_is(&comm, words->text.data + at))
			return true;
	return false;
}

static bool exe_matches(const struct words *words, const struct matching *m)
{
	if (!m->has_arguments)
		return false;
	for (size_t at = 0; at < words->text.len; at += strlen(words->text.data + at) + 1) {
		const char *word = words->text.data + at;

		if (template_text_is(strchr(word, '/') ? &m->exe : &m->base, word))
			return true;
	}
	return false;
}

/* Joins the arguments, unless they are. Returns 0 or -ENOMEM. */
static int join_arguments(struct matching *m)
{
	if (m->line.text)
		return 0;
	if (!buffer_reserve(&m->line_text, 3 * m->arguments.len + 1))
		return -ENOMEM;
	m->line = add_valid(&m->line_text, m->arguments.text, m->arguments.len);
	return 0;
}

static uint64_t rules_steps(const struct naming_rules *r, enum naming_effort effort)
{
	uint64_t least = STEPS_LEAST + STEPS_LEAST_EACH * (uint64_t)r->patterns;

	switch (effort) {
	case NAMING_LEAST: return least;
	case NAMING_USUAL: return USUAL_TIMES * least;
	default: return 2 * USUAL_TIMES * least + STEPS_EXTRA_MAX;
	}
}

uint64_t naming_rules_extra_steps(const struct naming_rules *r)
{
	return saturate_less(r->steps, rules_steps(r, NAMING_LEAST));
}

/* Searches the line of M for P. Returns as pattern_search() does. */
static int search_line(struct matching *m, struct pattern *p)
{
	uint64_t left = saturate_less(m->steps_max, m->rules->steps);
	int r = -EOVERFLOW;

	if (!left) {
		m->is_spent = true;
		return r;
	}
	r = pattern_search(p, m->line.text, m->line.len, left, m->capture + m->captures);
	m->rules->steps += 1 + m->line.len / BYTES_PER_STEP + pattern_steps(p);
	m->is_spent = m->is_spent || (r == -EOVERFLOW && left < PATTERN_STEPS_MAX);
	return r;
}

/* Returns 1 if all patterns of RULE match, and then .capture has their groups; 0 if not; -ENOMEM. */
static int patterns_match(const struct rule *rule, struct matching *m)
{
	m->captures = 0;
	if (!rule->patterns)
		return 1;
	if (join_arguments(m) < 0 || ARRAY_RESERVE(m->capture, m->room, rule->captures) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < rule->patterns; i++) {
		int r = search_line(m, rule->pattern[i]);

		if (r == -EOVERFLOW) {
			m->has_failed = true;
			return 0;
		}
		if (r <= 0)
			return r;
		m->captures += pattern_captures(rule->pattern[i]);
	}
	return 1;
}

static int rule_matches(const struct rule *rule, struct matching *m)
{
	if (rule->comm.is_set && !comm_matches(&rule->comm, m->process))
		return 0;
	if (rule->exe.is_set && !exe_matches(&rule->exe, m))
		return 0;
	return patterns_match(rule, m);
}

/* Adds the path of each line of TEXT, "NUMBER:CONTROLLERS:PATH". Returns 0 or -ENOMEM. */
static int paths_add(struct paths *paths, struct template_text text)
{
	struct scan all = {text.text, text.text + text.len}, line, number, controllers;

	while (scan_part(&all, '\n', &line)) {
		if (!scan_part(&line, ':', &number) || !scan_part(&line, ':', &controllers))
			continue;
		if (ARRAY_RESERVE(paths->item, paths->room, paths->count + 1) < 0)
			return -ENOMEM;
		paths->item[paths->count++] = (struct template_text){line.at, scan_left(&line)};
	}
	return 0;
}

static void subject_release(struct subject *s)
{
	buffer_done(&s->texts);
	free(s->paths.item);
}

/* Describes the process of M, which the last rule matched. Returns 0 or -ENOMEM. */
static int subject_fill(struct subject *s, const struct matching *m)
{
	const struct naming_process *p = m->process;
	char uid[NUMBER_U64_DIGITS + 1] = "";
	const char *username = p->username ? p->username : uid;
	size_t cgroup_len = p->cgroup ? p->cgroup_len : 0;
	struct template_text comm, exe;

	number_format_u64(p->uid, uid);
	if (!buffer_reserve(
		    &s->texts, 3 * (p->comm_len + m->exe.len + strlen(username) + cgroup_len) + 1))
		return -ENOMEM;
	comm = add_valid(&s->texts, p->comm, p->comm_len);
	exe = m->has_arguments ? add_valid(&s->texts, m->exe.text, m->exe.len) : comm;
	s->process = (struct template_process){
		.comm = comm,
		.exe_base = m->has_arguments ? base_name(exe) : comm,
		.exe_full = exe,
		.username = add_valid(&s->texts, username, strlen(username)),
		.matches = m->capture,
		.matches_count = m->captures,
		.start_s = p->start_s,
		.pid = p->pid,
	};
	if (paths_add(&s->paths, add_valid(&s->texts, p->cgroup ? p->cgroup : "", cgroup_len)) < 0)
		return -ENOMEM;
	s->process.cgroups = s->paths.item;
	s->process.cgroups_count = s->paths.count;
	return 0;
}

/* Appends the name that RULE gives the process of M to TO. Returns 1 or -ENOMEM. */
static int add_name(const struct rule *rule, struct matching *m, struct buffer *to)
{
	CLEANUP(subject_release) struct subject subject = {0};
	AUTO_BUFFER struct buffer name = {0};
	int r = subject_fill(&subject, m);

	if (r == 0)
		r = template_run(rule->name, &subject.process, SNAPSHOT_NAME_MAX, &name);
	if (r == -ENOMEM)
		return r;
	m->has_failed = m->has_failed || r < 0;
	if (name.len)
		text_add_name(to, name.data, name.len, SNAPSHOT_NAME_MAX);
	else
		buffer_add_text(to, "(unnamed)");
	return to->error ? to->error : 1;
}

int naming_rules_match(struct naming_rules *r, const struct naming_process *p,
	enum naming_effort effort, struct buffer *name, bool *ret_failed)
{
	CLEANUP(matching_done) struct matching m = matching_of(p);

	m.rules = r;
	m.steps_max = rules_steps(r, effort);
	r->steps = 0;
	for (size_t i = 0; i < r->count; i++) {
		const struct rule *rule = &r->rule[i];
		int result = rule_matches(rule, &m);

		if (effort != NAMING_MOST && m.is_spent)
			return -EAGAIN;
		if (result > 0)
			result = add_name(rule, &m, name);
		if (result < 0)
			return result;
		if (result > 0) {
			*ret_failed = m.has_failed;
			return 1;
		}
	}
	*ret_failed = m.has_failed;
	return 0;
}
