/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include <fcntl.h>

#include "base/cleanup.h"
#include "collectors/meminfo.h"

enum {
	TOTAL = 1 << MEMINFO_TOTAL,
	AVAILABLE = 1 << MEMINFO_AVAILABLE,
	ANON_PAGES = 1 << MEMINFO_ANON_PAGES,
	MAPPED = 1 << MEMINFO_MAPPED,
};

static void parses_what_there_is(void **state)
{
	static const struct {
		const char *text;
		int result;
		uint64_t present, total, available;
	} cases[] = {
		{"MemTotal:       16384000 kB\nMemFree:          5 kB\nMemAvailable:    8000001 kB\n",
			0, TOTAL | AVAILABLE, 16777216000, 8192001024},
		{"MemAvailable: 1 kB\nMemTotal: 2 kB\n", 0, TOTAL | AVAILABLE, 2048, 1024},
		{"MemTotal:       16384000 kB\nMemFree: 5 kB\n", 0, TOTAL, 16777216000,
			0}, /* < 3.14 */
		{"MemTotal: 1 kB\nHugePages_Total:       0\nno colon\n", 0, TOTAL, 1024, 0},
		{"XMemTotal: 1 kB\nMemTotalX: 1 kB\n", 0, 0, 0, 0},
		{"", 0, 0, 0, 0},
		{"MemTotal: 1 kB\nMemFr", -EBADMSG, 0, 0, 0},
		{"MemTotal: 1 kB\nMemTotal: 1 kB\n", -EBADMSG, 0, 0, 0},
		{"MemTotal: 1 MB\n", -EBADMSG, 0, 0, 0},
		{"MemTotal: 18446744073709551615 kB\n", -EBADMSG, 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct meminfo m = {.present = 777};
		int r = meminfo_parse(cases[i].text, strlen(cases[i].text), &m);

		assert_int_equal(r, cases[i].result);
		assert_int_equal(m.present, r ? 777 : cases[i].present);
		if (r == 0) {
			assert_int_equal(m.q[MEMINFO_TOTAL], cases[i].total);
			assert_int_equal(m.q[MEMINFO_AVAILABLE], cases[i].available);
		}
	}
}

static void parses_what_is_mapped(void **state)
{
	static const char text[] =
		"AnonPages:          5 kB\nMapped:             7 kB\n"
		"AnonHugePages:     11 kB\nFileMapped:    13 kB\nShmemPmdMapped: 1 kB\n";
	struct meminfo m;

	(void)state;
	assert_int_equal(meminfo_parse(text, sizeof(text) - 1, &m), 0);
	assert_int_equal(m.present, ANON_PAGES | MAPPED);
	assert_int_equal(m.q[MEMINFO_ANON_PAGES], 5 * 1024);
	assert_int_equal(m.q[MEMINFO_MAPPED], 7 * 1024);
}

static void reads_the_kernels(void **state)
{
	AUTO_CLOSE int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSE int none = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct meminfo m;

	(void)state;
	assert_int_equal(meminfo_read(proc, &m), 0);
	assert_int_equal(m.present, TOTAL | AVAILABLE | ANON_PAGES | MAPPED);
	assert_true(m.q[MEMINFO_TOTAL] > m.q[MEMINFO_AVAILABLE]);
	assert_true(m.q[MEMINFO_TOTAL] > 1 << 20);
	assert_int_equal(meminfo_read(none, &m), -ENOENT);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_what_there_is),
		cmocka_unit_test(parses_what_is_mapped),
		cmocka_unit_test(reads_the_kernels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
