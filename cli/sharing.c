/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All processes are walked (inside/muster.h), but for a set of them whose pages alone are asked for: whoever else maps one of
 * these shows in the kernel's count. Of places in swap there is no count, so where the set has some all others are asked for
 * those.
 */
#include "config.h"

#include "cli/sharing.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/crowd.h"
#include "cli/flag.h"
#include "cli/output.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/source.h"
#include "inside/muster.h"
#include "inside/target.h"
#include "render/human.h"
#include "snapshot/owner.h"

void sharing_asked_done(struct sharing_asked *a)
{
	chosen_done(&a->chosen);
}

static int parse_form(
	const struct settings *c, struct sharing_asked *a, char error[static CHOSEN_ERROR_SIZE])
{
	if (c->by) {
		a->kind = owner_find(c->by);
		if (a->kind == OWNER_KINDS)
			return flag_refuse("--by", c->by,
				"user, program, unit or another kind of owner", error);
	}
	if (c->sort) {
		a->sort = sharing_find_field(c->sort);
		if (a->sort == SHARING_FIELDS)
			return flag_refuse("--sort", c->sort,
				"an amount of the rows in JSON, such as comes_back_bytes or fair_bytes",
				error);
	}
	return flag_parse_order(c, &a->ascending, error);
}

/* Whom it is about: where nobody is named, everybody. */
static int parse_chosen(
	const struct settings *c, struct sharing_asked *a, char error[static CHOSEN_ERROR_SIZE])
{
	struct selection selection = {0};
	bool has_filters = false;
	int r = selection_parse_processes(c, &selection, &has_filters, error);

	if (r < 0 || (!has_filters && c->operands.count < 2 && !c->pid.count))
		return r;
	if (!c->by)
		a->kind = OWNER_KINDS;
	return chosen_parse(c, &a->chosen, error);
}

int sharing_parse(const struct settings *settings, struct sharing_asked *ret,
	char error[static CHOSEN_ERROR_SIZE])
{
	struct sharing_asked a = {
		.kind = OWNER_USER,
		.sort = SHARING_COMES_BACK,
		.json = settings->json,
		.csv = settings->csv,
		.matrix = settings->matrix,
		.bytes = settings->bytes,
		.limit = settings->limit,
	};
	int r = flag_check(settings, FLAG_SHARING, error);

	if (r == 0)
		r = parse_form(settings, &a, error);
	if (r == 0)
		r = parse_chosen(settings, &a, error);
	if (r == 0 && a.matrix && a.kind == OWNER_KINDS) {
		snprintf(error, CHOSEN_ERROR_SIZE,
			"--matrix needs groups to compare: give --by, too");
		r = -EINVAL;
	}
	if (r == 0)
		*ret = a;
	else
		sharing_asked_done(&a);
	return r;
}

/* What became of a group's members. */
struct tally {
	uint64_t page_tables; /* bytes */
	uint32_t read, denied, ended;
};

/* All that is found out. */
struct looking {
	const struct sharing_asked *asked;
	const struct view *view; /* who is there */
	struct procfs procfs;
	struct crowd crowd;
	struct tally *tally; /* owned; by group */
	struct muster muster;
	struct progress progress;
	struct sharing_course course;
	uint64_t begin_ns; /* CLOCK_MONOTONIC */
	bool has_failed;   /* one of those who were asked for could not be looked at */
	pid_t refused;     /* one who could not be; 0: there is none */
};

static void cleanup_looking(struct looking *l)
{
	progress_end(&l->progress);
	procfs_close(&l->procfs);
	crowd_done(&l->crowd);
	free(l->tally);
	muster_done(&l->muster);
}

/* Whether PID was asked for as such, or one whose address space is counted at it: of others it is no failure to have ended. */
static bool is_named(const struct looking *l, pid_t pid)
{
	const struct chosen *chosen = &l->asked->chosen;

	for (size_t i = 0; i < chosen->count; i++) {
		const struct snapshot_process *row = crowd_find(l->view, chosen->process[i].pid);

		if (row && (pid_t)row->pid == pid)
			return true;
	}
	return false;
}

