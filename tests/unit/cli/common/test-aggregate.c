/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests sums over chosen processes of a snapshot. For all processes they must equal the sums of the
 * snapshot itself.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>

#include "base/clock.h"
#include "cli/common/aggregate.h"
#include "collectors/pass/pass.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/snapshot/sample.h"
#include "tests/unit/support/tree/crew.h"

#define KIB UINT64_C(1024)

/*
 * Returns the aggregate of VIEW's processes of PROGRAM, or of all if NULL. Rows are given from the
 * last to the first.
 */
static struct view *aggregate(const struct view *view, const char *program)
{
	AUTO_FREE uint32_t *rows = calloc(view_count(view, METRIC_PROCESS), sizeof(*rows));
	struct view *narrowed = NULL;
	size_t count = 0;

	assert_non_null(rows);
	for (uint32_t i = view_count(view, METRIC_PROCESS); i-- > 0;)
		if (!program ||
			!strcmp(view_owner(view, view_process(view, i), OWNER_PROGRAM), program))
			rows[count++] = i;
	assert_int_equal(aggregate_processes(view, rows, count, &narrowed), 0);
	return narrowed;
}

static const struct snapshot_scope *row_named(
	const struct view *view, enum metric_scope scope, const char *name)
{
	for (uint32_t i = 0; i < view_count(view, scope); i++) {
		const struct snapshot_scope *row = view_scope(view, scope, i);

		if (!strcmp(view_text(view, row->name), name))
			return row;
	}
	return NULL;
}

static void check_quantity(
	const struct snapshot_scope *row, enum scope_quantity i, uint64_t expected)
{
	assert_true(ROW_HAS(row, i));
	assert_int_equal(row->q[i], expected);
}

/*
 * True for quantities that are sums over live processes. The rest is history, or of the host, or of
 * cgroups.
 */
static bool is_of_processes(unsigned int i)
{
	return i != SCOPE_VM_HWM_GROWTH && i != SCOPE_VM_SWAP_GROWTH && i != SCOPE_ANON_GROWTH &&
	       i != SCOPE_PSS_BYTE_SECONDS && i != SCOPE_MEM_TOTAL && i != SCOPE_MEM_AVAILABLE &&
	       i != SCOPE_NAMING_FAILURES && (i < SCOPE_CGROUP || i > SCOPE_CGROUP_AGE) &&
	       (i < SCOPE_OOM_KILLS || i > SCOPE_CGROUP_MAX_EVENTS);
}

/* True for the kernel's counters of the host, which no choice of processes changes. */
static bool is_kept(const struct snapshot_scope *a, const struct snapshot_scope *b, unsigned int i)
{
	return i >= SCOPE_OOM_KILLS && i <= SCOPE_MEMORY_STALLED && ROW_HAS(a, i) &&
	       a->q[i] == b->q[i];
}

static void check_same(const struct snapshot_scope *a, const struct snapshot_scope *b)
{
	for (unsigned int i = 0; i < SCOPE_QUANTITIES; i++) {
		if (!is_of_processes(i)) {
			assert_false(ROW_HAS(b, i) && i >= SCOPE_CGROUP && !is_kept(a, b, i));
			continue;
		}
		assert_int_equal(ROW_HAS(a, i), ROW_HAS(b, i));
		if (ROW_HAS(a, i))
			assert_int_equal(a->q[i], b->q[i]);
	}
}

/* The aggregate of all processes equals the tally's, row by row. */
static void check_whole(const struct view *view)
{
	AUTO_VIEW struct view *all = aggregate(view, NULL);

	check_same(view_host(view), view_host(all));
	for (int s = METRIC_USER; s < METRIC_OWNERS_END; s++) {
		enum metric_scope scope = (enum metric_scope)s;
		uint32_t found = 0;

		for (uint32_t i = 0; i < view_count(view, scope); i++) {
			const struct snapshot_scope *row = view_scope(view, scope, i), *again;

			again = row_named(all, scope, view_text(view, row->name));
			if ((row->flags & SCOPE_OTHER) || !row->q[SCOPE_PROCESSES]) {
				assert_null(again);
				continue;
			}
			if (!again) {
				fail_msg("'%s' is missing", view_text(view, row->name));
				return;
			}
			check_same(row, again);
			assert_int_equal(row->id, again->id);
			found++;
		}
		assert_int_equal(view_count(all, scope), found);
	}
}

static void all_rows_give_the_sample(void **state)
{
	static const struct sample_options options = {.more = 1000};
	AUTO_VIEW struct view *sample = sample_open(NULL);
	AUTO_VIEW struct view *larger = sample_open(&options);

	(void)state;
	check_whole(sample);
	check_whole(larger);
}

/* The rules equal those of the tally on a real pass over this machine, too. */
static void all_rows_give_the_pass(void **state)
{
	static const struct pass_options options = {
		.procfs = "/proc",
		.version = "1",
		.interval_ns = NS_PER_SEC,
		.export_owners[0 ... OWNER_KINDS - 1] = 1,
	};
	AUTO_PASS struct pass *pass = NULL;
	AUTO_VIEW struct view *view = NULL;
	AUTO_CLOSE int fd = -1, public_fd = -1, procfs_fd = open("/proc", O_PATH | O_CLOEXEC);
	struct crew crew;
	const char *reason;
	int r;

	(void)state;
	assert_true(procfs_fd >= 0);
	assert_int_equal(pass_open(&options, &pass), 0);
	/* Other processes of this machine may block reads, so a worker makes them. */
	crew_open(&crew, procfs_fd);
	pass_set_workers(pass, &crew.workers);
	assert_int_equal(pass_begin(pass), 0);
	do
		r = pass_step(pass, UINT64_MAX);
	while (r == PASS_MORE);
	assert_int_equal(r, 0);
	assert_int_equal(pass_publish(pass, false, &fd, &public_fd), 0);
	assert_int_equal(view_open(fd, &view, &reason), 0);
	assert_true(view_count(view, METRIC_PROCESS) > 0);
	check_whole(view);
	pass_set_workers(pass, NULL);
	crew_close(&crew);
}

