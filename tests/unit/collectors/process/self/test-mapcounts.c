/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of collectors/process/self/mapcounts.h: the trial of whether the kernel's map counts are exact,
 * and bounds where they are not.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <zlib.h>

#include "base/cleanup.h"
#include "collectors/process/self/mapcounts.h"
#include "tests/unit/support/tree/tree.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * KIB)

static struct smaps rollup_of(uint64_t huge_kib, uint64_t clean_kib, uint64_t dirty_kib)
{
	struct smaps s = {.mappings = 1};

	ROW_SET(&s, SMAPS_ANON_HUGE, huge_kib * KIB);
	ROW_SET(&s, SMAPS_SHARED_CLEAN, clean_kib * KIB);
	ROW_SET(&s, SMAPS_SHARED_DIRTY, dirty_kib * KIB);
	return s;
}

/*
 * 2500 KiB of other anonymous memory are shared too, and a few of these pages change during the
 * trial. 500 KiB of files become shared while the child runs.
 */
static void verdict_follows_from_shared_memory(void **state)
{
	static const struct {
		uint64_t huge_kib, before_kib, after_kib, after_files_kib;
		enum mapcounts_verdict verdict;
	} cases[] = {
		{2048, 2500 + 2048, 2500 + 1024, 500, MAPCOUNTS_EXACT},
		{2048, 2500 + 2048, 2500 + 1024, 500 + 400, MAPCOUNTS_EXACT},
		{2048, 2500 + 2048, 2500 + 1024 - 40, 500, MAPCOUNTS_EXACT},
		{2048, 2500 + 2048, 2500 + 2048, 500, MAPCOUNTS_AVERAGED},
		{2048, 2500 + 2048, 2500 + 2048, 500 + 400, MAPCOUNTS_AVERAGED},
		{2048, 2500 + 2048, 2500 + 2048 - 40, 500, MAPCOUNTS_AVERAGED},
		{2048, 2500 + 2048, 2500 + 2048 + 40, 500, MAPCOUNTS_AVERAGED},
		{2048, 2500 + 2048, 2500 + 1536, 500, MAPCOUNTS_UNKNOWN},
		{2048, 2500 + 2048, 2500, 500, MAPCOUNTS_UNKNOWN},
		{2048, 1000, 1000, 500, MAPCOUNTS_UNKNOWN}, /* the child does not share it */
		{0, 2500 + 2048, 2500 + 1024, 500, MAPCOUNTS_UNKNOWN}, /* no huge page */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct smaps before = rollup_of(cases[i].huge_kib, 500, cases[i].before_kib);
		struct smaps after = rollup_of(0, cases[i].after_files_kib, cases[i].after_kib);

		if (mapcounts_judge(&before, &after, 2 * MIB) != cases[i].verdict)
			fail_msg("case %zu", i);
		before.present &= ~(UINT64_C(1) << SMAPS_ANON_HUGE);
		assert_int_equal(mapcounts_judge(&before, &after, 2 * MIB), MAPCOUNTS_UNKNOWN);
	}
}

static enum mapcounts_verdict run(struct mapcounts *m)
{
	const struct timespec pause = {.tv_nsec = 1000000};

	assert_int_equal(mapcounts_ask(m), 0);
	assert_true(m->pid > 0);
	/* The child exits after ten seconds at the latest. */
	for (unsigned int i = 0; m->pid && i < 60000; i++) {
		mapcounts_answer(m);
		nanosleep(&pause, NULL);
	}
	assert_int_equal(m->pid, 0);
	assert_int_equal(m->fd, -1);
	return m->verdict;
}

/* Opens the kernel's configuration. Returns NULL if it cannot be read. */
static gzFile open_configuration(void)
{
	gzFile file = gzopen("/proc/config.gz", "r");
	struct utsname name;
	char path[100];

	if (file)
		return file;
	assert_int_equal(uname(&name), 0);
	snprintf(path, sizeof(path), "/boot/config-%s", name.release);
	return gzopen(path, "r"); /* not compressed */
}

/*
 * Whether VERDICT agrees with the kernel's configuration, if that can be read. Before Linux 6.15
 * all kernels are exact, and no option says so.
 */
static bool is_configured(enum mapcounts_verdict verdict)
{
	gzFile file = open_configuration();
	enum mapcounts_verdict found = MAPCOUNTS_EXACT;
	char line[1024];

	if (!file)
		return true;
	while (gzgets(file, line, sizeof(line)))
		if (!strcmp(line, "CONFIG_NO_PAGE_MAPCOUNT=y\n"))
			found = MAPCOUNTS_AVERAGED;
	gzclose(file);
	return verdict == found;
}

/* On the kernel that runs the test. Without huge pages the result is unknown, never wrong. */
static void agrees_with_this_kernels_configuration(void **state)
{
	unsigned int before = unit_descriptors();
	struct mapcounts m;
	enum mapcounts_verdict verdict;

	(void)state;
	mapcounts_init(&m);
	mapcounts_answer(&m); /* the trial was not started */
	assert_int_equal(m.verdict, MAPCOUNTS_UNKNOWN);
	verdict = run(&m);
	print_message("this kernel: %s\n", verdict == MAPCOUNTS_EXACT     ? "exact"
					   : verdict == MAPCOUNTS_UNKNOWN ? "unknown"
									  : "averaged");
	assert_true(verdict == MAPCOUNTS_UNKNOWN || is_configured(verdict));
	mapcounts_done(&m);
	assert_int_equal(unit_descriptors(), before);
}

