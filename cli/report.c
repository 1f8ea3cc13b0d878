/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "render/human.h"
#include "render/quantile.h"
#include "render/shares.h"

enum {
	HALF = 500, /* per mille */
	NEARLY_ALL = 990,
	ENOUGH = 1000, /* observations, for the worst of a hundred to be more than chance */
};

#define MINUTE_NS (60 * NS_PER_SEC)

/* Above these memtallyd measures less; see docs/accounting.md. */
#define PRESSURE_STRAINED 0.1
#define PRESSURE_SEVERE   0.3

static void begin(struct buffer *to, const char *name)
{
	buffer_printf(to, "%-12s", name);
}

static void add_count(struct buffer *to, uint64_t count, const char *one, const char *many)
{
	buffer_add_u64(to, count);
	buffer_add_text(to, count == 1 ? one : many);
}

/* For how long memtallyd had run at its snapshot, in ns; 0: not known. */
static uint64_t uptime_ns(const struct view *view)
{
	const struct snapshot_self *self = view_self(view);
	uint64_t now_ns = view->header->realtime_ns;

	if (!ROW_HAS(self, SELF_START_TIME) || now_ns <= self->q[SELF_START_TIME])
		return 0;
	return now_ns - self->q[SELF_START_TIME];
}

static void add_mode(const struct view *view, uint64_t now_ns, struct buffer *to)
{
	const struct snapshot_self *self = view_self(view);
	uint64_t up_ns = uptime_ns(view), age_ns = view_age_ns(view, now_ns);

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
	begin(to, "Running");
	if (up_ns) {
		human_add_age(to, up_ns + age_ns);
		buffer_add_text(to, "; ");
	}
	buffer_add_text(to, "the last snapshot is of ");
	human_add_age(to, age_ns);
	buffer_add_text(to, " ago\n");
}

static void add_passes(const struct view *view, struct buffer *to)
{
	const struct snapshot_histogram *h = view_find_histogram(view, HISTOGRAM_PASS_DURATION);
	const struct snapshot_self *self = view_self(view);
	double seconds;

	if (!ROW_HAS(self, SELF_PASSES) || !ROW_HAS(self, SELF_LAST_PASS_DURATION))
		return;
	begin(to, "Passes");
	buffer_add_u64(to, self->q[SELF_PASSES]);
	buffer_add_text(to, "; the last took ");
	human_add_span(to, self->q[SELF_LAST_PASS_DURATION]);
	if (h && h->count >= ENOUGH && quantile_of(h, NEARLY_ALL, &seconds) && !isinf(seconds)) {
		buffer_add_text(to, ", 99 of 100 at most ");
		human_add_span(to, (uint64_t)(seconds * (double)NS_PER_SEC + 0.5));
	}
	if (ROW_HAS(self, SELF_PASS_OVERRUNS) && self->q[SELF_PASS_OVERRUNS])
		buffer_printf(
			to, ", %" PRIu64 " longer than the interval", self->q[SELF_PASS_OVERRUNS]);
	buffer_add_char(to, '\n');
}

static void add_part(struct buffer *to, const char *name, const struct shares *s, uint64_t bytes)
{
	begin(to, name);
	human_add_bytes(to, bytes);
	buffer_add_text(to, ", ");
	shares_add_percent(to, s, bytes);
}

static void add_missing(const struct view *view, struct buffer *to)
{
	const struct snapshot_scope *host = view_host(view);
	uint64_t denied = ROW_HAS(host, SCOPE_UNMEASURED_DENIED) ? host->q[SCOPE_UNMEASURED_DENIED]
	                                                         : 0;
	uint64_t others = 0;

	for (unsigned int i = SCOPE_UNMEASURED_DENIED + 1; i <= SCOPE_UNMEASURED_ERROR; i++)
		others += ROW_HAS(host, i) ? host->q[i] : 0;
	if (denied) {
		begin(to, "  denied");
		if (view_self(view)->flags & (SELF_CAP_SYS_PTRACE | SELF_CAP_PERFMON)) {
			buffer_add_text(to, "the kernel refuses ");
			add_count(to, denied, " process all the same", " processes all the same");
		} else {
			add_count(to, denied, " process may not be read",
				" processes may not be read");
		}
		if (ROW_HAS(host, SCOPE_UNMEASURED_RSS_DENIED)) {
			buffer_add_text(to, ": at most ");
			human_add_bytes(to, host->q[SCOPE_UNMEASURED_RSS_DENIED]);
			buffer_add_text(to, ", in the upper bounds alone");
		}
		buffer_add_char(to, '\n');
	}
	if (others) {
		begin(to, "  failed");
		add_count(to, others, " process", " processes");
		buffer_add_text(to, " could not be read for other reasons\n");
	}
}

