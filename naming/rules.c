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
#include "base/faults.h"
#include "base/os/file.h"
#include "naming/rules-file.h"
#include "naming/rules-private.h"

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
	free(r);
}

static void rules_cleanup(struct naming_rules **r)
{
	naming_rules_free(*r);
}

struct compiler {
	struct naming_rules *rules;
	struct faults *faults;
};

static int words_set(struct words *words, const struct rules_list *list)
{
	words->is_set = list->is_set;
	for (size_t i = 0; i < list->count; i++)
		buffer_add(&words->text, list->item[i].text, strlen(list->item[i].text) + 1);
	return words->text.error;
}

/* Compiles all patterns of LIST, also after faults. Returns 0, -EINVAL or -ENOMEM. */
static int compile_patterns(
	struct rule *rule, const struct rules_list *list, size_t number, struct faults *faults)
{
	char error[NAMING_ERROR_SIZE];
	int result = 0;

	rule->pattern = calloc(list->count + 1, sizeof(*rule->pattern));
	if (!rule->pattern)
		return -ENOMEM;
	for (size_t i = 0; i < list->count; i++) {
		int r = pattern_new(list->item[i].text, &rule->pattern[rule->patterns], error);

		if (r == -ENOMEM)
			return r;
		if (r < 0) {
			result = faults_add(
				faults, list->item[i].line, "item %zu: cmdline: %s", number, error);
			continue;
		}
		rule->captures += pattern_captures(rule->pattern[rule->patterns++]);
	}
	return result;
}

static int compile_name(
	struct rule *rule, const struct rules_text *name, size_t number, struct faults *faults)
{
	char error[NAMING_ERROR_SIZE];
	int r = template_new(name->text, &rule->name, error);

	return r == -EINVAL ? faults_add(faults, name->line, "item %zu: name: %s", number, error)
	                    : r;
}

static int compile_rule(struct rule *rule, const struct rules_item *item, struct faults *faults)
{
	int name, patterns;

	if (words_set(&rule->comm, &item->list[RULES_COMM]) < 0 ||
		words_set(&rule->exe, &item->list[RULES_EXE]) < 0)
		return -ENOMEM;
	name = compile_name(rule, &item->name, item->number, faults);
	if (name == -ENOMEM)
		return name;
	patterns = compile_patterns(rule, &item->list[RULES_CMDLINE], item->number, faults);
	return patterns < 0 ? patterns : name;
}

static int add_rule(const struct rules_item *item, void *context)
{
	const struct compiler *c = context;
	struct naming_rules *rules = c->rules;
	struct rule *rule;
	unsigned int uses;
	int r;

	if (ARRAY_RESERVE(rules->rule, rules->room, rules->count + 1) < 0)
		return -ENOMEM;
	rule = &rules->rule[rules->count++];
	*rule = (struct rule){0};
	r = compile_rule(rule, item, c->faults);
	if (r < 0)
		return r;
	rules->patterns += rule->patterns;
	uses = template_uses(rule->name);
	rules->needs.username = rules->needs.username || (uses & TEMPLATE_USERNAME);
	rules->needs.cgroup = rules->needs.cgroup || (uses & TEMPLATE_CGROUPS);
	return 0;
}

int naming_rules_parse(const char *path, const char *text, size_t len, struct naming_rules **ret,
	char error[static NAMING_ERRORS_SIZE])
{
	CLEANUP(rules_cleanup) struct naming_rules *rules = calloc(1, sizeof(*rules));
	struct faults faults;
	int r;

	faults_init(&faults, path, error, NAMING_ERRORS_SIZE);
	if (!rules)
		return -ENOMEM;
	r = rules_file_read(text, len, &faults, add_rule,
		&(struct compiler){.rules = rules, .faults = &faults});
	if (r < 0)
		return r;
	*ret = TAKE_PTR(rules);
	return 0;
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

struct naming_needs naming_rules_needs(const struct naming_rules *r)
{
	return r->needs;
}