/* What became of MEMBER: R is what walking it returned. 0, or an error that ends all. */
static int note(struct looking *l, const struct crowd_member *member, int r)
{
	const struct crowd_group *group = &l->crowd.group[member->group];
	struct tally *tally = &l->tally[member->group];

	if (r == -ENOMEM || r == -ERANGE)
		return r;
	if (r == 0) {
		l->course.read++;
		tally->read++;
		return 0;
	}
	if (r == TARGET_GONE || r == TARGET_ENDED || r == TARGET_CHANGED) {
		l->course.ended++;
		tally->ended++;
		if (!is_named(l, member->pid))
			return 0;
	} else {
		l->course.refused++;
		tally->denied++;
		l->refused = member->pid;
	}
	if (!group->is_chosen || (!l->asked->chosen.count && !l->asked->chosen.has_filters))
		return 0;
	l->has_failed = true;
	progress_end(&l->progress);
	log_error("pid %d %s%s", (int)member->pid, r < 0 ? "can't be read: " : "",
		r < 0 ? strerror(-r) : target_text((enum target_outcome)r));
	return 0;
}

static int walk_member(struct looking *l, const struct crowd_member *member)
{
	AUTO_TARGET struct target t = {.process.dirfd = -1, .process.statm_fd = -1};
	const struct chosen_process known = {.pid = member->pid, .start_ns = member->start_ns};
	int r = target_open(&l->procfs, member->pid, &t);

	if (r == 0 && !chosen_is(&known, t.sample.q[PROCESS_START_TIME]))
		r = TARGET_GONE;
	if (r == 0)
		r = muster_take(&l->muster, &t, member->group);
	if (r == 0 && ROW_HAS(&t.sample, PROCESS_VM_PTE))
		l->tally[member->group].page_tables += t.sample.q[PROCESS_VM_PTE];
	l->progress.done++;
	return note(l, member, r);
}

/* Whether only the pages of those who are chosen are to be told from all others'. */
static bool is_set(const struct looking *l)
{
	return l->asked->kind == OWNER_KINDS;
}

static int walk_all(struct looking *l)
{
	size_t i = 0;
	int r = 0;

	progress_begin(&l->progress, "looking", l->crowd.members);
	for (; r == 0 && i < l->crowd.members; i++) {
		if (is_set(l) && !l->crowd.group[l->crowd.member[i].group].is_chosen)
			break;
		r = walk_member(l, &l->crowd.member[i]);
	}
	muster_seek_swap(&l->muster);
	for (; r == 0 && l->muster.has_swap && i < l->crowd.members; i++)
		r = walk_member(l, &l->crowd.member[i]);
	return r;
}

static void show_progress(void *context)
{
	struct looking *l = context;

	progress_tick(&l->progress, l->muster.mapped * (uint64_t)sysconf(_SC_PAGESIZE));
}

/* What may not be seen without rights of root's. 0, or -ECANCELED: it was said which are missing. */
static int open_muster(struct looking *l, const struct settings *settings)
{
	int r = procfs_open(settings->path_procfs, &l->procfs);

	if (r < 0) {
		log_error("can't read %s: %s", settings->path_procfs, strerror(-r));
		return -ECANCELED;
	}
	r = muster_open(&l->muster, l->procfs.fd);
	if (r == 0) {
		l->muster.tick = show_progress;
		l->muster.context = l;
		return 0;
	}
	if (r == MUSTER_NO_FRAMES)
		log_error(
			"which pages are the same is shown to CAP_SYS_ADMIN alone, of the host's first user "
			"namespace: run it as root");
	else
		log_error(
			"how often each page is mapped can't be had (kpagecount, kpageflags: root's, or "
			"CAP_DAC_READ_SEARCH): %s",
			strerror(-r));
	return -ECANCELED;
}

/* PID was named, and has no memory that anything could be told of. */
static void say_missing(struct looking *l, pid_t pid)
{
	AUTO_TARGET struct target t = {.process.dirfd = -1, .process.statm_fd = -1};
	int r = target_open(&l->procfs, pid, &t);

	if (r < 0)
		log_error("pid %d can't be read: %s", (int)pid, strerror(-r));
	else
		/* Where it is there it came after all were listed. */
		log_error("pid %d %s", (int)pid,
			target_text(r ? (enum target_outcome)r : TARGET_GONE));
	l->has_failed = true;
}

