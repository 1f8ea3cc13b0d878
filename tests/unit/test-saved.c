/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include "cli/saved.h"

#define HEAD(by) "{\"version\":1,\"by\":\"" by "\",\"rows\":["
#define ROW                                                                                         \
	"{\"mappings\":1,\"pid\":5,\"start\":\"00400000\",\"end\":\"00401000\",\"perms\":\"r-xp\"," \
	"\"device\":\"8:11\",\"inode\":7,\"name\":\"/bin/a\",\"kind\":\"code\",\"deleted\":true,"   \
	"\"rss_bytes\":4096}"
#define ANON                                                                                       \
	"{\"mappings\":2,\"name\":\"[anon]\",\"kind\":\"anon\",\"deleted\":false,\"pss_bytes\":8192}"

static int parse(const char *text, struct atlas *ret, char error[static SAVED_ERROR_SIZE])
{
	return saved_parse("file", text, strlen(text), ret, error);
}

static void reads_what_map_prints(void **state)
{
	AUTO_ATLAS struct atlas mappings = {.by = ATLAS_BY_MAPPING}, files = {.by = ATLAS_BY_FILE};
	AUTO_ATLAS struct atlas kinds = {.by = ATLAS_BY_KIND};
	char error[SAVED_ERROR_SIZE];

	(void)state;
	assert_int_equal(parse(HEAD("mapping") ROW "," ROW "]}", &mappings, error), 0);
	assert_int_equal(mappings.rows, 2);
	assert_int_equal(mappings.row[0].start, 0x400000);
	assert_string_equal(mappings.row[0].perms, "r-xp");
	assert_int_equal(mappings.row[0].minor, 0x11);
	assert_true(mappings.row[0].is_deleted);
	assert_int_equal(mappings.row[0].present, UINT64_C(1) << MAPPING_RSS);
	assert_int_equal(parse(HEAD("mapping") ROW "," ROW "]}", &files, error), 0);
	assert_int_equal(files.rows, 1);
	assert_int_equal(files.row[0].mappings, 2);
	assert_int_equal(files.row[0].q[MAPPING_RSS], 8192);
	assert_int_equal(files.row[0].kind, KIND_FILE);
	assert_int_equal(parse(HEAD("file") ANON "]}", &files, error), 0);
	assert_int_equal(files.row[1].kind, KIND_ANON);
	assert_int_equal(files.row[1].mappings, 2);
	assert_int_equal(parse(HEAD("kind") ANON "]}", &kinds, error), 0);
	assert_string_equal(kinds.row[0].name, "anon");
	assert_int_equal(parse(HEAD("kind") "]}", &kinds, error), 0);
}

static void refuses_all_else(void **state)
{
	static const struct {
		const char *text, *said;
	} cases[] = {
		{"", "file: line 1: expected what memtally map --json prints: "},
		{"root:x:0", "file: line 1: expected what memtally map --json prints: "},
		{"{\n\n]", "file: line 3: expected what memtally map --json prints: "},
		{"{\"a\": \x1b", "\\x1b"},
		{"[]", "file: expected what memtally map --json prints"},
		{"{}", "file: expected what memtally map --json prints"},
		{"{\"version\":2}",
			"file: expected version 1 of what memtally map --json prints, got 2"},
		{"{\"version\":1}",
			"file: expected rows by mapping or by file, got rows by nothing that is known"},
		{HEAD("kind") "]}", "file: expected rows by mapping or by file, got rows by kind"},
		{HEAD("user") "]}",
			"file: expected rows by mapping or by file, got rows by nothing that is known"},
		{"{\"version\":1,\"by\":\"file\"}", "but it has no rows"},
		{HEAD("file") ANON ",5]}", "file: row 2 is none that memtally map --json prints"},
		{HEAD("file") "{\"mappings\":0,\"name\":\"a\",\"kind\":\"anon\"}]}",
			"row 1 is none"},
		{HEAD("file") "{\"mappings\":1,\"kind\":\"anon\"}]}", "row 1 is none"},
		{HEAD("file") "{\"mappings\":1,\"name\":\"a\"}]}", "row 1 is none"},
		{HEAD("file") "{\"mappings\":1,\"name\":\"a\\u001b\",\"kind\":\"anon\"}]}",
			"row 1 is none"},
		{HEAD("file") "{\"mappings\":1,\"name\":\"a\",\"kind\":\"sort\"}]}",
			"row 1 is none"},
		{HEAD("file") "{\"mappings\":1,\"name\":\"a\",\"kind\":\"anon\",\"rss_bytes\":-1}]}",
			"row 1 is none"},
		{HEAD("file") "{\"mappings\":1,\"name\":\"a\",\"kind\":\"anon\",\"rss_bytes\":1.5}]}",
			"row 1 is none"},
		{HEAD("file") "{\"mappings\":1,\"name\":\"a\",\"kind\":\"file\",\"inode\":5}]}",
			"row 1 is none"},
		{HEAD("file") "{\"mappings\":1,\"name\":\"a\",\"kind\":\"file\",\"inode\":5,\"device\":"
			      "\"8:\"}]}",
			"row 1 is none"},
		{HEAD("mapping") ANON "]}", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_ATLAS struct atlas a = {.by = ATLAS_BY_FILE};
		char error[SAVED_ERROR_SIZE] = "";
		int r = parse(cases[i].text, &a, error);

		if (r != -EINVAL || !strstr(error, cases[i].said))
			fail_msg("%s: %d, %s", cases[i].text, r, error);
	}
}

static void what_is_too_much_is_refused(void **state)
{
	AUTO_ATLAS struct atlas a = {.by = ATLAS_BY_KIND};
	char error[SAVED_ERROR_SIZE];

	(void)state;
#define MUCH "{\"mappings\":1,\"name\":\"a\",\"kind\":\"anon\",\"rss_bytes\":9223372036854775807}"
	assert_int_equal(parse(HEAD("kind") MUCH "," MUCH "," MUCH "]}", &a, error), -EINVAL);
	assert_string_equal(error, "file: row 3 has more than there can be");
}

static void a_file_that_is_not_there_is_told(void **state)
{
	AUTO_ATLAS struct atlas a = {.by = ATLAS_BY_KIND};
	char error[SAVED_ERROR_SIZE];

	(void)state;
	assert_int_equal(saved_load("nowhere/at-all", &a, error), -EINVAL);
	assert_string_equal(error, "nowhere/at-all: No such file or directory");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_map_prints),
		cmocka_unit_test(refuses_all_else),
		cmocka_unit_test(what_is_too_much_is_refused),
		cmocka_unit_test(a_file_that_is_not_there_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
