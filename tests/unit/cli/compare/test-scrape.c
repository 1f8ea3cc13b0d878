/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/compare/scrape.h: answers of process-exporter. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "cli/compare/scrape.h"
#include "snapshot/record.h"
#include "tests/unit/support/faults/allocation.h"

#define PROCS(name, value) "namedprocess_namegroup_num_procs{groupname=\"" name "\"} " value "\n"
#define MEMORY(name, type, value)                                                                  \
	"namedprocess_namegroup_memory_bytes{groupname=\"" name "\",memtype=\"" type "\"} " value  \
	"\n"

/* As process-exporter 0.7.10 prints a group, shortened. */
static const char answer[] =
	"# HELP namedprocess_namegroup_context_switches_total Context switches\n"
	"# TYPE namedprocess_namegroup_context_switches_total counter\n"
	"namedprocess_namegroup_context_switches_total{ctxswitchtype=\"voluntary\",groupname=\"java\"} 0\n"
	"# TYPE namedprocess_namegroup_memory_bytes gauge\n"
	"namedprocess_namegroup_memory_bytes{groupname=\"java\",memtype=\"proportionalResident\"} 3.6862976e+07\n"
	"namedprocess_namegroup_memory_bytes{groupname=\"java\",memtype=\"proportionalSwapped\"} 2.097152e+06\n"
	"namedprocess_namegroup_memory_bytes{groupname=\"java\",memtype=\"resident\"} 3.6868096e+07\n"
	"namedprocess_namegroup_memory_bytes{groupname=\"java\",memtype=\"swapped\"} 2.097152e+06\n"
	"namedprocess_namegroup_memory_bytes{groupname=\"java\",memtype=\"virtual\"} 1.048576e+08\n"
	"# TYPE namedprocess_namegroup_num_procs gauge\n"
	"namedprocess_namegroup_num_procs{groupname=\"java\"} 2\n"
	"namedprocess_namegroup_num_threads{groupname=\"java\"} 31\n"
	"namedprocess_namegroup_states{groupname=\"java\",state=\"Zombie\"} 1\n"
	"namedprocess_scrape_errors 0\n"
	"go_goroutines 12\n";

static int parse(const char *text, struct scrape *ret, char error[static SCRAPE_ERROR_SIZE])
{
	return scrape_parse(text, strlen(text), ret, error);
}

/* Parses TEXT, which has one group. */
static struct scrape_group parse_one(const char *text, struct scrape *ret)
{
	char error[SCRAPE_ERROR_SIZE] = "";

	if (parse(text, ret, error) < 0 || ret->count != 1)
		fail_msg("%s: %zu groups, %s", text, ret->count, error);
	return ret->group[0];
}

static void reads_an_answer(void **state)
{
	AUTO_SCRAPE struct scrape s = {0};
	struct scrape_group g = parse_one(answer, &s);

	(void)state;
	assert_string_equal(g.name, "java");
	assert_int_equal(g.present, (1 << SCRAPE_QUANTITIES) - 1);
	assert_int_equal(g.q[SCRAPE_PROCESSES], 2);
	assert_int_equal(g.q[SCRAPE_RSS], 36868096);
	assert_int_equal(g.q[SCRAPE_PSS], 36862976);
}

static void groups_are_sorted_by_name(void **state)
{
	AUTO_SCRAPE struct scrape s = {0};
	char error[SCRAPE_ERROR_SIZE];

	(void)state;
	assert_int_equal(parse(PROCS("b", "1") PROCS("c", "2") MEMORY("a", "resident", "4096")
					 MEMORY("b", "resident", "8192"),
				 &s, error),
		0);
	assert_int_equal(s.count, 3);
	assert_string_equal(s.group[0].name, "a");
	assert_int_equal(s.group[0].present, 1 << SCRAPE_RSS);
	assert_string_equal(s.group[1].name, "b");
	assert_int_equal(s.group[1].q[SCRAPE_PROCESSES], 1);
	assert_int_equal(s.group[1].q[SCRAPE_RSS], 8192);
	assert_string_equal(s.group[2].name, "c");
}

/* An answer without groups is one, too: no process matches. */
static void an_answer_may_have_no_group(void **state)
{
	AUTO_SCRAPE struct scrape s = {0};
	char error[SCRAPE_ERROR_SIZE];

	(void)state;
	assert_int_equal(parse("namedprocess_scrape_errors 0\n", &s, error), 0);
	assert_int_equal(s.count, 0);
}

