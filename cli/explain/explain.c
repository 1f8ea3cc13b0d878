/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/explain/explain.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/os/kcmp.h"
#include "base/text.h"
#include "cli/common/command.h"
#include "cli/common/each-process.h"
#include "cli/common/inspection.h"
#include "cli/common/reading/hint.h"
#include "cli/common/reading/supervisor.h"
#include "cli/common/source.h"
#include "cli/explain/explain-page.h"
#include "cli/explain/explanation.h"
#include "cli/table/line.h"
#include "cli/table/output.h"
#include "collectors/process/self/self-usage.h"
#include "collectors/process/shared-mm.h"
#include "inspect/files/file-state.h"
#include "inspect/frames/shmem-devices.h"
#include "inspect/maps/claims.h"
#include "inspect/maps/target.h"
#include "inspect/pages/ownpages.h"

enum { LIMIT_DEFAULT = 5, EXPLAIN_VERSION = 1 };

static int explain_parse(struct inspection *i, char error[static CLI_OPTION_ERROR_SIZE])
{
	i->look = command_look(i->settings, LIST_TABLE);
	if (!i->look.limit)
		i->look.limit = LIMIT_DEFAULT;
	return pid_selection_parse(i->settings, &i->chosen, error);
}

/* A process to explain, or the reason why it cannot be. */
struct subject {
	const struct pid_selection_process *process;
	const char *why; /* reason why it could not be read (static); NULL: it was */
	char *program;   /* owned; NULL: not known */
	uid_t uid;
	struct sample sample;
	struct stat_info stat;
	int pagemap;                  /* open while its mappings are read; -1: it may not be read */
	struct shmem_devices devices; /* of its mounts and memtally's */
	struct breakdown breakdown;
	struct sharers sharers;
	struct explanation_twin *twin; /* owned, like their texts */
	size_t twins, twins_room;
	bool is_looked_at; /* it is one of .looked of struct explaining, */
	bool is_refused;   /* or of .refused */
	bool is_same;      /* the other process that is being read has its address space */
};

struct explaining {
	const struct inspection *options;
	struct hint hint;
	struct subject *subject;
	size_t subjects;
	struct claims claims; /* of the subjects */
	/* kcmp(); NULL: pids are not those of memtally's pid namespace */
	shared_mm_compare *compare;
	bool cant_compare; /* the kernel has refused kcmp() */
	/* numbers of processes that were read completely, and that could not be read */
	size_t looked, refused;
	bool hides, is_inside;
	bool is_averaged;      /* the kernel averages map counts */
	struct view *view;     /* memtallyd's snapshot; NULL: there is none, and */
	struct buffer unknown; /* the reason, clean and terminated */
	uint64_t snapshot_age_ns;
	bool has_failed;
};

static void subject_done(struct subject *s)
{
	for (size_t i = 0; i < s->twins; i++)
		free(s->twin[i].program);
	free(s->twin);
	free(s->program);
	shmem_devices_done(&s->devices);
	breakdown_done(&s->breakdown);
	sharers_done(&s->sharers);
}

static void cleanup_explaining(struct explaining *x)
{
	for (size_t i = 0; i < x->subjects; i++)
		subject_done(&x->subject[i]);
	free(x->subject);
	claims_done(&x->claims);
	view_unref(x->view);
	buffer_done(&x->unknown);
}

/*
 * If smaps leaves open whether pages of M are shared, pagemap may tell. Otherwise they stay in
 * doubt.
 */
static void explain_settle(struct subject *s, const struct mapping *m)
{
	uint64_t bytes;

	if (s->pagemap >= 0 && breakdown_doubt(m) &&
		ownpages_read(s->pagemap, m->start, m->end, &bytes) == 0)
		breakdown_settle(&s->breakdown, m, bytes);
}

static int explain_take(const struct mapping *m, void *context)
{
	struct subject *s = context;
	struct mapping known = *m;
	int r;

	known.store = shmem_devices_store(&s->devices, m);
	r = breakdown_add(&s->breakdown, s->process->pid, &known);
	if (r == 0)
		explain_settle(s, &known);
	return r == 0 ? sharers_learn(&s->sharers, &known) : r;
}

