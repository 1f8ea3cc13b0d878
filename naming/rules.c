/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "naming/rules.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/os/file.h"
#include "naming/rules-file.h"
#include "naming/rules-private.h"

_Static_assert((int)NAMING_ERRORS_SIZE == (int)SETTINGS_ERROR_SIZE,
	"both are for the faults of a configuration file");

enum { PATTERNS_MAX = 16 << 20 }; /* bytes of all patterns of a file */

static void rule_done(struct rule *rule)
{
	buffer_done(&rule->comm.text);
	buffer_done(&rule->exe.text);
	for (size_t i = 0; i < rule->patterns; i++)
		pattern_free(rule->pattern[i]);
	free(rule->pattern);
	template_free(rule->name);
}

void naming_rules_free(struct naming_rules *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->count; i++)
		rule_done(&r->rule[i]);
	free(r->rule);
	buffer_done(&r->text);
	free(r);
}

static void rules_cleanup(struct naming_rules **r)
{
	naming_rules_free(*r);
}

/* Adds a fault at LINE of ITEM. Returns -EINVAL. */
static int rules_refuse(struct events *events, const struct rules_item *item, size_t line,
	const char *key, const char *error)
{
	const yaml_mark_t mark = {.line = line - 1};

	return events_fail(events, &mark, "item %zu: %s: %s", item->number, key, error);
}

static int words_set(struct words *words, const struct rules_list *list)
{
	words->is_set = list->is_set;
	buffer_add(&words->text, list->texts.data, list->texts.len);
	return words->text.error;
}

/*
 * Compiles TEXT, the pattern of ITEM at LINE, and adds it to RULE. Returns 0; -EINVAL if there is a
 * fault, also if patterns of RULES before it took too much memory; or -ENOMEM.
 */
static int add_pattern(struct naming_rules *rules, struct rule *rule, const char *text,
	const struct rules_item *item, size_t line, struct events *events)
{
	struct pattern **pattern = &rule->pattern[rule->patterns];
	char error[NAMING_ERROR_SIZE];
	int r;

	if (rules->bytes > PATTERNS_MAX)
		return -EINVAL;
	r = pattern_new(text, pattern, error);
	if (r < 0)
		return r == -EINVAL ? rules_refuse(events, item, line, "cmdline", error) : r;
	rule->captures += pattern_captures(*pattern);
	rule->patterns++;
	rules->bytes += pattern_bytes(*pattern);
	if (rules->bytes > PATTERNS_MAX)
		return rules_refuse(events, item, line, "cmdline",
			"the patterns up to here take more than 16 MiB");
	return 0;
}

/* Compiles all patterns of ITEM, also after faults. Returns 0, -EINVAL or -ENOMEM. */
static int compile_patterns(struct naming_rules *rules, struct rule *rule,
	const struct rules_item *item, struct events *events)
{
	const struct rules_list *list = &item->list[RULES_CMDLINE];
	const char *text = list->texts.data;
	int result = 0;

	rule->pattern = calloc(list->count + 1, sizeof(struct pattern *));
	if (!rule->pattern)
		return -ENOMEM;
	for (size_t i = 0; i < list->count; i++, text += strlen(text) + 1) {
		int r = add_pattern(rules, rule, text, item, list->line[i], events);

		if (r == -ENOMEM)
			return r;
		result = r < 0 ? r : result;
	}
	return result;
}

static int compile_name(struct rule *rule, const struct rules_item *item, struct events *events)
{
	char error[NAMING_ERROR_SIZE];
	int r = template_new(item->name, &rule->name, error);

	return r == -EINVAL ? rules_refuse(events, item, item->name_line, "name", error) : r;
}

static int compile_rule(struct naming_rules *rules, struct rule *rule,
	const struct rules_item *item, struct events *events)
{
	int name, patterns;

	if (words_set(&rule->comm, &item->list[RULES_COMM]) < 0 ||
		words_set(&rule->exe, &item->list[RULES_EXE]) < 0)
		return -ENOMEM;
	name = compile_name(rule, item, events);
	if (name == -ENOMEM)
		return name;
	patterns = compile_patterns(rules, rule, item, events);
	return patterns < 0 ? patterns : name;
}

static int add_rule(const struct rules_item *item, struct events *events, void *context)
{
	struct naming_rules *rules = context;
	struct rule *rule;
	unsigned int uses;
	int r;

	if (ARRAY_RESERVE(rules->rule, rules->room, rules->count + 1) < 0)
		return -ENOMEM;
	rule = &rules->rule[rules->count++];
	*rule = (struct rule){0};
	r = compile_rule(rules, rule, item, events);
	if (r < 0)
		return r;
	rules->patterns += rule->patterns;
	uses = template_uses(rule->name);
	rules->needs.username = rules->needs.username || (uses & TEMPLATE_USERNAME);
	rules->needs.cgroup = rules->needs.cgroup || (uses & TEMPLATE_CGROUPS);
	return 0;
}

static int rules_parse(const char *path, const char *text, size_t len, struct naming_rules **ret,
	char error[static NAMING_ERRORS_SIZE])
{
	CLEANUP(rules_cleanup) struct naming_rules *rules = calloc(1, sizeof(*rules));
	int r;

	error[0] = '\0';
	if (!rules)
		return -ENOMEM;
	buffer_add(&rules->text, text, len);
	if (rules->text.error)
		return rules->text.error;
	r = rules_file_read(path, text, len, add_rule, rules, error);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(rules);
	return 0;
}

int naming_rules_parse(const char *path, const char *text, size_t len, struct naming_rules **ret,
	char error[static NAMING_ERRORS_SIZE])
{
	int r = rules_parse(path, text, len, ret, error);

	if (r == -ENOMEM)
		snprintf(error, NAMING_ERRORS_SIZE, "%s: %s", path, strerror(ENOMEM));
	return r;
}

int naming_rules_load(
	const char *path, struct naming_rules **ret, char error[static NAMING_ERRORS_SIZE])
{
	AUTO_BUFFER struct buffer text = {0};
	int r = file_read_all(AT_FDCWD, path, RULES_FILE_MAX, &text);

	if (r < 0) {
		snprintf(error, NAMING_ERRORS_SIZE, "%s: %s", path, strerror(-r));
		return r;
	}
	return naming_rules_parse(path, text.data, text.len, ret, error);
}

bool naming_rules_are_same(const struct naming_rules *a, const struct naming_rules *b)
{
	if (!a || !b)
		return a == b;
	return a->text.len == b->text.len &&
	       (!a->text.len || !memcmp(a->text.data, b->text.data, a->text.len));
}

struct naming_needs naming_rules_needs(const struct naming_rules *r)
{
	return r->needs;
}
