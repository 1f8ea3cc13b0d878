/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/pid-selection.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/keytable.h"
#include "base/log.h"
#include "base/number.h"
#include "cli/common/command.h"
#include "cli/common/no-match.h"
#include "cli/common/source.h"
#include "inspect/maps/target.h"

void pid_selection_done(struct pid_selection *c)
{
	free(c->process);
	*c = (struct pid_selection){0};
}

static int pid_selection_add(struct pid_selection *c, const struct pid_selection_process *process)
{
	if (ARRAY_RESERVE(c->process, c->room, c->count + 1) < 0)
		return -ENOMEM;
	c->process[c->count++] = *process;
	return 0;
}

static int pid_selection_compare(const void *a, const void *b)
{
	pid_t x = ((const struct pid_selection_process *)a)->pid,
	      y = ((const struct pid_selection_process *)b)->pid;

	return (x > y) - (x < y);
}

/* Removes entries with a pid that an earlier entry has. Returns 0 or -ENOMEM. */
static int remove_twins(struct pid_selection *c)
{
	CLEANUP(keytable_done) struct keytable known = {0};
	size_t left = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < c->count; i++) {
		uint64_t key = keytable_key(&known, (uint64_t)c->process[i].pid, 0);

		if (keytable_find(&known, key))
			continue;
		r = keytable_set(&known, key, c);
		c->process[left++] = c->process[i];
	}
	c->count = left;
	return r;
}

static int pid_selection_add_text(
	struct pid_selection *c, const char *text, char error[static CLI_OPTION_ERROR_SIZE])
{
	uint64_t value;

	if (number_parse_u64(text, strlen(text), &value) == 0 && value && value <= INT32_MAX)
		return pid_selection_add(c, &(struct pid_selection_process){.pid = (pid_t)value});
	snprintf(error, CLI_OPTION_ERROR_SIZE, "expected the pid of a process, got '%.60s'", text);
	return -EINVAL;
}

int pid_selection_parse_or_all(const struct settings *settings, struct pid_selection *ret,
	char error[static CLI_OPTION_ERROR_SIZE])
{
	struct pid_selection c = {.count = 0};
	int r = 0;

	for (size_t i = 1; r == 0 && i < settings->operands.count; i++)
		r = pid_selection_add_text(&c, settings->operands.item[i], error);
	for (size_t i = 0; r == 0 && i < settings->pid.count; i++)
		r = pid_selection_add_text(&c, settings->pid.item[i], error);
	if (r == 0)
		r = remove_twins(&c);
	if (r == 0)
		r = selection_parse_processes(settings, &c.selection, &c.has_filters, error);
	if (r == 0)
		*ret = c;
	else
		pid_selection_done(&c);
	return r;
}

int pid_selection_parse(const struct settings *settings, struct pid_selection *ret,
	char error[static CLI_OPTION_ERROR_SIZE])
{
	struct pid_selection c;
	int r = pid_selection_parse_or_all(settings, &c, error);

	if (r == 0 && !pid_selection_is_some(&c)) {
		snprintf(error, CLI_OPTION_ERROR_SIZE,
			"%.20s needs the pid of a process, or a filter such as --user or --program",
			settings->operands.item[0]);
		return -EINVAL;
	}
	if (r == 0)
		*ret = c;
	return r;
}

static int take_all(const struct procfs *procfs, struct pid_selection *c)
{
	AUTO_FREE pid_t *pids = NULL;
	size_t capacity = 0;
	ssize_t count = procfs_list(procfs, &pids, &capacity);

	if (count < 0)
		return (int)count;
	c->process = calloc((size_t)count + 1, sizeof(*c->process));
	if (!c->process)
		return -ENOMEM;
	for (ssize_t i = 0; i < count; i++)
		c->process[i] = (struct pid_selection_process){.pid = pids[i], .is_found = true};
	c->count = (size_t)count;
	c->room = (size_t)count + 1;
	return 0;
}

/* A process that shares an address space with another one is counted at that one. */
static int add_found(struct pid_selection *c, const struct snapshot_process *row)
{
	const struct pid_selection_process process = {.pid = (pid_t)row->pid,
		.is_found = true,
		.start_ns = ROW_HAS(row, PROCESS_START_TIME) ? row->q[PROCESS_START_TIME] : 0};

	if (row->outcome == OUTCOME_NO_MM || row->outcome == OUTCOME_SHARED_MM)
		return 0;
	return pid_selection_add(c, &process);
}

static int pid_selection_find(const struct settings *settings, struct pid_selection *c)
{
	AUTO_BUFFER struct buffer said = {0};
	AUTO_SOURCE struct source source = {0};
	AUTO_FREE uint32_t *rows = NULL;
	size_t given = c->count, count = 0;
	int r = source_open(settings, SOURCE_PROCESSES, &source, &said);

	if (r == 0) {
		selection_set_sight(&c->selection, &source.sight);
		r = query_run(&c->selection.query, source.view, &rows, &count);
	}
	for (size_t i = 0; r == 0 && i < count; i++)
		r = add_found(c, view_process(source.view, rows[i]));
	if (r == 0)
		r = remove_twins(c);
	if (r == 0 && c->count > given)
		qsort(c->process + given, c->count - given, sizeof(*c->process),
			pid_selection_compare);
	if (r == 0)
		log_info("%.*s", (int)said.len, said.data);
	if (r == 0 && !c->count)
		no_match_say(settings, source.view, source_hides_others(&source));
	return r;
}

bool pid_selection_say(const struct pid_selection_process *p, int outcome, const char **ret_why)
{
	bool has_ended = outcome == TARGET_GONE || outcome == TARGET_ENDED;

	*ret_why = outcome < 0 ? strerror(-outcome) : target_text((enum target_outcome)outcome);
	if (p->is_found && has_ended) {
		log_info("pid %d exited before it was read", (int)p->pid);
		return false;
	}
	log_error("pid %d %s%s", (int)p->pid, outcome < 0 ? "cannot be read: " : "", *ret_why);
	return true;
}

int pid_selection_open(const struct settings *settings, struct pid_selection *c, struct procfs *ret)
{
	int r = procfs_open(settings->path_procfs, ret);

	if (r == 0 && !pid_selection_is_some(c))
		r = take_all(ret, c);
	else if (r == 0 && c->has_filters)
		r = pid_selection_find(settings, c);
	if (r < 0) {
		command_say_unreadable(settings, r);
		return PID_SELECTION_FAILED;
	}
	return c->count ? 0 : PID_SELECTION_NONE;
}
