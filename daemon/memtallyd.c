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
#include "daemon/children/drop-privileges.h"
#include "daemon/children/measurers.h"
#include "daemon/children/resolver.h"
#include "daemon/manager.h"
#include "daemon/naming-file.h"
#include "service/command.h"

enum { NICE = 5 };

/*
 * memtallyd keeps one descriptor of each process: under the usual soft limit only the first
 * thousand processes have one.
 */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		log_warning("cannot raise the limit of open files (RLIMIT_NOFILE): %m");
}

/*
 * Other programs come first. A niceness other than 0 was chosen by the administrator and stays; a
 * unit may forbid the call and set its own.
 */
static void lower_priority(void)
{
	errno = 0;
	if (getpriority(PRIO_PROCESS, 0) == 0 && errno == 0)
		(void)setpriority(PRIO_PROCESS, 0, NICE);
}

/* Consumes RULES. */
static int memtallyd_serve(
	int argc, char *argv[], const struct settings *settings, struct naming_rules *rules)
{
	AUTO_NAMING_RULES struct naming_rules *naming = rules;
	AUTO_RESOLVER struct resolver *resolver = NULL;
	AUTO_MEASURERS struct measurers measurers = {.fd = -1};
	AUTO_MANAGER struct manager *manager = NULL;
	struct account account, of_resolver;
	int given = sd_listen_fds(0), r;

	if (drop_privileges_accounts(&account, &of_resolver) < 0)
		return EXIT_FAILURE;
	raise_descriptor_limit();
	/* First, so that the child inherits no descriptors and no memory of value. */
	r = resolver_start(&of_resolver, account.uid, &resolver);
	if (r < 0)
		log_warning("cannot start the name resolver: %s; users are shown by number",
			strerror(-r));
	/*
	 * After the resolver, which keeps its priority: names that come late miss the pass, and it
	 * uses next to no CPU.
	 */
	lower_priority();
	r = manager_open(settings, argc, argv, resolver, &manager);
	if (r == 0) {
		manager_set_naming(manager, TAKE_PTR(naming));
		r = measurers_open(&account, settings->path_procfs, &measurers);
		if (r < 0)
			log_error("cannot start the processes that read other processes: %s",
				strerror(-r));
		else
			r = manager_set_measurers(manager, &measurers);
	}
	/* After the socket was made: only root may be allowed to write to its directory. */
	if (r == 0)
		r = drop_privileges_daemon(&account, given == 0);
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
	int status = command_begin(&command, argc, argv, &settings), r;
	struct naming_rules *rules;

	if (status != COMMAND_RUN && status != COMMAND_CHECK)
		return status;
	r = naming_file_load(settings, &rules);
	if (r < 0)
		return command_refused(r);
	if (status == COMMAND_RUN)
		return memtallyd_serve(argc, argv, settings, rules);
	naming_rules_free(rules);
	return command_say_good(settings);
}