/*
 * The mounts of the process come first. For a process with another root, memtally's mounts tell the
 * rest.
 */
static int explain_learn_devices(struct subject *s, struct target *t)
{
	AUTO_CLOSE int theirs = -1;
	AUTO_CLOSE int ours = openat(t->reader.procfs->fd, "self/mountinfo", O_RDONLY | O_CLOEXEC);
	int r = 0;

	(void)target_file(t, "mountinfo", &theirs);
	if (theirs >= 0)
		r = shmem_devices_read(&s->devices, theirs);
	if (r == 0 && ours >= 0)
		r = shmem_devices_read(&s->devices, ours);
	return r;
}

/*
 * smaps and pagemap are of the address space that the process has now, also if it calls exec later.
 */
static int explain_walk(struct subject *s, struct target *t)
{
	AUTO_CLOSE int pagemap = -1;
	int r = explain_learn_devices(s, t);

	if (r < 0)
		return r;
	(void)target_file(t, "pagemap", &pagemap);
	s->pagemap = pagemap;
	r = target_end(t, file_state_mappings(t, explain_take, s));
	s->pagemap = -1;
	return r;
}

static int explain_look_into(struct target *t, void *context)
{
	struct subject *s = context;

	s->sample = t->sample;
	s->stat = t->process.stat;
	s->uid = t->sample.uid;
	s->program = strdup(target_program(t));
	return s->program ? explain_walk(s, t) : -ENOMEM;
}

/* Reads each process that was asked for. Returns 0 or -ENOMEM. */
static int explain_look_into_all(struct explaining *x, const struct procfs *procfs)
{
	const struct pid_selection *chosen = &x->options->chosen;

	x->subject = calloc(chosen->count, sizeof(*x->subject));
	if (!x->subject)
		return -ENOMEM;
	for (; x->subjects < chosen->count; x->subjects++) {
		struct subject *s = &x->subject[x->subjects];
		int r;

		s->process = &chosen->process[x->subjects];
		s->pagemap = -1;
		breakdown_init(&s->breakdown);
		r = each_process_try(procfs, s->process, explain_look_into, s);
		supervisor_say();
		if (r == -ENOMEM) {
			x->subjects++;
			return r;
		}
		if (r != 0 && pid_selection_say(s->process, r, &s->why)) {
			x->has_failed = true;
			hint_say(&x->hint, procfs, r);
		}
	}
	return 0;
}

static int explain_see(const struct mapping *m, void *context)
{
	const struct explaining *x = context;

	claims_see(&x->claims, m);
	return 0;
}

/*
 * Returns true if T has the address space of S. Processes that share one, or were forked, have the
 * same start addresses; kcmp() tells them apart.
 */
static bool is_twin(struct explaining *x, const struct subject *s, const struct target *t)
{
	const struct stat_info *a = &s->stat, *b = &t->process.stat;
	int order;

	if (!x->compare || a->start_code != b->start_code || a->start_stack != b->start_stack)
		return false;
	order = x->compare(s->process->pid, t->process.pid);
	x->cant_compare |= order < 0 && order != -ESRCH;
	return order == 0;
}

static int add_twin(struct subject *s, const struct target *t)
{
	struct explanation_twin *twin;

	if (ARRAY_RESERVE(s->twin, s->twins_room, s->twins + 1) < 0)
		return -ENOMEM;
	twin = &s->twin[s->twins];
	*twin = (struct explanation_twin){
		.pid = t->process.pid, .program = strdup(target_program(t))};
	if (!twin->program)
		return -ENOMEM;
	s->twins++;
	return 0;
}

static void begin_other(struct explaining *x)
{
	for (size_t i = 0; i < x->subjects; i++)
		if (!x->subject[i].why)
			sharers_begin(&x->subject[i].sharers);
}

static void find_twins(struct explaining *x, const struct target *t)
{
	for (size_t i = 0; i < x->subjects; i++) {
		struct subject *s = &x->subject[i];

		s->is_same = !s->why && (s->process->pid == t->process.pid || is_twin(x, s, t));
	}
}

