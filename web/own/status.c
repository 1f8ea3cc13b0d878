/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/own/status.h"

#include <string.h>

#include "base/clock.h"
#include "web/own/fixed-width.h"

struct metrics {
	struct fixed_width fixed;
	enum prometheus_format format;
};

static void add_family(
	struct metrics *m, const char *name, const char *type, const char *unit, const char *help)
{
	prometheus_add_family(m->fixed.to, m->format, name, type, unit, help);
}

/* Adds a family with one sample without labels. */
static void add_single(struct metrics *m, const char *name, const char *type, const char *unit,
	const char *help, uint64_t value)
{
	struct buffer *to = m->fixed.to;
	bool is_time = unit && !strcmp(unit, "seconds");

	add_family(m, name, type, unit, help);
	buffer_add_text(to, name);
	buffer_add_text(to, !strcmp(type, "counter") ? "_total " : " ");
	if (is_time)
		fixed_width_add_seconds(&m->fixed, value);
	else
		fixed_width_add_u64(&m->fixed, value);
	buffer_add_char(to, '\n');
}

static void web_status_add_process(struct metrics *m, const struct self *self)
{
	if (self->has & SELF_HAS_CPU)
		add_single(m, "process_cpu_seconds", "counter", "seconds",
			"CPU time that memtally-web has used, of user and system.", self->cpu_ns);
	if (self->has & SELF_HAS_MEMORY) {
		add_single(m, "process_resident_memory_bytes", "gauge", "bytes",
			"Resident memory of memtally-web.", self->resident_bytes);
		add_single(m, "process_virtual_memory_bytes", "gauge", "bytes",
			"Virtual memory of memtally-web.", self->virtual_bytes);
	}
	if (self->has & SELF_HAS_OPEN_FDS)
		add_single(m, "process_open_fds", "gauge", NULL,
			"Descriptors that memtally-web has open.", self->open_fds);
	if (self->has & SELF_HAS_MAX_FDS)
		add_single(m, "process_max_fds", "gauge", NULL,
			"Descriptors that memtally-web may have open.", self->max_fds);
	if (self->has & SELF_HAS_START)
		add_single(m, "process_start_time_seconds", "gauge", "seconds",
			"When memtally-web started, since the epoch.", self->start_ns);
}

static void status_add_verdict(
	struct metrics *m, const char *scope, const char *verdict, uint16_t rows)
{
	struct buffer *to = m->fixed.to;

	buffer_printf(to, "memtally_growth_rows{scope=\"%s\",verdict=\"%s\"} ", scope, verdict);
	fixed_width_add_u64(&m->fixed, rows);
	buffer_add_char(to, '\n');
}

static void status_add_growth(struct metrics *m, const struct past_growth *growth)
{
	add_family(m, "memtally_growth_rows", "gauge", NULL,
		"Owners and processes that memtally-recorder has judged, by the verdict on their "
		"growth; memtally growth names them.");
	for (size_t i = 0; i < PAST_GROWTH_SCOPES; i++) {
		const char *scope = metric_scope_name(past_growth_scope[i]);

		status_add_verdict(m, scope, "none", growth[i].none);
		status_add_verdict(m, scope, "watch", growth[i].watch);
		status_add_verdict(m, scope, "leak", growth[i].leak);
	}
}

static void add_requests(struct metrics *m, const struct counters *counters)
{
	struct buffer *to = m->fixed.to;

	add_family(m, "memtally_web_requests", "counter", NULL,
		"Requests that memtally-web has answered, by status code.");
	for (size_t i = 0; i < COUNTERS_STATUSES; i++) {
		buffer_printf(to, "memtally_web_requests_total{code=\"%u\"} ", counters_status[i]);
		fixed_width_add_u64(&m->fixed, counters->answers[i]);
		buffer_add_char(to, '\n');
	}
}

