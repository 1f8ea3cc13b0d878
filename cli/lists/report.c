/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/lists/report.h"

#include <inttypes.h>

#include "cli/common/notice.h"
#include "cli/lists/effort.h"
#include "cli/lists/quality.h"
#include "cli/table/line.h"
#include "render/human.h"

/* Returns for how long memtallyd had run at the time of VIEW, in ns; 0 if that is not known. */
static uint64_t uptime_ns(const struct view *view)
{
	const struct snapshot_self *self = view_self(view);
	uint64_t now_ns = view->header->realtime_ns;

	if (!ROW_HAS(self, SELF_START_TIME) || now_ns <= self->q[SELF_START_TIME])
		return 0;
	return now_ns - self->q[SELF_START_TIME];
}

/* Appends the mode, the interval and by which uid processes count for users. */
static void report_add_mode(const struct view *view, struct buffer *to)
{
	const struct snapshot_self *self = view_self(view);

	buffer_printf(to, "memtallyd %s: %s, a pass every ", view_text(view, self->version),
		snapshot_is_adaptive(self) ? "adaptive" : "exact");
	human_add_span(to, view->header->interval_ns);
	if (snapshot_is_adaptive(self) && ROW_HAS(self, SELF_INTERVAL) &&
		view->header->interval_ns > self->q[SELF_INTERVAL] &&
		!human_is_span_alike(view->header->interval_ns, self->q[SELF_INTERVAL])) {
		buffer_add_text(to, " (CPU budget too small for ");
		human_add_span(to, self->q[SELF_INTERVAL]);
		buffer_add_char(to, ')');
	}
	if (self->flags & (SELF_USERS_BY_REAL | SELF_USERS_BY_LOGIN))
		buffer_printf(to, "; users by %s", notice_users_by(view));
	buffer_add_char(to, '\n');
}

static void add_passes(const struct snapshot_self *self, struct buffer *to)
{
	if (!ROW_HAS(self, SELF_PASSES) || !ROW_HAS(self, SELF_LAST_PASS_DURATION))
		return;
	line_add_count(to, self->q[SELF_PASSES], " pass", " passes");
	buffer_add_text(to, ", the last took ");
	human_add_span(to, self->q[SELF_LAST_PASS_DURATION]);
	if (ROW_HAS(self, SELF_PASS_OVERRUNS) && self->q[SELF_PASS_OVERRUNS])
		buffer_printf(
			to, ", %" PRIu64 " longer than the interval", self->q[SELF_PASS_OVERRUNS]);
	buffer_add_text(to, "; ");
}

/* Appends the uptime, the passes and the age of the snapshot, with its maximum if it is stale. */
static void add_running(
	const struct view *view, uint64_t now_boottime_ns, uint64_t up_ns, struct buffer *to)
{
	const struct image_header *h = view->header;
	uint64_t age_ns = view_age_ns(view, now_boottime_ns);

	line_begin(to, "Running");
	if (up_ns) {
		human_add_age(to, up_ns + age_ns);
		buffer_add_text(to, "; ");
	}
	add_passes(view_self(view), to);
	buffer_add_text(to, "snapshot ");
	human_add_age(to, age_ns);
	buffer_add_text(to, " old");
	if (view_is_stale(view, now_boottime_ns)) {
		buffer_add_text(to, ": stale (limit ");
		human_add_age(to, h->stale_ns - h->boottime_ns);
		buffer_add_char(to, ')');
	}
	buffer_add_char(to, '\n');
}

/*
 * Appends the number of reads that were blocked when the snapshot was made, AGE_NS ago; nothing if
 * there were none.
 */
static void report_add_blocked(const struct snapshot_self *self, uint64_t age_ns, struct buffer *to)
{
	if (!ROW_HAS(self, SELF_BLOCKED_READS) || !self->q[SELF_BLOCKED_READS])
		return;
	line_begin(to, "Blocked");
	line_add_count(to, self->q[SELF_BLOCKED_READS], " read", " reads");
	buffer_add_text(to, " of files in /proc");
	if (ROW_HAS(self, SELF_BLOCKED_OLDEST)) {
		buffer_add_text(to, ", the oldest for ");
		human_add_age(to, self->q[SELF_BLOCKED_OLDEST] + age_ns);
	}
	buffer_add_text(to, "; memtallyd's log names the processes\n");
}

static void report_add_pressure(const struct view *view, struct buffer *to)
{
	if (!view_is_brief(view))
		return;
	line_begin(to, "Pressure");
	buffer_add_text(to, NOTICE_BRIEF "\n");
}

/* Appends the results of trials (collectors/process/self/mapcounts.h) and what this kernel lacks. */
static void add_kernel(const struct view *view, struct buffer *to)
{
	const struct snapshot_balance *balance = view_balance(view);
	const struct snapshot_self *self = view_self(view);
	const char *before = "";

	if (!balance && !ROW_HAS(self, SELF_WALKS_DISTURB) && (self->flags & SELF_COMPARES_MM))
		return;
	line_begin(to, "Kernel");
	if (balance) {
		buffer_printf(to, "map counts %s",
			!ROW_HAS(balance, BALANCE_MAP_COUNTS_EXACT) ? "not known to be exact"
			: balance->q[BALANCE_MAP_COUNTS_EXACT]
				? "exact"
				: "averaged, so PSS of shared memory is approximate");
		before = "; ";
	}
	if (ROW_HAS(self, SELF_WALKS_DISTURB)) {
		buffer_printf(to, "%swalks %s", before,
			self->q[SELF_WALKS_DISTURB]
				? "keep their processes waiting, so long ones are sliced"
				: "keep no process waiting");
		before = "; ";
	}
	if (!(self->flags & SELF_COMPARES_MM))
		buffer_printf(to, "%sno kcmp: each process counts a shared address space", before);
	buffer_add_char(to, '\n');
}

static void add_rights(uint32_t flags, struct buffer *to)
{
	bool has_all = flags & SELF_CAP_SYS_PTRACE, has_most = flags & SELF_CAP_PERFMON;

	line_begin(to, "Rights");
	buffer_add_text(to,
		has_all ? "all processes (CAP_SYS_PTRACE)"
		: has_most
			? "all processes (CAP_PERFMON); some program names are cut without CAP_SYS_PTRACE"
			: "its own user's processes only: CAP_SYS_PTRACE is missing");
	if (flags & SELF_PROC_HIDDEN)
		buffer_add_text(to, "; /proc hides other users' processes (hidepid)");
	buffer_add_char(to, '\n');
}

void report_render(const struct view *view, uint64_t now_boottime_ns, struct buffer *to)
{
	uint64_t age_ns = view_age_ns(view, now_boottime_ns), up_ns = uptime_ns(view);
	const struct snapshot_self *self = view_self(view);

	report_add_mode(view, to);
	add_running(view, now_boottime_ns, up_ns, to);
	report_add_pressure(view, to);
	quality_render(view, age_ns, up_ns, to);
	report_add_blocked(self, age_ns, to);
	effort_render(view, age_ns, up_ns, to);
	add_kernel(view, to);
	add_rights(self->flags, to);
}
