/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/lists/report.h"

#include <inttypes.h>
#include <math.h>

#include "base/clock.h"
#include "cli/common/notice.h"
#include "cli/lists/effort.h"
#include "cli/lists/quality.h"
#include "cli/table/line.h"
#include "render/human.h"
#include "render/quantile.h"

/* Returns for how long memtallyd had run at the time of VIEW, in ns; 0 if that is not known. */
static uint64_t uptime_ns(const struct view *view)
{
	const struct snapshot_self *self = view_self(view);
	uint64_t now_ns = view->header->realtime_ns;

	if (!ROW_HAS(self, SELF_START_TIME) || now_ns <= self->q[SELF_START_TIME])
		return 0;
	return now_ns - self->q[SELF_START_TIME];
}

/* Appends the age of the snapshot, and its maximum age if it is stale. */
static void add_age(const struct view *view, uint64_t now_boottime_ns, struct buffer *to)
{
	const struct image_header *h = view->header;

	buffer_add_text(to, "the last snapshot is of ");
	human_add_age(to, view_age_ns(view, now_boottime_ns));
	buffer_add_text(to, " ago");
	if (view_is_stale(view, now_boottime_ns)) {
		buffer_add_text(to, ": it is stale, at most ");
		human_add_age(to, h->stale_ns - h->boottime_ns);
		buffer_add_text(to, " are allowed");
	}
	buffer_add_char(to, '\n');
}

static void add_mode(
	const struct view *view, uint64_t now_boottime_ns, uint64_t up_ns, struct buffer *to)
{
	const struct snapshot_self *self = view_self(view);

	buffer_printf(to, "memtallyd %s: %s every ", view_text(view, self->version),
		snapshot_is_adaptive(self) ? "adaptive, looks at all processes"
					   : "exact, measures all processes");
	human_add_span(to, view->header->interval_ns);
	if (snapshot_is_adaptive(self) && ROW_HAS(self, SELF_INTERVAL) &&
		view->header->interval_ns > self->q[SELF_INTERVAL] &&
		!human_is_span_alike(view->header->interval_ns, self->q[SELF_INTERVAL])) {
		buffer_add_text(to, ": its CPU budget does not bear ");
		human_add_span(to, self->q[SELF_INTERVAL]);
	}
	buffer_add_char(to, '\n');
	line_begin(to, "Running");
	if (up_ns) {
		human_add_age(to, up_ns + view_age_ns(view, now_boottime_ns));
		buffer_add_text(to, "; ");
	}
	add_age(view, now_boottime_ns, to);
}

static void add_passes(const struct view *view, struct buffer *to)
{
	const struct snapshot_histogram *h = view_find_histogram(view, HISTOGRAM_PASS_DURATION);
	const struct snapshot_self *self = view_self(view);
	double seconds;

	if (!ROW_HAS(self, SELF_PASSES) || !ROW_HAS(self, SELF_LAST_PASS_DURATION))
		return;
	line_begin(to, "Passes");
	buffer_add_u64(to, self->q[SELF_PASSES]);
	buffer_add_text(to, "; the last took ");
	human_add_span(to, self->q[SELF_LAST_PASS_DURATION]);
	if (h && h->count >= QUANTILE_ENOUGH && quantile_of(h, QUANTILE_NEARLY_ALL, &seconds) &&
		!isinf(seconds)) {
		buffer_add_text(to, ", 99 of 100 at most ");
		human_add_span(to, (uint64_t)(seconds * (double)NS_PER_SEC + 0.5));
	}
	if (ROW_HAS(self, SELF_PASS_OVERRUNS) && self->q[SELF_PASS_OVERRUNS])
		buffer_printf(
			to, ", %" PRIu64 " longer than the interval", self->q[SELF_PASS_OVERRUNS]);
	buffer_add_char(to, '\n');
}

/*
 * Appends the number of reads that were blocked when the snapshot was made, AGE_NS ago; nothing if
 * there were none.
 */