static void add_estimated(
	const struct snapshot_self *self, const struct shares *s, struct buffer *to)
{
	if (!s->estimated_bytes)
		return;
	add_part(to, "  estimated", s, s->estimated_bytes);
	if (ROW_HAS(self, SELF_OLDEST_AGE)) {
		buffer_add_text(to, ", from measurements up to ");
		human_add_age(to, self->q[SELF_OLDEST_AGE]);
		buffer_add_text(to, " old");
	}
	buffer_add_char(to, '\n');
}

/* What was never measured yet: something large is read by slices, and a small budget has to be waited for. */
static void add_guessed(
	const struct snapshot_scope *host, const struct shares *s, struct buffer *to)
{
	if (!ROW_HAS(host, SCOPE_GUESSED) || !host->q[SCOPE_GUESSED])
		return;
	add_part(to, "  guessed", s, s->guessed_bytes);
	buffer_add_text(to, ", of ");
	add_count(to, host->q[SCOPE_GUESSED], " process that waits for its",
		" processes that wait for their");
	buffer_add_text(to, " first measurement\n");
}

static void add_memory(const struct view *view, struct buffer *to)
{
	const struct snapshot_scope *host = view_host(view);
	struct shares s;

	if (ROW_HAS(host, SCOPE_PSS) && ROW_HAS(host, SCOPE_PROCESSES)) {
		begin(to, "Memory");
		human_add_bytes(to, host->q[SCOPE_PSS]);
		buffer_add_text(to, " (PSS) of ");
		add_count(to, host->q[SCOPE_PROCESSES], " process", " processes");
		shares_add_bounds(to, ", ", host);
		buffer_add_char(to, '\n');
	}
	if (shares_of(host, &s)) {
		if (s.measured_bytes) {
			add_part(to, "  measured", &s, s.measured_bytes);
			buffer_add_text(to, ", within the last interval\n");
		}
		add_estimated(view_self(view), &s, to);
		add_guessed(host, &s, to);
	}
	add_missing(view, to);
}

static void add_bound(struct buffer *to, double part)
{
	const struct metric_histogram *m = metric_histogram(HISTOGRAM_ESTIMATE_ERROR);

	if (isinf(part)) {
		buffer_add_text(to, "over ");
		part = m->bounds[HISTOGRAM_BUCKETS - 2];
	} else {
		buffer_add_text(to, "up to ");
	}
	human_add_percent(to, part);
}

/*
 * By bytes, as sums are off: of a single small process it may be any part. Guesses are nowhere in it, since there was
 * nothing that they could have been known by.
 */
static void add_accuracy(const struct view *view, struct buffer *to)
{
	const struct snapshot_histogram *h = view_find_histogram(view, HISTOGRAM_ESTIMATE_ERROR);
	const struct snapshot_self *self = view_self(view);
	double half, nearly_all;

	if (!h || !quantile_of(h, HALF, &half))
		return;
	begin(to, "Accuracy");
	if (ROW_HAS(self, SELF_ESTIMATE_OFF) && ROW_HAS(self, SELF_ESTIMATE_FOUND) &&
		self->q[SELF_ESTIMATE_FOUND]) {
		buffer_add_text(to, "estimates were ");
		human_add_percent(to,
			(double)self->q[SELF_ESTIMATE_OFF] / (double)self->q[SELF_ESTIMATE_FOUND]);
		buffer_add_text(to, " off in bytes when measured again; ");
	} else {
		buffer_add_text(to, "estimates were off when measured again, ");
	}
	buffer_add_text(to, "half of the processes by ");
	add_bound(to, half);
	if (h->count >= ENOUGH && quantile_of(h, NEARLY_ALL, &nearly_all)) {
		buffer_add_text(to, ", 99 of 100 by ");
		add_bound(to, nearly_all);
	}
	buffer_add_text(to, " (guesses not counted)\n");
}