static void some_are_summed_exactly(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_VIEW struct view *firefox = aggregate(view, "firefox");
	const struct snapshot_scope *alice = row_named(firefox, METRIC_USER, "alice");

	(void)state;
	assert_int_equal(view_count(firefox, METRIC_PROCESS), 3);
	assert_int_equal(view_count(firefox, METRIC_USER), 1);
	assert_int_equal(view_count(firefox, METRIC_PROGRAM), 1);
	assert_non_null(alice);
	assert_int_equal(alice->id, 1000);
	check_quantity(alice, SCOPE_PSS, 500003 * KIB);
	check_quantity(alice, SCOPE_PSS_LOW, 500003 * KIB);
	check_quantity(alice, SCOPE_PSS_HIGH, 500005 * KIB - 2);
	check_quantity(alice, SCOPE_USS, 440001 * KIB);
	check_quantity(alice, SCOPE_RSS, 712000 * KIB);
	check_quantity(alice, SCOPE_SWAP_PSS, 1024 * KIB);
	/* Private amounts are added up; of shared ones the largest counts. */
	check_quantity(alice, SCOPE_HUGETLB, 12288 * KIB);
	check_quantity(alice, SCOPE_VM_HWM_MAX, 512100 * KIB);
	/* the process that shares another's address space counts, too */
	check_quantity(alice, SCOPE_PROCESSES, 3);
	check_quantity(view_host(firefox), SCOPE_PSS, 500003 * KIB);
}

static void absent_quantities_stay_absent(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_VIEW struct view *agent = aggregate(view, "agent");
	const struct snapshot_scope *host = view_host(agent);

	(void)state;
	assert_false(ROW_HAS(host, SCOPE_PSS));
	assert_false(ROW_HAS(host, SCOPE_USS));
	assert_false(ROW_HAS(host, SCOPE_HUGETLB));
	assert_false(ROW_HAS(host, SCOPE_PSS_HIGH)); /* one process has no RSS either */
	check_quantity(host, SCOPE_RSS, 640 * KIB);
	check_quantity(host, SCOPE_UNMEASURED_MALFORMED, 1);
	check_quantity(host, SCOPE_UNMEASURED_ERROR, 1);
	check_quantity(host, SCOPE_UNMEASURED_DENIED, 0);
	assert_false(ROW_HAS(host, SCOPE_VM_HWM_GROWTH));
	assert_false(ROW_HAS(host, SCOPE_PSS_BYTE_SECONDS));
}

static void no_rows_give_no_sums(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_VIEW struct view *none = aggregate(view, "no such program");

	(void)state;
	assert_int_equal(view_count(none, METRIC_PROCESS), 0);
	assert_int_equal(view_count(none, METRIC_USER), 0);
	check_quantity(view_host(none), SCOPE_PSS, 0);
	check_quantity(view_host(none), SCOPE_PSS_HIGH, 0);
	check_quantity(view_host(none), SCOPE_PROCESSES, 0);
}

static void the_rest_is_kept(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_VIEW struct view *bash = aggregate(view, "bash");
	const struct snapshot_process *row = view_find_process(bash, 2001);

	(void)state;
	assert_int_equal(bash->header->sequence, SAMPLE_SEQUENCE);
	assert_int_equal(bash->header->boottime_ns, SAMPLE_BOOTTIME_NS);
	assert_int_equal(bash->header->stale_ns, view->header->stale_ns);
	assert_int_equal(view_host(bash)->q[SCOPE_MEM_TOTAL], view_host(view)->q[SCOPE_MEM_TOTAL]);
	assert_int_equal(view_host(bash)->q[SCOPE_OOM_KILLS], view_host(view)->q[SCOPE_OOM_KILLS]);
	assert_true(ROW_HAS(view_host(bash), SCOPE_MEMORY_STALLED));
	assert_string_equal(view_text(bash, view_self(bash)->version), "1.2.3");
	assert_int_equal(view_self(bash)->flags, view_self(view)->flags);
	assert_int_equal(view_count(bash, METRIC_USER), 2);
	assert_non_null(row);
	assert_string_equal(view_owner(bash, row, OWNER_USER), "bob");
	assert_string_equal(view_owner(bash, row, OWNER_UNIT), "session-3.scope");
	assert_memory_equal(row->q, view_find_process(view, 2001)->q, sizeof(row->q));
}

static void lack_of_memory_is_reported(void **state)
{
	static const uint32_t rows[] = {0, 1, 2, 3, 4, 5};
	AUTO_VIEW struct view *view = sample_open(NULL);
	unsigned int n = 0;

	(void)state;
	for (bool failed = true; failed;) {
		AUTO_VIEW struct view *narrowed = NULL;
		int r;

		allocation_fail_at(++n);
		r = aggregate_processes(view, rows, ARRAY_SIZE(rows), &narrowed);
		failed = allocation_end();
		assert_int_equal(r, failed ? -ENOMEM : 0);
	}
	assert_true(n > 5);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_rows_give_the_sample),
		cmocka_unit_test(all_rows_give_the_pass),
		cmocka_unit_test(some_are_summed_exactly),
		cmocka_unit_test(absent_quantities_stay_absent),
		cmocka_unit_test(no_rows_give_no_sums),
		cmocka_unit_test(the_rest_is_kept),
		cmocka_unit_test(lack_of_memory_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
