/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/source.h"

#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/saturate.h"
#include "base/when.h"
#include "cli/common/reading/pid-names.h"
#include "cli/common/reading/readers.h"
#include "cli/common/past-session.h"
#include "collectors/pass/pass.h"
#include "collectors/process/accounting.h"
#include "collectors/process/self/mapcounts.h"
#include "collectors/schedule/cpu-budget.h"
#include "naming/rules.h"
#include "render/human.h"
#include "snapshot/client.h"

enum {
	FETCH_TIMEOUT_MS = 2000, /* memtallyd sends at once, unless its first pass still runs */
	MAP_COUNTS_WAIT_MS = 500,
};

/* A recorded snapshot is as old as this when the time is worth a remark, and when nothing was there. */
#define DISTANT_NS (60 * NS_PER_SEC)
#define GAP_NS     (900 * NS_PER_SEC)

/*
 * An image has to say what is exported and when the next one is due, though nothing reads that in
 * memtally's own snapshot. The numbers are memtallyd's defaults.
 */
static const struct pass_options live_options = {
	.version = PACKAGE_VERSION,
	.interval_ns = 10 * NS_PER_SEC,
	.is_single = true,
	.lacks_drivers = true,
	.export_owners[OWNER_USER] = 1000,
	.export_owners[OWNER_PROGRAM] = 200,
	.export_owners[OWNER_UNIT] = 500,
	.export_owners[OWNER_UNIT + 1 ... OWNER_KINDS - 1] = 200,
	.export_processes = 50,
};

static void name_principals(struct pass *pass)
{
	struct principal who;

	while (pass_next_unnamed(pass, &who)) {
		const struct passwd *user = who.kind == OWNER_USER ? getpwuid(who.id) : NULL;
		const struct group *group = who.kind == OWNER_GROUP ? getgrgid(who.id) : NULL;

		pass_name(pass, &who, user ? user->pw_name : group ? group->gr_name : NULL);
	}
}

/* Warns about the processes that were not measured because their files blocked. */
static void say_blocked(struct pass *pass)
{
	struct pid_names_blocked names = {0};
	struct pass_blocked b;

	while (pass_next_blocked(pass, 0, &b))
		pid_names_add_blocked(&names, b.pid, b.file, b.duration_ns);
	pid_names_say_blocked(&names, "not measured");
}

/*
 * Lets PASS use the rules of naming.process_exporter. Without them, there are no namegroups, and
 * all else is right.
 */
static void set_naming(const struct settings *settings, struct pass *pass)
{
	char error[NAMING_ERRORS_SIZE];
	struct naming_rules *rules;

	if (!settings->naming_process_exporter)
		return;
	if (naming_rules_load(settings->naming_process_exporter, &rules, error) < 0)
		log_lines(LOG_LEVEL_WARNING, "there are no namegroups: ", error);
	else
		pass_set_naming(pass, rules);
}

/* Reads all processes. Returns 0, or a negative errno of pass_begin() or pass_step(). */
static int read_all(struct pass *pass)
{
	int r = pass_begin(pass);

	if (r < 0)
		return r;
	do {
		r = pass_step(pass, UINT64_MAX);
		if (r >= 0)
			name_principals(pass);
	} while (r > 0);
	return r;
}

/*
 * Has a child process find out whether the running kernel averages map counts. Returns
 * MAPCOUNTS_UNKNOWN if it could not tell, or could not be forked.
 */
static enum mapcounts_verdict find_map_counts(void)
{
	struct mapcounts m;

	mapcounts_init(&m);
	if (mapcounts_ask(&m) == 0)
		mapcounts_await(&m, MAP_COUNTS_WAIT_MS);
	return m.verdict;
}

bool source_warn_averages(void)
{
	bool averages = find_map_counts() == MAPCOUNTS_AVERAGED;

	if (averages)
		log_warning("%s", NOTICE_AVERAGES);
	return averages;
}

