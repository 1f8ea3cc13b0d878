/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "daemon/memtallyd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "base/log.h"
#include "daemon/manager.h"
#include "daemon/measurers.h"
#include "daemon/narrow.h"
#include "daemon/resolver.h"
#include "service/command.h"

enum { NICE = 5 };

/* One descriptor a process is kept: without a raised limit the first thousand have one. */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		log_warning("can't raise the limit of descriptors: %m");
}

/* Others come first. Whoever started us with another niceness meant it; a unit may forbid the call and set its own. */
static void lower_priority(void)
{
	errno = 0;
	if (getpriority(PRIO_PROCESS, 0) == 0 && errno == 0)
		(void)setpriority(PRIO_PROCESS, 0, NICE);
}

static int serve(int argc, char *argv[], const struct settings *settings)
{
	AUTO_RESOLVER struct resolver *resolver = NULL;
	AUTO_MEASURERS struct measurers measurers = {.fd = -1};
	AUTO_MANAGER struct manager *manager = NULL;
	struct account account, of_resolver;
	int given = sd_listen_fds(0), r;

	if (narrow_accounts(&account, &of_resolver) < 0)
		return EXIT_FAILURE;
	raise_descriptor_limit();
	/* First of all, so that the child inherits nothing worth having. */
	r = resolver_start(&of_resolver, account.uid, &resolver);
	if (r < 0)
		log_warning("users are shown by number, the resolver of names can't be started: %s",
			strerror(-r));
	/* Not the child: a pass is published without the names that come late, and it uses next to nothing. */
	lower_priority();
	r = manager_open(settings, argc, argv, resolver, &manager);
	if (r == 0) {
		r = measurers_open(&account, settings->path_procfs, &measurers);
		if (r < 0)
			log_error("cannot start the processes that read other processes: %s",
				strerror(-r));
		else
			r = manager_set_measurers(manager, &measurers);
	}
	/* After the socket was made, in whose directory only root may be allowed to write. */
	if (r == 0)
		r = narrow_daemon(&account, given == 0);
	if (r == 0) {
		manager_set_own(manager, geteuid());
		r = manager_run(manager);
	}
	return r < 0;
}

int memtallyd_run(int argc, char *argv[])
{
	static const struct command command = {.program = PROGRAM_MEMTALLYD,
		.name = "memtallyd",
		.purpose = "Measures the memory of all processes and hands out snapshots."};
	AUTO_SETTINGS struct settings *settings = NULL;
	int status = command_begin(&command, argc, argv, &settings);

	if (status == COMMAND_RUN)
		return serve(argc, argv, settings);
	return status == COMMAND_CHECK ? command_say_good() : status;
}