/* Marks the rows of those who are named; one who is not there is a failure, but none of the others'. */
static int mark_named(struct looking *l, bool *is_chosen)
{
	const struct chosen *chosen = &l->asked->chosen;
	uint32_t count = view_count(l->view, METRIC_PROCESS);

	for (size_t i = 0; i < chosen->count; i++) {
		const struct snapshot_process *row = crowd_find(l->view, chosen->process[i].pid);

		if (!row) {
			say_missing(l, chosen->process[i].pid);
			continue;
		}
		for (uint32_t k = 0; k < count; k++)
			if (view_process(l->view, k) == row)
				is_chosen[k] = true;
	}
	return 0;
}

static int mark_found(struct looking *l, bool *is_chosen)
{
	const struct chosen *chosen = &l->asked->chosen;
	AUTO_FREE uint32_t *rows = NULL;
	size_t count = 0;
	int r = chosen->has_filters ? query_run(&chosen->selection.query, l->view, &rows, &count)
	                            : 0;

	/* One that shares an address space is walked at whom that is, who need not match. */
	for (size_t i = 0; r == 0 && i < count; i++) {
		const struct snapshot_process *row = view_process(l->view, rows[i]);
		const struct snapshot_process *read = crowd_find(l->view, (pid_t)row->pid);

		is_chosen[rows[i]] = true;
		for (uint32_t k = 0; read && read != row && k < view_count(l->view, METRIC_PROCESS);
			k++)
			if (view_process(l->view, k) == read)
				is_chosen[k] = true;
	}
	return r;
}

static bool is_anybody_chosen(const struct crowd *c)
{
	for (uint32_t i = 0; i < c->groups; i++)
		if (c->group[i].is_chosen)
			return true;
	return false;
}

static int gather(struct looking *l)
{
	const struct chosen *chosen = &l->asked->chosen;
	bool is_everybody = !chosen->count && !chosen->has_filters;
	AUTO_FREE bool *is_chosen = calloc(
		(size_t)view_count(l->view, METRIC_PROCESS) + 1, sizeof(*is_chosen));
	int r = is_chosen ? 0 : -ENOMEM;

	if (r == 0)
		r = mark_named(l, is_chosen);
	if (r == 0)
		r = mark_found(l, is_chosen);
	if (r == 0)
		r = crowd_make(l->view, l->asked->kind, is_everybody ? NULL : is_chosen, &l->crowd);
	if (r == 0) {
		l->tally = calloc((size_t)l->crowd.groups + 1, sizeof(*l->tally));
		r = l->tally ? 0 : -ENOMEM;
	}
	if (r < 0 || is_anybody_chosen(&l->crowd))
		return r;
	/* Of each who was named it has been said why. */
	if (chosen->has_filters || !chosen->count)
		log_error("nothing matches: there is no process with memory for that");
	return -ECANCELED;
}

/* What a set is called: as the one filter is that it was chosen by, if it is one. */
static const char *name_of_set(const struct settings *c)
{
	const struct text_list *lists[] = {&c->user, &c->program, &c->unit, &c->user_unit,
		&c->session, &c->slice, &c->machine, &c->pod, &c->container, &c->group, &c->pid};
	const char *name = NULL;
	size_t count = c->operands.count - 1;

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		count += lists[i]->count;
		if (lists[i]->count)
			name = lists[i]->item[0];
	}
	return count == 1 ? name ? name : c->operands.item[1] : "(chosen)";
}

/* Whether nobody could have pages in swap that are somebody's, too, and was not asked: the kernel does not count these. */
static bool tells_swap(const struct looking *l)
{
	return !l->refused && l->procfs.is_whole;
}

/*
 * Of group I's processes those that were read. Those that share an address space with another are not walked themselves, and
 * are where nobody of the group was read not counted either.
 */
static uint32_t processes_read(const struct looking *l, uint32_t i)
{
	const struct tally *tally = &l->tally[i];
	uint32_t missed = tally->denied + tally->ended;

	return missed && !tally->read ? 0 : l->crowd.group[i].processes - missed;
}

/* Whether all of group I have ended before anything of theirs was seen. */
static bool has_ended(const struct looking *l, uint32_t i)
{
	const struct stake *stake = &l->muster.stakes.group[i];
	uint64_t seen = stake_resident(stake) + stake->resident[STAKE_SWAP] +
	                stake->resident[STAKE_HUGETLB];

	return !seen && !l->tally[i].denied && !processes_read(l, i);
}

