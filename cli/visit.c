/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/visit.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

void visit_done(struct visit *v)
{
	buffer_done(&v->processes);
}

static void add_process(struct visit *v, pid_t pid, const char *program, const char *why)
{
	json_t *row = json_pack("{s:i,s:s*,s:b,s:s*}", "pid", (int)pid, "program", program,
		"complete", !why, "error", why);
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

/* The kernel ends files of an image that has gone without a word, or so; a thread by which it was read may be what has ended. */
static int work(struct visit *v, struct target *t, pid_t pid)
{
	int r = v->work(t, pid, v->context), confirmed;

	if (r == -ENOMEM || v->fatal)
		return r;
	confirmed = target_confirm(t);
	if (r == -ESRCH || r == TARGET_GONE)
		r = TARGET_CHANGED;
	return confirmed > 0 || (confirmed < 0 && r == 0) ? confirmed : r;
}

/* One that ended since a filter found it is none that was asked for. */
static bool has_ended(const struct chosen_process *p, int outcome)
{
	return p->is_found && (outcome == TARGET_GONE || outcome == TARGET_ENDED);
}

static void say(struct visit *v, const struct chosen_process *p, int r, const char *why)
{
	if (has_ended(p, r)) {
		log_info("pid %d has ended since it was found", (int)p->pid);
		return;
	}
	v->has_failed = true;
	log_error("pid %d %s%s", (int)p->pid, r < 0 ? "can't be read: " : "", why);
	if (r == TARGET_DENIED && !v->was_denied && v->hint) {
		v->was_denied = true;
		log_info("%s", v->hint);
	}
}

int visit_process(struct visit *v, const struct chosen_process *p)
{
	AUTO_TARGET struct target t = {.process.dirfd = -1, .process.statm_fd = -1};
	int r = target_open(v->procfs, p->pid, &t);
	const char *why = NULL;
	bool is_open = r == 0;

	if (r == 0)
		r = chosen_is(p, t.sample.q[PROCESS_START_TIME]) ? work(v, &t, p->pid)
		                                                 : TARGET_GONE;
	if (r == -ENOMEM || v->fatal)
		return v->fatal ? v->fatal : r;
	if (r > 0)
		why = target_text((enum target_outcome)r);
	else if (r < 0)
		why = strerror(-r);
	if (why)
		say(v, p, r, why);
	add_process(v, p->pid, is_open ? target_program(&t) : NULL, why);
	return v->processes.error;
}
