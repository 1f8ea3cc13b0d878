/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of naming/rules-file.h: what process-exporter 0.7.10 reads and refuses. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/buffer.h"
#include "naming/rules-file.h"
#include "tests/unit/support/faults/allocation.h"

/* The items of a file as a text, and the errors. */
struct reading {
	struct buffer items;
	char error[SETTINGS_ERROR_SIZE];
	int result;
};

static void reading_done(struct reading *r)
{
	buffer_done(&r->items);
}

#define AUTO_READING CLEANUP(reading_done)

/* Appends "NUMBER NAME@LINE comm[TEXT@LINE TEXT@LINE] exe[...] cmdline[...]\n" without unset lists. */
static int add_item(const struct rules_item *item, struct events *events, void *context)
{
	static const char *const names[] = {"comm", "exe", "cmdline"};
	struct buffer *to = context;

	(void)events;
	buffer_printf(to, "%zu %s@%zu", item->number, item->name, item->name_line);
	for (int kind = 0; kind < RULES_LISTS; kind++) {
		const struct rules_list *list = &item->list[kind];
		const char *text = list->texts.data;

		assert_true(list->is_set || !list->count);
		if (!list->is_set)
			continue;
		buffer_printf(to, " %s[", names[kind]);
		for (size_t i = 0; i < list->count; i++, text += strlen(text) + 1)
			buffer_printf(to, "%s%s@%zu", i ? " " : "", text, list->line[i]);
		buffer_add_char(to, ']');
	}
	buffer_add_char(to, '\n');
	return to->error;
}

/* Reads TEXT, LEN bytes, into RET. */
static void read_bytes(const char *text, size_t len, struct reading *ret)
{
	AUTO_FREE char *copy = malloc(len + 1); /* so that a read past the end is found */

	assert_non_null(copy);
	memcpy(copy + 1, text, len);
	buffer_clear(&ret->items);
	ret->result = rules_file_read("f", copy + 1, len, add_item, &ret->items, ret->error);
	buffer_add_char(&ret->items, 0);
	assert_int_equal(ret->items.error, 0);
	assert_int_equal(ret->result == 0, !ret->error[0]);
}

static void assert_reads(const char *text, const char *items)
{
	AUTO_READING struct reading r = {0};

	read_bytes(text, strlen(text), &r);
	if (r.result != 0 || strcmp(r.items.data, items) != 0)
		fail_msg("%s\n%d %s\n%s", text, r.result, r.error, r.items.data);
}

static void assert_refused(const char *text, int result, const char *error)
{
	AUTO_READING struct reading r = {0};

	read_bytes(text, strlen(text), &r);
	if (r.result != result || strcmp(r.error, error) != 0)
		fail_msg("%s\nexpected %d %s\ngot      %d %s", text, result, error, r.result,
			r.error);
}

static void reads_every_notation(void **state)
{
	(void)state;
	assert_reads(
		"# rules\nprocess_names:\n  - name: '{{.Comm}}'\n    comm:\n    - a\n    - \"b c\"\n"
		"    exe: [/x]\n  - cmdline: ['.+',\n      ^y]\n",
		"1 {{.Comm}}@3 comm[a@5 b c@6] exe[/x@7]\n2 {{.ExeBase}}@8 cmdline[.+@8 ^y@9]\n");
	assert_reads("process_names: [{name: '{{.Comm}}', cmdline: ['.+']}]",
		"1 {{.Comm}}@1 cmdline[.+@1]\n");
	assert_reads("{\"process_names\": [{\"comm\": [\"\\u00e9\"]}]}",
		"1 {{.ExeBase}}@1 comm[\xc3\xa9@1]\n");
	assert_reads("%YAML 1.1\n---\nprocess_names:\n- name: >-\n    a\n    b\n  comm: [x]\n...\n",
		"1 a b@4 comm[x@7]\n");
	assert_reads(
		"\xef\xbb\xbfprocess_names:\r\n- comm: [x]\r\n", "1 {{.ExeBase}}@2 comm[x@2]\n");
}

