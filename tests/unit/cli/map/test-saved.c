/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/map/saved.h: files with saved maps. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "cli/map/saved.h"
#include "tests/unit/support/faults/allocation.h"

#define HEAD(by) "{\"version\":1,\"by\":\"" by "\",\"rows\":["
#define TAIL(count)                                                                                \
	"],\"count\":" #count ",\"total\":{},\"processes\":[{\"pid\":5,\"complete\":true}]}"
#define ROW                                                                                                              \
	"{\"mappings\":1,\"pid\":5,\"start\":\"00400000\",\"end\":\"00401000\",\"perms\":\"r-xp\","                      \
	"\"device\":\"8:11\",\"inode\":7,\"name\":\"/bin/a\",\"kind\":\"code\",\"deleted\":true,\"state\":\"replaced\"," \
	"\"rss_bytes\":4096}"
#define UNLINKED                                                                                                   \
	"{\"mappings\":1,\"device\":\"8:11\",\"inode\":8,\"name\":\"/tmp/a\",\"kind\":\"file\",\"deleted\":false," \
	"\"state\":\"unlinked\",\"rss_bytes\":4096}"
#define ANON                                                                                       \
	"{\"mappings\":2,\"name\":\"[anon]\",\"kind\":\"anon\",\"deleted\":false,\"pss_bytes\":8192}"

static int parse(const char *text, struct mapping_table *ret, char error[static SAVED_ERROR_SIZE])
{
	AUTO_PROCESS_LIST struct process_list processes = {0};

	return saved_parse("file", text, strlen(text), ret, &processes, error);
}

static void reads_the_output_of_map(void **state)
{
	AUTO_MAPPING_TABLE struct mapping_table mappings = {.by = MAPPING_TABLE_BY_MAPPING},
						files = {.by = MAPPING_TABLE_BY_FILE};
	AUTO_MAPPING_TABLE struct mapping_table kinds = {.by = MAPPING_TABLE_BY_KIND};
	char error[SAVED_ERROR_SIZE];

	(void)state;
	assert_int_equal(parse(HEAD("mapping") ROW "," ROW TAIL(2), &mappings, error), 0);
	assert_int_equal(mappings.rows, 2);
	assert_int_equal(mappings.row[0].start, 0x400000);
	assert_string_equal(mappings.row[0].perms, "r-xp");
	assert_int_equal(mappings.row[0].minor, 0x11);
	assert_true(mappings.row[0].is_deleted);
	assert_int_equal(mappings.row[0].fate, MAPPING_REPLACED);
	assert_int_equal(mappings.row[0].present, UINT64_C(1) << MAPPING_RSS);
	assert_int_equal(parse(HEAD("mapping") ROW "," ROW TAIL(2), &files, error), 0);
	assert_int_equal(files.rows, 1);
	assert_int_equal(files.row[0].mappings, 2);
	assert_int_equal(files.row[0].q[MAPPING_RSS], 8192);
	assert_int_equal(files.row[0].kind, KIND_FILE);
	assert_int_equal(parse(HEAD("file") ANON TAIL(1), &files, error), 0);
	assert_int_equal(files.row[1].kind, KIND_ANON);
	assert_int_equal(files.row[1].mappings, 2);
	assert_int_equal(parse(HEAD("file") UNLINKED TAIL(1), &files, error), 0);
	assert_int_equal(files.row[2].fate, MAPPING_UNLINKED);
	assert_false(files.row[2].is_deleted);
	assert_int_equal(parse(HEAD("kind") ANON TAIL(1), &kinds, error), 0);
	assert_string_equal(kinds.row[0].name, "anon");
	assert_int_equal(parse(HEAD("kind") TAIL(0), &kinds, error), 0);
}

/*
 * An inode may have 64 bits, on 9p as well as on CephFS, and so may an offset in a device, which
 * is skipped. jansson has 63 bits. A name that looks like such a number is none.
 */
static void numbers_may_have_64_bits(void **state)
{
#define LARGE(inode, more)                                                                          \
	"{\"mappings\":1,\"pid\":5,\"start\":\"00400000\",\"end\":\"00401000\",\"perms\":\"r-xp\"," \
	"\"offset_bytes\":18446744073709551615,\"device\":\"8:11\",\"inode\":" inode                \
	",\"name\":\"/a \\\" 18446744073709551615\",\"kind\":\"file\",\"pss_bytes\":1" more "}"
	static const char *const bad[] = {LARGE("18446744073709551616", ""),
		LARGE("-9223372036854775809", ""), LARGE("9223372036854775808.5", ""),
		LARGE("5", ",\"rss_bytes\":9223372036854775808"),
		LARGE("5", ",\"rss_bytes\":\"5\""), LARGE("\"5\"", ""),
		LARGE("\"9223372036854775807\"", ""), LARGE("5", ",\"other\":00000000000000000005"),
		LARGE("00009223372036854775808", "")};
	AUTO_MAPPING_TABLE struct mapping_table a = {.by = MAPPING_TABLE_BY_MAPPING};
	char error[SAVED_ERROR_SIZE], text[1024];

	(void)state;
	assert_int_equal(
		parse(HEAD("mapping") LARGE("18446744073709551614", "") "," LARGE(
			      "9223372036854775807", ",\"rss_bytes\":9223372036854775807") TAIL(2),
			&a, error),
		0);
	assert_true(a.row[0].inode == UINT64_MAX - 1 && a.row[1].inode == INT64_MAX);
	assert_int_equal(a.row[0].q[MAPPING_PSS], 1);
	assert_int_equal(a.row[1].q[MAPPING_RSS], INT64_MAX);
	assert_string_equal(a.row[0].name, "/a \" 18446744073709551615");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		snprintf(text, sizeof(text), HEAD("mapping") "%s" TAIL(1), bad[i]);
		assert_int_equal(parse(text, &a, error), -EINVAL);
	}
}