/* Counts process T: its maps were read, and it ran one image throughout. Returns 0 or -ENOMEM. */
static int end_other(struct explaining *x, const struct target *t)
{
	int r = 0;

	x->looked++;
	for (size_t i = 0; r == 0 && i < x->subjects; i++) {
		struct subject *s = &x->subject[i];

		if (s->why)
			continue;
		if (s->process->pid == t->process.pid)
			s->is_looked_at = true;
		else
			r = s->is_same ? add_twin(s, t)
			               : sharers_end(&s->sharers, target_program(t));
	}
	return r;
}

/*
 * Reads the mappings that T shares with the subjects. They count only if it returns 0; otherwise
 * returns an enum target_outcome or a negative errno.
 */
static int see_other(struct target *t, void *context)
{
	struct explaining *x = context;
	int r;

	begin_other(x);
	r = target_places(t, explain_see, x);
	find_twins(x, t);
	r = target_end(t, r);
	return r == 0 ? end_other(x, t) : r;
}

static int explain_look_at(struct explaining *x, const struct procfs *procfs, pid_t pid)
{
	int r = each_process_try(procfs, &(struct pid_selection_process){.pid = pid}, see_other, x);

	supervisor_say();
	return r;
}

/* The maps of PID are not known, so it may share anything. */
static void refuse_other(struct explaining *x, pid_t pid)
{
	x->refused++;
	for (size_t i = 0; i < x->subjects; i++)
		x->subject[i].is_refused |= x->subject[i].process->pid == pid;
}

/*
 * Compares process PID. A process that calls exec during the scan may share something with its new
 * image, so it is read once more. A process that calls exec again and again, or with maps that
 * cannot be read, may share as much as one that is denied. Returns 0 or -ENOMEM.
 */
static int look_at_other(struct explaining *x, const struct procfs *procfs, pid_t pid)
{
	int r = explain_look_at(x, procfs, pid);

	if (r == TARGET_CHANGED)
		r = explain_look_at(x, procfs, pid);
	if (r == -ENOMEM)
		return r;
	if (r < 0 || r == TARGET_DENIED || r == TARGET_CHANGED || r == TARGET_BLOCKED)
		refuse_other(x, pid);
	return 0;
}

/* Makes the list of mappings to look for in other processes. */
static int make_claims(struct explaining *x)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < x->subjects; i++)
		if (!x->subject[i].why)
			r = claims_add(&x->claims, &x->subject[i].sharers);
	return r == 0 ? claims_arrange(&x->claims) : r;
}

static int look_at_others(struct explaining *x, const struct procfs *procfs)
{
	AUTO_FREE pid_t *pids = NULL;
	struct self_usage self = {.cpu_ns = 0};
	size_t capacity = 0;
	ssize_t count = procfs_list(procfs, &pids, &capacity);
	int r = count < 0 ? (int)count : make_claims(x);

	self_usage_read(&self);
	x->compare = procfs->live ? kcmp_memory : NULL;
	x->hides = procfs->hides_from_us && !self.has_sys_ptrace;
	x->is_inside = procfs->live && !procfs->is_whole;
	for (ssize_t i = 0; r == 0 && i < count; i++)
		r = look_at_other(x, procfs, pids[i]);
	return r;
}

/* Gets memtallyd's snapshot for the growth of processes, or the reason why there is none. */
static void open_snapshot(struct explaining *x, const struct settings *settings)
{
	AUTO_BUFFER struct buffer reason = {0};
	uint64_t now_ns;

	if (settings->live)
		buffer_add_text(&x->unknown, "memtallyd was not asked (--live)");
	else if (source_open_daemon(settings, &x->view, &reason) < 0)
		text_add_clean(&x->unknown, reason.data ? reason.data : "", reason.len);
	else if (view_is_public(x->view))
		buffer_add_text(&x->unknown,
			"memtallyd shows single processes to root, group memtally and its own user only");
	else
		buffer_add_text(&x->unknown, "the process is not in memtallyd's snapshot");
	buffer_add_char(&x->unknown, '\0');
	if (!x->view)
		return;
	now_ns = clock_now_ns(CLOCK_BOOTTIME);
	x->snapshot_age_ns = view_age_ns(x->view, now_ns);
	if (view_is_public(x->view))
		x->view = view_unref(x->view);
}