static void values_of_other_types_are_texts(void **state)
{
	(void)state;
	assert_reads("process_names:\n- comm: [123, true, 0x1F, 1.50, 2001-01-01]\n  name: 7\n",
		"1 7@3 comm[123@2 true@2 0x1F@2 1.50@2 2001-01-01@2]\n");
	assert_reads(
		"process_names:\n- comm: [null, ~, '~', '', Null, NULL, nUll,\n    ]\n  exe: [\n  a]\n",
		"1 {{.ExeBase}}@2 comm[@2 @2 ~@2 @2 @2 @2 nUll@2] exe[a@5]\n");
}

/* process-exporter accepts these. */
static void lists_may_be_empty(void **state)
{
	(void)state;
	assert_reads("process_names: []\n", "");
	assert_reads("process_names:\n", "");
	assert_reads("process_names: ~\n", "");
	assert_reads("process_names:\n- comm: []\n- {cmdline: [], exe: []}\n",
		"1 {{.ExeBase}}@2 comm[]\n2 {{.ExeBase}}@3 exe[] cmdline[]\n");
}

static void null_is_no_value(void **state)
{
	(void)state;
	assert_reads("process_names:\n- comm:\n  name:\n  exe: [a]\n- comm: [a]\n  name: ''\n",
		"1 {{.ExeBase}}@2 exe[a@4]\n2 {{.ExeBase}}@5 comm[a@5]\n");
}

static void the_last_of_several_values_counts(void **state)
{
	(void)state;
	assert_reads("process_names:\n- comm: [a, b]\n  name: x\n  comm: [c]\n  name: y\n",
		"1 y@5 comm[c@4]\n");
	assert_reads("process_names:\n- comm: [a]\n  exe: [b]\n  comm:\n",
		"1 {{.ExeBase}}@2 exe[b@3]\n");
}

#define WITHOUT_RULES "expected the key process_names"
#define NOT_A_MAPPING "expected 'key: value' lines"
#define NOT_A_LIST    "process_names: expected a list of rules, got "
#define NOTHING       " selects nothing: comm, exe or cmdline expected"
#define KNOWN_KEYS    ": expected name, comm, exe or cmdline"

static const struct {
	const char *text, *error;
} refused[] = {
	{"", "f:1: " WITHOUT_RULES},
	{"\n# nothing\n", "f:1: " WITHOUT_RULES},
	{"\n---\n", "f:1: " WITHOUT_RULES},
	{"\n{}\n", "f:1: " WITHOUT_RULES},
	{"- comm: [a]\n", "f:1: " NOT_A_MAPPING},
	{"process_names\n", "f:1: " NOT_A_MAPPING},
	{"process_nmes:\n- comm: [java]\n",
		"f:1: unknown key 'process_nmes': expected process_names"},
	{"process_names:\n- comm: [a]\nextra: true\n? [a]\n: b\n",
		"f:3: unknown key 'extra': expected process_names\n"
		"f:4: expected a key"},
	{"\nprocess_names: {comm: [a]}\n", "f:2: " NOT_A_LIST "a mapping"},
	{"process_names:\n  java\n", "f:2: " NOT_A_LIST "'java'"},

	{"process_names:\n- name: x\n", "f:2: item 1" NOTHING},
	{"process_names:\n- comm:\n", "f:2: item 1" NOTHING},
	{"process_names:\n- comm: [a]\n- ~\n- {}\n", "f:3: item 2" NOTHING "\nf:4: item 3" NOTHING},
	{"process_names:\n- comm: [123, true, null, 1.50]\n- comm:\n- name: second\n  comm: []\n",
		"f:3: item 2" NOTHING},
	{"process_names: [java, [a]]\n", "f:1: item 1: expected a mapping, got 'java'\n"
					 "f:1: item 2: expected a mapping, got a list"},
	{"process_names:\n- name: x\n  username: [root]\n  comm: [java]\n  {a: b}: 1\n",
		"f:3: item 1: unknown key 'username'" KNOWN_KEYS "\nf:5: expected a key"},
	{"process_names:\n- commm: [java]\n", "f:2: item 1: unknown key 'commm'" KNOWN_KEYS},

	{"process_names:\n- comm: nosequence\n",
		"f:2: item 1: comm: expected a list of texts, got 'nosequence'"},
	{"process_names:\n- comm: ''\n  exe: {a: b}\n  cmdline:\n    5\n",
		"f:2: item 1: comm: expected a list of texts, got ''\n"
		"f:3: item 1: exe: expected a list of texts, got a mapping\n"
		"f:5: item 1: cmdline: expected a list of texts, got '5'"},
	{"process_names:\n- comm: [[a], b,\n  {c: d}]\n  name: [x]\n",
		"f:2: item 1: comm: expected a text, got a list\n"
		"f:3: item 1: comm: expected a text, got a mapping\n"
		"f:4: item 1: name: expected a text, got a list"},
	{"process_names:\n- comm: [\"a\\0b\"]\n  name: \"\\0\"\n",
		"f:2: item 1: comm: expected a text without NUL, got 'a'\n"
		"f:3: item 1: name: expected a text without NUL, got ''"},
	{"process_names:\n- &x {comm: [a]}\n- comm: *x\n  name: !!str x\n- *x\n",
		"f:2: expected no anchor, got '&x'\n"
		"f:3: item 1: comm: expected a list of texts, got an alias\n"
		"f:4: expected no tag, got 'tag:yaml.org,2002:str'\n"
		"f:5: item 2: expected a mapping, got an alias"},
	{"process_names:\n- <<: {comm: [a]}\n", "f:2: item 1: unknown key '<<'" KNOWN_KEYS},
	{"process_names:\n- comm: [a]\nprocess_names:\n- comm: [b]\n",
		"f:3: a second process_names"},
	{"process_names:\n- comm: [a]\n---\nprocess_names:\n- comm: [b]\n",
		"f:3: expected one document"},
};