static void returns_errors_without_memory(void **state)
{
	static const char text[] = HEAD("mapping") LARGE("18446744073709551614", "") TAIL(1);

	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_MAPPING_TABLE struct mapping_table a = {.by = MAPPING_TABLE_BY_MAPPING};
		char error[SAVED_ERROR_SIZE];

		allocation_fail_at(n);
		allocation_check(parse(text, &a, error));
	}
}

static void refuses_other_files(void **state)
{
	static const struct {
		const char *text, *said;
	} cases[] = {
		{"", "file: line 1: expected the output of memtally map --json: "},
		{"root:x:0", "file: line 1: expected the output of memtally map --json: "},
		{"{\n\n]", "file: line 3: expected the output of memtally map --json: "},
		{"{\"a\": \x1b", "\\x1b"},
		{"[]", "file: expected the output of memtally map --json"},
		{"{}", "file: expected the output of memtally map --json"},
		{"{\"version\":2}",
			"file: expected version 1 of the output of memtally map --json, got 2"},
		{"{\"version\":1}",
			"file: expected rows by mapping or by file, got rows by something unknown"},
		{HEAD("kind") TAIL(0),
			"file: expected rows by mapping or by file, got rows by kind"},
		{HEAD("user") TAIL(0),
			"file: expected rows by mapping or by file, got rows by something unknown"},
		{"{\"version\":1,\"by\":\"file\"}", "but it has no rows"},
		{HEAD("mapping") "{\"mappings\":1,\"pid\":5,\"start\":\"1000\",\"end\":\"2000\","
				 "\"perms\":\"\\u001bc  \",\"name\":\"a\",\"kind\":\"anon\"}" TAIL(
					 1),
			"row 1 is not valid output of memtally map --json"},
		{HEAD("file") ANON ",5" TAIL(2),
			"file: row 2 is not valid output of memtally map --json"},
		{HEAD("file") "{\"mappings\":0,\"name\":\"a\",\"kind\":\"anon\"}" TAIL(1),
			"row 1 is not valid output of memtally map --json"},
		{HEAD("file") "{\"mappings\":1,\"kind\":\"anon\"}" TAIL(1),
			"row 1 is not valid output of memtally map --json"},
		{HEAD("file") "{\"mappings\":1,\"name\":\"a\"}" TAIL(1),
			"row 1 is not valid output of memtally map --json"},
		{HEAD("file") "{\"mappings\":1,\"name\":\"a\\u001b\",\"kind\":\"anon\"}" TAIL(1),
			"row 1 is not valid output of memtally map --json"},
		{HEAD("file") "{\"mappings\":1,\"name\":\"a\",\"kind\":\"anon\",\"deleted\":true,\"state\":\"x\"}" TAIL(
			 1),
			"row 1 is not valid output of memtally map --json"},
		{HEAD("file") "{\"mappings\":1,\"name\":\"a\",\"kind\":\"sort\"}" TAIL(1),
			"row 1 is not valid output of memtally map --json"},
		{HEAD("file") "{\"mappings\":1,\"name\":\"a\",\"kind\":\"anon\",\"rss_bytes\":-1}" TAIL(
			 1),
			"row 1 is not valid output of memtally map --json"},
		{HEAD("file") "{\"mappings\":1,\"name\":\"a\",\"kind\":\"anon\",\"rss_bytes\":1.5}" TAIL(
			 1),
			"row 1 is not valid output of memtally map --json"},
		{HEAD("file") "{\"mappings\":1,\"name\":\"a\",\"kind\":\"file\",\"inode\":5}" TAIL(
			 1),
			"row 1 is not valid output of memtally map --json"},
		{HEAD("file") "{\"mappings\":1,\"name\":\"a\",\"kind\":\"file\",\"inode\":5,\"device\":"
			      "\"8:\"}" TAIL(1),
			"row 1 is not valid output of memtally map --json"},
		{HEAD("file") "{\"mappings\":1,\"name\":\"a\",\"kind\":\"file\",\"inode\":\"5\",\"device\":"
			      "\"8:11\"}" TAIL(1),
			"row 1 is not valid output of memtally map --json"},
		{HEAD("file") "{\"mappings\":1,\"name\":\"a\",\"kind\":\"anon\",\"pss_bytes\":\"5\"}" TAIL(
			 1),
			"row 1 is not valid output of memtally map --json"},
		{HEAD("file") "{\"mappings\":1,\"name\":99999999999999999999.5,\"kind\":\"anon\",\"offset_bytes\":"
			      "18446744073709551615}" TAIL(1),
			"row 1 is not valid output of memtally map --json"},
		{HEAD("mapping") ANON TAIL(1), ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_MAPPING_TABLE struct mapping_table a = {.by = MAPPING_TABLE_BY_FILE};
		char error[SAVED_ERROR_SIZE] = "";
		int r = parse(cases[i].text, &a, error);

		if (r != -EINVAL || !strstr(error, cases[i].said))
			fail_msg("%s: %d, %s", cases[i].text, r, error);
	}
}

/* Rows missing in the file would be taken for rows that are new since. */
static void refuses_incomplete_files(void **state)
{
#define REST(count, processes)                                                                     \
	"],\"count\":" #count ",\"total\":{\"mappings\":2},\"processes\":[" processes "]}"
	static const struct {
		const char *text, *said;
	} cases[] = {
		{HEAD("file") ANON TAIL(7), "file: incomplete: 1 of 7 rows, as with --limit"},
		{HEAD("file") ANON "]}", "no count of them"},
		{HEAD("file") ANON "],\"count\":1}", "but it has no processes"},
		{HEAD("file") ANON REST(1, "{\"pid\":5,\"complete\":true},{\"pid\":6,\"complete\":"
					   "false,\"error\":\"is \\u001b refused\"}"),
			"file: incomplete: pid 6 is \\x1b refused"},
		{HEAD("file") ANON REST(1, "{\"pid\":6}"), "file: incomplete: pid 6 "},
		{HEAD("file") ANON REST(1, "{\"complete\":true}"),
			"file: process 1 is not valid output of memtally map --json"},
		{HEAD("file") ANON REST(1, "5"),
			"file: process 1 is not valid output of memtally map --json"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_MAPPING_TABLE struct mapping_table a = {.by = MAPPING_TABLE_BY_FILE};
		char error[SAVED_ERROR_SIZE] = "";
		int r = parse(cases[i].text, &a, error);

		if (r != -EINVAL || !strstr(error, cases[i].said))
			fail_msg("%s: %d, %s", cases[i].text, r, error);
		assert_int_equal(a.rows, 0);
	}
}

/* Such processes were found by a filter, not named, and may have been read only partly. */
static void exited_processes_have_no_rows(void **state)
{
	static const char ended[] = HEAD("mapping") ROW "," ROW REST(
		2, "{\"pid\":5,\"complete\":false,\"error\":\"has ended\",\"ended\":true}");
	static const char another[] = HEAD("mapping") ROW "," ROW REST(
		2, "{\"pid\":4,\"complete\":false,\"ended\":true},{\"pid\":5,\"complete\":true}");
	AUTO_MAPPING_TABLE struct mapping_table a = {.by = MAPPING_TABLE_BY_MAPPING};
	char error[SAVED_ERROR_SIZE];

	(void)state;
	assert_int_equal(parse(ended, &a, error), 0);
	assert_int_equal(a.rows, 0);
	assert_int_equal(parse(another, &a, error), 0);
	assert_int_equal(a.rows, 2);
}

static void refuses_too_large_files(void **state)
{
	AUTO_MAPPING_TABLE struct mapping_table a = {.by = MAPPING_TABLE_BY_KIND};
	char error[SAVED_ERROR_SIZE];

	(void)state;
#define MUCH "{\"mappings\":1,\"name\":\"a\",\"kind\":\"anon\",\"rss_bytes\":9223372036854775807}"
	assert_int_equal(parse(HEAD("kind") MUCH "," MUCH "," MUCH TAIL(3), &a, error), -EINVAL);
	assert_string_equal(error, "file: row 3 has amounts that are too large");
}

static void reports_a_missing_file(void **state)
{
	AUTO_MAPPING_TABLE struct mapping_table a = {.by = MAPPING_TABLE_BY_KIND};
	AUTO_PROCESS_LIST struct process_list processes = {0};
	char error[SAVED_ERROR_SIZE];

	(void)state;
	assert_int_equal(saved_load("nowhere/at-all", &a, &processes, error), -EINVAL);
	assert_string_equal(error, "nowhere/at-all: No such file or directory");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_output_of_map),
		cmocka_unit_test(numbers_may_have_64_bits),
		cmocka_unit_test(returns_errors_without_memory),
		cmocka_unit_test(refuses_other_files),
		cmocka_unit_test(refuses_incomplete_files),
		cmocka_unit_test(exited_processes_have_no_rows),
		cmocka_unit_test(refuses_too_large_files),
		cmocka_unit_test(reports_a_missing_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
