/* SPDX-License-Identifier: Apache-2.0 */
/* Tests what goes into the image at the end of a pass: names, owners, and each counter. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "collectors/pass/image-build.h"
#include "snapshot/metric.h"
#include "tests/unit/support/snapshot/small.h"

/* Builds the image of T, with the other parts that a reader needs. */
static struct view *compose(struct owner_sums *t, struct builder *b)
{
	AUTO_BUFFER struct buffer scratch = {0};
	struct meminfo meminfo = {.present = 1 << MEMINFO_TOTAL, .q = {[MEMINFO_TOTAL] = 1 << 30}};

	builder_begin(b);
	assert_int_equal(image_build_scopes(t, &meminfo, b, &scratch), 0);
	assert_non_null(builder_add_self(b));
	return small_view(b, NULL);
}

static void add_user(struct owner_sums *t, uid_t uid, const char *name)
{
	struct scope *s = owner_table_get(&t->table[OWNER_USER], &uid, sizeof(uid));

	s->id = uid;
	s->name = name ? strdup(name) : NULL;
	s->exported = true;
}

static const char *name_of(const struct view *view, uint32_t uid)
{
	for (uint32_t i = 0; i < view_count(view, METRIC_USER); i++) {
		const struct snapshot_scope *row = view_scope(view, METRIC_USER, i);

		if (row->id == uid && !(row->flags & SCOPE_OTHER))
			return view_text(view, row->name);
	}
	return NULL;
}

static void users_have_distinct_names(void **state)
{
	struct builder b = {0};
	struct owner_sums t;
	struct view *view;

	(void)state;
	owner_sums_init(&t, 1);
	add_user(&t, 1000, "alice");
	add_user(&t, 1001, "bob");
	add_user(&t, 1002, "bob");
	add_user(&t, 1003, NULL);
	add_user(&t, 1004, "1003"); /* a name that looks like another user's number */
	add_user(&t, 1005, "bob:1001");
	add_user(&t, 1006, "(other)");
	add_user(&t, 1007, "(none)");
	add_user(&t, OWNER_NO_ID, NULL);
	view = compose(&t, &b);
	assert_string_equal(name_of(view, 1000), "alice");
	assert_string_equal(name_of(view, 1001), "bob:1001");
	assert_string_equal(name_of(view, 1002), "bob:1002");
	assert_string_equal(name_of(view, 1003), "1003");
	assert_string_equal(name_of(view, 1004), "1003:1004");
	assert_string_equal(name_of(view, 1005), "bob:1001:1005");
	assert_string_equal(name_of(view, 1006), "(other):1006");
	assert_string_equal(name_of(view, 1007), "(none):1007");
	assert_string_equal(name_of(view, OWNER_NO_ID), "(none)");
	view_unref(view);
	builder_done(&b);
	owner_sums_done(&t);
}

static struct scope *add_owned(
	struct owner_sums *t, enum owner_kind kind, const char *key, uint32_t user)
{
	struct scope *s = owner_table_get(&t->table[kind], key, strlen(key) + 1);

	s->has_user = true;
	s->user = user;
	s->exported = true;
	return s;
}

static const struct snapshot_scope *row_of(
	const struct view *view, enum metric_scope scope, const char *name)
{
	for (uint32_t i = 0; i < view_count(view, scope); i++)
		if (!strcmp(view_text(view, view_scope(view, scope, i)->name), name))
			return view_scope(view, scope, i);
	fail_msg("no row of %s", name);
	return NULL;
}

/*
 * Rows name users as the users' own rows do: two users with one name, and a user without a process.
 */
static void rows_name_their_users(void **state)
{
	static const char pod[] = "1b4e28ba";
	struct builder b = {0};
	struct owner_sums t;
	struct view *view;

	(void)state;
	owner_sums_init(&t, 1);
	add_user(&t, 1000, "alice");
	add_user(&t, 1001, "bob");
	add_user(&t, 1002, "bob");
	add_owned(&t, OWNER_SESSION, "5", 1000);
	add_owned(&t, OWNER_SESSION, "6", 1002);
	add_owned(&t, OWNER_USER_UNIT, "app.slice", 4711);
	add_owned(&t, OWNER_CONTAINER, "0123", 1000)->above = pod;
	owner_table_get(&t.table[OWNER_CONTAINER], "4567", 5)->exported = true;
	view = compose(&t, &b);
	assert_string_equal(view_text(view, row_of(view, METRIC_SESSION, "5")->user), "alice");
	assert_string_equal(view_text(view, row_of(view, METRIC_SESSION, "6")->user), "bob:1002");
	assert_string_equal(
		view_text(view, row_of(view, METRIC_USER_UNIT, "app.slice")->user), "4711");
	assert_string_equal(view_text(view, row_of(view, METRIC_CONTAINER, "0123")->user), "alice");
	assert_string_equal(view_text(view, row_of(view, METRIC_CONTAINER, "0123")->above), pod);
	assert_string_equal(view_text(view, row_of(view, METRIC_CONTAINER, "4567")->user), "");
	assert_string_equal(view_text(view, row_of(view, METRIC_CONTAINER, "4567")->above), "");
	view_unref(view);
	builder_done(&b);
	owner_sums_done(&t);
}

