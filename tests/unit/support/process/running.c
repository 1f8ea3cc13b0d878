/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/process/running.h"

#include <sys/mman.h>
#include <sys/wait.h>

void running_done(struct running *r)
{
	buffer_done(&r->out);
	buffer_done(&r->err);
}

static int keep(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void redirect(int from, int to)
{
	if (dup2(from, to) < 0)
		_exit(99);
}

static void take_text(int fd, struct buffer *to)
{
	char text[1 << 16];
	ssize_t len;
	off_t at = 0;

	for (; (len = pread(fd, text, sizeof(text), at)) > 0; at += len)
		buffer_add(to, text, (size_t)len);
	assert_int_equal(len, 0);
	buffer_add_char(to, '\0');
	assert_int_equal(to->error, 0);
}

void running_do(int (*program)(void *context), void *context, int output, struct running *ret)
{
	AUTO_CLOSE int out = keep("out"), err = keep("err");
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child) {
		unsetenv("JOURNAL_STREAM");
		redirect(output < 0 ? out : output, STDOUT_FILENO);
		redirect(err, STDERR_FILENO);
		_exit(program(context));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	*ret = (struct running){.status = WEXITSTATUS(status)};
	take_text(out, &ret->out);
	take_text(err, &ret->err);
}

static void check(const struct buffer *text, const char *expected)
{
	if (!strstr(text->data, expected))
		fail_msg("'%s' does not say '%s'", text->data, expected);
}

void running_check_says(const struct running *r, const char *expected)
{
	check(&r->err, expected);
}

void running_check_prints(const struct running *r, const char *expected)
{
	check(&r->out, expected);
}
