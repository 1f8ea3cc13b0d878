/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/process/program-name.h: the name of a process's program. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/text.h"
#include "collectors/process/program-name.h"
#include "snapshot/record.h"

static void names_as_ps_mem_does(void **state)
{
	static const struct {
		const char *comm, *exe, *name;
	} cases[] = {
		{"bash", "/usr/bin/bash", "bash"},
		{"bash", NULL, "bash"},
		{"kthreadd", NULL, "kthreadd"},
		/* comm is cut at 15 bytes: the executable has the full name */
		{"gnome-session-b", "/usr/libexec/gnome-session-binary", "gnome-session-binary"},
		{"x", "/bin/xyz", "xyz"},
		/* a process that renamed itself, or a script run by an interpreter */
		{"worker-3", "/usr/bin/python3.11", "worker-3"},
		{"bash", "/usr/bin/dash", "bash"},
		{"bash", "/usr/bin/bas", "bash"},
		/* the file was removed or replaced */
		{"bash", "/usr/bin/bash (deleted)", "bash [deleted]"},
		{"gnome-session-b", "/x/gnome-session-binary (deleted)",
			"gnome-session-binary [deleted]"},
		{"other", "/usr/bin/bash (deleted)", "other"},
		{"a (deleted)", "/a (deleted) (deleted)", "a (deleted) [deleted]"},
		/* a memfd: neither its name nor the descriptor number distinguishes programs */
		{"memfd:agent-7f3", "/memfd:agent-7f3a (deleted)", "(memfd)"},
		{"memfd:agent-09c", "/memfd:agent-09c1 (deleted)", "(memfd)"},
		{"3", "/memfd:agent-7f3a (deleted)", "(memfd)"},
		{"runc", "/memfd:runc_cloned (deleted)", "(memfd)"},
		{"a", "/memfd: (deleted)", "(memfd)"},
		{"a", "/memfd:a/b (deleted) (deleted)", "(memfd)"},
		/* a file with such a name */
		{"memfd:a", "/memfd:a", "memfd:a"},
		{"memfd:a", "/x/memfd:a (deleted)", "memfd:a [deleted]"},
		{"memfd", "/memfd (deleted)", "memfd [deleted]"},
		/* unusual paths */
		{"bash", "bash", "bash"},
		{"bash", "", "bash"},
		{"bash", "/", "bash"},
		{"bash", "/usr/bin/", "bash"},
		{"bash", " (deleted)", "bash"},
		{"", "/usr/bin/bash", "bash"},
		{"", "/usr/bin/bash (deleted)", "bash [deleted]"},
		{"", NULL, "(unnamed)"},
		{"", "/", "(unnamed)"},
		/* reserved labels and marks are escaped in names that users chose */
		{"(other)", NULL, "\\x28other)"},
		{"(none)", "/usr/bin/sleep", "\\x28none)"},
		{"(unnamed)", NULL, "\\x28unnamed)"},
		{"(memfd)", "/x/(memfd)", "\\x28memfd)"},
		{"(sd-pam)", NULL, "(sd-pam)"},
		{"(other) ", NULL, "(other) "},
		{"x [deleted]", NULL, "x \\x5bdeleted]"},
		{"x [deleted]", "/x/x [deleted]", "x \\x5bdeleted]"},
		{"x [deleted]", "/x/x [deleted] (deleted)", "x \\x5bdeleted] [deleted]"},
		{"x [replaced]", NULL, "x \\x5breplaced]"},
		{"x [deleted?]", NULL, "x \\x5bdeleted?]"},
		{" [deleted]", NULL, " \\x5bdeleted]"},
		{"[deleted]", NULL, "[deleted]"},
		/* names that users chose */
		{"a\nb", "/x/a\nb", "a\\x0ab"},
		{"\x1b[2J", NULL, "\\x1b[2J"},
		{"\xe6\x95\xb0\xe6\x8d", "/x/\xe6\x95\xb0\xe6\x8d\xae", "\xe6\x95\xb0\xe6\x8d\xae"},
		{"\xe6\x95\xb0\xe6\x8d", NULL, "\xe6\x95\xb0\xef\xbf\xbd\xef\xbf\xbd"},
		{" x ", NULL, " x "},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_BUFFER struct buffer name = {0};

		buffer_add_text(&name, "before ");
		program_name_make(cases[i].comm, strlen(cases[i].comm), cases[i].exe,
			cases[i].exe ? strlen(cases[i].exe) : 0, &name);
		buffer_add_char(&name, '\0');
		assert_int_equal(name.error, 0);
		assert_string_equal(name.data + strlen("before "), cases[i].name);
	}
}

/*
 * A name of 255 bytes that are no UTF-8 is kept with its mark. A longer name, which no file system
 * has, is cut.
 */
static void limits_the_length_of_names(void **state)
{
	static const struct {
		size_t len; /* the file's name */
		bool deleted;
		size_t expected;
	} cases[] = {
		{255, false, 255 * 3},
		{255, true, 255 * 3 + 10},
		{336, true, 336 * 3 + 10},
		{337, true, 336 * 3 + 10},
		{4000, false, 336 * 3},
		{4000, true, 336 * 3 + 10},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_BUFFER struct buffer name = {0}, exe = {0};

		buffer_add_text(&exe, "/x/");
		for (size_t n = 0; n < cases[i].len; n++)
			buffer_add_char(&exe, '\xff');
		if (cases[i].deleted)
			buffer_add_text(&exe, " (deleted)");
		buffer_add_text(&name, "before ");
		program_name_make("\xff", 1, exe.data, exe.len, &name);
		assert_int_equal(name.len - strlen("before "), cases[i].expected);
		assert_true(cases[i].expected <= SNAPSHOT_NAME_MAX);
		assert_true(text_is_clean(name.data, name.len));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_as_ps_mem_does),
		cmocka_unit_test(limits_the_length_of_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
