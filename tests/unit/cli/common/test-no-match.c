/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/common/no-match.h: the message if no process of a sample matches. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "cli/common/no-match.h"
#include "tests/unit/support/snapshot/sample.h"
#include "tests/unit/support/snapshot/small.h"

enum { ARGS_MAX = 4 };

struct no_match_case {
	const char *args[ARGS_MAX];
	bool hides_others;
	const char *text;
};

static void check(const struct no_match_case *c, const struct view *view)
{
	char *argv[ARGS_MAX + 2] = {
		(char *)(uintptr_t) "memtally", (char *)(uintptr_t) "--config.file=/dev/null"};
	AUTO_SETTINGS struct settings *settings = NULL;
	AUTO_BUFFER struct buffer text = {0};
	char error[SETTINGS_ERROR_SIZE];
	int argc = 2;

	for (size_t i = 0; i < ARGS_MAX && c->args[i]; i++)
		argv[argc++] = (char *)(uintptr_t)c->args[i];
	assert_int_equal(settings_load(PROGRAM_MEMTALLY, argc, argv, &settings, error), 0);
	no_match_render(settings, view, c->hides_others, &text);
	buffer_add_char(&text, '\0');
	assert_string_equal(text.data, c->text);
}

static void names_the_filters_and_the_nearest_owner(void **state)
{
	static const struct no_match_case cases[] = {
		{{"--user=nowhere"}, false, "no process with memory matches --user=nowhere"},
		{{"--user=0"}, false,
			"no process with memory matches --user=0; did you mean --user=root?"},
		{{"--group=100"}, false,
			"no process with memory matches --group=100; did you mean --group=users?"},
		{{"--user=ROOT"}, false,
			"no process with memory matches --user=ROOT; did you mean --user=root?"},
		{{"--program=firefix", "--user=alice"}, false,
			"no process with memory matches --user=alice --program=firefix; did you mean "
			"--program=firefox?"},
		/* Both exist, but no process has both. */
		{{"--program=firefox", "--user=root"}, false,
			"no process with memory matches --user=root --program=firefox"},
		/* Containers are numbered by runtime, which is not their name. */
		{{"--container=1"}, false, "no process with memory matches --container=1"},
		{{"--pid=7"}, false, "no process with memory matches --pid=7"},
		{{NULL}, false, "no process with memory was found"},
		{{"--user=nowhere"}, true,
			"no process of yours with memory matches --user=nowhere; other users' processes "
			"are hidden from you: run as root"},
		{{"--user=rooot"}, true,
			"no process of yours with memory matches --user=rooot; other users' processes "
			"are hidden from you: run as root; did you mean --user=root?"},
	};
	AUTO_VIEW struct view *view = sample_open(NULL);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check(&cases[i], view);
}

/* Returns an image with session-2.scope, which has ended, and session-3.scope. */
static struct view *make_sessions(void)
{
	AUTO_SMALL struct small s = {0};

	small_begin(&s);
	for (unsigned int i = 0; i < 2; i++) {
		uint32_t name = builder_add_text(
			&s.builder, i ? "session-3.scope" : "session-2.scope", 15);
		struct snapshot_scope *row = builder_add_scope(&s.builder, METRIC_UNIT);

		assert_non_null(row);
		row->id = OWNER_NO_ID;
		row->name = name;
		ROW_SET(row, SCOPE_PROCESSES, i);
	}
	return small_view(&s.builder, NULL);
}

/* An owner without processes is suggested for no value, and is no misspelling itself. */
static void suggests_nothing_for_an_owner_that_has_ended(void **state)
{
	static const struct no_match_case cases[] = {
		{{"--unit=session-2.scope"}, false,
			"no process with memory matches --unit=session-2.scope"},
		{{"--unit=session-4.scope"}, false,
			"no process with memory matches --unit=session-4.scope; did you mean "
			"--unit=session-3.scope?"},
	};
	AUTO_VIEW struct view *view = make_sessions();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check(&cases[i], view);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_the_filters_and_the_nearest_owner),
		cmocka_unit_test(suggests_nothing_for_an_owner_that_has_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
