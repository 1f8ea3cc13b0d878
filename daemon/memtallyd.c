/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "daemon/memtallyd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/log.h"
#include "config/help.h"
#include "config/settings.h"
#include "confine/inheritance.h"
#include "daemon/manager.h"
#include "daemon/narrow.h"
#include "daemon/resolver.h"

enum { NICE = 5 };

static int print_help(void)
{
	AUTO_BUFFER struct buffer text = {0};

	help_render(PROGRAM_MEMTALLYD, "memtallyd [FLAG...]",
		"Measures the memory of all processes and hands out snapshots.", &text);
	return text.error || fwrite(text.data, 1, text.len, stdout) != text.len ||
	       fflush(stdout) != 0;
}

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

/* GIVEN: sockets of the service manager's. */
static int serve(int argc, char *argv[], const struct settings *settings, int given)
{
	AUTO_RESOLVER struct resolver *resolver = NULL;
	AUTO_MANAGER struct manager *manager = NULL;
	struct account account, of_resolver;
	int r;

	log_open("memtallyd", (enum log_level)settings->log_level);
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
	AUTO_SETTINGS struct settings *settings = NULL;
	char error[SETTINGS_ERROR_SIZE];
	int given = sd_listen_fds(0), r;

	log_open("memtallyd", LOG_LEVEL_INFO);
	r = given < 0 ? given : inheritance_close((unsigned int)given);
	if (r < 0) {
		log_error("can't close what was inherited: %s", strerror(-r));
		return EXIT_FAILURE;
	}
	if (settings_load(PROGRAM_MEMTALLYD, argc, argv, &settings, error) < 0) {
		log_error("%s", error);
		return 2;
	}
	switch (settings_action(settings)) {
	case SETTINGS_HELP: return print_help();
	case SETTINGS_VERSION: return puts("memtallyd " PACKAGE_VERSION) < 0 || fflush(stdout) != 0;
	case SETTINGS_CHECK: return puts("the configuration is good") < 0 || fflush(stdout) != 0;
	case SETTINGS_RUN: break;
	}
	return serve(argc, argv, settings, given);
}