static void rows_are_marked(void **state)
{
	struct builder b = {0};
	struct owner_sums t;
	struct view *view;
	struct scope *s;
	unsigned int others = 0, exported = 0;

	(void)state;
	owner_sums_init(&t, 77);
	s = owner_table_get(&t.table[OWNER_PROGRAM], "big", 3);
	s->exported = true;
	ROW_SET(&s->sums, SCOPE_PSS, 5);
	owner_table_get(&t.table[OWNER_PROGRAM], "small", 5);
	/* an owner without members and series is not in the image */
	owner_table_get(&t.table[OWNER_PROGRAM], "gone", 4)->empty_ns = 1;
	view = compose(&t, &b);
	assert_int_equal(view_count(view, METRIC_PROGRAM), 3);
	for (uint32_t i = 0; i < 3; i++) {
		const struct snapshot_scope *row = view_scope(view, METRIC_PROGRAM, i);

		others += (row->flags & SCOPE_OTHER) != 0;
		exported += (row->flags & SCOPE_EXPORTED) != 0;
		assert_string_not_equal(view_text(view, row->name), "gone");
	}
	assert_int_equal(others, 1);
	assert_int_equal(exported, 1);
	assert_int_equal(view_host(view)->created_ns, 77);
	assert_int_equal(view_host(view)->q[SCOPE_MEM_TOTAL], 1 << 30);
	assert_false(ROW_HAS(view_host(view), SCOPE_MEM_AVAILABLE));
	view_unref(view);
	builder_done(&b);
	owner_sums_done(&t);
}

/* All figures that adaptive passes count. Each has a value of its own. */
struct counted {
	struct owner_sums sums;
	struct lock_hold holds;
	struct page_walks_counts walks;
	struct row_estimate estimates;
	struct psi psi;
	struct self_usage self;
	uint64_t deferred[MEASURE_PLAN_REASONS], charges[CHARGE_OUTCOMES];
	struct image_build_counts counts;
	struct image_build_adaptive adaptive;
};

static void count_all(struct counted *c)
{
	*c = (struct counted){
		.holds = {.limit_ns = 101, .above = 102, .times = {.count = 2, .bucket = {2}}},
		.walks = {.reads = {[WALK_COST_ROLLUP] = 103, [WALK_COST_SLICES] = 104},
			.slices = 105,
			.discarded = 106,
			.predicted_ns = 107,
			.used_ns = 108},
		.estimates = {.errors = {.id = HISTOGRAM_ESTIMATE_ERROR, .count = 3, .bucket = {3}},
			.off_bytes = 109,
			.found_bytes = 110,
			.recent_off = 138,
			.recent_found = 139},
		.psi = {.is_known = true, .some_avg10 = PSI_WHOLE / 4},
		.self = {.cpu_ns = 111,
			.resident_bytes = 112,
			.open_fds = 113,
			.max_fds = 114,
			.start_realtime_ns = 115,
			.recent = {.mark = {{.at_ns = 1}, {.at_ns = 9, .cpu_ns = 1}}, .count = 2}},
		.deferred = {[MEASURE_PLAN_BUDGET] = 116,
			[MEASURE_PLAN_STALL] = 117,
			[MEASURE_PLAN_GIANT] = 118,
			[MEASURE_PLAN_PRESSURE] = 119},
		.counts = {.passes = 120,
			.overruns = 121,
			.duration_ns = 122,
			.interval_ns = 123,
			.period_ns = 136,
			.waiting = 131,
			.estimated = 124,
			.guessed = 125,
			.source = {[SOURCE_ROLLUP] = 126,
				[SOURCE_SMAPS] = 127,
				[SOURCE_RSS] = 128,
				[SOURCE_ESTIMATE] = 129},
			.blocked_now = 160,
			.blocked_oldest_ns = 161,
			.blocked_total = 162,
			.workers_replaced = 163,
			.durations = {.id = HISTOGRAM_PASS_DURATION, .count = 1, .bucket = {1}}},
		.adaptive = {.backlog_ns = 137,
			.budget = 0.5,
			.needed = 0.125,
			.available_ns = 132,
			.oldest_ns = 133,
			.max_age_ns = 134,
			.longest_ns = 135,
			.lock_trial = LOCK_TRIAL_YES},
	};
	for (unsigned int i = 0; i < OUTCOME_COUNT_; i++)
		c->counts.outcome[i] = 140 + i;
	owner_sums_init(&c->sums, 1);
	owner_table_get(&c->sums.table[OWNER_PROGRAM], "small", 5);
	for (unsigned int i = 0; i < CHARGE_OUTCOMES; i++)
		c->charges[i] = 150 + i;
	c->counts.charges = c->charges;
	c->counts.holds = &c->holds;
	c->adaptive.walks = &c->walks;
	c->adaptive.deferred = c->deferred;
	c->adaptive.estimates = &c->estimates;
	c->adaptive.psi = &c->psi;
}