/* Of everybody, whoever is shown. */
static void add_total(const struct looking *l, struct sharing_report *to)
{
	struct stake all = l->muster.stakes.all;
	uint64_t page_tables = 0;
	uint32_t processes = 0, denied = 0;

	for (uint32_t i = 0; i < l->crowd.groups; i++) {
		if (is_set(l) ? !l->crowd.group[i].is_chosen : has_ended(l, i))
			continue;
		page_tables += l->tally[i].page_tables;
		processes += processes_read(l, i);
		denied += l->tally[i].denied;
		all.fair += l->muster.stakes.group[i].fair;
		to->groups++;
	}
	sharing_fill(&to->total, &all, page_tables, processes, !is_set(l), tells_swap(l));
	sharing_deny(&to->total, denied);
}

static int add_rows(struct looking *l, const struct settings *settings, struct sharing_report *to)
{
	to->row = calloc((size_t)l->crowd.groups + 1, sizeof(*to->row));
	if (!to->row)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->crowd.groups; i++) {
		const struct crowd_group *group = &l->crowd.group[i];
		struct sharing_row *row = &to->row[to->rows];

		if (!group->is_chosen || (!is_set(l) && has_ended(l, i)))
			continue;
		row->name = group->name ? group->name : name_of_set(settings);
		row->user = group->user;
		row->group = i;
		sharing_fill(row, &l->muster.stakes.group[i], l->tally[i].page_tables,
			processes_read(l, i), !is_set(l), tells_swap(l));
		sharing_deny(row, l->tally[i].denied);
		to->rows++;
	}
	add_total(l, to);
	return 0;
}

static int add_matrix(struct looking *l, struct sharing_report *to)
{
	size_t count = to->rows < SHARING_MATRIX_MAX ? to->rows : SHARING_MATRIX_MAX;
	uint32_t group[SHARING_MATRIX_MAX];

	if (is_set(l) || (!l->asked->matrix && !l->asked->json))
		return 0;
	to->matrix = calloc(count * count + 1, sizeof(*to->matrix));
	if (!to->matrix)
		return -ENOMEM;
	to->compared = count;
	for (size_t i = 0; i < count; i++)
		group[i] = to->row[i].group;
	return stakes_matrix(&l->muster.stakes, group, count, to->matrix);
}

static int report(struct looking *l, const struct settings *settings, struct sharing_report *ret)
{
	const struct sharing_asked *a = l->asked;
	AUTO_SHARING_REPORT struct sharing_report report = {
		.by = is_set(l) ? NULL : owner_of(a->kind)->name,
		.title = is_set(l) ? "SET" : owner_of(a->kind)->title,
		.has_user = !is_set(l) && owner_of(a->kind)->has_user,
		.limit = a->limit,
		.bytes = a->bytes,
		.others_shared = stake_resident(&l->muster.stakes.others),
		.others_fair = l->muster.stakes.others.fair,
		.others_pss = l->muster.stakes.others.pss,
		.many = l->muster.stakes.many,
		.changed = l->muster.stakes.changed,
		.gone = l->muster.stakes.gone,
		.course = l->course,
	};
	int r = add_rows(l, settings, &report);

	if (r == 0) {
		sharing_sort(&report, a->sort, a->ascending);
		r = add_matrix(l, &report);
	}
	if (r == 0) {
		*ret = report;
		report = (struct sharing_report){0};
	}
	return r;
}

static void add_amount(struct buffer *to, const char *before, uint64_t bytes, const char *after)
{
	buffer_add_text(to, before);
	human_add_bytes(to, bytes);
	buffer_add_text(to, after);
}

static void say_course(const struct looking *l)
{
	AUTO_BUFFER struct buffer text = {0};

	buffer_printf(&text, "%llu %s in ", (unsigned long long)l->course.read,
		l->course.read == 1 ? "process" : "processes");
	human_add_span(&text, l->course.span_ns);
	if (l->course.ended)
		buffer_printf(&text, "; %llu ended or executed another program meanwhile",
			(unsigned long long)l->course.ended);
	if (l->muster.stakes.changed + l->muster.stakes.gone)
		add_amount(&text, "; ", l->muster.stakes.changed + l->muster.stakes.gone,
			" were given up by some who had them");
	add_amount(&text, "; ", l->course.memory_bytes, " to keep pages apart");
	if (!text.error)
		log_info("%.*s", (int)text.len, text.data);
}

