/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/cli/reported.h"

#include "base/clock.h"
#include "snapshot/builder.h"
#include "tests/unit/support/snapshot/sample.h"
#include "tests/unit/support/snapshot/small.h"

#define MIB UINT64_C(1048576)

static void set_host(struct snapshot_scope *host, const struct reported *c)
{
	ROW_SET(host, SCOPE_PSS, 2048 * MIB);
	ROW_SET(host, SCOPE_PSS_MEASURED,
		c->is_exact || c->is_whole ? 2048 * MIB
		: c->is_young              ? 0
					   : 256 * MIB);
	ROW_SET(host, SCOPE_PSS_GUESSED, c->guessed * 256 * MIB);
	ROW_SET(host, SCOPE_GUESSED, c->guessed);
	if (c->low_mib)
		ROW_SET(host, SCOPE_PSS_LOW, c->low_mib * MIB);
	if (c->high_mib)
		ROW_SET(host, SCOPE_PSS_HIGH, c->high_mib * MIB);
	ROW_SET(host, SCOPE_PROCESSES, 1432);
	ROW_SET(host, SCOPE_UNMEASURED_DENIED, c->denied);
	if (!c->is_public)
		ROW_SET(host, SCOPE_UNMEASURED_RSS_DENIED, c->denied * 10 * MIB);
	ROW_SET(host, SCOPE_UNMEASURED_CHANGING, c->failed);
	ROW_SET(host, SCOPE_UNMEASURED_BLOCKED, c->blocked);
}

static uint64_t scale_of(const struct reported *c)
{
	return c->scale ? c->scale : 1;
}

static void add_adaptive(struct builder *b, const struct reported *c, struct snapshot_self *self)
{
	struct snapshot_histogram *errors;

	ROW_SET(self, SELF_MEASUREMENTS_WHOLE, 12033);
	ROW_SET(self, SELF_MEASUREMENTS_SLICED, 21);
	ROW_SET(self, SELF_DEFERRED_BUDGET, c->needed > 0.010001 ? 7 : 0);
	ROW_SET(self, SELF_DEFERRED_STALL, c->is_young && c->needed > 0 ? 2 : 0);
	ROW_SET(self, SELF_WAITING_BUDGET, c->waiting);
	ROW_SET(self, SELF_WAITING_PRESSURE, c->pressed);
	if (c->backlog_s)
		ROW_SET(self, SELF_BACKLOG, c->backlog_s * NS_PER_SEC);
	ROW_SET(self, SELF_MAX_AGE, 300 * NS_PER_SEC);
	if (c->longest_ms)
		ROW_SET(self, SELF_LONGEST_UNMEASURED, c->longest_ms * NS_PER_MSEC);
	ROW_SET(self, SELF_DEFERRED_GIANT, c->needed > 0.010001 ? 1 : 0);
	ROW_SET(self, SELF_BUDGET_CPU, metric_real_bits(0.01));
	if (c->needed > 0)
		ROW_SET(self, SELF_BUDGET_NEEDED, metric_real_bits(c->needed));
	ROW_SET(self, SELF_OLDEST_AGE, (c->is_whole ? 1 : 271) * NS_PER_SEC);
	ROW_SET(self, SELF_BUDGET_STALL, 20 * NS_PER_MSEC);
	ROW_SET(self, SELF_HOLDS_ABOVE, c->holds_above);
	if (c->is_tried)
		ROW_SET(self, SELF_WALKS_DISTURB, c->disturbs);
	if (c->pressure > 0) {
		ROW_SET(self, SELF_MEMORY_PRESSURE, metric_real_bits(c->pressure));
		ROW_SET(self, SELF_DEFERRED_PRESSURE, 3);
	}
	errors = builder_add_histogram(b);
	assert_non_null(errors);
	errors->id = HISTOGRAM_ESTIMATE_ERROR;
	if (c->is_young)
		return;
	errors->bucket[1] = c->is_wrong ? 0 : 60 * scale_of(c);
	errors->bucket[4] = c->is_wrong ? 0 : 39 * scale_of(c);
	errors->bucket[15] = c->is_wrong ? 100 * scale_of(c) : scale_of(c);
	errors->count = 100 * scale_of(c);
	if (c->is_public)
		return; /* as an older memtallyd publishes */
	ROW_SET(self, SELF_ESTIMATE_OFF, 42 * MIB);
	ROW_SET(self, SELF_ESTIMATE_FOUND, 10000 * MIB);
	ROW_SET(self, SELF_ESTIMATE_OFF_RECENT, c->is_wrong ? 0 : 12 * MIB);
	ROW_SET(self, SELF_ESTIMATE_FOUND_RECENT, c->is_wrong ? 0 : 100 * MIB);
}