static void refuses_faults(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		assert_refused(refused[i].text, -EINVAL, refused[i].error);
}

static void refuses_what_is_not_yaml(void **state)
{
	(void)state;
	assert_refused("process_names:\n- comm: [a\n", -EBADMSG,
		"f:3: not YAML: did not find expected ',' or ']'");
	assert_refused("a\n\nb: \xff\n", -EBADMSG, "f:3: not YAML: invalid leading UTF-8 octet");
}

static void refuses_deep_nesting(void **state)
{
	static const char *const openings[] = {
		"[", "{", "{a: ", "- ", "? ", "process_names: [", "[{"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(openings); i++) {
		AUTO_READING struct reading r = {0};
		AUTO_BUFFER struct buffer text = {0};

		while (text.len < RULES_FILE_MAX)
			buffer_add_text(&text, openings[i]);
		assert_int_equal(text.error, 0);
		read_bytes(text.data, text.len, &r);
		assert_memory_equal(r.error, "f:1: ", 5);
	}
}

static void accepts_16_levels(void **state)
{
	(void)state;
	assert_refused("process_names: [[[[[[[[[[[[[[[]]]]]]]]]]]]]]]", -EINVAL,
		"f:1: item 1: expected a mapping, got a list");
	assert_refused("process_names: [[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]", -EBADMSG,
		"f:1: item 1: expected a mapping, got a list\n"
		"f:1: expected at most 16 levels of lists and mappings");
}

/* Appends COUNT times PIECE to B. */
static void add_times(struct buffer *b, size_t count, const char *piece)
{
	for (size_t i = 0; i < count; i++)
		buffer_add_text(b, piece);
	assert_int_equal(b->error, 0);
}

static void assert_refused_buffer(const struct buffer *text, const char *error)
{
	AUTO_READING struct reading r = {0};

	read_bytes(text->data, text->len, &r);
	assert_int_equal(r.result, -EINVAL);
	assert_string_equal(r.error, error);
}

