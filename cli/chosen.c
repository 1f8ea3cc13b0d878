/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/chosen.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "cli/source.h"

void chosen_done(struct chosen *c)
{
	free(c->pid);
	*c = (struct chosen){0};
}

static int add(struct chosen *c, pid_t pid)
{
	pid_t *more;

	for (size_t i = 0; i < c->count; i++)
		if (c->pid[i] == pid)
			return 0;
	more = reallocarray(c->pid, c->count + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	c->pid = more;
	c->pid[c->count++] = pid;
	return 0;
}

static int add_text(struct chosen *c, const char *text, char error[static CHOSEN_ERROR_SIZE])
{
	uint64_t value;

	if (number_parse_u64(text, strlen(text), &value) == 0 && value && value <= INT32_MAX)
		return add(c, (pid_t)value);
	snprintf(error, CHOSEN_ERROR_SIZE, "expected the pid of a process, got '%.60s'", text);
	return -EINVAL;
}

int chosen_parse(
	const struct settings *settings, struct chosen *ret, char error[static CHOSEN_ERROR_SIZE])
{
	struct chosen c = {.count = 0};
	int r = 0;

	for (size_t i = 1; r == 0 && i < settings->operands.count; i++)
		r = add_text(&c, settings->operands.item[i], error);
	for (size_t i = 0; r == 0 && i < settings->pid.count; i++)
		r = add_text(&c, settings->pid.item[i], error);
	if (r == 0)
		r = selection_parse_processes(settings, &c.selection, &c.has_filters, error);
	if (r == 0 && !c.count && !c.has_filters) {
		snprintf(error, CHOSEN_ERROR_SIZE,
			"%.20s needs the pid of a process, or a filter such as --user or --program",
			settings->operands.item[0]);
		r = -EINVAL;
	}
	if (r == 0)
		*ret = c;
	else
		chosen_done(&c);
	return r;
}

static int compare(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

int chosen_find(const struct settings *settings, struct chosen *c, struct buffer *said)
{
	AUTO_SOURCE struct source source = {0};
	AUTO_FREE uint32_t *rows = NULL;
	size_t given = c->count, count = 0;
	int r = source_open(settings, true, &source, said);

	if (r == 0) {
		selection_set_sight(&c->selection, &source.sight);
		r = query_run(&c->selection.query, source.view, &rows, &count);
	}
	for (size_t i = 0; r == 0 && i < count; i++) {
		const struct snapshot_process *row = view_process(source.view, rows[i]);

		if (row->outcome != OUTCOME_NO_MM)
			r = add(c, (pid_t)row->pid);
	}
	if (r == 0 && c->count > given)
		qsort(c->pid + given, c->count - given, sizeof(*c->pid), compare);
	return r;
}