/* Whether the two are shown alike; NEEDED is shown rounded up. */
static bool is_percent_alike(double part, double needed)
{
	AUTO_BUFFER struct buffer a = {0}, b = {0};

	human_add_percent(&a, part);
	human_add_percent_up(&b, needed);
	return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

/*
 * What the budget would have to be. It is too little only where that is more than it is said to be; and where it
 * suffices, that is of interest only to who sees something waiting: nobody knows what will be new.
 */
static void add_need(const struct view *view, double allowed, double needed, struct buffer *to)
{
	bool is_little = needed > allowed && !is_percent_alike(allowed, needed);

	if (!is_little && !view_self(view)->q[SELF_WAITING] && !view_host(view)->q[SCOPE_GUESSED])
		return;
	buffer_add_text(to, ", ");
	human_add_percent_up(to, needed);
	buffer_add_text(
		to, is_little ? " needed: too little" : " needed for what is known already");
}

/*
 * Why PART may be more than what is ALLOWED in the long run: of what is measured at the start the budget knows nothing,
 * and of what was not used before, a minute's worth may be used besides.
 */
static void add_excess(const struct snapshot_self *self, uint64_t up_ns, double part,
	double allowed, struct buffer *to)
{
	uint64_t start_ns = MINUTE_NS + (ROW_HAS(self, SELF_MAX_AGE) ? self->q[SELF_MAX_AGE] : 0);

	if (part <= allowed || is_percent_alike(part, allowed))
		return;
	buffer_add_text(to, up_ns <= start_ns ? ", the first measurement of everything besides"
					      : ", and what was saved before");
}

static void add_cpu(const struct view *view, struct buffer *to)
{
	const struct snapshot_self *self = view_self(view);
	uint64_t up_ns = uptime_ns(view);
	bool is_recent = ROW_HAS(self, SELF_CPU_RECENT) && up_ns > MINUTE_NS;
	double part, allowed;

	if (!ROW_HAS(self, SELF_CPU) || !up_ns)
		return;
	part = is_recent ? metric_real(self->q[SELF_CPU_RECENT])
	                 : (double)self->q[SELF_CPU] / (double)up_ns;
	begin(to, "CPU");
	human_add_percent(to, part);
	buffer_add_text(to, " of one core ");
	buffer_add_text(to, is_recent ? "in the last minute" : "since the start");
	if (snapshot_is_adaptive(self)) {
		allowed = metric_real(self->q[SELF_BUDGET_CPU]);
		buffer_add_text(to, "; ");
		human_add_percent(to, allowed);
		buffer_add_text(to, " allowed");
		add_excess(self, up_ns, part, allowed, to);
		if (ROW_HAS(self, SELF_BUDGET_NEEDED))
			add_need(view, allowed, metric_real(self->q[SELF_BUDGET_NEEDED]), to);
	}
	buffer_add_char(to, '\n');
}

static void add_reads(const struct snapshot_self *self, struct buffer *to)
{
	if (!ROW_HAS(self, SELF_MEASUREMENTS_WHOLE) || !ROW_HAS(self, SELF_MEASUREMENTS_SLICED))
		return;
	begin(to, "Measured");
	add_count(to, self->q[SELF_MEASUREMENTS_WHOLE], " time", " times");
	buffer_printf(to, " in one go, %" PRIu64 " in slices, since the start\n",
		self->q[SELF_MEASUREMENTS_SLICED]);
}

static void add_seconds(struct buffer *to, const struct metric_histogram *m, double seconds)
{
	bool is_over = isinf(seconds);

	buffer_add_text(to, is_over ? "over " : "at most ");
	seconds = is_over ? m->bounds[HISTOGRAM_BUCKETS - 2] : seconds;
	if (seconds < 0.001)
		buffer_printf(to, "%g ms", seconds * 1000);
	else
		human_add_span(to, (uint64_t)(seconds * (double)NS_PER_SEC + 0.5));
}

/* How long processes were held up by being measured. */
static void add_stalls(const struct view *view, struct buffer *to)
{
	const struct snapshot_histogram *h = view_find_histogram(view, HISTOGRAM_HOLD);
	const struct snapshot_self *self = view_self(view);
	double seconds;

	if (!h || !quantile_of(h, NEARLY_ALL, &seconds))
		return;
	begin(to, "Stalls");
	buffer_add_text(to, "99 of 100 reads keep their process waiting for ");
	add_seconds(to, metric_histogram(h->id), seconds);
	if (ROW_HAS(self, SELF_HOLDS_ABOVE) && ROW_HAS(self, SELF_BUDGET_STALL)) {
		buffer_add_text(to, "; ");
		if (self->q[SELF_HOLDS_ABOVE])
			buffer_add_u64(to, self->q[SELF_HOLDS_ABOVE]);
		else
			buffer_add_text(to, "none");
		buffer_add_text(to, " took longer than the ");
		human_add_span(to, self->q[SELF_BUDGET_STALL]);
		buffer_add_text(to, " allowed");
	}
	buffer_add_text(to, " (time spent waiting for a processor included)\n");
}

/*
 * Some of these may have been measured or have ended since. Those of whom it is said already that they are guessed may be
 * all.
 */
static bool add_put_off(const struct view *view, struct buffer *to)
{
	const struct snapshot_self *self = view_self(view);
	uint64_t waiting = self->q[SELF_WAITING];

	if (!ROW_HAS(self, SELF_WAITING) || (!waiting && view_host(view)->q[SCOPE_GUESSED]))
		return false;
	begin(to, "Put off");
	if (!waiting) {
		buffer_add_text(to, "nothing in the last interval\n");
		return true;
	}
	add_count(to, waiting, " measurement", " measurements");
	buffer_add_text(to,
		" in the last interval, for want of CPU budget or since the host is short "
		"of memory\n");
	return true;
}

/* What is too large to be measured as often as others. HAS_NAME: the line above is of what was put off, too. */
static void add_giants(const struct snapshot_self *self, bool has_name, struct buffer *to)
{
	static const struct {
		enum self_quantity index;
		const char *why;
	} reasons[] = {
		{SELF_DEFERRED_STALL, "not to stall a process"},
		{SELF_DEFERRED_GIANT, "for one huge mapping"},
	};
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
		uint64_t count = ROW_HAS(self, reasons[i].index) ? self->q[reasons[i].index] : 0;

		if (!count)
			continue;
		if (any)
			buffer_add_text(to, ", ");
		else
			begin(to, has_name ? "" : "Put off");
		add_count(to, count, " time ", " times ");
		buffer_add_text(to, reasons[i].why);
		any = true;
	}
	if (any)
		buffer_add_text(to, ", since the start\n");
}