struct view *reported_open(const struct reported *c)
{
	static const struct image_header head = {
		.sequence = 738,
		.interval_ns = 10 * NS_PER_SEC,
		.stale_ns = 130 * NS_PER_SEC,
		.boottime_ns = 100 * NS_PER_SEC,
		.pass_begin_ns = 99 * NS_PER_SEC,
		.realtime_ns = SAMPLE_REALTIME_NS,
	};
	AUTO_SMALL struct small s = {0};
	struct image_header h = head;
	struct snapshot_histogram *passes, *holds;
	struct snapshot_process *row;

	small_begin(&s);
	set_host(s.host, c);
	passes = builder_add_histogram(&s.builder);
	assert_non_null(passes);
	passes->id = HISTOGRAM_PASS_DURATION;
	passes->bucket[5] = 735 * scale_of(c);
	passes->bucket[6] = 3 * scale_of(c);
	passes->count = 738 * scale_of(c);
	holds = builder_add_histogram(&s.builder);
	assert_non_null(holds);
	holds->id = HISTOGRAM_HOLD;
	holds->bucket[c->holds] = holds->count = c->is_young ? 0 : 12054;
	s.self->version = builder_add_text(&s.builder, "1.2.3", 5);
	s.self->flags = c->flags;
	ROW_SET(s.self, SELF_PASSES, 738);
	ROW_SET(s.self, SELF_INTERVAL,
		(c->interval_ms ? c->interval_ms : UINT64_C(10000)) * NS_PER_MSEC);
	ROW_SET(s.self, SELF_LAST_PASS_DURATION, 41200000);
	ROW_SET(s.self, SELF_PASS_OVERRUNS, 0);
	ROW_SET(s.self, SELF_CPU, 23 * NS_PER_SEC);
	ROW_SET(s.self, SELF_CPU_RECENT, metric_real_bits(c->recent > 0 ? c->recent : 0.0025));
	ROW_SET(s.self, SELF_CPU_RECENT_SPAN,
		(c->span_ms ? c->span_ms : UINT64_C(65000)) * NS_PER_MSEC);
	ROW_SET(s.self, SELF_START_TIME,
		SAMPLE_REALTIME_NS - (c->up_s ? c->up_s : REPORTED_UP_S) * NS_PER_SEC);
	ROW_SET(s.self, SELF_BLOCKED_READS, 2 * c->blocked);
	ROW_SET(s.self, SELF_BLOCKED_OLDEST, c->blocked ? 1311 * NS_PER_SEC : 0);
	if (!c->is_exact)
		add_adaptive(&s.builder, c, s.self);
	for (uint32_t i = 0; i < c->denied && !c->is_public; i++) {
		row = builder_add_process(&s.builder);
		assert_non_null(row);
		row->pid = i + 1;
		row->outcome = OUTCOME_DENIED;
		row->source = SOURCE_RSS;
		ROW_SET(row, PROCESS_RSS, 10 * MIB);
	}
	if (c->stretched_s)
		h.interval_ns = c->stretched_s * NS_PER_SEC;
	h.flags = c->is_public ? IMAGE_PUBLIC : 0;
	return small_view(&s.builder, &h);
}
