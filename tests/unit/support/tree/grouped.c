/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/tree/grouped.h"

#include "snapshot/owner.h"
#include "tests/unit/support/tree/run.h"

const struct tree_process grouped_init = {.pid = 1,
	.parent = 0,
	.name = "systemd",
	.rss_kib = 1000,
	.pss_kib = 100,
	.uss_kib = 10,
	.cmdline = "/sbin/init"};
const struct tree_process grouped_nginx = {.pid = 20,
	.parent = 1,
	.name = "nginx",
	.rss_kib = 1000,
	.pss_kib = 200,
	.uss_kib = 10,
	.cmdline = "nginx: master"};
const struct tree_process grouped_helper = {.pid = 30,
	.parent = 20,
	.name = "helper",
	.rss_kib = 1000,
	.pss_kib = 300,
	.uss_kib = 10,
	.cmdline = "/usr/libexec/helper"};

const struct pass_options *const grouped_modes[GROUPED_MODES] = {&run_exact, &run_adaptive};

struct naming_rules *grouped_rules(const char *text)
{
	char error[NAMING_ERRORS_SIZE] = "";
	struct naming_rules *rules = NULL;

	if (naming_rules_parse("rules.yaml", text, strlen(text), &rules, error) < 0)
		fail_msg("%s", error);
	return rules;
}

void grouped_open_with(struct grouped *s, const struct pass_options *options, const char *rules)
{
	struct pass_options o = *options;

	*s = (struct grouped){.opened = {.suffix = "cmdline"}};
	tree_expect(NULL, 0);
	tree_open(&s->tree);
	tree_write(&s->tree, "stat", "cpu  1 2 3\nbtime 1700000000\nprocesses 7\n");
	tree_write(&s->tree, "meminfo", "MemTotal: 1000000 kB\nMemAvailable: 600000 kB\n");
	o.procfs = s->tree.path;
	assert_int_equal(pass_open(&o, &s->pass), 0);
	if (rules)
		pass_set_naming(s->pass, grouped_rules(rules));
}

void grouped_open(struct grouped *s, const char *rules)
{
	grouped_open_with(s, &run_exact, rules);
}

void grouped_done(struct grouped *s)
{
	tree_expect(NULL, 0);
	pass_free(s->pass);
	tree_done(&s->tree);
}

void grouped_add(const struct grouped *s, const struct tree_process *p)
{
	char path[32], text[64];

	tree_add(&s->tree, p);
	snprintf(path, sizeof(path), "%d/statm", p->pid);
	snprintf(text, sizeof(text), "3000 %d 200 0 0 0 0\n", 250 + (int)p->image);
	tree_write(&s->tree, path, text);
}

struct view *grouped_run(struct grouped *s)
{
	tree_expect(&s->opened, 1);
	return run_pass(s->pass);
}

const char *grouped_name(const struct view *view, pid_t pid)
{
	const struct snapshot_process *row = view_find_process(view, (uint32_t)pid);

	assert_non_null(row);
	return view_owner(view, row, OWNER_NAMEGROUP);
}

void grouped_expect(struct grouped *s, pid_t pid, const char *group)
{
	AUTO_VIEW struct view *view = grouped_run(s);

	assert_string_equal(grouped_name(view, pid), group);
}

uint64_t grouped_failures(const struct view *view)
{
	assert_true(ROW_HAS(view_host(view), SCOPE_NAMING_FAILURES));
	return view_host(view)->q[SCOPE_NAMING_FAILURES];
}

char *grouped_cmdline(const char *first, size_t len)
{
	char *text = malloc(len + 1);

	assert_non_null(text);
	memset(text, 'x', len);
	memcpy(text, first, strlen(first));
	text[len] = 0;
	return text;
}
