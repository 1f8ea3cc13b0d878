/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "base/log.h"

static volatile pid_t listener;
static volatile int exit_status;

/*
 * A view runs in a child that shares this process's memory and handlers of signals
 * (reading/supervisor.h): if the child changed the handler, this process could end without a word.
 */
static void interrupt_end(int number)
{
	if (getpid() != listener)
		_exit(exit_status ? exit_status : 128 + number);
	log_release();
	if (exit_status)
		_exit(exit_status);
	signal(number, SIG_DFL);
	raise(number);
}

void interrupt_hear(int status)
{
	struct sigaction action;

	if (sigaction(SIGINT, NULL, &action) < 0 || action.sa_handler == SIG_IGN)
		return;
	exit_status = status;
	if (!listener)
		listener = getpid();
	action = (struct sigaction){.sa_handler = interrupt_end, .sa_flags = SA_NODEFER};
	sigaction(SIGINT, &action, NULL);
}