/* Measures, and gives the image as a descriptor. */
static int source_run_pass(
	const struct settings *settings, const struct pass_options *how, int *ret_fd)
{
	struct pass_options options = *how;
	AUTO_READERS struct readers readers = READERS_CLOSED;
	AUTO_PASS struct pass *pass = NULL;
	AUTO_CLOSE int fd = -1, public_fd = -1;
	int r;

	options.procfs = settings->path_procfs;
	options.unlisted = readers.pid; /* the workers have exited when the snapshot is read */
	options.unlisted_count = LANES;
	options.user_by = (enum accounting_user)settings->accounting_user;
	r = pass_open(&options, &pass);
	if (r == 0 && pass_may_block(pass) && !options.is_adaptive)
		pass_set_map_counts(pass, find_map_counts());
	/* If no worker can be forked, the pass reads everything itself. */
	if (r == 0 && pass_may_block(pass) && readers_open(settings->path_procfs, &readers) == 0)
		pass_set_workers(pass, &readers.workers);
	if (r == 0) {
		set_naming(settings, pass);
		r = read_all(pass);
	}
	if (r < 0)
		return r;
	r = pass_publish(pass, false, &fd, &public_fd);
	if (r == 0) {
		say_blocked(pass);
		*ret_fd = TAKE_FD(fd);
	}
	return r;
}

static int open_live(const struct settings *settings, const struct pass_options *how,
	struct view **ret, const char **ret_reason)
{
	AUTO_CLOSE int fd = -1;
	int r = source_run_pass(settings, how, &fd);

	return r == 0 ? view_open(fd, ret, ret_reason) : r;
}

int source_measure(const struct settings *settings, uint64_t interval_ns, int *ret_fd)
{
	struct pass_options options = live_options;

	options.interval_ns = interval_ns;
	return source_run_pass(settings, &options, ret_fd);
}

int source_open_daemon(const struct settings *settings, struct view **ret, struct buffer *reason)
{
	const char *why = NULL;
	int r = client_fetch(settings->snapshot_socket, FETCH_TIMEOUT_MS, ret, &why);

	if (r < 0)
		buffer_printf(reason, "no snapshot from memtallyd: %s: %s",
			settings->snapshot_socket, why ? why : strerror(-r));
	return r;
}

/*
 * Returns 0, or 1 with the reason in REASON; RET->sums then has memtallyd's snapshot if it sent
 * only sums.
 */
static int open_daemon(const struct settings *settings, enum source_rows rows, struct source *ret,
	struct buffer *reason)
{
	AUTO_VIEW struct view *view = NULL;
	uint64_t now;

	if (source_open_daemon(settings, &view, reason) < 0)
		return 1;
	now = clock_now_ns(CLOCK_BOOTTIME);
	if (view_is_stale(view, now)) {
		buffer_add_text(reason, "memtallyd's last snapshot is too old: ");
		human_add_age(reason, view_age_ns(view, now));
		return 1;
	}
	if (rows == SOURCE_PROCESSES && view_is_public(view)) {
		buffer_add_text(reason,
			"memtallyd shows single processes to root, group memtally and its own user only");
		ret->origin = NOTICE_LIVE_BY_DAEMON;
		ret->sums = TAKE_PTR(view);
		return 1;
	}
	ret->view = TAKE_PTR(view);
	ret->origin = NOTICE_DAEMON;
	return 0;
}

bool source_sees_others(const struct view *view)
{
	return view_self(view)->flags & (SELF_CAP_SYS_PTRACE | SELF_CAP_PERFMON);
}

static void say_live(struct buffer *said, const struct source *s, const struct buffer *reason)
{
	uid_t uid = geteuid();
	const struct passwd *pw = getpwuid(uid);

	if (s->sight.kind == SIGHT_OWN)
		buffer_add_text(said, "your own processes, ");
	buffer_add_text(said, "read now, with the rights of ");
	if (pw)
		buffer_add_text(said, pw->pw_name);
	else
		buffer_printf(said, "uid %u", uid);
	if (!reason->len)
		return;
	buffer_add_text(said, " (");
	buffer_add(said, reason->data, reason->len);
	buffer_add_char(said, ')');
}

/*
 * Says by which uid memtallyd assigns processes to users, if that differs from SETTINGS (the
 * command line, or a file that memtallyd has not loaded again).
 */
static void say_accounting(
	const struct settings *settings, const struct view *view, struct buffer *said)
{
	const struct option_spec *spec = option_find("accounting.user", PROGRAM_MEMTALLY);
	const char *by = notice_users_by(view);

	if (strcmp(spec->choices[settings->accounting_user], by) != 0)
		buffer_printf(said, "; users by %s (accounting.user of memtallyd)", by);
}