static void limits_rules_and_lists(void **state)
{
	AUTO_BUFFER struct buffer rules = {0}, list = {0};
	AUTO_READING struct reading r = {0};

	(void)state;
	buffer_add_text(&rules, "process_names:\n");
	add_times(&rules, RULES_FILE_ITEMS_MAX, "- comm: [x]\n");
	read_bytes(rules.data, rules.len, &r);
	assert_int_equal(r.result, 0);
	add_times(&rules, 1, "- comm: [x]\n");
	assert_refused_buffer(&rules, "f:10002: process_names: expected at most 10000 rules");

	buffer_add_text(&list, "process_names:\n- exe: [");
	add_times(&list, RULES_FILE_LIST_MAX, "x,");
	buffer_add_text(&list, "]\n- exe: [");
	add_times(&list, RULES_FILE_LIST_MAX + 1, "x,");
	buffer_add_text(&list, "]\n");
	assert_refused_buffer(&list, "f:3: item 2: exe: expected at most 1000 texts");
}

/* The densest files: their nodes are 2 bytes long. None is refused because of its length. */
static void accepts_files_of_any_length(void **state)
{
	static const char *const pieces[] = {"- {comm: [a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,"
					     "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t]}\n",
		"- {exe: [aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]}\n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
		AUTO_BUFFER struct buffer text = {0};
		AUTO_READING struct reading r = {0};

		buffer_add_text(&text, "process_names:\n");
		while (text.len < RULES_FILE_MAX - 100 && text.len / strlen(pieces[i]) < 9999)
			buffer_add_text(&text, pieces[i]);
		assert_int_equal(text.error, 0);
		read_bytes(text.data, text.len, &r);
		assert_string_equal(r.error, "");
	}
}

static int fail_at_second(const struct rules_item *item, struct events *events, void *context)
{
	unsigned int *calls = context;

	(void)events;
	++*calls;
	return item->number == 2 ? -ENOMEM : -EINVAL;
}

/* -EINVAL of one item does not keep the next one from being read. */
static void returns_errors_of_the_caller(void **state)
{
	static const char text[] = "process_names: [{comm: [a]}, {comm: [b]}, {comm: [c]}]";
	char error[SETTINGS_ERROR_SIZE];
	unsigned int calls = 0;

	(void)state;
	assert_int_equal(
		rules_file_read("f", text, strlen(text), fail_at_second, &calls, error), -ENOMEM);
	assert_int_equal(calls, 2);
}

static void survives_truncated_files(void **state)
{
	static const char text[] =
		"# c\nprocess_names:\n- comm: [x, \"y\"]\n  name: '{{.Comm}}'\n- comm: []\n"
		"  exe:\n  - /bin/x\n- cmdline: ['(?P<a>.)']\n";

	(void)state;
	for (size_t len = 0; len < sizeof(text); len++) {
		AUTO_READING struct reading r = {0};

		read_bytes(text, len, &r);
		assert_true(r.result == 0 || r.result == -EINVAL || r.result == -EBADMSG);
	}
}

static int ignore_item(const struct rules_item *item, struct events *events, void *context)
{
	(void)item;
	(void)events;
	(void)context;
	return 0;
}

static void returns_errors_without_memory(void **state)
{
	static const char text[] = "process_names:\n- comm: [a]\n  exe: [b]\n- cmdline: [c]\n";

	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		char error[SETTINGS_ERROR_SIZE];

		allocation_fail_at(n);
		allocation_check(
			rules_file_read("f", text, strlen(text), ignore_item, NULL, error));
	}
	assert_true(allocation_count() >= 3);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_every_notation),
		cmocka_unit_test(values_of_other_types_are_texts),
		cmocka_unit_test(lists_may_be_empty),
		cmocka_unit_test(null_is_no_value),
		cmocka_unit_test(the_last_of_several_values_counts),
		cmocka_unit_test(refuses_faults),
		cmocka_unit_test(refuses_what_is_not_yaml),
		cmocka_unit_test(refuses_deep_nesting),
		cmocka_unit_test(accepts_16_levels),
		cmocka_unit_test(limits_rules_and_lists),
		cmocka_unit_test(accepts_files_of_any_length),
		cmocka_unit_test(returns_errors_of_the_caller),
		cmocka_unit_test(survives_truncated_files),
		cmocka_unit_test(returns_errors_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