static void add_build(struct metrics *m, const char *program, const char *version)
{
	struct buffer *to = m->fixed.to;

	buffer_add_text(to, "memtally_build_info{");
	prometheus_add_label(to, true, "program", program);
	prometheus_add_label(to, false, "version", version);
	buffer_add_text(to, "} 1\n");
}

/*
 * Adds the last family. Its numbers never change, and both formats allow blanks at the end of its
 * help text. So the help text takes the blanks that all families before it have saved up.
 */
static void add_builds(struct metrics *m, const struct view *view)
{
	AUTO_BUFFER struct buffer help = {0};

	struct fixed_width slack = {.to = &help, .slack = m->fixed.slack};

	buffer_add_text(&help, "The programs that took the snapshot and that serve it.");
	fixed_width_settle(&slack);
	buffer_add_char(&help, 0);
	if (help.error) {
		m->fixed.to->error = help.error;
		return;
	}
	add_family(m, "memtally_build", "info", NULL, help.data);
	add_build(m, "memtally-web", PACKAGE_VERSION);
	if (view)
		add_build(m, "memtallyd", view_text(view, view_self(view)->version));
}

void status_render_metrics(const struct status *s, enum prometheus_format format, struct buffer *to)
{
	struct metrics m = {.fixed.to = to, .format = format};

	add_single(&m, "memtally_collector_up", "gauge", NULL,
		"Whether there is a snapshot that is not stale; without one the other families are "
		"missing.",
		s->is_fresh);
	if (s->view)
		add_single(&m, "memtally_snapshot_timestamp_seconds", "gauge", "seconds",
			"When the last snapshot was complete, since the epoch.",
			s->view->header->realtime_ns);
	add_single(&m, "memtally_web_snapshots_received", "counter", NULL,
		"Snapshots that memtally-web has received and found good.", s->snapshots_received);
	add_single(&m, "memtally_web_snapshots_refused", "counter", NULL,
		"Messages on the snapshot socket that were no good snapshot.",
		s->snapshots_refused);
	add_single(&m, "memtally_web_history_bytes", "gauge", "bytes",
		"Memory of the points of the last hour, which grows until they span an hour or fill 8 "
		"MiB.",
		s->history_bytes);
	if (s->growth)
		status_add_growth(&m, s->growth);
	add_requests(&m, s->counters);
	web_status_add_process(&m, s->self);
	add_builds(&m, s->view);
	prometheus_add_end(to, format);
}

void status_render_json(const struct status *s, struct buffer *to, size_t *slack)
{
	struct fixed_width fixed = {.to = to};

	buffer_add_text(to, "\"web\":{\"version\":\"" PACKAGE_VERSION "\",\"connected\":");
	buffer_add_text(to, s->is_connected ? "true" : "false");
	buffer_add_text(to, ",\"snapshot\":\"");
	buffer_add_text(to, s->is_fresh ? "fresh" : s->view ? "stale" : "none");
	buffer_add_text(to, "\",\"snapshots_received\":");
	fixed_width_add_u64(&fixed, s->snapshots_received);
	buffer_add_text(to, ",\"snapshots_refused\":");
	fixed_width_add_u64(&fixed, s->snapshots_refused);
	if (s->view) {
		uint64_t age_ns = view_age_ns(s->view, s->now_boottime_ns);

		buffer_add_text(to, ",\"snapshot_age_seconds\":");
		fixed_width_add_seconds(&fixed, age_ns - age_ns % NS_PER_MSEC);
	}
	if (s->self->has & SELF_HAS_CPU) {
		buffer_add_text(to, ",\"cpu_seconds\":");
		fixed_width_add_seconds(&fixed, s->self->cpu_ns);
	}
	if (s->self->has & SELF_HAS_MEMORY) {
		buffer_add_text(to, ",\"resident_memory_bytes\":");
		fixed_width_add_u64(&fixed, s->self->resident_bytes);
	}
	buffer_add_char(to, '}');
	*slack += fixed.slack;
}
