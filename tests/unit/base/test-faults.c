/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of base/faults.h. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "base/faults.h"

enum { SIZE = 8192 };

static void lists_each_fault_on_a_line(void **state)
{
	char error[SIZE];
	struct faults f;

	(void)state;
	faults_init(&f, "f.yml", error, SIZE);
	assert_string_equal(error, "");
	assert_int_equal(faults_add(&f, 1, "expected %s", "a"), -EINVAL);
	assert_string_equal(error, "f.yml:1: expected a");
	assert_int_equal(faults_add(&f, 20, "got 'x\ny\x1b\x7f\xc3\xa9'"), -EINVAL);
	assert_string_equal(error, "f.yml:1: expected a\nf.yml:20: got 'x y  \xc3\xa9'");
	assert_int_equal(f.count, 2);
}

static void cuts_long_faults(void **state)
{
	char error[SIZE], path[2000];
	struct faults f;

	(void)state;
	memset(path, 'p', sizeof(path) - 1);
	path[sizeof(path) - 1] = 0;
	faults_init(&f, path, error, SIZE);
	faults_add(&f, 1, "unseen");
	assert_int_equal(strlen(error), FAULTS_LINE_SIZE - 1);

	faults_init(&f, "f", error, SIZE);
	faults_add(&f, 1, "%s", path);
	assert_int_equal(strlen(error), FAULTS_LINE_SIZE - 1);
	assert_memory_equal(error, "f:1: ppp", 8);
}

/* Adds faults until some do not fit; the first is LEN bytes long. Checks the last line. */
static void assert_counts(int len)
{
	AUTO_FREE char *error = malloc(SIZE); /* so that a write past the end is found */
	char last[64];
	struct faults f;
	size_t lines = 0;

	assert_non_null(error);
	faults_init(&f, "f", error, SIZE);
	faults_add(&f, 1, "%0*d", len, 0);
	for (size_t i = 1; i < 1000; i++)
		faults_add(&f, i, "%0100d", 0);
	faults_add(&f, 1, "short");
	assert_null(strstr(error, "short"));
	for (const char *at = error; *at; at++)
		lines += *at == '\n';
	assert_true(lines > 70);
	assert_int_equal(f.count, 1001);
	assert_int_equal(f.unsaid, 1001 - lines);
	snprintf(last, sizeof(last), "0\nand %zu more", f.unsaid);
	assert_string_equal(error + strlen(error) - strlen(last), last);
}

static void counts_faults_that_do_not_fit(void **state)
{
	(void)state;
	for (int len = 1; len <= 110; len++)
		assert_counts(len);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_each_fault_on_a_line),
		cmocka_unit_test(cuts_long_faults),
		cmocka_unit_test(counts_faults_that_do_not_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
