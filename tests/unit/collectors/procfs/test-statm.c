/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/procfs/statm.h: the parser of /proc/PID/statm. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>

#include "base/os/file.h"
#include "collectors/procfs/statm.h"

static void parses_statm(void **state)
{
	static const struct {
		const char *text;
		int result;
		uint64_t size, resident, shared;
	} cases[] = {
		{"31414 1250 870 250 0 980 0\n", 0, 31414, 1250, 870},
		{"0 0 0 0 0 0 0\n", 0, 0, 0, 0},
		{"5 4 3 2\n", 0, 5, 4, 3},
		{"9 4 5 0 0 0 0\n", 0, 9, 4, 4}, /* counters that are out of step */
		{"140737488355327 1 1 0\n", 0, 140737488355327, 1, 1},
		{"140737488355328 1 1 0\n", -EBADMSG, 0, 0, 0},
		{"1 18446744073709551616 1 0\n", -EBADMSG, 0, 0, 0},
		{"", -EBADMSG, 0, 0, 0},
		{"\n", -EBADMSG, 0, 0, 0},
		{"31414 1250", -EBADMSG, 0, 0, 0},
		{"31414 1250 870", -EBADMSG, 0, 0, 0},
		{"31414 1250 870 250 0 980 0", -EBADMSG, 0, 0, 0},
		{"31414 1250 -870 250 0 980 0\n", -EBADMSG, 0, 0, 0},
		{"31414  1250 870 250 0 980 0\n", -EBADMSG, 0, 0, 0},
		{"31414\t1250 870 250 0 980 0\n", -EBADMSG, 0, 0, 0},
		{" 31414 1250 870 250 0 980 0\n", -EBADMSG, 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct statm s = {.size = 777};

		assert_int_equal(
			statm_parse(cases[i].text, strlen(cases[i].text), &s), cases[i].result);
		assert_int_equal(s.size, cases[i].result ? 777 : cases[i].size);
		if (cases[i].result)
			continue;
		assert_int_equal(s.resident, cases[i].resident);
		assert_int_equal(s.shared, cases[i].shared);
	}
}

static void finds_changes(void **state)
{
	static const struct statm a = {5, 4, 3}, b = {5, 4, 2}, c = {5, 3, 3}, d = {6, 4, 3};

	(void)state;
	assert_true(statm_is_same(&a, &a));
	assert_false(statm_is_same(&a, &b));
	assert_false(statm_is_same(&a, &c));
	assert_false(statm_is_same(&a, &d));
}

static void reads_its_own_statm(void **state)
{
	char text[256];
	struct statm s;
	size_t len;

	(void)state;
	assert_int_equal(file_read(AT_FDCWD, "/proc/self/statm", text, sizeof(text), &len), 0);
	assert_int_equal(statm_parse(text, len, &s), 0);
	assert_true(s.size >= s.resident && s.resident > s.shared && s.shared > 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_statm),
		cmocka_unit_test(finds_changes),
		cmocka_unit_test(reads_its_own_statm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