static void add_blocked(const struct view *view, uint64_t age_ns, struct buffer *to)
{
	const struct snapshot_self *self = view_self(view);

	if (!ROW_HAS(self, SELF_BLOCKED_READS) || !self->q[SELF_BLOCKED_READS])
		return;
	line_begin(to, "Blocked");
	buffer_add_text(to, "the kernel keeps ");
	line_add_count(to, self->q[SELF_BLOCKED_READS], " read", " reads");
	buffer_add_text(to, " of files in /proc waiting");
	if (ROW_HAS(self, SELF_BLOCKED_OLDEST)) {
		buffer_add_text(to, ", the oldest for ");
		human_add_age(to, self->q[SELF_BLOCKED_OLDEST] + age_ns);
	}
	buffer_add_text(to, "; the log of memtallyd names the processes\n");
}

static void add_lack(struct buffer *to, bool *any, const char *what)
{
	line_begin(to, *any ? "" : "Missing");
	buffer_add_text(to, what);
	buffer_add_char(to, '\n');
	*any = true;
}

static void add_rights(const struct view *view, struct buffer *to)
{
	const struct snapshot_scope *host = view_host(view);
	uint64_t denied = ROW_HAS(host, SCOPE_UNMEASURED_DENIED) ? host->q[SCOPE_UNMEASURED_DENIED]
	                                                         : 0;
	uint32_t flags = view_self(view)->flags;
	bool has_all = flags & SELF_CAP_SYS_PTRACE, has_most = flags & SELF_CAP_PERFMON;
	bool any = false;

	if (flags & (SELF_USERS_BY_REAL | SELF_USERS_BY_LOGIN)) {
		line_begin(to, "Users");
		buffer_printf(to, "by %s (accounting.user)\n", notice_users_by(view));
	}
	line_begin(to, "Rights");
	buffer_add_text(to, has_all    ? "to read every process (CAP_SYS_PTRACE)\n"
			    : has_most ? "to measure every process (CAP_PERFMON)\n"
				       : "to read its own user's processes only\n");
	if (has_most && !has_all)
		add_lack(to, &any, "CAP_SYS_PTRACE: some names of programs are cut");
	else if (!has_all)
		add_lack(to, &any, "CAP_SYS_PTRACE: other users' processes are not measured");
	if (!(flags & SELF_COMPARES_MM))
		add_lack(to, &any, "kcmp: a shared address space counts for each of its processes");
	if (flags & SELF_PROC_HIDDEN)
		add_lack(to, &any,
			"/proc is mounted with hidepid: other users' processes are not seen");
	if (!any && !denied)
		add_lack(to, &any, "no rights");
}

/* Appends the result of the map count trial (collectors/procfs/mapcounts.h). */
static void add_map_counts(const struct view *view, struct buffer *to)
{
	const struct snapshot_balance *balance = view_balance(view);

	if (!balance)
		return;
	line_begin(to, "Map counts");
	if (!ROW_HAS(balance, BALANCE_MAP_COUNTS_EXACT))
		buffer_add_text(to, "not known to be exact: no trial could tell\n");
	else
		buffer_add_text(to,
			balance->q[BALANCE_MAP_COUNTS_EXACT]
				? "exact, as a trial has found\n"
				: "averaged over large folios, as a trial has found: the PSS of "
				  "shared memory is an approximation\n");
}

void report_render(const struct view *view, uint64_t now_boottime_ns, struct buffer *to)
{
	uint64_t age_ns = view_age_ns(view, now_boottime_ns), up_ns = uptime_ns(view);

	add_mode(view, now_boottime_ns, up_ns, to);
	add_passes(view, to);
	add_blocked(view, age_ns, to);
	quality_render(view, age_ns, to);
	effort_render(view, age_ns, up_ns, to);
	add_map_counts(view, to);
	add_rights(view, to);
}