/* How long somebody had not been measured as the pass began, of those who are to be within the maximum age. */
static void add_longest(const struct snapshot_self *self, struct buffer *to)
{
	uint64_t longest_ns = self->q[SELF_LONGEST_UNMEASURED], max_ns = self->q[SELF_MAX_AGE];
	bool is_overdue = longest_ns > max_ns && !human_is_span_alike(longest_ns, max_ns);

	if (!ROW_HAS(self, SELF_LONGEST_UNMEASURED) || !ROW_HAS(self, SELF_MAX_AGE))
		return;
	begin(to, is_overdue ? "Overdue" : "Longest");
	buffer_add_text(to, "a process has had no measurement for ");
	human_add_age(to, longest_ns);
	buffer_add_text(to, "; ");
	human_add_age(to, max_ns);
	buffer_add_text(to, " allowed\n");
}

static void add_disturbance(const struct snapshot_self *self, struct buffer *to)
{
	if (!ROW_HAS(self, SELF_WALKS_DISTURB))
		return;
	begin(to, "Walks");
	buffer_add_text(to, self->q[SELF_WALKS_DISTURB]
				    ? "keep their processes waiting, as a trial has found: long "
				      "ones go by slices\n"
				    : "keep nobody waiting, as a trial has found: all are made "
				      "at once\n");
}

static void add_pressure(const struct snapshot_self *self, struct buffer *to)
{
	double part;

	if (!ROW_HAS(self, SELF_MEMORY_PRESSURE))
		return;
	part = metric_real(self->q[SELF_MEMORY_PRESSURE]);
	if (part <= PRESSURE_STRAINED)
		return;
	begin(to, "Shortage");
	buffer_add_text(to, "processes wait for memory ");
	human_add_percent(to, part);
	buffer_add_text(to, " of the time: measures ");
	buffer_add_text(to, part > PRESSURE_SEVERE ? "only the new and the overdue\n" : "less\n");
}

static void add_lack(struct buffer *to, bool *any, const char *what)
{
	begin(to, *any ? "" : "Missing");
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

	begin(to, "Rights");
	buffer_add_text(to, has_all    ? "to read every process (CAP_SYS_PTRACE)\n"
			    : has_most ? "to measure every process (CAP_PERFMON)\n"
				       : "to read its own user's processes only\n");
	if (has_most && !has_all)
		add_lack(to, &any, "CAP_SYS_PTRACE: some names of programs are cut");
	else if (!has_all)
		add_lack(to, &any, "CAP_SYS_PTRACE: other users' processes are not measured");
	if (!(flags & SELF_COMPARES_MM))
		add_lack(to, &any, "kcmp: memory that processes share as a whole counts for each");
	if (flags & SELF_PROC_HIDDEN)
		add_lack(to, &any,
			"/proc is mounted with hidepid: other users' processes are not seen");
	if (!any && !denied)
		add_lack(to, &any, "nothing");
}

void report_render(const struct view *view, uint64_t now_boottime_ns, struct buffer *to)
{
	const struct snapshot_self *self = view_self(view);

	add_mode(view, now_boottime_ns, to);
	add_passes(view, to);
	add_memory(view, to);
	add_accuracy(view, to);
	add_cpu(view, to);
	add_reads(self, to);
	add_stalls(view, to);
	add_giants(self, add_put_off(view, to), to);
	add_longest(self, to);
	add_disturbance(self, to);
	add_pressure(self, to);
	add_rights(view, to);
}
