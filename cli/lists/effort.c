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
 * docs/accounting/estimates.md.
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
	buffer_add_text(to, " needed: raise budget.cpu");
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
	buffer_add_text(to, "99 of 100 reads keep their process waiting ");
	add_seconds(to, metric_histogram(h->id), seconds);
	if (ROW_HAS(self, SELF_HOLDS_ABOVE) && ROW_HAS(self, SELF_BUDGET_STALL)) {
		buffer_add_text(to, "; ");
		if (self->q[SELF_HOLDS_ABOVE])
			buffer_add_u64(to, self->q[SELF_HOLDS_ABOVE]);
		else
			buffer_add_text(to, "none");
		buffer_add_text(to, " over the ");
		human_add_span(to, self->q[SELF_BUDGET_STALL]);
		buffer_add_text(to, " allowed");
	}
	buffer_add_char(to, '\n');
}

/* A line of several parts, which begins with the first one. */
struct joined {
	struct buffer *to;
	const char *name;
	bool has_begun;
};

static void effort_go_on(struct joined *line)
{
	if (line->has_begun)
		buffer_add_text(line->to, "; ");
	else
		line_begin(line->to, line->name);
	line->has_begun = true;
}

/*
 * Appends the number of deferred measurements and what they wait for. If none waits, appends "none"
 * unless IS_OVERDUE or some processes are guessed: these wait, and have lines of their own.
 */
static void add_waiting(
	const struct view *view, uint64_t age_ns, bool is_overdue, struct joined *line)
{
	const struct snapshot_self *self = view_self(view);
	bool is_pressed = self->q[SELF_WAITING_PRESSURE] > 0;
	uint64_t waiting = self->q[is_pressed ? SELF_WAITING_PRESSURE : SELF_WAITING_BUDGET];

	if (!ROW_HAS(self, SELF_WAITING_BUDGET) ||
		(!waiting && (is_overdue || view_host(view)->q[SCOPE_GUESSED])))
		return;
	effort_go_on(line);
	if (!waiting) {
		buffer_add_text(line->to, "none");
		return;
	}
	line_add_count(line->to, waiting, " measurement", " measurements");
	buffer_add_text(line->to, is_pressed ? " waiting, because processes waited for memory"
					     : " waiting for CPU budget");
	if (!is_pressed && ROW_HAS(self, SELF_BACKLOG) && self->q[SELF_BACKLOG] > age_ns) {
		buffer_add_text(line->to, ", done in about ");
		human_add_age(line->to, self->q[SELF_BACKLOG] - age_ns);
	}
}

static void add_longest(const struct snapshot_self *self, uint64_t longest_ns, struct joined *line)
{
	effort_go_on(line);
	buffer_add_text(line->to, "longest since measured or first seen ");
	human_add_age(line->to, longest_ns);
	buffer_add_text(line->to, ", allowed ");
	human_add_age(line->to, self->q[SELF_MAX_AGE]);
}

static void add_pressure(const struct snapshot_self *self, struct joined *line)
{
	double part;

	if (!ROW_HAS(self, SELF_MEMORY_PRESSURE))
		return;
	part = metric_real(self->q[SELF_MEMORY_PRESSURE]);
	if (part <= PRESSURE_STRAINED)
		return;
	effort_go_on(line);
	buffer_add_text(line->to, "processes wait for memory ");
	human_add_percent(line->to, part);
	buffer_add_text(line->to, " of the time, so memtallyd measures ");
	buffer_add_text(line->to, part > PRESSURE_SEVERE ? "only the new and the overdue" : "less");
}

/*
 * Appends the measurements that wait, the longest time without a measurement, of the processes that
 * must be measured within the maximum age, and memory pressure. A process that reaches that
 * age between two passes is measured in the later one, so it is overdue only after one more
 * interval, or after twice the age if that is less. Then the line is called "Overdue".
 */
static void add_deferred(const struct view *view, uint64_t age_ns, struct buffer *to)
{
	const struct snapshot_self *self = view_self(view);
	bool has_longest = ROW_HAS(self, SELF_LONGEST_UNMEASURED) && ROW_HAS(self, SELF_MAX_AGE);
	uint64_t at_pass_ns = self->q[SELF_LONGEST_UNMEASURED], max_ns = self->q[SELF_MAX_AGE];
	uint64_t longest_ns = at_pass_ns + age_ns, interval_ns = view->header->interval_ns;
	uint64_t late_ns = max_ns + (interval_ns < max_ns ? interval_ns : max_ns);
	bool is_late_at_pass = at_pass_ns > max_ns && !human_is_span_alike(at_pass_ns, max_ns);
	bool is_overdue = has_longest && (is_late_at_pass || longest_ns > late_ns);
	struct joined line = {.to = to, .name = is_overdue ? "Overdue" : "Deferred"};

	if (is_overdue)
		add_longest(self, longest_ns, &line);
	add_waiting(view, age_ns, is_overdue, &line);
	if (has_longest && !is_overdue)
		add_longest(self, longest_ns < max_ns ? longest_ns : max_ns, &line);
	add_pressure(self, &line);
	if (line.has_begun)
		buffer_add_char(to, '\n');
}

void effort_render(const struct view *view, uint64_t age_ns, uint64_t up_ns, struct buffer *to)
{
	add_cpu(view, up_ns, to);
	add_stalls(view, to);
	add_deferred(view, age_ns, to);
}
