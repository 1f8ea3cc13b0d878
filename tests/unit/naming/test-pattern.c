/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests patterns: captures, refusals, and the end of a search after a number of steps. The captures are those of Go's regexp package (1.19), with which process-exporter 0.7.10 is built.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/buffer.h"
#include "base/cleanup.h"
#include "naming/pattern.h"
#include "tests/unit/support/faults/allocation.h"

enum {
	SUBJECT = 32 << 10, /* the longest command line */
	GROUPS = 64,
};

static struct pattern *compile(const char *text)
{
	char error[NAMING_ERROR_SIZE] = "";
	struct pattern *p = NULL;

	if (pattern_new(text, &p, error))
		fail_msg("%s", error);
	return p;
}

/* Searches P in SUBJECT. Writes the groups that it finds to TO, terminated, with '|' between them. */
static int search(struct pattern *p, const char *subject, struct buffer *to)
{
	struct capture found[GROUPS + 1];
	int r = pattern_search(p, subject, strlen(subject), PATTERN_STEPS_MAX, found);

	for (size_t i = 1; r == 1 && i < pattern_captures(p); i++) {
		buffer_add_text(to, i > 1 ? "|" : "");
		buffer_add(to, found[i].text, found[i].len);
	}
	buffer_add_char(to, '\0');
	return r;
}

static void check_search(const char *text, const char *subject, const char *expected)
{
	AUTO_BUFFER struct buffer found = {0};
	struct pattern *p = compile(text);
	int r = search(p, subject, &found);

	pattern_free(p);
	if (r != (expected != NULL) || (expected && strcmp(found.data, expected) != 0))
		fail_msg("'%s' in '%s': %d '%s'", text, subject, r, found.data);
}

