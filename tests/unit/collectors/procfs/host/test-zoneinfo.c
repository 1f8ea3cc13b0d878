/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/procfs/host/zoneinfo.h: pages on the free lists of each CPU. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>

#include "base/cleanup.h"
#include "collectors/procfs/host/zoneinfo.h"

static void adds_up_the_free_lists(void **state)
{
	static const struct {
		const char *text;
		int result;
		uint64_t pages;
	} cases[] = {
		{"Node 0, zone   Normal\n  pages free     700090\n      nr_free_pages 700090\n  pagesets\n"
		 "    cpu: 0\n              count:    47598\n              high:     60000\n"
		 "    cpu: 1\n              count:    33810\n  vm stats threshold: 10\n",
			0, 81408},
		{"    cpu: 0\n              count: 0\n", 0, 0},
		{"count: 5\nxcount: 7\n  count 9\ncounts: 11\nhigh: 3\n", 0, 5},
		{"count: 18446744073709551615\ncount: 1\n", 0, UINT64_MAX},
		{"Node 0, zone   Normal\n  pages free     700090\n", -ENOENT, 0},
		{"", -ENOENT, 0},
		{"count: 5\ncou", -EBADMSG, 0},
		{"count:\n", -EBADMSG, 0},
		{"count: -1\n", -EBADMSG, 0},
		{"count: 1 \n", -EBADMSG, 0},
		{"count: 18446744073709551616\n", -EBADMSG, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t pages = 777;

		assert_int_equal(zoneinfo_parse(cases[i].text, strlen(cases[i].text), &pages),
			cases[i].result);
		assert_int_equal(pages, cases[i].result ? 777 : cases[i].pages);
	}
}

static void reads_this_kernels_zoneinfo(void **state)
{
	AUTO_CLOSE int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSE int none = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_BUFFER struct buffer scratch = {0};
	uint64_t pages = UINT64_MAX;

	(void)state;
	assert_int_equal(zoneinfo_read(proc, &scratch, &pages), 0);
	assert_true(pages < UINT64_MAX);
	assert_int_equal(zoneinfo_read(none, &scratch, &pages), -ENOENT);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds_up_the_free_lists),
		cmocka_unit_test(reads_this_kernels_zoneinfo),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
