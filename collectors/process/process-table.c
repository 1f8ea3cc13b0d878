/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/process/process-table.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"

void process_table_done(struct process_table *t)
{
	for (size_t i = 0; i < t->count; i++) {
		process_done(t->item[i]);
		free(t->item[i]);
	}
	free((void *)t->item);
	free((void *)t->spare);
	*t = (struct process_table){0};
}

static int process_table_grow(struct process_table *t, size_t count)
{
	size_t capacity = t->capacity;

	if (ARRAY_RESERVE(t->item, capacity, count) < 0)
		return -ENOMEM;
	return ARRAY_RESERVE(t->spare, t->capacity, count);
}

static struct process *process_new(pid_t pid)
{
	struct process *p = malloc(sizeof(*p));

	if (p)
		process_init(p, pid);
	return p;
}

/* Frees what this call has made: the processes of SPARE that are not in ITEM. */
static void process_table_undo(struct process_table *t, size_t made)
{
	size_t old = 0;

	for (size_t i = 0; i < made; i++) {
		while (old < t->count && t->item[old]->pid < t->spare[i]->pid)
			old++;
		if (old == t->count || t->item[old] != t->spare[i])
			free(t->spare[i]);
	}
}

static void process_table_forget(
	struct process_table *t, struct process_reader *reader, struct process *p)
{
	if (t->forget)
		t->forget(t->to, p);
	process_release(reader, p);
	free(p);
}

int process_table_sync(
	struct process_table *t, struct process_reader *reader, const pid_t *pids, size_t count)
{
	struct process **swap;
	size_t old = 0;

	if (process_table_grow(t, count) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		while (old < t->count && t->item[old]->pid < pids[i])
			old++;
		if (old < t->count && t->item[old]->pid == pids[i])
			t->spare[i] = t->item[old];
		else
			t->spare[i] = process_new(pids[i]);
		if (!t->spare[i]) {
			process_table_undo(t, i);
			return -ENOMEM;
		}
	}
	for (size_t i = 0, kept = 0; i < t->count; i++) {
		while (kept < count && t->spare[kept]->pid < t->item[i]->pid)
			kept++;
		if (kept == count || t->spare[kept] != t->item[i])
			process_table_forget(t, reader, t->item[i]);
	}
	swap = t->item;
	t->item = t->spare;
	t->spare = swap;
	t->count = count;
	return 0;
}

static int process_table_compare(const void *pid, const void *p)
{
	pid_t a = *(const pid_t *)pid, b = (*(struct process *const *)p)->pid;

	return (a > b) - (a < b);
}

struct process *process_table_find(const struct process_table *t, pid_t pid)
{
	struct process *const *found = !t->count ? NULL
	                                         : bsearch(&pid, (const void *)t->item, t->count,
							   sizeof(struct process *),
							   process_table_compare);

	return found ? *found : NULL;
}
