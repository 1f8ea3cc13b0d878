/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/notice.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cli/common/reading/pid-names.h"
#include "cli/table/line.h"
#include "render/human.h"
#include "render/shares.h"
#include "snapshot/metric.h"

enum { NEGLIGIBLE_PART = 100 };

static const char *reader_of(enum notice_source source)
{
	return source == NOTICE_DAEMON ? "memtallyd" : "you";
}

/* Returns true if the RSS of the denied processes is at most 1 % of the PSS. */
static bool is_negligible(const struct sums *sums)
{
	uint64_t rss = sums->q[SCOPE_UNMEASURED_RSS_DENIED];

	return ROW_HAS(sums, SCOPE_UNMEASURED_RSS_DENIED) && ROW_HAS(sums, SCOPE_PSS) &&
	       rss <= sums->q[SCOPE_PSS] / NEGLIGIBLE_PART;
}

/*
 * Appends the pids of the COUNT processes of OUTCOME, in parentheses; nothing if VIEW has others
 * of them, too, or lacks some: the sums are not of all processes, or VIEW has no processes.
 */
static void notice_add_pids(
	const struct view *view, enum process_outcome outcome, uint64_t count, struct buffer *to)
{
	pid_t pid[PID_NAMES_MAX];
	size_t found = 0;

	for (uint32_t i = 0; i < view_count(view, METRIC_PROCESS); i++) {
		const struct snapshot_process *row = view_process(view, i);

		if (row->outcome != outcome)
			continue;
		if (found < PID_NAMES_MAX)
			pid[found] = (pid_t)row->pid;
		found++;
	}
	if (found != count)
		return;
	buffer_add_text(to, " (");
	pid_names_add(to, pid, found);
	buffer_add_char(to, ')');
}

/* Appends that COUNT processes could not be read. */
static void notice_add_unread(const struct sums *sums, uint64_t count, struct buffer *to)
{
	buffer_add_u64(to, count);
	buffer_add_text(to, " of ");
	line_add_count(to, sums->q[SCOPE_PROCESSES], " process", " processes");
	buffer_add_text(to, " could not be read");
}

static void add_denied(const struct view *view, const struct sums *sums, enum notice_source source,
	struct buffer *to)
{
	uint64_t denied = sums->q[SCOPE_UNMEASURED_DENIED];
	uint32_t rights = view_self(view)->flags & (SELF_CAP_SYS_PTRACE | SELF_CAP_PERFMON);
	const char *them = denied == 1 ? "it" : "them";

	if (!denied || is_negligible(sums))
		return;
	notice_add_unread(sums, denied, to);
	notice_add_pids(view, OUTCOME_DENIED, denied, to);
	buffer_printf(to, ": the sums do not contain %s PSS; ", denied == 1 ? "its" : "their");
	if (rights)
		buffer_printf(to, "the kernel refuses %s in spite of %s\n", them,
			rights & SELF_CAP_SYS_PTRACE ? "CAP_SYS_PTRACE" : "CAP_PERFMON");
	else if (source == NOTICE_LIVE)
		buffer_add_text(to, "run as root, or run memtallyd and join group memtally\n");
	else if (source == NOTICE_LIVE_BY_DAEMON)
		buffer_add_text(to, "run as root, or join group memtally\n");
	else
		buffer_printf(to, "memtallyd needs CAP_SYS_PTRACE to read %s\n", them);
}

/* If memtally measured, its warning about blocked reads has the pids and the reason. */
static void notice_add_blocked(const struct view *view, const struct sums *sums,
	enum notice_source source, struct buffer *to)
{
	uint64_t blocked = sums->q[SCOPE_UNMEASURED_BLOCKED];

	if (!blocked)
		return;
	notice_add_unread(sums, blocked, to);
	if (source == NOTICE_DAEMON) {
		notice_add_pids(view, OUTCOME_BLOCKED, blocked, to);
		buffer_printf(to, ", because the kernel blocks readers of %s files in /proc",
			blocked == 1 ? "its" : "their");
	}
	buffer_printf(to, ": the sums contain %s, or the upper bounds %s RSS\n",
		blocked == 1 ? "an estimate of its PSS" : "estimates of their PSS",
		blocked == 1 ? "its" : "their");
}

/* Appends the reasons other than missing rights and blocked reads. */
static void notice_add_others(const struct sums *sums, struct buffer *to)
{
	bool any = false;

	for (size_t i = 0; i < SUMS_REASONS; i++) {
		const struct sums_reason *reason = sums_reason(i);

		if (reason->outcome == OUTCOME_DENIED || reason->outcome == OUTCOME_BLOCKED ||
			!sums->q[reason->count])
			continue;
		buffer_add_text(to, any ? ", " : "processes not measured for other reasons: ");
		buffer_add_u64(to, sums->q[reason->count]);
		buffer_add_char(to, ' ');
		buffer_add_text(to, metric_outcome_name(reason->outcome));
		any = true;
	}
	if (any)
		buffer_add_char(to, '\n');
}