/* Returns the image of C alone, of an adaptive or an exact pass. */
static struct view *view_of(struct counted *c, bool is_adaptive)
{
	AUTO_BUFFER struct buffer scratch = {0};
	CLEANUP(builder_done) struct builder b = {0};
	struct meminfo meminfo = {0};

	builder_begin(&b);
	assert_int_equal(image_build_scopes(&c->sums, &meminfo, &b, &scratch), 0);
	assert_int_equal(image_build_self(&c->counts, is_adaptive ? &c->adaptive : NULL, &c->self,
				 SELF_CAP_PERFMON, "1.2.3", &b),
		0);
	return small_view(&b, NULL);
}

struct expected {
	enum self_quantity index;
	uint64_t value;
};

static const struct expected of_both_modes[] = {
	{SELF_LAST_PASS_DURATION, 122},
	{SELF_PASSES, 120},
	{SELF_PASS_OVERRUNS, 121},
	{SELF_OUTCOME_FIRST, 140},
	{SELF_OUTCOME_LAST, 140 + OUTCOME_ERROR},
	{SELF_OUTCOME_BLOCKED, 140 + OUTCOME_BLOCKED},
	{SELF_READ_ESTIMATE, 129},
	{SELF_BLOCKED_READS, 160},
	{SELF_BLOCKED_OLDEST, 161},
	{SELF_BLOCKED_READS_TOTAL, 162},
	{SELF_WORKERS_REPLACED, 163},
	{SELF_CHARGE_FIRST, 150},
	{SELF_CHARGE_LAST, 150 + CHARGE_OUTCOMES - 1},
	{SELF_READ_ROLLUP, 126},
	{SELF_READ_SMAPS, 127},
	{SELF_READ_RSS, 128},
	{SELF_CPU, 111},
	{SELF_RESIDENT, 112},
	{SELF_OPEN_FDS, 113},
	{SELF_MAX_FDS, 114},
	{SELF_START_TIME, 115},
	{SELF_INTERVAL, 123},
	{SELF_PERIOD, 136},
	{SELF_CPU_RECENT_SPAN, 8},
};

static const struct expected of_adaptive[] = {
	{SELF_MEASUREMENTS_WHOLE, 103},
	{SELF_MEASUREMENTS_SLICED, 104},
	{SELF_MEASUREMENTS_DISCARDED, 106},
	{SELF_SLICES, 105},
	{SELF_MEASUREMENT_CPU, 108},
	{SELF_MEASUREMENT_CPU_EXPECTED, 107},
	{SELF_DEFERRED_BUDGET, 116},
	{SELF_DEFERRED_STALL, 117},
	{SELF_DEFERRED_GIANT, 118},
	{SELF_DEFERRED_PRESSURE, 119},
	{SELF_BUDGET_AVAILABLE, 132},
	{SELF_OLDEST_AGE, 133},
	{SELF_BUDGET_STALL, 101},
	{SELF_HOLDS_ABOVE, 102},
	{SELF_WALKS_DISTURB, 1},
	{SELF_OUTCOME_ESTIMATED, 124},
	{SELF_OUTCOME_GUESSED, 125},
	{SELF_ESTIMATE_OFF, 109},
	{SELF_ESTIMATE_FOUND, 110},
	{SELF_ESTIMATE_OFF_RECENT, 138},
	{SELF_ESTIMATE_FOUND_RECENT, 139},
	{SELF_WAITING_BUDGET, 131},
	{SELF_WAITING_PRESSURE, 0},
	{SELF_BACKLOG, 137},
	{SELF_MAX_AGE, 134},
	{SELF_LONGEST_UNMEASURED, 135},
};

