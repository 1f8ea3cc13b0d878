/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the lookup of a group in a group file. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/os/group.h"

enum { MEMBERS = 20000 };

static void finds_whole_names(void **state)
{
	static const struct {
		const char *text;
		int result;
		gid_t gid;
	} cases[] = {
		{"memtally:x:77:\n", 0, 77},
		{"memtally::77:alice,bob", 0, 77},
		{"root:x:0:\nmemtally:x:77:\nmemtally:x:78:\n", 0,
			77}, /* the first line counts, as in libc */
		{"memtally:x:0:\n", 0, 0},
		{"memtally:x:4294967294:\n", 0, 4294967294},
		{"memtally:x:4294967295:\n", GROUP_ABSENT, 0}, /* invalid gid */
		{"memtally:x:4294967296:\n", GROUP_ABSENT, 0},
		{"memtally:x:-1:\nmemtally:x::\nmemtally:x: 7:\nmemtally:x:7\n", GROUP_ABSENT, 0},
		{"memtally:x:oops:\nmemtally:x:77:\n", 0, 77},
		{"memtally-web:x:78:\nxmemtally:x:79:\nmemtall:x:80:\n", GROUP_ABSENT, 0},
		{"memtallyx:84:85:\n", GROUP_ABSENT, 0},
		{"users:x:100:memtally:x:81:\n", GROUP_ABSENT, 0}, /* a member of another group */
		{"#memtally:x:82:\n\n+:::\nmemtally\nmemtally:\nmemtally:x\n", GROUP_ABSENT, 0},
		{"memtally:x\n:83:\n", GROUP_ABSENT, 0},
		{"", GROUP_ABSENT, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		gid_t gid = 0;

		assert_int_equal(
			group_parse(cases[i].text, strlen(cases[i].text), "memtally", &gid),
			cases[i].result);
		assert_int_equal(gid, cases[i].gid);
	}
}

static void reads_groups_of_many_members(void **state)
{
	static const char path[] = "test-group.groups";
	FILE *file = fopen(path, "we");
	gid_t gid = 7;

	(void)state;
	assert_non_null(file);
	assert_true(fputs("users:x:100:", file) >= 0);
	for (int i = 0; i < MEMBERS; i++)
		assert_true(fprintf(file, "user%d,", i) > 0);
	assert_true(fputs("memtally\nmemtally:x:77:", file) >= 0);
	for (int i = 0; i < MEMBERS; i++)
		assert_true(fprintf(file, "user%d,", i) > 0);
	assert_true(fputs("last\nlate:x:78:\n", file) >= 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(group_find(path, "none", &gid), GROUP_ABSENT);
	assert_int_equal(gid, 7);
	assert_int_equal(group_find(path, "memtally", &gid), 0);
	assert_int_equal(gid, 77);
	assert_int_equal(group_find(path, "late", &gid), 0);
	assert_int_equal(gid, 78);
	unlink(path);
}

static void distinguishes_missing_and_bad_files(void **state)
{
	gid_t gid;

	(void)state;
	assert_int_equal(group_find("no such file", "memtally", &gid), GROUP_ABSENT);
	assert_int_equal(group_find(".", "memtally", &gid), -EISDIR);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_whole_names),
		cmocka_unit_test(reads_groups_of_many_members),
		cmocka_unit_test(distinguishes_missing_and_bad_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