/* Names become those that snapshots have: clean, and different from memtally's own labels. */
static void names_are_those_of_snapshots(void **state)
{
	static const struct {
		const char *escaped, *name;
	} cases[] = {
		{"\\\"weird) (x\\\" R", "\"weird) (x\" R"},
		{"a\\\\x2d", "a\\x2d"},
		{"two\\nlines", "two\\x0alines"},
		{"\\q", "q"},
		{"", "(unnamed)"},
		{"(none)", "\\x28none)"},
		{"\xff\xe6\x95\xb0", "\xef\xbf\xbd\xe6\x95\xb0"},
		{"}{,\t=", "}{,\\x09="},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_SCRAPE struct scrape s = {0};
		AUTO_BUFFER struct buffer text = {0};

		buffer_printf(&text, "namedprocess_namegroup_num_procs{groupname=\"%s\"} 1\n",
			cases[i].escaped);
		buffer_add_char(&text, '\0');
		assert_string_equal(parse_one(text.data, &s).name, cases[i].name);
	}
}

static void long_names_are_cut(void **state)
{
	AUTO_SCRAPE struct scrape s = {0};
	AUTO_BUFFER struct buffer text = {0};

	(void)state;
	buffer_add_text(&text, "namedprocess_namegroup_num_procs{groupname=\"");
	for (size_t i = 0; i < 5000; i++)
		buffer_add_char(&text, 'x');
	buffer_add(&text, "\"} 1", sizeof("\"} 1"));
	assert_true(strlen(parse_one(text.data, &s).name) <= SNAPSHOT_NAME_MAX);
}

/* Two groups that snapshots cannot tell apart are one. */
static void groups_with_the_same_clean_name_are_summed(void **state)
{
	AUTO_SCRAPE struct scrape s = {0};
	struct scrape_group g = parse_one(PROCS("a\\nb", "1") PROCS("a\\\\x0ab", "2"), &s);

	(void)state;
	assert_int_equal(g.q[SCRAPE_PROCESSES], 3);
}

static void sums_stay_in_range(void **state)
{
	AUTO_SCRAPE struct scrape s = {0};
	struct scrape_group g = parse_one(
		PROCS("a", "9223372036854775807") PROCS("a", "9223372036854775807"), &s);

	(void)state;
	assert_true(g.q[SCRAPE_PROCESSES] == INT64_MAX);
}

static void numbers_are_those_of_go(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
	} cases[] = {
		{"0", 0},
		{"1.048576e+06", 1048576},
		{"3.6862976e+07", 36862976},
		{"1e+03", 1000},
		{"1E3", 1000},
		{"12345678901234567890123e-10", 1234567890123},
		{"0.00000000000000000000000001e26", 1},
		{"1.5", 1},
		{"5e-324", 0},
		{"0e999", 0},
		{"9.223372036854775807e18", INT64_MAX},
		{"00000000000000000000000000000007", 7},
		{"1 1700000000000", 1},
		{"\t 1\r", 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_SCRAPE struct scrape s = {0};
		AUTO_BUFFER struct buffer text = {0};

		buffer_printf(&text, PROCS("a", "%s"), cases[i].text);
		buffer_add_char(&text, '\0');
		if (parse_one(text.data, &s).q[SCRAPE_PROCESSES] != cases[i].value)
			fail_msg("%s: %llu", cases[i].text,
				(unsigned long long)s.group[0].q[SCRAPE_PROCESSES]);
	}
}

/* A value that is not a number is absent. */
static void nan_is_absent(void **state)
{
	AUTO_SCRAPE struct scrape s = {0};
	struct scrape_group g = parse_one(
		PROCS("a", "1") MEMORY("a", "proportionalResident", "NaN"), &s);

	(void)state;
	assert_int_equal(g.present, 1 << SCRAPE_PROCESSES);
}

/* Blanks may stand between all parts, labels in any order, and a comma behind the last one. */
static void the_form_is_free(void **state)
{
	AUTO_SCRAPE struct scrape s = {0};
	struct scrape_group g = parse_one(
		" namedprocess_namegroup_memory_bytes { memtype = \"resident\" , host=\"h\","
		"groupname=\"a\" , } 4096",
		&s);

	(void)state;
	assert_int_equal(g.q[SCRAPE_RSS], 4096);
}