static const struct snapshot_process *explain_find_row(
	const struct explaining *x, const struct subject *s)
{
	const struct snapshot_process *row =
		x->view ? view_find_process(x->view, (uint32_t)s->process->pid) : NULL;
	struct pid_selection_process known = {.pid = s->process->pid};

	if (!row)
		return NULL;
	known.start_ns = ROW_HAS(row, PROCESS_START_TIME) ? row->q[PROCESS_START_TIME] : 0;
	return pid_selection_is(&known, s->sample.q[PROCESS_START_TIME]) ? row : NULL;
}

static void explain_describe(const struct explaining *x, struct subject *s, struct explanation *ret)
{
	const struct passwd *user = getpwuid(s->uid);

	*ret = (struct explanation){
		.pid = s->process->pid,
		.program = s->program,
		.user = user && text_is_clean(user->pw_name, strlen(user->pw_name)) ? user->pw_name
	                                                                            : NULL,
		.present = s->sample.present,
		.q = s->sample.q,
		.breakdown = &s->breakdown,
		.sharers = &s->sharers,
		.twin = s->twin,
		.twins = s->twins,
		.knows_twins = s->twins || (x->compare && !x->cant_compare),
		.looked = x->looked - s->is_looked_at,
		.refused = x->refused - s->is_refused,
		.hides = x->hides,
		.is_inside = x->is_inside,
		.is_averaged = x->is_averaged,
		.grown = explain_find_row(x, s),
		.unknown = x->unknown.error ? "out of memory" : x->unknown.data,
		.snapshot_age_ns = x->snapshot_age_ns,
		.bytes = x->options->look.bytes,
		.limit = x->options->look.limit,
	};
}

static json_t *json_of(const struct explaining *x, struct subject *s)
{
	struct explanation e;

	if (s->why)
		return json_pack("{s:i,s:s*,s:b,s:s}", "pid", (int)s->process->pid, "program",
			s->program, "complete", 0, "error", s->why);
	explain_describe(x, s, &e);
	return explanation_json(&e);
}

static int explain_print_json(const struct explaining *x)
{
	AUTO_BUFFER struct buffer text = {0};
	int r = 0;

	buffer_printf(&text, "{\"version\":%d,\"processes\":[", EXPLAIN_VERSION);
	for (size_t i = 0; r == 0 && i < x->subjects; i++) {
		json_t *json = json_of(x, &x->subject[i]);
		AUTO_FREE char *dumped = json ? json_dumps(json, JSON_COMPACT) : NULL;

		json_decref(json);
		if (!dumped)
			return -ENOMEM;
		if (i)
			buffer_add_char(&text, ',');
		buffer_add_text(&text, dumped);
		r = output_flush_some(&text);
	}
	buffer_add_text(&text, "]}\n");
	return r == 0 ? output_flush(&text) : r;
}

static int explain_print_text(const struct explaining *x)
{
	AUTO_BUFFER struct buffer lines = {0}, text = {0};
	bool any = false;

	for (size_t i = 0; i < x->subjects; i++) {
		struct explanation e;

		if (x->subject[i].why)
			continue;
		if (any)
			buffer_add_char(&lines, '\n');
		any = true;
		explain_describe(x, &x->subject[i], &e);
		explain_page_add_page(&e, &lines);
	}
	line_fold(&lines, x->options->look.width, &text);
	return output_flush(&text);
}

static int explain_show(struct inspection *i)
{
	CLEANUP(cleanup_explaining) struct explaining x = {.options = i};
	CLEANUP(procfs_close) struct procfs procfs = {.fd = -1};
	int r = pid_selection_open(i->settings, &i->chosen, &procfs);

	if (r != 0)
		return 1;
	x.is_averaged = procfs.is_kernels && source_warn_averages();
	r = explain_look_into_all(&x, &procfs);
	if (r == 0)
		r = look_at_others(&x, &procfs);
	if (r < 0) {
		log_error("cannot read processes: %s", strerror(-r));
		return 1;
	}
	open_snapshot(&x, i->settings);
	r = i->look.form == LIST_JSON ? explain_print_json(&x) : explain_print_text(&x);
	return r < 0 ? r : x.has_failed;
}

int explain_run(const struct settings *settings, bool is_check)
{
	return inspection_run(settings, is_check, CLI_VIEW_EXPLAIN, explain_parse, explain_show);
}
