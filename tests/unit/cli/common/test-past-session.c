/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/common/past-session.h: what is said of times without a recording. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/common/past-session.h"

#define NOW (UINT64_C(1795413600) * NS_PER_SEC) /* 2026-11-23T06:00:00Z */

static void absences_name_the_covered_time(void **state)
{
	static const struct {
		struct past_request q;
		struct past_head head;
		const char *text;
	} cases[] = {
		{{.pick = PAST_AT, .at_ns = NOW - 86400 * NS_PER_SEC},
			{.first_ns = NOW - 3600 * NS_PER_SEC, .last_ns = NOW - 5 * NS_PER_SEC},
			"nothing is recorded for 2026-11-22 06:00:00: the recording covers "
			"2026-11-23 05:00:00 to now"},
		{{.pick = PAST_OOM, .at_ns = NOW},
			{.first_ns = NOW - 3600 * NS_PER_SEC, .last_ns = NOW - 600 * NS_PER_SEC},
			"no OOM kill is recorded: the recording covers 2026-11-23 05:00:00 to "
			"2026-11-23 05:50:00"},
		{{.pick = PAST_AT, .at_ns = NOW}, {.first_ns = 0}, "nothing is recorded yet"},
	};

	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_BUFFER struct buffer text = {0};

		past_session_add_absence(&cases[i].q, &cases[i].head, NOW, &text);
		buffer_add_char(&text, '\0');
		assert_string_equal(text.data, cases[i].text);
	}
}

/* Asks a recorder that does not answer. Runs in a child, and sends its messages to FD. */
static void ask_silence(int fd)
{
	const struct settings settings = {.recorder_socket = (char *)(uintptr_t) "silent"};
	struct past_session session = {
		.settings = &settings, .fd = -1, .quiet_ms = 1, .wait_ms = 1};
	struct past_answer answer;
	struct buffer reason = {0};
	int pair[2];

	if (dup2(fd, STDERR_FILENO) < 0 ||
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair) < 0)
		_exit(1);
	session.fd = pair[0];
	if (past_session_ask(&session, &(struct past_request){.pick = PAST_COVERAGE}, &answer,
		    &reason) != -ETIMEDOUT)
		_exit(1);
	dprintf(fd, "%.*s\n", (int)reason.len, reason.data);
	_exit(0);
}

/* memtally says that it waits, then what to do. */
static void a_silent_recorder_is_said(void **state)
{
	char text[1024] = "";
	size_t len = 0;
	ssize_t n;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	if (fork() == 0)
		ask_silence(fds[1]);
	close(fds[1]);
	while ((n = read(fds[0], text + len, sizeof(text) - 1 - len)) > 0)
		len += (size_t)n;
	close(fds[0]);
	assert_non_null(strstr(text, "waiting for memtally-recorder, which has not answered yet"));
	assert_non_null(strstr(text,
		"nothing from memtally-recorder: silent: memtally-recorder did not answer in time "
		"(try again, or restart memtally-recorder)"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(absences_name_the_covered_time),
		cmocka_unit_test(a_silent_recorder_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