static void notice_add_estimated(
	const struct view *view, const struct shares *s, uint64_t age_ns, struct buffer *to)
{
	const struct snapshot_self *self = view_self(view);

	shares_add_percent(to, s, s->estimated_bytes);
	buffer_add_text(to, " estimated");
	if (!ROW_HAS(self, SELF_OLDEST_AGE))
		return;
	buffer_add_text(to, ", measured up to ");
	human_add_age(to, self->q[SELF_OLDEST_AGE] + age_ns);
	buffer_add_text(to, " ago");
}

void notice_add_origin(const struct view *view, uint64_t now_boottime_ns, struct buffer *to)
{
	uint64_t age_ns = view_age_ns(view, now_boottime_ns);
	struct shares s;

	buffer_add_text(to, "from memtallyd's snapshot of ");
	human_add_age(to, age_ns);
	buffer_add_text(to, " ago");
	if (!shares_of(view_host(view), &s))
		return;
	if (s.estimated_bytes) {
		buffer_add_text(to, ": ");
		notice_add_estimated(view, &s, age_ns, to);
	}
	if (s.guessed_bytes) {
		buffer_add_text(to, s.estimated_bytes ? ", " : ": ");
		shares_add_percent(to, &s, s.guessed_bytes);
		buffer_add_text(to, " guessed");
	}
}

const char *notice_users_by(const struct view *view)
{
	uint32_t flags = view_self(view)->flags;

	return flags & SELF_USERS_BY_LOGIN  ? "loginuid"
	       : flags & SELF_USERS_BY_REAL ? "ruid"
	                                    : "euid";
}

static void add_averages(const struct view *view, struct buffer *to)
{
	const struct snapshot_balance *balance = view_balance(view);

	if (balance && ROW_HAS(balance, BALANCE_MAP_COUNTS_EXACT) &&
		!balance->q[BALANCE_MAP_COUNTS_EXACT])
		buffer_add_text(to, NOTICE_AVERAGES "\n");
}

void notice_render(const struct view *view, const struct sums *sums, enum notice_source source,
	struct buffer *to)
{
	add_denied(view, sums, source, to);
	notice_add_blocked(view, sums, source, to);
	notice_add_others(sums, to);
	if (view_self(view)->flags & SELF_PROC_HIDDEN)
		buffer_printf(to,
			"/proc hides other users' processes (hidepid) from %s: they are missing\n",
			reader_of(source));
	add_averages(view, to);
	if (view_is_brief(view))
		buffer_add_text(to, NOTICE_BRIEF "\n");
}

static int notice_compare_uids(const void *a_, const void *b_)
{
	const uint32_t *a = a_, *b = b_;

	return (*a > *b) - (*a < *b);
}

/* Returns the number of different users among the COUNT uids, which it sorts. */
static size_t count_users(uint32_t *uid, size_t count)
{
	size_t users = count > 0;

	qsort(uid, count, sizeof(*uid), notice_compare_uids);
	for (size_t i = 1; i < count; i++)
		users += uid[i] != uid[i - 1];
	return users;
}

static bool is_hidden(const struct sight *sight, const struct snapshot_process *row)
{
	return !sight_has(sight, row) && row->outcome != OUTCOME_NO_MM &&
	       row->outcome != OUTCOME_GONE && row->outcome != OUTCOME_SHARED_MM;
}

void notice_add_hidden(const struct view *view, const struct sight *sight, struct buffer *to)
{
	uint32_t rows = view_count(view, METRIC_PROCESS);
	AUTO_FREE uint32_t *uid = calloc((size_t)rows + 1, sizeof(*uid));
	uint64_t rss = 0;
	size_t count = 0;

	if (!uid) {
		to->error = -ENOMEM;
		return;
	}
	for (uint32_t i = 0; i < rows; i++) {
		const struct snapshot_process *row = view_process(view, i);

		if (!is_hidden(sight, row))
			continue;
		uid[count++] = row->uid;
		rss += ROW_HAS(row, PROCESS_RSS) ? row->q[PROCESS_RSS] : 0;
	}
	if (!count)
		return;
	line_add_count(to, count, " process of ", " processes of ");
	line_add_count(to, count_users(uid, count), " other user", " other users");
	buffer_add_text(to, ": no permission, RSS ");
	human_add_bytes(to, rss);
	buffer_add_text(to, "; run as root, or run memtallyd and join group memtally\n");
}
