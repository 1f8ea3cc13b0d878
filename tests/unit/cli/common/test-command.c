/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of cli/common/command.h: commands by name, words that are no commands, and how memtally reports
 * errors of output and missing results.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "cli/common/command.h"

static int run(const struct settings *settings, bool is_check)
{
	(void)settings;
	return is_check;
}

/* The build lacks "files". */
static const struct command commands[] = {{.name = "users", .run = run}, {.name = "files"},
	{.name = "host", .run = run}, {.name = NULL}};

static void finds_commands_by_name(void **state)
{
	(void)state;
	assert_ptr_equal(command_find(commands, "users"), &commands[0]);
	assert_ptr_equal(command_find(commands, "files"), &commands[1]);
	assert_null(command_find(commands, "user"));
	assert_null(command_find(commands, ""));
}

static void refuses_other_words(void **state)
{
	static const struct {
		size_t first; /* of the commands */
		const char *word, *error;
	} cases[] = {
		{0, "usres", "unexpected argument 'usres'; did you mean 'users'?"},
		{0, "file", "unexpected argument 'file'; expected users or host"},
		{0, "", "unexpected argument ''; expected users or host"},
		{1, "threads", "unexpected argument 'threads'; expected host"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char error[CLI_OPTION_ERROR_SIZE];

		command_refuse_word(&commands[cases[i].first], cases[i].word, error);
		assert_string_equal(error, cases[i].error);
	}
}

/* Standard error since it was last emptied. */
static char said[512];

ssize_t __real_write(int fd, const void *data, size_t len);
ssize_t __wrap_write(int fd, const void *data, size_t len);

ssize_t __wrap_write(int fd, const void *data, size_t len)
{
	size_t had = strlen(said);

	if (fd != STDERR_FILENO)
		return __real_write(fd, data, len);
	snprintf(said + had, sizeof(said) - had, "%.*s", (int)len, (const char *)data);
	return (ssize_t)len;
}

static void output_errors_are_reported(void **state)
{
	static const struct {
		int r;
		const char *expected;
	} cases[] = {
		{0, ""},
		{-EPIPE, ""}, /* the reader closed the pipe */
		{-ENOSPC, "test: error: cannot print: No space left on device\n"},
		{-ENOMEM, "test: error: out of memory\n"},
	};

	(void)state;
	unsetenv("JOURNAL_STREAM");
	log_open("test", LOG_LEVEL_INFO);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		said[0] = '\0';
		assert_int_equal(
			command_printed(cases[i].r), cases[i].r ? COMMAND_FAILED : COMMAND_GOOD);
		assert_string_equal(said, cases[i].expected);
	}
}

/* A positive result has been reported already. */
static void positive_results_are_not_reported_twice(void **state)
{
	(void)state;
	said[0] = '\0';
	assert_int_equal(command_shown(1), COMMAND_FAILED);
	assert_int_equal(command_shown(0), COMMAND_GOOD);
	assert_string_equal(said, "");
}

static void each_error_has_its_advice(void **state)
{
	static char snapshot[] = "/run/s", ledger[] = "/run/l";
	static const struct settings settings = {
		.snapshot_socket = snapshot, .ledger_socket = ledger};
	static const struct {
		int r;
		const char *memtallyd, *ledger;
	} cases[] = {
		{-ENOENT, "why (start memtallyd, or set --snapshot.socket)",
			"why (start memtally-ledger, or set --ledger.socket)"},
		{-ECONNREFUSED, "why (start memtallyd, or set --snapshot.socket)",
			"why (start memtally-ledger, or set --ledger.socket)"},
		{-EACCES, "why (check the permissions of /run/s)",
			"why (check the permissions of /run/l)"},
		{-ECONNRESET, "why (start memtallyd, or join group memtally)", "why"},
		{-EPROTOTYPE, "why (another program listens there: check --snapshot.socket)",
			"why (another program listens there: check --ledger.socket)"},
		{-ENOMSG, "why (check --snapshot.socket)", "why (check --ledger.socket)"},
		{-EPROTO, "why (restart memtallyd after the upgrade)",
			"why (restart memtally-ledger after the upgrade)"},
		{-ETIMEDOUT, "why (try again, or restart memtallyd)",
			"why (try again, or restart memtally-ledger)"},
		{-EIO, "why", "why"},
	};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		bool is_ledger = i % 2;
		AUTO_BUFFER struct buffer to = {0};

		buffer_add_text(&to, "why");
		command_add_advice(&to, cases[i / 2].r,
			is_ledger ? PROGRAM_LEDGER : PROGRAM_MEMTALLYD, &settings);
		buffer_add_char(&to, '\0');
		assert_int_equal(to.error, 0);
		assert_string_equal(
			to.data, is_ledger ? cases[i / 2].ledger : cases[i / 2].memtallyd);
	}
}

static void set_or_unset(const char *name, const char *value)
{
	assert_int_equal(value ? setenv(name, value, 1) : unsetenv(name), 0);
}

static bool has_styles_at(int fd)
{
	AUTO_CLOSE int before = dup(STDOUT_FILENO);
	bool has_styles;

	assert_true(before >= 0 && dup2(fd, STDOUT_FILENO) >= 0);
	has_styles = command_has_styles();
	assert_true(dup2(before, STDOUT_FILENO) >= 0);
	return has_styles;
}

/* https://no-color.org: an empty NO_COLOR is as none. */
static void styles_need_a_terminal_that_may_have_them(void **state)
{
	static const struct {
		const char *term, *no_color;
		bool has_styles;
	} cases[] = {
		{"xterm", NULL, true},
		{"xterm", "", true},
		{"xterm", "1", false},
		{"dumb", NULL, false},
		{"", NULL, false},
		{NULL, NULL, false},
	};
	AUTO_CLOSE int master = posix_openpt(O_RDWR | O_NOCTTY), terminal = -1;
	AUTO_CLOSE int file = open("/dev/null", O_WRONLY);

	(void)state;
	if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0)
		skip();
	terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_true(terminal >= 0 && file >= 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		set_or_unset("TERM", cases[i].term);
		set_or_unset("NO_COLOR", cases[i].no_color);
		assert_int_equal(has_styles_at(terminal), cases[i].has_styles);
		assert_false(has_styles_at(file));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_commands_by_name),
		cmocka_unit_test(refuses_other_words),
		cmocka_unit_test(output_errors_are_reported),
		cmocka_unit_test(positive_results_are_not_reported_twice),
		cmocka_unit_test(each_error_has_its_advice),
		cmocka_unit_test(styles_need_a_terminal_that_may_have_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
