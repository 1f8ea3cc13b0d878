/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/process/stand-in.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/os/channel.h"
#include "tests/unit/support/process/waiter.h"

pid_t stand_in_start(
	const char *path, void (*serve)(int client, const void *context), const void *context)
{
	AUTO_CLOSE int listener = -1;
	struct pollfd p = {.events = POLLIN};
	pid_t pid;

	assert_int_equal(channel_listen(path, SOCK_SEQPACKET, 0666, 4, &listener), 0);
	p.fd = listener;
	pid = fork();
	assert_true(pid >= 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		AUTO_CLOSE int client = -1;

		/* a test that interrupts its own calls of poll() interrupts this one, too */
		if (poll(&p, 1, -1) < 0 && errno == EINTR)
			continue;
		client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (client < 0)
			_exit(1);
		serve(client, context);
	}
}

void stand_in_end(pid_t pid, const char *path)
{
	waiter_end(pid);
	assert_int_equal(unlink(path), 0);
}

void stand_in_send_text(int client, const char *text)
{
	if (send(client, text, strlen(text), MSG_NOSIGNAL) < 0)
		_exit(1);
}

void stand_in_await_end(int client)
{
	char c;

	while (recv(client, &c, 1, 0) > 0)
		;
}
