/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/lists/quality.h"

#include <math.h>

#include "cli/table/line.h"
#include "render/human.h"
#include "render/quantile.h"
#include "render/shares.h"
#include "snapshot/sums.h"

static void add_part(struct buffer *to, const char *name, const struct shares *s, uint64_t bytes)
{
	line_begin(to, name);
	human_add_bytes(to, bytes);
	buffer_add_text(to, ", ");
	shares_add_percent(to, s, bytes);
}

static void add_missing(const struct view *view, struct buffer *to)
{
	const struct snapshot_scope *host = view_host(view);
	uint64_t denied = ROW_HAS(host, SCOPE_UNMEASURED_DENIED) ? host->q[SCOPE_UNMEASURED_DENIED]
	                                                         : 0;
	uint64_t blocked = ROW_HAS(host, SCOPE_UNMEASURED_BLOCKED)
	                           ? host->q[SCOPE_UNMEASURED_BLOCKED]
	                           : 0;
	uint64_t others = sums_unmeasured(host->present, host->q) - denied - blocked;

	if (denied) {
		line_begin(to, "  denied");
		if (view_self(view)->flags & (SELF_CAP_SYS_PTRACE | SELF_CAP_PERFMON)) {
			buffer_add_text(to, "the kernel refuses ");
			line_add_count(to, denied, " process", " processes");
			buffer_add_text(to, " in spite of that right");
		} else {
			line_add_count(to, denied, " process may not be read",
				" processes may not be read");
		}
		if (ROW_HAS(host, SCOPE_UNMEASURED_RSS_DENIED)) {
			buffer_add_text(to, ": RSS ");
			human_add_bytes(to, host->q[SCOPE_UNMEASURED_RSS_DENIED]);
			buffer_add_text(to, ", in the upper bounds only");
		}
		buffer_add_char(to, '\n');
	}
	if (blocked) {
		line_begin(to, "  blocked");
		line_add_count(to, blocked, " process", " processes");
		buffer_printf(to,
			", because the kernel blocks readers of %s files in /proc: estimated, or "
			"RSS in the upper bounds only\n",
			blocked == 1 ? "its" : "their");
	}
	if (others) {
		line_begin(to, "  failed");
		line_add_count(to, others, " process", " processes");
		buffer_add_text(to, " could not be read for other reasons\n");
	}
}

static void add_estimated(const struct snapshot_self *self, const struct shares *s, uint64_t age_ns,
	struct buffer *to)
{
	if (!s->estimated_bytes)
		return;
	add_part(to, "  estimated", s, s->estimated_bytes);
	if (ROW_HAS(self, SELF_OLDEST_AGE)) {
		buffer_add_text(to, ", from measurements up to ");
		human_add_age(to, self->q[SELF_OLDEST_AGE] + age_ns);
		buffer_add_text(to, " old");
	}
	buffer_add_char(to, '\n');
}

/*
 * Appends the memory of processes that wait for their first measurement, because it takes several
 * slices or the CPU budget is used up.
 */
static void add_guessed(
	const struct snapshot_scope *host, const struct shares *s, struct buffer *to)
{
	if (!ROW_HAS(host, SCOPE_GUESSED) || !host->q[SCOPE_GUESSED])
		return;
	add_part(to, "  guessed", s, s->guessed_bytes);
	buffer_add_text(to, ", of ");
	line_add_count(to, host->q[SCOPE_GUESSED], " process that waits for its",
		" processes that wait for their");
	buffer_add_text(to, " first measurement\n");
}

/*
 * Returns true if the pass of the snapshot has measured every process itself: no measurement is
 * older than the pass, and every process could be read. S are the shares of HOST.
 */
static bool is_of_one_pass(
	const struct view *view, const struct snapshot_scope *host, const struct shares *s)
{
	const struct image_header *head = view->header;
	const struct snapshot_self *self = view_self(view);

	return s->measured_bytes == s->pss_bytes && !sums_unmeasured(host->present, host->q) &&
	       ROW_HAS(self, SELF_OLDEST_AGE) && head->boottime_ns >= head->pass_begin_ns &&
	       self->q[SELF_OLDEST_AGE] <= head->boottime_ns - head->pass_begin_ns;
}

static void add_memory(const struct view *view, uint64_t age_ns, struct buffer *to)
{
	const struct snapshot_scope *host = view_host(view);
	struct shares s;

	if (ROW_HAS(host, SCOPE_PSS) && ROW_HAS(host, SCOPE_PROCESSES)) {
		line_begin(to, "Memory");
		human_add_bytes(to, host->q[SCOPE_PSS]);
		buffer_add_text(to, " (PSS) of ");
		line_add_count(to, host->q[SCOPE_PROCESSES], " process", " processes");
		shares_add_bounds(to, ", ", host);
		buffer_add_char(to, '\n');
	}
	if (shares_of(host, &s)) {
		if (s.measured_bytes) {
			line_begin(to, "  measured");
			human_add_bytes(to, s.measured_bytes);
			buffer_add_text(to, ", ");
			shares_add_measured(to, &s, host);
			buffer_add_text(
				to, is_of_one_pass(view, host, &s)
					    ? ", by the pass of this snapshot: exact\n"
					    : ", within the interval before the snapshot\n");
		}
		add_estimated(view_self(view), &s, age_ns, to);
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
 * Appends the recent error, and the amount of memory that it is of: processes in doubt are measured
 * again first, so they are no random sample.
 */
static void add_recent(const struct snapshot_self *self, struct buffer *to)
{
	uint64_t found = self->q[SELF_ESTIMATE_FOUND_RECENT];

	if (!ROW_HAS(self, SELF_ESTIMATE_OFF_RECENT) ||
		!ROW_HAS(self, SELF_ESTIMATE_FOUND_RECENT) || !ROW_HAS(self, SELF_MAX_AGE)) {
		buffer_add_text(to, "estimates were off when measured again, ");
		return;
	}
	if (found) {
		buffer_add_text(to, "estimates were ");
		human_add_percent(to, (double)self->q[SELF_ESTIMATE_OFF_RECENT] / (double)found);
		buffer_add_text(to, " off, of ");
		human_add_bytes(to, found);
		buffer_add_text(to, " that were measured again");
	} else {
		buffer_add_text(to, "nothing was measured again");
	}
	buffer_add_text(to, " in about the last ");
	human_add_span(to, self->q[SELF_MAX_AGE]);
	buffer_add_text(to, found ? ", those in doubt first; since the start "
				  : "; since the start estimates were off, ");
}

/*
 * Appends the errors of estimates. The recent error is weighted by bytes, like that of sums: the
 * relative error of one small process may be large. Guesses are not counted, since they have no
 * earlier measurement.
 */
static void add_accuracy(const struct view *view, struct buffer *to)
{
	const struct snapshot_histogram *h = view_find_histogram(view, HISTOGRAM_ESTIMATE_ERROR);
	const struct snapshot_self *self = view_self(view);
	double half, nearly_all;

	if (!h || !quantile_of(h, QUANTILE_HALF, &half))
		return;
	line_begin(to, "Accuracy");
	add_recent(self, to);
	buffer_add_text(to, "half of the processes by ");
	add_bound(to, half);
	if (h->count >= QUANTILE_ENOUGH && quantile_of(h, QUANTILE_NEARLY_ALL, &nearly_all)) {
		buffer_add_text(to, ", 99 of 100 by ");
		add_bound(to, nearly_all);
	}
	buffer_add_text(to, " (guesses not counted)\n");
}

void quality_render(const struct view *view, uint64_t age_ns, struct buffer *to)
{
	add_memory(view, age_ns, to);
	add_accuracy(view, to);
}