/* Huge pages are turned off for this process, and its children inherit that. */
static void is_unknown_without_huge_pages(void **state)
{
	struct mapcounts m;

	(void)state;
	assert_int_equal(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), 0);
	mapcounts_init(&m);
	assert_int_equal(run(&m), MAPCOUNTS_UNKNOWN);
	assert_int_equal(prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0), 0);
	mapcounts_done(&m);
}

static void trial_can_be_abandoned(void **state)
{
	struct mapcounts m;

	(void)state;
	mapcounts_init(&m);
	assert_int_equal(mapcounts_ask(&m), 0);
	mapcounts_done(&m);
	assert_int_equal(m.pid, 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
}

/*
 * In time, or with a timeout, after which the result is unknown. No child is left in either case.
 */
static void trial_can_be_awaited(void **state)
{
	unsigned int before = unit_descriptors();
	struct mapcounts m;

	(void)state;
	mapcounts_init(&m);
	mapcounts_await(&m, 1000); /* the trial was not started */
	assert_int_equal(m.verdict, MAPCOUNTS_UNKNOWN);
	assert_int_equal(mapcounts_ask(&m), 0);
	mapcounts_await(&m, 60000);
	assert_int_equal(m.pid, 0);
	assert_true(m.verdict == MAPCOUNTS_UNKNOWN || is_configured(m.verdict));
	mapcounts_done(&m);
	mapcounts_init(&m);
	assert_int_equal(mapcounts_ask(&m), 0);
	mapcounts_await(&m, 0);
	assert_int_equal(m.pid, 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(unit_descriptors(), before);
}

static void sums_up_large_folios(void **state)
{
	AUTO_TREE struct tree t = {.fd = -1};

	(void)state;
	tree_open(&t);
	assert_true(mapcounts_large_anon(t.path) == UINT64_MAX); /* before Linux 6.12 */
	tree_write(&t, "hugepages-64kB/stats/nr_anon", "10\n");
	tree_write(&t, "hugepages-2048kB/stats/nr_anon", "3\n");
	tree_write(&t, "hugepages-kB", "1");
	assert_int_equal(mapcounts_large_anon(t.path), 10 * 64 * KIB + 3 * 2048 * KIB);
	tree_write(&t, "hugepages-64kB/stats/nr_anon", "-1\n");
	assert_true(mapcounts_large_anon(t.path) == UINT64_MAX);
	assert_true(mapcounts_large_anon("none") == UINT64_MAX);
}

/*
 * The example in the kernel's documentation: of 2 MiB another process maps one half. The PSS is
 * 1.5 MiB, and the kernel prints 1 MiB.
 */
static void bounds_contain_the_exact_pss(void **state)
{
	struct snapshot_process row = {.pid = 1}, plain;

	(void)state;
	ROW_SET(&row, PROCESS_RSS, 2 * MIB);
	ROW_SET(&row, PROCESS_RSS_ANON, 2 * MIB);
	ROW_SET(&row, PROCESS_PSS, MIB);
	ROW_SET(&row, PROCESS_PSS_LOW, MIB);
	ROW_SET(&row, PROCESS_PSS_HIGH, MIB);
	ROW_SET(&row, PROCESS_PSS_ANON, MIB);
	ROW_SET(&row, PROCESS_PSS_FILE, 0);
	ROW_SET(&row, PROCESS_PSS_SHMEM, 0);
	ROW_SET(&row, PROCESS_USS, 0);
	plain = row;
	mapcounts_widen(&row, 0); /* no anonymous memory is in large folios */
	assert_memory_equal(&row, &plain, sizeof(row));
	mapcounts_widen(&row, 2 * MIB);
	assert_int_equal(row.q[PROCESS_PSS_LOW], 0);
	assert_int_equal(row.q[PROCESS_PSS_HIGH], 2 * MIB);
	assert_int_equal(row.q[PROCESS_PSS], MIB);
	/* Private pages are certain. */
	row = plain;
	ROW_SET(&row, PROCESS_USS, MIB / 4);
	mapcounts_widen(&row, UINT64_MAX);
	assert_int_equal(row.q[PROCESS_PSS_LOW], MIB / 4);
	assert_int_equal(row.q[PROCESS_PSS_HIGH], 2 * MIB);
	/* Without parts of the PSS all shared memory may be wrong. */
	row.present &= ~(UINT64_C(1) << PROCESS_PSS_ANON);
	row.q[PROCESS_PSS_LOW] = row.q[PROCESS_PSS_HIGH] = MIB;
	mapcounts_widen(&row, 0);
	assert_int_equal(row.q[PROCESS_PSS_LOW], MIB / 4);
	assert_int_equal(row.q[PROCESS_PSS_HIGH], 2 * MIB);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdict_follows_from_shared_memory),
		cmocka_unit_test(agrees_with_this_kernels_configuration),
		cmocka_unit_test(is_unknown_without_huge_pages),
		cmocka_unit_test(trial_can_be_abandoned),
		cmocka_unit_test(trial_can_be_awaited),
		cmocka_unit_test(sums_up_large_folios),
		cmocka_unit_test(bounds_contain_the_exact_pss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
