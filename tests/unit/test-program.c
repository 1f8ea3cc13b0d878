/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include "collectors/program.h"

static void names_as_ps_mem_does(void **state)
{
	static const struct {
		const char *comm, *exe, *name;
	} cases[] = {
		{"bash", "/usr/bin/bash", "bash"},
		{"bash", NULL, "bash"},
		{"kthreadd", NULL, "kthreadd"},
		/* comm is cut at 15 bytes: the executable's name is the whole one */
		{"gnome-session-b", "/usr/libexec/gnome-session-binary", "gnome-session-binary"},
		{"x", "/bin/xyz", "xyz"},
		/* a program that was renamed, or is a script of an interpreter's */
		{"worker-3", "/usr/bin/python3.11", "worker-3"},
		{"bash", "/usr/bin/dash", "bash"},
		{"bash", "/usr/bin/bas", "bash"},
		/* the file is gone, or another stands in its place */
		{"bash", "/usr/bin/bash (deleted)", "bash [deleted]"},
		{"gnome-session-b", "/x/gnome-session-binary (deleted)",
			"gnome-session-binary [deleted]"},
		{"other", "/usr/bin/bash (deleted)", "other"},
		{"a (deleted)", "/a (deleted) (deleted)", "a (deleted) [deleted]"},
		/* a memory file: memfd_create(2) */
		{"runc", "/memfd:runc_cloned (deleted)", "runc"},
		/* odd paths */
		{"bash", "bash", "bash"},
		{"bash", "", "bash"},
		{"bash", "/", "bash"},
		{"bash", "/usr/bin/", "bash"},
		{"bash", " (deleted)", "bash"},
		{"", "/usr/bin/bash", "bash"},
		{"", "/usr/bin/bash (deleted)", "bash [deleted]"},
		{"", NULL, "(unnamed)"},
		{"", "/", "(unnamed)"},
		/* what strangers choose */
		{"a\nb", "/x/a\nb", "a\nb"},
		{"\x1b[2J", NULL, "\xef\xbf\xbd[2J"},
		{"\xe6\x95\xb0\xe6\x8d", "/x/\xe6\x95\xb0\xe6\x8d\xae", "\xe6\x95\xb0\xe6\x8d\xae"},
		{"\xe6\x95\xb0\xe6\x8d", NULL, "\xe6\x95\xb0\xef\xbf\xbd\xef\xbf\xbd"},
		{" x ", NULL, " x "},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_BUFFER struct buffer name = {0};

		buffer_add_text(&name, "before ");
		program_name(cases[i].comm, strlen(cases[i].comm), cases[i].exe,
			cases[i].exe ? strlen(cases[i].exe) : 0, &name);
		buffer_add_char(&name, '\0');
		assert_int_equal(name.error, 0);
		assert_string_equal(name.data + strlen("before "), cases[i].name);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_as_ps_mem_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
