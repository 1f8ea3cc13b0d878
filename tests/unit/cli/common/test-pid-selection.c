/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the selection of processes by pid. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "cli/common/pid-selection.h"

/* Parses `memtally map` with COUNT pids. */
static int parse(size_t count, const char *const *pids, struct pid_selection *ret)
{
	AUTO_SETTINGS struct settings *settings = NULL;
	AUTO_FREE char **argv = calloc(count + 4, sizeof(*argv));
	char error[SETTINGS_ERROR_SIZE];

	assert_non_null(argv);
	argv[0] = (char *)(uintptr_t) "memtally";
	argv[1] = (char *)(uintptr_t) "--config.file=/dev/null";
	argv[2] = (char *)(uintptr_t) "map";
	for (size_t i = 0; i < count; i++)
		argv[3 + i] = (char *)(uintptr_t)pids[i];
	assert_int_equal(
		settings_load(PROGRAM_MEMTALLY, (int)count + 3, argv, &settings, error), 0);
	return pid_selection_parse(settings, ret, error);
}

/* Pids are kept in the order in which they first appear, each once. */
static void each_is_chosen_once(void **state)
{
	static const char *const pids[] = {"7", "3", "7", "9", "3", "3", "1", "--pid=9", "--pid=2"};
	static const pid_t expected[] = {7, 3, 9, 1, 2};
	AUTO_PID_SELECTION struct pid_selection c = {.count = 0};

	(void)state;
	assert_int_equal(parse(ARRAY_SIZE(pids), pids, &c), 0);
	assert_int_equal(c.count, ARRAY_SIZE(expected));
	for (size_t i = 0; i < c.count; i++)
		assert_int_equal(c.process[i].pid, expected[i]);
}

/* Returns the CPU time (ns) that choosing COUNT different pids takes. */
static uint64_t choose_many(size_t count)
{
	enum { TEXT = 24 }; /* for any size_t */
	AUTO_FREE char *texts = calloc(count, TEXT);
	AUTO_FREE const char **pids = calloc(count, sizeof(*pids));
	AUTO_PID_SELECTION struct pid_selection c = {.count = 0};
	uint64_t begin_ns, took_ns;

	assert_non_null(texts);
	assert_non_null(pids);
	for (size_t i = 0; i < count; i++) {
		pids[i] = texts + i * TEXT;
		snprintf(texts + i * TEXT, TEXT, "%zu", 1 + i * 7 % count);
	}
	begin_ns = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID);
	assert_int_equal(parse(count, pids, &c), 0);
	took_ns = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID) - begin_ns;
	assert_int_equal(c.count, count);
	assert_int_equal(c.process[1].pid, 8);
	return took_ns;
}

/*
 * Eight times as many pids take about nine times as long. Comparing each with all others took 64
 * times as long.
 */
static void choosing_many_pids_is_fast(void **state)
{
	(void)state;
	unit_assert_ratio(choose_many, 40000, 320000, 24);
}

static void refuses_invalid_pids(void **state)
{
	static const char *const bad[] = {"0", "x", "2147483648", "1x"};
	AUTO_PID_SELECTION struct pid_selection c = {.count = 0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(parse(1, &bad[i], &c), -EINVAL);
	assert_int_equal(parse(0, NULL, &c), -EINVAL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_chosen_once),
		cmocka_unit_test(choosing_many_pids_is_fast),
		cmocka_unit_test(refuses_invalid_pids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