static const struct {
	enum self_quantity index;
	double value;
} ratios[] = {
	{SELF_BUDGET_CPU, 0.5},
	{SELF_BUDGET_NEEDED, 0.125},
	{SELF_MEMORY_PRESSURE, 0.25},
};

static uint64_t count_of(const struct view *view, enum snapshot_histogram_id id)
{
	const struct snapshot_histogram *h = view_find_histogram(view, id);

	return h ? h->count : 0;
}

/* A counter that is missing in the image would be missing everywhere, without notice. */
static void all_that_is_counted_is_in_the_image(void **state)
{
	struct counted c;
	AUTO_VIEW struct view *view = NULL;
	const struct snapshot_self *self;

	(void)state;
	count_all(&c);
	view = view_of(&c, true);
	self = view_self(view);
	for (size_t i = 0; i < ARRAY_SIZE(of_both_modes); i++)
		if (!ROW_HAS(self, of_both_modes[i].index) ||
			self->q[of_both_modes[i].index] != of_both_modes[i].value)
			fail_msg("quantity %d", of_both_modes[i].index);
	for (size_t i = 0; i < ARRAY_SIZE(of_adaptive); i++)
		if (!ROW_HAS(self, of_adaptive[i].index) ||
			self->q[of_adaptive[i].index] != of_adaptive[i].value)
			fail_msg("quantity %d", of_adaptive[i].index);
	for (size_t i = 0; i < ARRAY_SIZE(ratios); i++)
		if (!ROW_HAS(self, ratios[i].index) ||
			metric_real(self->q[ratios[i].index]) != ratios[i].value)
			fail_msg("ratio %d", ratios[i].index);
	assert_true(metric_real(self->q[SELF_CPU_RECENT]) == 0.125);
	assert_string_equal(view_text(view, self->version), "1.2.3");
	assert_int_equal(self->flags, SELF_CAP_PERFMON);
	assert_int_equal(count_of(view, HISTOGRAM_PASS_DURATION), 1);
	assert_int_equal(count_of(view, HISTOGRAM_HOLD), 2);
	assert_int_equal(count_of(view, HISTOGRAM_ESTIMATE_ERROR), 3);
	/*
	 * A new quantity fails here until it has a line in a table above. Quantities of outcomes
	 * are counted by their enums.
	 */
	assert_int_equal(ARRAY_SIZE(of_both_modes) + ARRAY_SIZE(of_adaptive) + ARRAY_SIZE(ratios) +
				 OUTCOME_COUNT_ - 3 + CHARGE_OUTCOMES - 2 + 1,
		SELF_QUANTITIES);
	owner_sums_done(&c.sums);
}

/* Unknown figures are absent, and so are those of adaptive passes in an exact one. */
static void unknown_figures_are_not_in_the_image(void **state)
{
	struct counted c;
	AUTO_VIEW struct view *view = NULL, *exact = NULL;

	(void)state;
	count_all(&c);
	c.adaptive.needed = 0;
	c.adaptive.longest_ns = UINT64_MAX;
	c.adaptive.lock_trial = LOCK_TRIAL_UNKNOWN;
	c.psi.is_known = false;
	c.self.start_realtime_ns = 0;
	c.counts.charges = NULL;
	view = view_of(&c, true);
	assert_false(ROW_HAS(view_self(view), SELF_BUDGET_NEEDED));
	assert_false(ROW_HAS(view_self(view), SELF_WALKS_DISTURB));
	assert_false(ROW_HAS(view_self(view), SELF_LONGEST_UNMEASURED));
	assert_false(ROW_HAS(view_self(view), SELF_MEMORY_PRESSURE));
	assert_false(ROW_HAS(view_self(view), SELF_START_TIME));
	assert_false(ROW_HAS(view_self(view), SELF_CHARGE_FIRST));
	exact = view_of(&c, false);
	for (size_t i = 0; i < ARRAY_SIZE(of_adaptive); i++)
		assert_false(ROW_HAS(view_self(exact), of_adaptive[i].index));
	for (size_t i = 0; i < ARRAY_SIZE(ratios); i++)
		assert_false(ROW_HAS(view_self(exact), ratios[i].index));
	assert_int_equal(count_of(exact, HISTOGRAM_HOLD), 2);
	assert_int_equal(count_of(exact, HISTOGRAM_ESTIMATE_ERROR), 0);
	owner_sums_done(&c.sums);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(users_have_distinct_names),
		cmocka_unit_test(rows_name_their_users),
		cmocka_unit_test(rows_are_marked),
		cmocka_unit_test(all_that_is_counted_is_in_the_image),
		cmocka_unit_test(unknown_figures_are_not_in_the_image),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