bool source_hides_others(const struct source *s)
{
	return s->sight.kind == SIGHT_OWN ||
	       (s->origin != NOTICE_DAEMON && view_self(s->view)->flags & SELF_PROC_HIDDEN);
}

void source_done(struct source *s)
{
	s->view = view_unref(s->view);
	s->sums = view_unref(s->sums);
}

int source_open(const struct settings *settings, enum source_rows rows, struct source *ret,
	struct buffer *said)
{
	AUTO_BUFFER struct buffer reason = {0};
	const char *why;
	int r;

	*ret = (struct source){.origin = NOTICE_LIVE};
	if (!settings->live && open_daemon(settings, rows, ret, &reason) == 0) {
		ret->now_ns = clock_now_ns(CLOCK_BOOTTIME);
		notice_add_origin(ret->view, ret->now_ns, said);
		say_accounting(settings, ret->view, said);
		return said->error;
	}
	r = open_live(settings, &live_options, &ret->view, &why);
	if (r < 0)
		return r;
	if (!settings->live && rows != SOURCE_HOST && !source_sees_others(ret->view))
		ret->sight = (struct sight){.kind = SIGHT_OWN, .uid = geteuid()};
	ret->now_ns = clock_now_ns(CLOCK_BOOTTIME);
	say_live(said, ret, &reason);
	return said->error;
}

/* Says how long before MOMENT the snapshot of HEAD is. */
static void say_distance(
	const struct past_head *head, const struct past_moment *moment, struct buffer *said)
{
	uint64_t distance_ns = saturate_less(moment->at_ns, head->at_ns);

	if (moment->is_oom && head->oom_ns) {
		buffer_add_text(said, "; the last one before the OOM kill that was seen at ");
		past_session_add_time(head->oom_ns, said);
	} else if (distance_ns > DISTANT_NS) {
		buffer_add_text(said, "; ");
		human_add_age(said, distance_ns);
		buffer_add_text(said, " before that time");
	}
}

/* Warns if MOMENT lies in a long time without snapshots. */
static void warn_of_gap(const struct past_head *head, const struct past_moment *moment)
{
	uint64_t until_ns = head->after_ns ? head->after_ns : moment->at_ns;
	char from[WHEN_TEXT_SIZE], until[WHEN_TEXT_SIZE];

	if (moment->is_oom || saturate_less(until_ns, head->at_ns) < GAP_NS)
		return;
	when_format(head->at_ns, from);
	when_format(until_ns, until);
	log_warning("nothing was recorded from %s to %s", from, until);
}

int source_open_recorded(const struct settings *settings, const struct past_moment *moment,
	enum source_rows rows, struct source *ret, struct buffer *said, struct buffer *reason)
{
	AUTO_PAST_SESSION struct past_session recording = PAST_SESSION_CLOSED;
	AUTO_PAST_ANSWER struct past_answer answer = {.points = NULL};
	int r = past_session_open(settings, &recording, reason);

	*ret = (struct source){.origin = NOTICE_DAEMON};
	if (r == 0)
		r = past_session_get(&recording, moment, &answer, reason);
	if (r < 0)
		return r;
	ret->view = TAKE_PTR(answer.view);
	ret->now_ns = ret->view->header->boottime_ns;
	if (answer.head.flags & PAST_OWN_ONLY && rows == SOURCE_PROCESSES) {
		ret->sight = (struct sight){.kind = SIGHT_OWN, .uid = geteuid()};
		ret->sums = view_ref(ret->view);
		buffer_add_text(said, "your own processes, ");
	}
	notice_add_recorded(ret->view, clock_now_ns(CLOCK_REALTIME), said);
	say_distance(&answer.head, moment, said);
	say_accounting(settings, ret->view, said);
	warn_of_gap(&answer.head, moment);
	return said->error;
}

int source_list(const struct settings *settings, struct view **ret)
{
	struct pass_options options = live_options;
	const char *why;

	/*
	 * An adaptive pass polls all processes and defers long walks; there is no later pass here,
	 * so these are never made.
	 */
	options.is_adaptive = true;
	options.budget_cpu_ppm = CPU_BUDGET_PPM_MAX;
	options.max_age_ns = options.interval_ns;
	options.stall_ns = NS_PER_MSEC;
	return open_live(settings, &options, ret, &why);
}
