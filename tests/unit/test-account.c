/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include "confine/account.h"

static char path[] = "test-account.XXXXXX";

static int setup(void **state)
{
	static const char text[] = "root:x:0:0::/root:/bin/sh\n"
				   "memtally:x:0:0::/:/bin/false\n"
				   "memtally-web:x:812:813::/:/bin/false\n";
	int fd = mkstemp(path);

	(void)state;
	return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && close(fd) == 0
	               ? 0
	               : -1;
}

static int teardown(void **state)
{
	(void)state;
	return unlink(path);
}

static void finds_whole_names(void **state)
{
	struct account a = {.uid = 7, .gid = 8};

	(void)state;
	assert_int_equal(account_find(path, "memtally-w", &a), ACCOUNT_ABSENT);
	assert_int_equal(a.uid, 7);
	assert_int_equal(account_find(path, "memtally-web", &a), 0);
	assert_int_equal(a.uid, 812);
	assert_int_equal(a.gid, 813);
}

/* A second root would be no step down. */
static void root_by_another_name_is_none(void **state)
{
	struct account a;

	(void)state;
	assert_int_equal(account_find(path, "memtally", &a), ACCOUNT_ABSENT);
}

static void without_a_file_there_is_none(void **state)
{
	struct account a;

	(void)state;
	assert_int_equal(account_find("no such file", "memtally", &a), ACCOUNT_ABSENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_whole_names),
		cmocka_unit_test(root_by_another_name_is_none),
		cmocka_unit_test(without_a_file_there_is_none),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
