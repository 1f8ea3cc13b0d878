/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the parsers of cli/growth/growth-limits.h. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "cli/growth/growth-limits.h"

#define HEAD "Limit                     Soft Limit           Hard Limit           Units     \n"

static void reads_the_soft_limit_of_the_address_space(void **state)
{
	static const struct {
		const char *text;
		bool is_there;
		uint64_t value;
	} cases[] = {
		{HEAD "Max address space         4294967296           unlimited            bytes     \n",
			true, 4294967296},
		{HEAD "Max address space         unlimited            unlimited            bytes     \n",
			false, 0},
		{HEAD "Max data size             4096                 unlimited            bytes     \n",
			false, 0},
		{HEAD "Max address space         4096", false, 0}, /* cut off */
		{"", false, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t value = 0;

		assert_int_equal(
			growth_limits_parse_space(cases[i].text, strlen(cases[i].text), &value),
			cases[i].is_there);
		assert_int_equal(value, cases[i].value);
	}
}

static void finds_the_cgroup_of_the_memory_controller(void **state)
{
	static const struct {
		const char *text;
		bool is_unified;
		const char *path; /* NULL: none */
	} cases[] = {
		{"0::/system.slice/db.service\n", true, "/system.slice/db.service"},
		{"0::/\n", true, "/"},
		{"0::/system.slice/db.service\n", false, NULL},
		{"12:cpu,memory:/a:b\n1:name=systemd:/c\n0::/d\n", false, "/a:b"},
		{"12:cpu,memory:/a:b\n1:name=systemd:/c\n0::/d\n", true, "/d"},
		{"12:cpu,memoryx:/a\n", false, NULL},
		{"0::/../other.slice\n", true, NULL}, /* outside of the namespace */
		{"0::/sixteen-bytes/ab\n", true, NULL},
		{"0::/fifteen-bytes\n", true, "/fifteen-bytes"},
		{"0::relative\n", true, NULL},
		{"nonsense\n", true, NULL},
		{"", true, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t size = strstr(cases[i].text, "teen-") ? 16 : 64;
		char path[64] = "";

		assert_int_equal(growth_limits_parse_cgroup(cases[i].text, strlen(cases[i].text),
					 cases[i].is_unified, path, size),
			cases[i].path != NULL);
		assert_string_equal(path, cases[i].path ? cases[i].path : "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_soft_limit_of_the_address_space),
		cmocka_unit_test(finds_the_cgroup_of_the_memory_controller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
