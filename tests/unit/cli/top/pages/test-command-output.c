/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the output of commands: this program, started again, prints, floods or sleeps. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <poll.h>
#include <sys/wait.h>

#include "cli/top/pages/command-output.h"
#include "tests/unit/support/extent.h"

/* valgrind's own program is the one that is started again below it. */
static void skip_below_valgrind(void)
{
	if (extent_is_valgrind())
		skip();
}

/* Reads until the command has ended. */
static void read_all(struct command_output *o)
{
	while (o->fd >= 0) {
		struct pollfd p = {.fd = o->fd, .events = POLLIN};

		assert_int_equal(poll(&p, 1, -1), 1);
		command_output_read(o);
	}
}

static int start(struct command_output *o, const char *what)
{
	char name[] = "memtally", argument[16];
	char *argv[] = {name, argument, NULL};

	snprintf(argument, sizeof(argument), "%s", what);
	return command_output_start(o, argv);
}

static void output_and_messages_are_taken(void **state)
{
	struct command_output o = COMMAND_OUTPUT_NONE;

	(void)state;
	skip_below_valgrind();
	assert_int_equal(start(&o, "print"), 0);
	read_all(&o);
	assert_int_equal(o.text.len, strlen("figures\na message\n"));
	assert_memory_equal(o.text.data, "figures\na message\n", o.text.len);
	command_output_stop(&o);
}

static void too_much_output_ends_the_command(void **state)
{
	struct command_output o = COMMAND_OUTPUT_NONE;

	(void)state;
	skip_below_valgrind();
	assert_int_equal(start(&o, "flood"), 0);
	read_all(&o);
	assert_in_range(o.text.len, 1, COMMAND_OUTPUT_MAX);
	assert_true(o.is_cut);
	command_output_stop(&o);
}

/* A command that prints nothing and does not end delays neither reading nor stopping. */
static void a_command_that_hangs_is_killed(void **state)
{
	struct command_output o = COMMAND_OUTPUT_NONE;
	unsigned int before = unit_descriptors();
	pid_t pid;

	(void)state;
	skip_below_valgrind();
	assert_int_equal(start(&o, "sleep"), 0);
	assert_false(command_output_read(&o));
	pid = o.pid;
	assert_int_equal(start(&o, "print"), 0); /* another command takes its place */
	read_all(&o);
	assert_memory_equal(o.text.data, "figures", 7);
	assert_false(o.is_cut);
	assert_int_equal(start(&o, "sleep"), 0);
	assert_int_equal(o.text.len, 0);
	command_output_stop(&o);
	assert_int_equal(unit_descriptors(), before);
	/* All were killed: the wait for them ends. */
	assert_int_not_equal(pid, 0);
	while (waitpid(-1, NULL, 0) > 0)
		;
	assert_int_equal(errno, ECHILD);
}

/* A file is read up to a byte more than is wanted; one that cannot be read is empty. */
static void files_are_read(void **state)
{
	static const struct {
		const char *path;
		size_t most, len;
	} cases[] = {{"/proc/self/stat", 1, 2}, {"/dev/zero", 9999, 10000}, {"/dev/null", 10, 0},
		{"/nonexistent", 10, 0}};
	struct command_output o = COMMAND_OUTPUT_NONE;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(command_output_start_file(&o, cases[i].path, cases[i].most), 0);
		read_all(&o);
		assert_int_equal(o.text.len, cases[i].len);
		assert_false(o.is_cut);
	}
	command_output_stop(&o);
}

/* The other program that this one is. */
static int be_command(const char *what)
{
	static const char line[] = "a line that is printed again and again\n";
	ssize_t written = 0;

	if (!strcmp(what, "print")) {
		written = write(STDOUT_FILENO, "figures\n", 8);
		written += write(STDERR_FILENO, "a message\n", 10);
	}
	while (!strcmp(what, "flood") && written >= 0)
		written = write(STDOUT_FILENO, line, sizeof(line) - 1);
	while (!strcmp(what, "sleep"))
		pause();
	return written > 0 ? 0 : 1;
}

int main(int argc, char *argv[])
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_and_messages_are_taken),
		cmocka_unit_test(too_much_output_ends_the_command),
		cmocka_unit_test(a_command_that_hangs_is_killed),
		cmocka_unit_test(files_are_read),
	};

	if (argc > 1)
		return be_command(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
