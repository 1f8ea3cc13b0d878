/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/each-process.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/common/reading/supervisor.h"

void each_process_done(struct each_process *v)
{
	buffer_done(&v->processes);
}

struct trying {
	const struct procfs *procfs;
	const struct pid_selection_process *process;
	each_process_work work;
	void *context;
};

static int each_process_open(void *context)
{
	const struct trying *trying = context;
	AUTO_TARGET struct target t = {.process.dirfd = -1, .process.file_fd = -1};
	int r = target_open(trying->procfs, trying->process->pid, &t);

	if (r != 0)
		return r;
	if (!pid_selection_is(trying->process, t.sample.q[PROCESS_START_TIME]))
		return TARGET_GONE;
	return trying->work(&t, trying->context);
}

int each_process_try(const struct procfs *procfs, const struct pid_selection_process *p,
	each_process_work work, void *context)
{
	struct trying trying = {.procfs = procfs, .process = p, .work = work, .context = context};

	return supervisor_try(p->pid, each_process_open, &trying);
}

/* The process that is being read. */
struct visiting {
	struct each_process *visit;
	char *program;     /* owned; NULL: the process was not opened */
	uint64_t start_ns; /* as PROCESS_START_TIME; 0: not known, or the process was not opened */
};

static void cleanup_visiting(struct visiting *v)
{
	free(v->program);
}

/* Adds a process to .processes. WHY is the reason why it does not count; NULL: it counts. */
static void each_process_add_process(struct each_process *v, pid_t pid, const struct visiting *p,
	const char *why, bool has_ended)
{
	json_t *start = p->start_ns ? json_real((double)p->start_ns / (double)NS_PER_SEC) : NULL;
	json_t *row = json_pack("{s:i,s:s*,s:o*,s:b,s:s*,s:o*}", "pid", (int)pid, "program",
		p->program, "start_time_seconds", start, "complete", !why, "error", why, "ended",
		has_ended ? json_true() : NULL);
	char *text = row ? json_dumps(row, JSON_COMPACT) : NULL;

	if (v->processes.len)
		buffer_add_char(&v->processes, ',');
	if (text)
		buffer_add_text(&v->processes, text);
	else
		v->processes.error = -ENOMEM;
	free(text);
	json_decref(row);
}

static int each_process_look_into(struct target *t, void *context)
{
	struct visiting *v = context;

	v->program = strdup(target_program(t));
	if (!v->program)
		return -ENOMEM;
	v->start_ns = t->sample.q[PROCESS_START_TIME];
	return target_end(t, v->visit->work(t, v->visit->context));
}

int each_process_visit(struct each_process *v, const struct pid_selection_process *p)
{
	CLEANUP(cleanup_visiting) struct visiting visiting = {.visit = v};
	int r = each_process_try(v->procfs, p, each_process_look_into, &visiting);
	const char *why = NULL;
	bool has_ended = false;

	supervisor_say();
	if (r == 0 && v->keep)
		r = v->keep(v->context);
	if (r == -ENOMEM || v->fatal)
		return v->fatal ? v->fatal : r;
	if (r != 0)
		has_ended = !pid_selection_say(p, r, &why);
	if (r != 0 && !has_ended) {
		v->has_failed = true;
		hint_say(&v->hint, v->procfs, r);
	}
	each_process_add_process(v, p->pid, &visiting, why, has_ended);
	return v->processes.error;
}