static void finds_as_go(void **state)
{
	static const struct {
		const char *pattern, *subject;
		const char *captures; /* NULL: not found */
	} cases[] = {
		{"(java) (-jar)?", "java -jar x", "java|-jar"},
		{"(java) (-jar)?", "java x", "java|"},
		{"(java) (-jar)?", "python", NULL},
		{"^(?P<first>\\S+)(\\s.*)?$", "/usr/bin/java -jar x.jar",
			"/usr/bin/java| -jar x.jar"},
		{"-jar\\s+(?P<jar>\\S+)", "java -Xmx1g -jar  /opt/a.jar run", "/opt/a.jar"},
		{"(a|ab)(c|bcd)(d*)", "abcd", "a|bcd|"},
		{"(a+?)(a*)", "aaa", "a|aa"},
		{"(?U)(a+)(a*?)", "aaa", "a|aa"},
		{"(a)|b", "b", ""},
		{"(?:(a)|b)*", "ab", "a"},
		{"(a{2,3})(a{1})", "aaaa", "aaa|a"},
		{"(a{0})b", "ab", ""},
		{"x(a{,5})", "xa{,5}", "a{,5}"},
		{"x(a{01})", "xa{01}", "a{01}"},
		{"x({)", "x{", "{"},
		{"(?i)(\xc5\xbftop)", "STOP", "STOP"},
		{"(?i)(\\w+)", "\xe2\x84\xaa", "\xe2\x84\xaa"},
		{"(\\w+)", "\xe2\x84\xaa", NULL},
		{"(?i)([^\\W]+)", "\xc5\xbf", "\xc5\xbf"},
		{"(?i)(\\W)", "\xc5\xbf", NULL},
		{"(?i)([[:upper:]]+)", "Key", "Key"},
		{"(?i)([[:^lower:]]+)", "kEy1", "1"},
		{"(?-i:(A))b", "Ab", "A"},
		{"((?i)a|b)B", "bB", "b"},
		{"((?i:a))b", "AB", NULL},
		{"(?i:a)([[:upper:]])", "Ab", NULL},
		{"((?i)a)(b)", "Ab", "A|b"},
		{"([^\\s]+)", "\vx", "\vx"},
		{"(\\S)", "\v", "\v"},
		{"(\\s)", "\v", NULL},
		{"([[:space:]])", "\v", "\v"},
		{"([\\S])", "\v", "\v"},
		{"(\\w+)", "\xc3\xa9", NULL},
		{"([[:alpha:]]+)",
			"\xc3\xa9"
			"a",
			"a"},
		{"(\\d+)", "\xd9\xa3", NULL},
		{"(\\b.)",
			"\xc3\xa9"
			"a",
			"a"},
		{"(.+)", "a\rb\nc", "a\rb"},
		{"(?s)(.+)", "a\nb", "a\nb"},
		{"(a$)", "a\n", NULL},
		{"(a\\z)", "a\n", NULL},
		{"(?m)(a$)", "a\nb", "a"},
		{"(?m)^(b*)$", "a\nb", "b"},
		{"(?m)\\n(^)", "a\n", ""},
		{"(\\n^)", "a\nb", NULL},
		{"(\\Aa)", "ba", NULL},
		{"([]a]+)", "x]a", "]a"},
		{"([^]a]+)", "]xa", "x"},
		{"([a-]+)", "x-a", "-a"},
		{"([\\d-z]+)", "x-z1", "-z1"},
		{"([:alpha:]+)", "xlph:", "lph:"},
		{"([[:alpha]+)", "[x:a", "["},
		{"([[.a.]+)", "x[.a", "[.a"},
		{"([\\]\\-\\\\]+)", "x]-\\", "]-\\"},
		{"([\\x41-\\x{43}]+)", "xABC", "ABC"},
		{"([\\101\\012])", "xA", "A"},
		{"(\\x41\\x{42}\\103\\60)", "ABC0", "ABC0"},
		{"(\\0011)",
			"\x01"
			"1",
			"\x01"
			"1"},
		{"(\\a\\f\\t\\n\\r\\v)", "\a\f\t\n\r\v", "\a\f\t\n\r\v"},
		{"(\\.\\*\\_\\-\\ )", ".*_- ", ".*_- "},
		{"(\\Qa.b*\\E)", "a.b*", "a.b*"},
		{"(\\Qab\\E*)", "abb", "abb"},
		{"(\\Qa\\\\E)", "xa\\", "a\\"},
		{"(\\Q\\E)a", "a", ""},
		{"([^a])", "\xc3\xa9", "\xc3\xa9"},
		{"(?i)([^k])", "\xe2\x84\xaa", NULL},
		{"(?is-m:(A.B))", "a\nb", "a\nb"},
		{"(?)(a)", "a", "a"},
		{"(?imsU)(A.+)b", "a\nbb", "a\n"},
		{"()", "x", ""},
		{"(a|)", "b", ""},
		{"(|a)b", "ab", "a"},
		{"^$(x?)", "x", NULL},
		{"a#( b)", "a# b", " b"},
		{"(  )", "a  b", "  "},
		{"(a)(?P<x>b)(?P<x>c)", "abc", "a|b|c"},
		{"(a)\\Q(b", "a(b", "a"},
		{"^$(x?)", "", ""},
		{"((?:(a{1000}){0}b{10}){100})?", "x", "|"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check_search(cases[i].pattern, cases[i].subject, cases[i].captures);
}

static void refuses(void **state)
{
	static const struct {
		const char *pattern, *reason;
		unsigned int at;
	} cases[] = {
		{"(a)\\1", "back-reference", 4},
		{"(?P<n>a)\\k{n}", "back-reference", 9},
		{"\\g1", "back-reference", 1},
		{"\\8", "back-reference", 1},
		{"\\81", "back-reference", 1},
		{"\\18", "back-reference", 1},
		{"(?P<n>a)(?P=n)", "not supported", 9},
		{"a(?=b)", "look-around", 2},
		{"a(?!b)", "look-around", 2},
		{"(?<=a)b", "look-around", 1},
		{"(?<!a)b", "look-around", 1},
		{"(?>a)", "not supported", 1},
		{"(?|a)", "not supported", 1},
		{"(?R)", "not supported", 1},
		{"(?1)", "not supported", 1},
		{"(?(1)a)", "not supported", 1},
		{"(?#a)", "not supported", 1},
		{"(?C)", "not supported", 1},
		{"(?x)a b", "not supported", 1},
		{"(?i-)a", "not supported", 1},
		{"(?i--s)a", "not supported", 1},
		{"(?^)a", "not supported", 1},
		{"(?'n'a)", "not supported", 1},
		{"(?", "not supported", 1},
		{"(*FAIL)", "nothing to repeat", 2},
		{"a**", "nothing to repeat", 3},
		{"a*+", "nothing to repeat", 3},
		{"a++", "nothing to repeat", 3},
		{"a{2}{3}", "nothing to repeat", 5},
		{"a*?*", "nothing to repeat", 4},
		{"*", "nothing to repeat", 1},
		{"a|+", "nothing to repeat", 3},
		{"(?:?)", "nothing to repeat", 4},
		{"a(?i)*", "nothing to repeat", 6},
		{"a\\Q\\E*", "nothing to repeat", 6},
		{"^*", "nothing to repeat", 2},
		{"\\b+", "nothing to repeat", 3},
		{"(a*)*", "may match no character", 5},
		{"(?:a|)+", "may match no character", 7},
		{"(?:\\b){2,}", "may match no character", 7},
		{"(?:a{0}){1,}", "may match no character", 9},
		{"a{1001}", "1000 repetitions", 2},
		{"a{1,1001}", "1000 repetitions", 2},
		{"a{99999999999999999999999}", "1000 repetitions", 2},
		{"(a{1000}){1000}", "1000 repetitions", 10},
		{"((a{10}b)*c{2}){101}", "1000 repetitions", 16},
		{"a{2,1}", "below its minimum", 2},
		{"(?P<n", "NAME", 1},
		{"(?<bad", "NAME", 1},
		{"(?P<>a)", "NAME", 1},
		{"(?P<a-b>a)", "NAME", 1},
		{"(a", "no ')'", 1},
		{"a)", "no '('", 2},
		{"[a", "no ']'", 1},
		{"[]", "no ']'", 1},
		{"[a-", "no ']'", 1},
		{"[z-a]", "ends before", 2},
		{"[a-\\d]", "unknown escape", 4},
		{"[[:foo:]]", "unknown class", 2},
		{"[[:s:]]", "unknown class", 2},
		{"[\\b]", "unknown escape", 2},
		{"[\\Qa\\E]", "unknown escape", 2},
		{"\\", "backslash", 1},
		{"[\\", "backslash", 2},
		{"\\C", "unknown escape", 1},
		{"\\R", "unknown escape", 1},
		{"\\K", "unknown escape", 1},
		{"\\X", "unknown escape", 1},
		{"\\h", "unknown escape", 1},
		{"\\N", "unknown escape", 1},
		{"\\Z", "unknown escape", 1},
		{"\\G", "unknown escape", 1},
		{"\\e", "unknown escape", 1},
		{"\\cA", "unknown escape", 1},
		{"\\o{101}", "unknown escape", 1},
		{"\\E", "unknown escape", 1},
		{"\\q", "unknown escape", 1},
		{"\\\xc3\xa9", "unknown escape", 1},
		{"\\x4", "unknown escape", 1},
		{"\\x4g", "unknown escape", 1},
		{"\\x{}", "unknown escape", 1},
		{"\\x{41", "unknown escape", 1},
		{"\\x{110000}", "unknown escape", 1},
		{"\\x{d800}", "surrogate", 1},
		{"a\\pL", "\\p and \\P are not supported", 2},
		{"[\\P{L}]", "\\p and \\P are not supported", 2},
		{"\xc3\xa9\xe4\xb8\xad\\q", "unknown escape", 3},
		{"a\xff", "UTF-8", 2},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char error[NAMING_ERROR_SIZE] = "", place[40];
		struct pattern *p = NULL;

		snprintf(place, sizeof(place), " at character %u", cases[i].at);
		if (pattern_new(cases[i].pattern, &p, error) != -EINVAL || p ||
			!strstr(error, cases[i].reason) ||
			strcmp(error + strlen(error) - strlen(place), place) != 0)
			fail_msg("'%s': '%s'", cases[i].pattern, error);
	}
}

/* Compiles COUNT times PART, with BEFORE and BEHIND around it. Returns as pattern_new(). */
static int compile_long(const char *before, const char *part, size_t count, const char *behind,
	char error[static NAMING_ERROR_SIZE])
{
	AUTO_BUFFER struct buffer text = {0};
	struct pattern *p = NULL;
	int r;

	buffer_add_text(&text, before);
	for (size_t i = 0; i < count; i++)
		buffer_add_text(&text, part);
	buffer_add_text(&text, behind);
	buffer_add_char(&text, '\0');
	r = pattern_new(text.data, &p, error);
	assert_int_equal(!p, r < 0);
	pattern_free(p);
	return r;
}

static void limits_sizes(void **state)
{
	static const struct {
		const char *before, *part, *behind;
		size_t most, refused; /* parts of a pattern */
		const char *reason;
	} cases[] = {
		{"", "a", "", 4096, 4097, "longer than 4096 bytes"},
		{"", "()", "", GROUPS, GROUPS + 1, "more than 64 groups"},
		{"[", "\xc4\x80", "]", 32, 33, "beyond ASCII"},
		{"(?:", "[a-z0-9]", "){100}", 7, 10, "too large"},
	};
	char error[NAMING_ERROR_SIZE];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(compile_long(cases[i].before, cases[i].part, cases[i].most,
					 cases[i].behind, error),
			0);
		assert_int_equal(compile_long(cases[i].before, cases[i].part, cases[i].refused,
					 cases[i].behind, error),
			-EINVAL);
		assert_non_null(strstr(error, cases[i].reason));
	}
	assert_int_equal(compile_long("", "(?:", 101, "", error), -EINVAL);
	assert_non_null(strstr(error, "too deeply"));
}

/* A message is one line of clean text that ends with the reason, however long the pattern is. */
static void quotes_patterns(void **state)
{
	char error[NAMING_ERROR_SIZE];
	struct pattern *p;

	(void)state;
	assert_int_equal(pattern_new("a\n\x1b(", &p, error), -EINVAL);
	assert_string_equal(error, "pattern 'a\\x0a\\x1b(': '(' has no ')' at character 4");
	assert_int_equal(compile_long("", "\xc2\x85", 2000, "(", error), -EINVAL);
	assert_non_null(strstr(error, "...': '(' has no ')' at character 2001"));
	assert_int_equal(compile_long("", "\xff", 2000, "(", error), -EINVAL);
	assert_non_null(strstr(error, "...': invalid UTF-8 at character 1"));
}

static void names_groups(void **state)
{
	static const char subject[] = "xacde";
	static const char *const names[] = {"", "", "first", "9", "second_A", "first"};
	struct pattern *p = compile("(a)(?P<first>(?P<9>b)?)(?<second_A>c)(?P<first>d)(?:e)");
	struct capture found[GROUPS + 1];

	(void)state;
	assert_int_equal(pattern_captures(p), ARRAY_SIZE(names));
	assert_int_equal(pattern_search(p, subject + 1, 4, PATTERN_STEPS_MAX, found), 1);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_string_equal(found[i].name, names[i]);
	assert_string_equal(found[3].text, "");
	assert_int_equal(found[3].len, 0);
	pattern_free(p);
	p = compile("(a?)");
	assert_int_equal(pattern_search(p, NULL, 0, PATTERN_STEPS_MAX, found), 1);
	assert_string_equal(found[1].text, "");
	pattern_free(p);
}

static void finds_the_whole_match(void **state)
{
	struct pattern *p = compile("a+|$");
	struct capture found;

	(void)state;
	assert_int_equal(pattern_captures(p), 1);
	assert_int_equal(pattern_search(p, "baac", 4, PATTERN_STEPS_MAX, &found), 1);
	assert_string_equal(found.name, "");
	assert_int_equal(found.len, 2);
	assert_memory_equal(found.text, "aac", 3);
	assert_int_equal(pattern_search(p, NULL, 0, PATTERN_STEPS_MAX, &found), 1);
	assert_string_equal(found.text, "");
	assert_int_equal(found.len, 0);
	pattern_free(p);
	p = compile("a");
	assert_int_equal(pattern_search(p, NULL, 0, PATTERN_STEPS_MAX, &found), 0);
	pattern_free(p);
}

/* Returns the result of a search in the longest subject, which repeats PART. */
static int search_long(const char *pattern, const char *part)
{
	AUTO_BUFFER struct buffer subject = {0};
	struct pattern *p = compile(pattern);
	struct capture found[GROUPS + 1];
	int r;

	while (subject.len + strlen(part) <= SUBJECT)
		buffer_add_text(&subject, part);
	r = pattern_search(p, subject.data, subject.len, PATTERN_STEPS_MAX, found);
	pattern_free(p);
	return r;
}

/* Without the limits these take from a tenth of a second to for ever. */
static void gives_up(void **state)
{
	static const struct {
		const char *pattern, *part;
	} cases[] = {
		{"^(?:a|b)+$", "a"}, /* memory, not steps */
		{"(a+)+$", "aaaaaaa\n"},
		{"(a|aa)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n"},
		{"(x+x+)+[yz]", "x"},
		{"(?:.|a)*[xz]", "a"},
		{".*.*.*[xz]", "a"},
		{"\\S+\\s[xz]", "a"},
		{"\\S+\\s-server", "java -Dserver=/opt/server "},
		{"[ab]{900}[xz]", "a"},
		{"(?:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa[xz])", "a"},
		{"(?:b|c|d|e|aa|aaa|aaaa|ab|aab|aaab|aaaab)[xz]", "a"},
		{"[a-z]*?[XZ]", "a"},
		{"(?U)[a-z]*[XZ]", "a"},
		{"(?:(?:(?:a)))+[XZ]", "a"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int r = search_long(cases[i].pattern, cases[i].part);

		if (r != -EOVERFLOW)
			fail_msg("'%s': %d", cases[i].pattern, r);
	}
}

/* Searches that use much memory take longer than their callouts say. */
static void memory_counts_as_steps(void **state)
{
	static char line[20000];
	struct capture found[GROUPS + 1];
	struct pattern *p = compile("(a|aa)+$");

	(void)state;
	memset(line, 'a', sizeof(line));
	line[sizeof(line) - 1] = '!';
	assert_int_equal(
		pattern_search(p, line, sizeof(line), PATTERN_STEPS_MAX, found), -EOVERFLOW);
	assert_true(pattern_steps(p) > PATTERN_STEPS_MAX);
	assert_int_equal(pattern_search(p, "aaaa", 4, PATTERN_STEPS_MAX, found), 1);
	assert_in_range(pattern_steps(p), 1, 100);
	pattern_free(p);
}

static void gives_common_patterns_time(void **state)
{
	static const struct {
		const char *pattern, *part;
		int found;
	} cases[] = {
		{"^(?P<first>\\S+)(\\s.*)?$", "a", 1},
		{"^(?P<first>\\S+)(\\s.*)?$", "java -jar ", 1},
		{"^(?P<first>\\S+)(\\s.*)?$", "java\n-jar ", 0},
		{"-jar\\s+(?P<jar>\\S+)", "-jar", 0},
		{"-jar\\s+(?P<jar>\\S+)", "java -server -cp /x/y/z.jar ", 0},
		{".*foo.*bar", "a", 0},
		{".*foo.*ba[rz]", "a", 0},
		{".*foo.*ba[rz]", "                                fo", 0},
		{"(?s).*foo", "fo\n", 0},
		{"[a-z]+=\\d", "java -Dfoo.bar=/opt/x ", 0},
		{"(?i)server", "serve ", 0},
		{"[0-9a-f]{64}", "java -Dfoo.bar=/opt/x ", 0},
		{"^(?:\\S+\\s)*-server", "java -Dfoo.bar=/opt/x ", 0},
		{"\\s+$", "java ", 1},
		{"nginx|apache2?|php-fpm[0-9.]*", "java -Dfoo.bar=/opt/nginx/apache/php-fp ", 1},
		{"ngin[xX]|apache[23]|php-fpm[0-9.]+", "java -D=/opt/php-fpm ", 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int r = search_long(cases[i].pattern, cases[i].part);

		if (r != cases[i].found)
			fail_msg("'%s' in '%s'...: %d", cases[i].pattern, cases[i].part, r);
	}
}

static void survives_failing_allocations(void **state)
{
	static const char text[] = "(?P<a>[a-z]+)(b{20}|[\\W\\pN])";
	char error[NAMING_ERROR_SIZE];
	struct capture found[GROUPS + 1];
	struct pattern *p = NULL;
	char subject[150]; /* needs more memory than a search begins with */

	(void)state;
	memset(subject, 'a', sizeof(subject));
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		allocation_fail_at(n);
		if (!allocation_check(pattern_new("(?P<a>[a-z]+)(b{20}|(?i)[\\W\\S])", &p, error)))
			pattern_free(p);
	}
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		int r;

		allocation_fail_at(n);
		r = pattern_new(text, &p, error);
		assert_int_equal(r, allocation_end() ? -ENOMEM : -EINVAL);
	}
	p = compile("(a|b)*[cd]");
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		int r;

		allocation_fail_at(n);
		r = pattern_search(p, subject, sizeof(subject), PATTERN_STEPS_MAX, found);
		allocation_check(r);
	}
	pattern_free(p);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_as_go),
		cmocka_unit_test(refuses),
		cmocka_unit_test(limits_sizes),
		cmocka_unit_test(quotes_patterns),
		cmocka_unit_test(names_groups),
		cmocka_unit_test(finds_the_whole_match),
		cmocka_unit_test(gives_up),
		cmocka_unit_test(memory_counts_as_steps),
		cmocka_unit_test(gives_common_patterns_time),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
