/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/lists/quality.h"

#include <math.h>

#include "base/saturate.h"
#include "cli/table/line.h"
#include "render/human.h"
#include "render/quantile.h"
#include "render/shares.h"
#include "snapshot/sums.h"

static void quality_add_part(
	struct buffer *to, const char *name, const struct shares *s, uint64_t bytes)
{
	line_begin(to, name);
	human_add_bytes(to, bytes);
	buffer_add_text(to, ", ");
	shares_add_percent(to, s, bytes);
}

static uint64_t quality_count_of(const struct snapshot_scope *host, enum scope_quantity i)
{
	return ROW_HAS(host, i) ? host->q[i] : 0;
}

/* Appends COUNT and WORD unless COUNT is 0. The first of these begins the line and sets *ANY. */
static void add_reason(struct buffer *to, bool *any, uint64_t count, const char *word)
{
	if (!count)
		return;
	if (*any)
		buffer_add_text(to, ", ");
	else
		line_begin(to, "  unread");
	line_add_count(to, count, *any ? "" : " process", *any ? "" : " processes");
	buffer_printf(to, " %s", word);
	*any = true;
}

/*
 * Appends the RSS of the processes that were denied. The upper bound has it, unless the host's own sums,
 * which are of all processes, leave less room above the PSS.
 */
static void add_denied_rss(const struct snapshot_scope *host, struct buffer *to)
{
	uint64_t rss = host->q[SCOPE_UNMEASURED_RSS_DENIED];
	bool is_capped = ROW_HAS(host, SCOPE_PSS) && ROW_HAS(host, SCOPE_PSS_HIGH) &&
	                 saturate_less(host->q[SCOPE_PSS_HIGH], host->q[SCOPE_PSS]) < rss;

	buffer_add_text(to, " (RSS ");
	human_add_bytes(to, rss);
	buffer_add_text(to, is_capped ? "; the host's own sums set the upper bound)"
				      : ", in the upper bounds only)");
}

/* Appends the processes that could not be read, by reason. */
static void add_unread(const struct snapshot_scope *host, struct buffer *to)
{
	uint64_t denied = quality_count_of(host, SCOPE_UNMEASURED_DENIED);
	uint64_t blocked = quality_count_of(host, SCOPE_UNMEASURED_BLOCKED);
	bool any = false;

	add_reason(to, &any, denied, "denied");
	if (denied && ROW_HAS(host, SCOPE_UNMEASURED_RSS_DENIED))
		add_denied_rss(host, to);
	add_reason(to, &any, blocked, "blocked");
	add_reason(to, &any, sums_unmeasured(host->present, host->q) - denied - blocked, "failed");
	if (any)
		buffer_add_char(to, '\n');
}

static void quality_add_estimated(const struct snapshot_self *self, const struct shares *s,
	uint64_t age_ns, struct buffer *to)
{
	if (!s->estimated_bytes)
		return;
	quality_add_part(to, "  estimated", s, s->estimated_bytes);
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
static void quality_add_guessed(
	const struct snapshot_scope *host, const struct shares *s, struct buffer *to)
{
	if (!ROW_HAS(host, SCOPE_GUESSED) || !host->q[SCOPE_GUESSED])
		return;
	quality_add_part(to, "  guessed", s, s->guessed_bytes);
	buffer_add_text(to, ", ");
	line_add_count(to, host->q[SCOPE_GUESSED], " process", " processes");
	buffer_add_text(to, " never measured\n");
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
			buffer_add_text(to, is_of_one_pass(view, host, &s)
						    ? ", in the last pass: exact\n"
						    : ", within the last interval\n");
		}
		quality_add_estimated(view_self(view), &s, age_ns, to);
		quality_add_guessed(host, &s, to);
	}
	add_unread(host, to);
}

/*
 * Appends the recent error, of the last SELF_MAX_AGE or of the UP_NS that memtallyd has run if that
 * is less, and the amount of memory that it is of: processes in doubt are measured
 * again first, so they are no random sample.
 */
static void add_recent(const struct snapshot_self *self, uint64_t up_ns, struct buffer *to)
{
	uint64_t found = self->q[SELF_ESTIMATE_FOUND_RECENT], span_ns = self->q[SELF_MAX_AGE];

	if (!ROW_HAS(self, SELF_ESTIMATE_OFF_RECENT) ||
		!ROW_HAS(self, SELF_ESTIMATE_FOUND_RECENT) || !ROW_HAS(self, SELF_MAX_AGE))
		return;
	if (up_ns && up_ns < span_ns)
		span_ns = up_ns;
	if (found) {
		buffer_add_text(to, "estimates ");
		human_add_percent(to, (double)self->q[SELF_ESTIMATE_OFF_RECENT] / (double)found);
		buffer_add_text(to, " off (");
		human_add_bytes(to, found);
		buffer_add_text(to, " measured again in ");
		human_add_span(to, span_ns);
		buffer_add_text(to, "); ");
	} else {
		buffer_add_text(to, "no estimate measured again in ");
		human_add_span(to, span_ns);
		buffer_add_text(to, "; ");
	}
}

/*
 * Appends the errors of estimates: the recent one, and a quantile of those since the start. The
 * recent error is weighted by bytes, like that of sums: the relative error of one small process may
 * be large. Guesses are not counted, since they have no earlier measurement.
 */
static void add_accuracy(const struct view *view, uint64_t up_ns, struct buffer *to)
{
	const struct snapshot_histogram *h = view_find_histogram(view, HISTOGRAM_ESTIMATE_ERROR);
	const struct metric_histogram *m = metric_histogram(HISTOGRAM_ESTIMATE_ERROR);
	bool is_enough = h && h->count >= QUANTILE_ENOUGH;
	double error;

	if (!h || !quantile_of(h, is_enough ? QUANTILE_NEARLY_ALL : QUANTILE_HALF, &error))
		return;
	line_begin(to, "Accuracy");
	add_recent(view_self(view), up_ns, to);
	buffer_printf(to, "since the start %s ", is_enough ? "99 of 100" : "half of the estimates");
	buffer_add_text(to, isinf(error) ? "over " : "up to ");
	human_add_percent(to, isinf(error) ? m->bounds[HISTOGRAM_BUCKETS - 2] : error);
	buffer_add_text(to, " off\n");
}

void quality_render(const struct view *view, uint64_t age_ns, uint64_t up_ns, struct buffer *to)
{
	add_memory(view, age_ns, to);
	add_accuracy(view, up_ns, to);
}
