/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/map/process-list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/text.h"
#include "cli/common/pid-selection.h"

void process_list_done(struct process_list *l)
{
	for (size_t i = 0; i < l->count; i++)
		free(l->item[i].program);
	free(l->item);
	*l = (struct process_list){0};
}

static uint64_t process_list_start(const json_t *process)
{
	double seconds = json_number_value(json_object_get(process, "start_time_seconds"));

	return seconds > 0 && seconds < (double)(INT64_MAX / NS_PER_SEC)
	               ? (uint64_t)(seconds * (double)NS_PER_SEC)
	               : 0;
}

static int process_list_add_one(struct process_list *l, const json_t *process)
{
	json_int_t pid = json_integer_value(json_object_get(process, "pid"));
	const char *program = json_string_value(json_object_get(process, "program"));
	struct process_list_item *item;

	if (pid <= 0 || pid > INT32_MAX || !json_is_true(json_object_get(process, "complete")))
		return 0;
	if (ARRAY_RESERVE(l->item, l->room, l->count + 1) < 0)
		return -ENOMEM;
	item = &l->item[l->count];
	*item = (struct process_list_item){
		.pid = (pid_t)pid, .start_ns = process_list_start(process)};
	if (program && text_is_clean(program, strlen(program))) {
		item->program = strdup(program);
		if (!item->program)
			return -ENOMEM;
	}
	l->count++;
	return 0;
}

int process_list_add(struct process_list *l, const json_t *processes)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < json_array_size(processes); i++)
		r = process_list_add_one(l, json_array_get(processes, i));
	return r;
}

int process_list_add_text(struct process_list *l, const char *objects, size_t len)
{
	AUTO_BUFFER struct buffer text = {0};
	json_t *processes;
	int r;

	buffer_add_char(&text, '[');
	buffer_add(&text, objects, len);
	buffer_add_char(&text, ']');
	if (text.error)
		return text.error;
	processes = json_loadb(text.data, text.len, 0, NULL);
	r = processes ? process_list_add(l, processes) : -ENOMEM;
	json_decref(processes);
	return r;
}

static const struct process_list_item *process_list_find(const struct process_list *l, pid_t pid)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->item[i].pid == pid)
			return &l->item[i];
	return NULL;
}

static bool is_same_process(const struct process_list_item *a, const struct process_list_item *b)
{
	const struct pid_selection_process known = {.pid = a->pid, .start_ns = a->start_ns};

	return pid_selection_is(&known, b->start_ns);
}

static bool is_same_program(const struct process_list_item *a, const struct process_list_item *b)
{
	return !a->program || !b->program || !strcmp(a->program, b->program);
}

/* Processes that differ in one way: the first of them, and how many there are. */
struct differing {
	const struct process_list_item *first;
	size_t count;
};

static void process_list_note(struct differing *d, const struct process_list_item *item)
{
	if (!d->count++)
		d->first = item;
}

/* Appends "pid 5 (sh)", or "pid 5 (sh) and 2 more". */
static void process_list_name(const struct differing *d, struct buffer *to)
{
	buffer_printf(to, "pid %d", (int)d->first->pid);
	if (d->first->program)
		buffer_printf(to, " (%s)", d->first->program);
	if (d->count > 1)
		buffer_printf(to, " and %zu more", d->count - 1);
}

static void process_list_say(const char *what, const struct differing *d, struct buffer *to)
{
	if (!d->count)
		return;
	buffer_add_text(to, what);
	process_list_name(d, to);
	buffer_add_char(to, '\n');
}

/* Appends that THEN, the processes of PATH, has none of the processes of NOW. */
static void process_list_say_apart(const struct process_list *then, const struct process_list *now,
	const char *path, struct buffer *to)
{
	const struct differing before = {.first = then->item, .count = then->count};
	const struct differing after = {.first = now->item, .count = now->count};

	text_add_clean(to, path, strlen(path));
	buffer_add_text(to, " is of other processes: ");
	process_list_name(&before, to);
	buffer_add_text(to, "; now compared with ");
	process_list_name(&after, to);
	buffer_add_char(to, '\n');
}

void process_list_compare(const struct process_list *then, const struct process_list *now,
	const char *path, bool is_found, struct buffer *to)
{
	struct differing gone = {0}, fresh = {0}, started = {0}, moved = {0}, executed = {0};

	for (size_t i = 0; i < then->count; i++) {
		const struct process_list_item *a = &then->item[i];
		const struct process_list_item *b = process_list_find(now, a->pid);

		if (!b)
			process_list_note(&gone, a);
		else if (!is_same_process(a, b))
			process_list_note(is_same_program(a, b) ? &moved : &started, a);
		else if (!is_same_program(a, b))
			process_list_note(&executed, a);
	}
	for (size_t i = 0; i < now->count; i++)
		if (!process_list_find(then, now->item[i].pid))
			process_list_note(&fresh, &now->item[i]);
	if (then->count && now->count && gone.count == then->count) {
		process_list_say_apart(then, now, path, to);
		return;
	}
	if (is_found)
		return;
	process_list_say("in the file, but not compared: ", &gone, to);
	process_list_say("not in the file, so that all of its memory is new: ", &fresh, to);
	process_list_say("exited since, and another process has the pid now: ", &started, to);
	/* a start time is by the wall clock: a process has another one after the clock was set */
	process_list_say(
		"may be another process with the same pid (or the clock was set): ", &moved, to);
	process_list_say("executed another program since: ", &executed, to);
}
