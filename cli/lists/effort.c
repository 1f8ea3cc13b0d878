/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/lists/effort.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "cli/table/line.h"
#include "render/human.h"
#include "render/quantile.h"

/*
 * The longest time from memtallyd's start to its first reading of its CPU time; less than that to
 * the second reading that is kept.
 */
#define START_NS (4 * NS_PER_SEC)

/*
 * Parts of the time in which processes wait for memory. Above these memtallyd measures less; see
 * docs/accounting.md.
 */
#define PRESSURE_STRAINED 0.1
#define PRESSURE_SEVERE   0.3

/* Returns true if both are printed as the same text. NEEDED is rounded up. */
static bool is_percent_alike(double part, double needed)
{
	AUTO_BUFFER struct buffer a = {0}, b = {0};

	human_add_percent(&a, part);
	human_add_percent_up(&b, needed);
	return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

/* Appends the CPU budget that memtallyd needs, if that is more than ALLOWED. */
static void add_need(double allowed, double needed, struct buffer *to)
{
	if (needed <= allowed || is_percent_alike(allowed, needed))
		return;
	buffer_add_text(to, ", ");
	human_add_percent_up(to, needed);
	buffer_add_text(to, " needed: too little");
}

/*
 * Appends the part of one core that the budget allows. PART, the part that was used, may be more:
 * saved budget may be spent, first measurements do not count, and one read may overdraw the budget.
 */
static void add_allowed(const struct snapshot_self *self, uint64_t up_ns, double part,
	double allowed, struct buffer *to)
{
	human_add_percent(to, allowed);
	buffer_add_text(to, " allowed");
	if (part <= allowed || is_percent_alike(part, allowed))
		return;
	buffer_add_text(to, " in the long run");
	if (up_ns <= self->q[SELF_CPU_RECENT_SPAN] + START_NS)
		buffer_add_text(to, ", the start not counted");
}

static void add_cpu(const struct view *view, uint64_t up_ns, struct buffer *to)
{
	const struct snapshot_self *self = view_self(view);
	double part, allowed;

	if (!ROW_HAS(self, SELF_CPU_RECENT) || !ROW_HAS(self, SELF_CPU_RECENT_SPAN))
		return;
	part = metric_real(self->q[SELF_CPU_RECENT]);
	line_begin(to, "CPU");
	human_add_percent(to, part);
	buffer_add_text(to, " of one core over the last ");
	human_add_span(to, self->q[SELF_CPU_RECENT_SPAN]);
	if (snapshot_is_adaptive(self)) {
		allowed = metric_real(self->q[SELF_BUDGET_CPU]);
		buffer_add_text(to, "; ");
		add_allowed(self, up_ns, part, allowed, to);
		if (ROW_HAS(self, SELF_BUDGET_NEEDED))
			add_need(allowed, metric_real(self->q[SELF_BUDGET_NEEDED]), to);
	}
	buffer_add_char(to, '\n');
}

static void add_reads(const struct snapshot_self *self, struct buffer *to)
{
	if (!ROW_HAS(self, SELF_MEASUREMENTS_WHOLE) || !ROW_HAS(self, SELF_MEASUREMENTS_SLICED))
		return;
	line_begin(to, "Measured");
	line_add_count(to, self->q[SELF_MEASUREMENTS_WHOLE], " time", " times");
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

/* Appends for how long measurements kept processes waiting. */
static void add_stalls(const struct view *view, struct buffer *to)
{
	const struct snapshot_histogram *h = view_find_histogram(view, HISTOGRAM_HOLD);
	const struct snapshot_self *self = view_self(view);
	double seconds;

	if (!h || !quantile_of(h, QUANTILE_NEARLY_ALL, &seconds))
		return;
	line_begin(to, "Stalls");
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
 * Appends the number of deferred measurements. Appends nothing if none waits for CPU or memory but
 * some processes are guessed, since the line "guessed" has these. Returns true if it appended a
 * line.
 */
static bool add_deferred(const struct view *view, uint64_t age_ns, struct buffer *to)
{
	const struct snapshot_self *self = view_self(view);
	bool is_pressed = self->q[SELF_WAITING_PRESSURE] > 0;
	uint64_t waiting = self->q[is_pressed ? SELF_WAITING_PRESSURE : SELF_WAITING_BUDGET];

	if (!ROW_HAS(self, SELF_WAITING_BUDGET) || (!waiting && view_host(view)->q[SCOPE_GUESSED]))
		return false;
	line_begin(to, "Deferred");
	if (!waiting) {
		buffer_add_text(to, "nothing\n");
		return true;
	}
	line_add_count(to, waiting, " measurement", " measurements");
	if (is_pressed) {
		buffer_add_text(to, ", because the host is short of memory\n");
		return true;
	}
	buffer_add_text(to, ", for lack of CPU budget");
	if (ROW_HAS(self, SELF_BACKLOG) && self->q[SELF_BACKLOG] > age_ns) {
		buffer_add_text(to, ", which suffices for them in about ");
		human_add_age(to, self->q[SELF_BACKLOG] - age_ns);
	}
	buffer_add_char(to, '\n');
	return true;
}

/*
 * Appends the number of deferrals of processes that are too large to be measured as often as
 * others. HAS_NAME: the line above already has the name "Deferred".
 */
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
			line_begin(to, has_name ? "" : "Deferred");
		line_add_count(to, count, " time ", " times ");
		buffer_add_text(to, reasons[i].why);
		any = true;
	}
	if (any)
		buffer_add_text(to, ", since the start\n");
}

/*
 * Appends the longest time without a measurement, of the processes that must be measured within the
 * maximum age. A process that reaches that age between two passes is measured in the later one, so
 * it is overdue only after one more interval, or after twice the age if that is less.
 */
static void add_longest(const struct view *view, uint64_t age_ns, struct buffer *to)
{
	const struct snapshot_self *self = view_self(view);
	uint64_t at_pass_ns = self->q[SELF_LONGEST_UNMEASURED], max_ns = self->q[SELF_MAX_AGE];
	uint64_t longest_ns = at_pass_ns + age_ns, interval_ns = view->header->interval_ns;
	bool is_overdue = (at_pass_ns > max_ns && !human_is_span_alike(at_pass_ns, max_ns)) ||
	                  longest_ns > max_ns + (interval_ns < max_ns ? interval_ns : max_ns);

	if (!ROW_HAS(self, SELF_LONGEST_UNMEASURED) || !ROW_HAS(self, SELF_MAX_AGE))
		return;
	line_begin(to, is_overdue ? "Overdue" : "Longest");
	buffer_add_text(to, "a process has had no measurement for ");
	human_add_age(to, is_overdue || longest_ns < max_ns ? longest_ns : max_ns);
	buffer_add_text(to, "; ");
	human_add_age(to, max_ns);
	buffer_add_text(to, " allowed\n");
}

static void add_disturbance(const struct snapshot_self *self, struct buffer *to)
{
	if (!ROW_HAS(self, SELF_WALKS_DISTURB))
		return;
	line_begin(to, "Walks");
	buffer_add_text(to, self->q[SELF_WALKS_DISTURB]
				    ? "keep their processes waiting, as a trial has found: long "
				      "walks are sliced\n"
				    : "keep no process waiting, as a trial has found: no walk is "
				      "sliced\n");
}

static void add_pressure(const struct snapshot_self *self, struct buffer *to)
{
	double part;

	if (!ROW_HAS(self, SELF_MEMORY_PRESSURE))
		return;
	part = metric_real(self->q[SELF_MEMORY_PRESSURE]);
	if (part <= PRESSURE_STRAINED)
		return;
	line_begin(to, "Shortage");
	buffer_add_text(to, "processes wait for memory ");
	human_add_percent(to, part);
	buffer_add_text(to, " of the time: measures ");
	buffer_add_text(to, part > PRESSURE_SEVERE ? "only the new and the overdue\n" : "less\n");
}

void effort_render(const struct view *view, uint64_t age_ns, uint64_t up_ns, struct buffer *to)
{
	const struct snapshot_self *self = view_self(view);

	add_cpu(view, up_ns, to);
	add_reads(self, to);
	add_stalls(view, to);
	add_giants(self, add_deferred(view, age_ns, to), to);
	add_longest(view, age_ns, to);
	add_disturbance(self, to);
	add_pressure(self, to);
}
