/* SPDX-License-Identifier: Apache-2.0 */
/* Tests when the smaps of a process is read for its drivers' memory. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "collectors/process/state/driver.h"

#define MIB UINT64_C(1048576)

enum { THRESHOLD_MIB = 12 };

static const uint64_t threshold = THRESHOLD_MIB * MIB;

/* Returns a row with so many MiB of files. */
static struct snapshot_process row_of(uint64_t rss_file, uint64_t pss_file)
{
	struct snapshot_process row = {.pid = 1};

	ROW_SET(&row, PROCESS_RSS_FILE, rss_file * MIB);
	ROW_SET(&row, PROCESS_PSS, (pss_file + 100) * MIB);
	ROW_SET(&row, PROCESS_PSS_FILE, pss_file * MIB);
	return row;
}

/* Returns whether smaps is to be read when a pass at SECOND (s) finds RSS_FILE (MiB). */
static bool see(struct driver_share *d, uint64_t rss_file, uint64_t second)
{
	struct snapshot_process row = row_of(rss_file, rss_file);

	driver_see(d, &row, threshold, second * NS_PER_SEC);
	return d->is_wanted;
}

static uint64_t unread_mib(const struct driver_share *d, uint64_t pss_file)
{
	struct snapshot_process row = row_of(pss_file, pss_file);

	return driver_amounts(d, &row).unread / MIB;
}

static void threshold_follows_the_host(void **state)
{
	(void)state;
	assert_int_equal(driver_threshold(0), MIB);
	assert_int_equal(driver_threshold(1024 * MIB), MIB);
	assert_int_equal(driver_threshold(24576 * MIB), 12 * MIB);
}

/*
 * Passes do not read the smaps of small processes. They read it once RssFile is large enough, and
 * again after RssFile has changed by that size in either direction. Growth below the threshold
 * counts as unread, too: many processes may each have that much drivers' memory.
 */
static void reads_smaps_after_changes(void **state)
{
	struct driver_share d = {0};

	(void)state;
	assert_false(see(&d, THRESHOLD_MIB - 1, 100));
	assert_int_equal(unread_mib(&d, 1000), THRESHOLD_MIB - 1);
	assert_true(see(&d, 64, 101));
	assert_int_equal(unread_mib(&d, 1000), 64);
	assert_int_equal(unread_mib(&d, 10), 10); /* at most its PSS of files */
	driver_asked(&d, 101 * NS_PER_SEC);
	assert_false(see(&d, 64, 102)); /* it is being read */
	driver_found(&d, 0, 0, 103 * NS_PER_SEC);
	assert_int_equal(unread_mib(&d, 1000), 0);
	assert_false(see(&d, 64, 1000));
	assert_false(see(&d, 64 + THRESHOLD_MIB - 1, 1001));
	assert_int_equal(unread_mib(&d, 1000), THRESHOLD_MIB - 1);
	assert_true(see(&d, 64 + THRESHOLD_MIB, 1002));
	assert_int_equal(unread_mib(&d, 1000), THRESHOLD_MIB);
	assert_true(see(&d, 64 - THRESHOLD_MIB, 1003));
	assert_int_equal(unread_mib(&d, 1000), 0);
	/* The smaps of a process that changes all the time is read every ten seconds. */
	driver_found(&d, 0, 0, 1003 * NS_PER_SEC);
	assert_false(see(&d, 500, 1012));
	assert_true(see(&d, 500, 1013));
}

static void asks_again_for_unread_smaps(void **state)
{
	struct driver_share d = {0};

	(void)state;
	assert_true(see(&d, 64, 100));
	driver_asked(&d, 100 * NS_PER_SEC);
	assert_false(see(&d, 64, 159));
	assert_int_equal(unread_mib(&d, 1000), 64);
	assert_true(see(&d, 64, 160));
}

static void asks_soon_after_a_deferral(void **state)
{
	struct driver_share d = {0};

	(void)state;
	assert_true(see(&d, 64, 100));
	driver_asked(&d, 100 * NS_PER_SEC);
	driver_deferred(&d, 100 * NS_PER_SEC);
	assert_false(see(&d, 64, 109));
	assert_int_equal(unread_mib(&d, 1000), 64);
	assert_true(see(&d, 64, 110));
}

/*
 * Other processes may begin or end to share the memory without a change of this process's RssFile.
 */
static void renews_old_figures(void **state)
{
	struct driver_share d = {0};

	(void)state;
	see(&d, 64, 100);
	driver_found(&d, 60 * MIB, 20 * MIB, 100 * NS_PER_SEC);
	assert_false(see(&d, 64, 159));
	assert_true(see(&d, 64, 160));
}

/* Drivers' memory is never more than the current PSS. */
static void is_part_of_the_pss(void **state)
{
	static const struct {
		uint64_t pss_file;
		bool has_parts;
		uint64_t pss, vmalloc, unread;
	} cases[] = {{1000, true, 60, 20, 40}, {70, true, 60, 20, 10}, {30, true, 30, 20, 0},
		{10, true, 10, 10, 0}, {30, false, 60, 20, 40}};
	struct driver_share d = {0};

	(void)state;
	see(&d, 64, 100);
	driver_found(&d, 60 * MIB, 20 * MIB, 100 * NS_PER_SEC);
	see(&d, 104, 101);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct snapshot_process row = row_of(104, cases[i].pss_file);
		struct driver_amounts a;

		if (!cases[i].has_parts)
			row.present &= ~(UINT64_C(1) << PROCESS_PSS_FILE);
		a = driver_amounts(&d, &row);
		assert_int_equal(a.pss, cases[i].pss * MIB);
		assert_int_equal(a.vmalloc, cases[i].vmalloc * MIB);
		assert_int_equal(a.unread, cases[i].unread * MIB);
	}
}

/* A kernel without RssFile gives no reason to read smaps. */
static void wants_nothing_without_a_counter(void **state)
{
	struct snapshot_process row = row_of(0, 500);
	struct driver_share d = {0};

	(void)state;
	row.present &= ~(UINT64_C(1) << PROCESS_RSS_FILE);
	row.q[PROCESS_RSS_FILE] = 500 * MIB;
	driver_see(&d, &row, threshold, NS_PER_SEC);
	assert_false(d.is_wanted);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(threshold_follows_the_host),
		cmocka_unit_test(reads_smaps_after_changes),
		cmocka_unit_test(asks_again_for_unread_smaps),
		cmocka_unit_test(asks_soon_after_a_deferral),
		cmocka_unit_test(renews_old_figures),
		cmocka_unit_test(is_part_of_the_pss),
		cmocka_unit_test(wants_nothing_without_a_counter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