static void say_doubts(const struct looking *l)
{
	AUTO_BUFFER struct buffer text = {0};
	bool is_one = l->course.refused == 1;

	if (l->muster.stakes.many) {
		human_add_bytes(&text, l->muster.stakes.many);
		log_warning(
			"%.*s are shared in more ways than are kept apart: they are in no group's figures",
			(int)text.len, text.data ? text.data : "");
	}
	if (l->refused)
		log_warning("%llu %s could not be read, %spid %d: what %s, too, is not counted "
			    "as anybody's alone; of swap that can't be told",
			(unsigned long long)l->course.refused, is_one ? "process" : "processes",
			is_one ? "" : "one of them ", (int)l->refused,
			is_one ? "it maps" : "they map");
	buffer_clear(&text);
	if (is_set(l) || stake_resident(&l->muster.stakes.others) * 100 <=
				 stake_resident(&l->muster.stakes.all))
		return;
	human_add_bytes(&text, stake_resident(&l->muster.stakes.others));
	log_info(
		"%.*s are mapped besides by others, who came later, can't be seen from here or could not be read",
		(int)text.len, text.data ? text.data : "");
}

static int look(struct looking *l, const struct settings *settings, struct sharing_report *ret)
{
	int r = gather(l);

	if (r == 0)
		r = walk_all(l);
	l->progress.what = "counting";
	if (r == 0)
		r = muster_count(&l->muster, l->crowd.groups);
	progress_end(&l->progress);
	if (r < 0)
		return r;
	l->course.span_ns = clock_now_ns(CLOCK_MONOTONIC) - l->begin_ns;
	l->course.cpu_ns = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID);
	l->course.memory_bytes = muster_bytes(&l->muster);
	say_course(l);
	say_doubts(l);
	return report(l, settings, ret);
}

/* At once, whatever it is at: a half result is none. */
static void interrupted(int signal)
{
	(void)signal;
	_exit(130);
}

static void hear_interrupts(void)
{
	struct sigaction action;

	if (sigaction(SIGINT, NULL, &action) < 0 || action.sa_handler == SIG_IGN)
		return;
	action = (struct sigaction){.sa_handler = interrupted};
	sigaction(SIGINT, &action, NULL);
}

int sharing_look(const struct settings *settings, struct sharing_asked *a,
	struct sharing_report *ret, struct view **ret_view)
{
	CLEANUP(cleanup_looking)
	struct looking l = {.asked = a,
		.procfs.fd = -1,
		.muster.files = {.counts.fd = -1, .flags.fd = -1},
		.begin_ns = clock_now_ns(CLOCK_MONOTONIC)};
	AUTO_VIEW struct view *view = NULL;
	int r;

	hear_interrupts();
	r = open_muster(&l, settings);
	if (r == 0)
		r = source_list(settings, &view);
	l.view = view;
	if (r == 0)
		r = look(&l, settings, ret);
	if (r < 0) {
		if (r != -ECANCELED)
			log_error("can't look at all processes: %s", strerror(-r));
		return -ECANCELED;
	}
	*ret_view = TAKE_PTR(view);
	return l.has_failed;
}

static int print(const struct sharing_asked *a, const struct sharing_report *report)
{
	AUTO_TABLE struct table table = {0};
	AUTO_BUFFER struct buffer text = {0};
	int r = 0;

	if (a->json)
		sharing_json(report, &text);
	else if (a->csv && a->matrix)
		sharing_matrix_csv(report, &text);
	else if (a->csv)
		sharing_csv(report, &text);
	else
		r = a->matrix ? sharing_matrix_table(report, &table)
		              : sharing_table(report, &table);
	if (r == 0 && table.columns)
		r = print_table(&table, command_width(), &text);
	return r == 0 ? output_flush(&text) : r;
}

static int show(const struct settings *settings, struct sharing_asked *a)
{
	AUTO_SHARING_REPORT struct sharing_report report = {0};
	AUTO_VIEW struct view *view = NULL;
	int r = sharing_look(settings, a, &report, &view), printed;

	if (r < 0)
		return COMMAND_FAILED;
	printed = command_printed(print(a, &report));
	return r ? COMMAND_FAILED : printed;
}

int sharing_run(const struct settings *settings, bool is_check)
{
	AUTO_SHARING_ASKED struct sharing_asked asked = {0};
	char error[CHOSEN_ERROR_SIZE] = "";

	if (sharing_parse(settings, &asked, error) < 0)
		return command_refuse(error);
	return is_check ? COMMAND_GOOD : show(settings, &asked);
}
