/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of render/process-exporter.h: names and labels of process-exporter. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>

#include "base/clock.h"
#include "render/process-exporter.h"
#include "snapshot/owner.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/golden.h"
#include "tests/unit/support/snapshot/small.h"

enum { MIB = 1 << 20 };

/* Adds a group with PROCESSES processes; the caller adds other quantities. */
static struct snapshot_scope *add_group(
	struct small *s, const char *name, unsigned int flags, uint64_t processes)
{
	struct snapshot_scope *row = builder_add_scope(
		&s->builder, metric_owner_scope(OWNER_NAMEGROUP));

	assert_non_null(row);
	row->name = builder_add_text(&s->builder, name, strlen(name));
	row->flags = flags;
	ROW_SET(row, SCOPE_PROCESSES, processes);
	return row;
}

/* Sets all quantities that have a series, N apart from those of another group. */
static void fill(struct snapshot_scope *row, uint64_t n)
{
	ROW_SET(row, SCOPE_PSS, MIB + n);
	ROW_SET(row, SCOPE_SWAP_PSS, 2 * MIB + n);
	ROW_SET(row, SCOPE_RSS, 3 * MIB + n);
	ROW_SET(row, SCOPE_VM_SWAP, 4 * MIB + n);
	ROW_SET(row, SCOPE_VM_SIZE, (UINT64_C(1) << 53) + 1 + n);
	ROW_SET(row, SCOPE_THREADS, 7 + n);
	ROW_SET(row, SCOPE_CPU_USER, 12345 * 10 * NS_PER_MSEC + n * NS_PER_SEC);
	ROW_SET(row, SCOPE_CPU_SYSTEM, n * 10 * NS_PER_MSEC);
	ROW_SET(row, SCOPE_MINOR_FAULTS, 1000 + n);
	ROW_SET(row, SCOPE_MAJOR_FAULTS, n);
	ROW_SET(row, SCOPE_RUNNING, n);
	ROW_SET(row, SCOPE_SLEEPING, 10 + n);
	ROW_SET(row, SCOPE_WAITING, 20 + n);
	ROW_SET(row, SCOPE_OTHER_STATE, 30 + n);
	ROW_SET(row, SCOPE_OLDEST_START, 1700000000 * NS_PER_SEC + n * 10 * NS_PER_MSEC);
}

static struct view *open_groups(void)
{
	AUTO_SMALL struct small s = {0};
	struct snapshot_scope *row;

	small_begin(&s);
	fill(add_group(&s, "bash", SCOPE_EXPORTED, 3), 0);
	fill(add_group(&s, "", SCOPE_EXPORTED, 1), 1);
	fill(add_group(&s, "é \"x\" a\\b map[: rest]", SCOPE_EXPORTED, 1), 2);
	row = add_group(&s, "unmeasured", SCOPE_EXPORTED, 1);
	ROW_SET(row, SCOPE_RSS, 4096);
	/* These have no series. */
	fill(add_group(&s, "small", 0, 1), 3);
	fill(add_group(&s, "ended", SCOPE_EXPORTED, 0), 4);
	fill(add_group(&s, OWNER_NONE, SCOPE_EXPORTED, 9), 5);
	fill(add_group(&s, "(other)", SCOPE_OTHER, 1), 3);
	return small_view(&s.builder, NULL);
}

static void body_matches_the_contract(void **state)
{
	AUTO_VIEW struct view *view = open_groups();
	AUTO_BUFFER struct buffer b = {0};

	(void)state;
	process_exporter_render(view, &b);
	assert_int_equal(b.error, 0);
	golden_check("process-exporter.txt", &b);
}

/* A family of which no group has a quantity is left out with its head. */
static void absent_families_have_no_head(void **state)
{
	AUTO_SMALL struct small s = {0};
	AUTO_VIEW struct view *view = NULL;
	AUTO_BUFFER struct buffer b = {0};

	(void)state;
	small_begin(&s);
	add_group(&s, "bash", SCOPE_EXPORTED, 2);
	view = small_view(&s.builder, NULL);
	process_exporter_render(view, &b);
	buffer_add_char(&b, '\0');
	assert_int_equal(b.error, 0);
	assert_string_equal(b.data,
		"# HELP namedprocess_namegroup_num_procs Processes in the group.\n"
		"# TYPE namedprocess_namegroup_num_procs gauge\n"
		"namedprocess_namegroup_num_procs{groupname=\"bash\"} 2\n");
}

/* "(none)" and an "(other)" without processes are there without rules, too. */
static void has_no_series_without_groups(void **state)
{
	AUTO_SMALL struct small s = {0};
	AUTO_VIEW struct view *view = NULL;
	AUTO_BUFFER struct buffer b = {0};

	(void)state;
	small_begin(&s);
	fill(add_group(&s, OWNER_NONE, SCOPE_EXPORTED, 9), 0);
	add_group(&s, "(other)", SCOPE_OTHER, 0);
	view = small_view(&s.builder, NULL);
	process_exporter_render(view, &b);
	assert_int_equal(b.error, 0);
	assert_int_equal(b.len, 0);
}

static void reports_lack_of_memory(void **state)
{
	AUTO_VIEW struct view *view = open_groups();

	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_BUFFER struct buffer b = {0};

		allocation_fail_at(n);
		process_exporter_render(view, &b);
		allocation_check(b.error);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(body_matches_the_contract),
		cmocka_unit_test(absent_families_have_no_head),
		cmocka_unit_test(has_no_series_without_groups),
		cmocka_unit_test(reports_lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