/* A label counts for its own line only. */
static void other_kinds_of_memory_are_skipped(void **state)
{
	AUTO_SCRAPE struct scrape s = {0};
	struct scrape_group g = parse_one(
		MEMORY("a", "resident",
			"4096") "namedprocess_namegroup_memory_bytes{groupname=\"a\"} 1\n" MEMORY("a",
			"residents", "1") MEMORY("a", "", "1"),
		&s);

	(void)state;
	assert_int_equal(g.present, 1 << SCRAPE_RSS);
	assert_int_equal(g.q[SCRAPE_RSS], 4096);
}

static void refuses_malformed_lines(void **state)
{
	static const char *const lines[] = {
		"namedprocess_namegroup_num_procs 1",
		"namedprocess_namegroup_num_procs{} 1",
		"namedprocess_namegroup_num_procs{groupname=\"a\"}",
		"namedprocess_namegroup_num_procs{groupname=\"a\"} ",
		"namedprocess_namegroup_num_procs{groupname=\"a\"",
		"namedprocess_namegroup_num_procs{groupname=\"a",
		"namedprocess_namegroup_num_procs{groupname=\"a\\",
		"namedprocess_namegroup_num_procs{groupname=\"a\\\n\"} 1",
		"namedprocess_namegroup_num_procs{groupname=a} 1",
		"namedprocess_namegroup_num_procs{groupname} 1",
		"namedprocess_namegroup_num_procs{groupname=\"a\" x=\"b\"} 1",
		"namedprocess_namegroup_num_procs{group=\"a\"} 1",
		"namedprocess_namegroup_memory_bytes{memtype=\"resident\"} 1",
		PROCS("a", "-1"),
		PROCS("a", "+Inf"),
		PROCS("a", "."),
		PROCS("a", "1e"),
		PROCS("a", "1e+"),
		PROCS("a", "e5"),
		PROCS("a", "1.2.3"),
		PROCS("a", "1e5x"),
		PROCS("a", "0x10"),
		PROCS("a", "1e19"),
		PROCS("a", "1e400"),
		PROCS("a", "1e1000"),
		PROCS("a", "1e4294967296"),
		PROCS("a", "9.223372036854775808e18"),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		AUTO_SCRAPE struct scrape s = {0};
		AUTO_BUFFER struct buffer text = {0};
		char error[SCRAPE_ERROR_SIZE] = "";

		buffer_printf(&text, "# a comment\n%s", lines[i]);
		buffer_add_char(&text, '\0');
		if (parse(text.data, &s, error) != -EINVAL)
			fail_msg("%s: not refused", lines[i]);
		assert_string_equal(error, "line 2: expected a metric of a group, such as "
					   "namedprocess_namegroup_num_procs{groupname=\"a\"} 1");
	}
}

static void a_nul_byte_is_malformed(void **state)
{
	static const char text[] = "namedprocess_namegroup_num_procs{groupname=\"a\"} \0001\n";
	AUTO_SCRAPE struct scrape s = {0};
	char error[SCRAPE_ERROR_SIZE];

	(void)state;
	assert_int_equal(scrape_parse(text, sizeof(text) - 1, &s, error), -EINVAL);
}

static void refuses_answers_of_other_programs(void **state)
{
	static const char *const texts[] = {
		"", "<html>\n</html>\n", "memtally_host_pss_bytes 5\n", "# namedprocess_\n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		AUTO_SCRAPE struct scrape s = {0};
		char error[SCRAPE_ERROR_SIZE] = "";

		assert_int_equal(parse(texts[i], &s, error), -EINVAL);
		assert_string_equal(error,
			"expected the metrics of process-exporter, found none (namedprocess_...)");
	}
}

static void returns_errors_without_memory(void **state)
{
	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_SCRAPE struct scrape s = {0};
		char error[SCRAPE_ERROR_SIZE];

		allocation_fail_at(n);
		allocation_check(parse(answer, &s, error));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_an_answer),
		cmocka_unit_test(groups_are_sorted_by_name),
		cmocka_unit_test(an_answer_may_have_no_group),
		cmocka_unit_test(names_are_those_of_snapshots),
		cmocka_unit_test(long_names_are_cut),
		cmocka_unit_test(groups_with_the_same_clean_name_are_summed),
		cmocka_unit_test(sums_stay_in_range),
		cmocka_unit_test(numbers_are_those_of_go),
		cmocka_unit_test(nan_is_absent),
		cmocka_unit_test(the_form_is_free),
		cmocka_unit_test(other_kinds_of_memory_are_skipped),
		cmocka_unit_test(refuses_malformed_lines),
		cmocka_unit_test(a_nul_byte_is_malformed),
		cmocka_unit_test(refuses_answers_of_other_programs),
		cmocka_unit_test(returns_errors_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
