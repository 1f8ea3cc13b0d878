/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a service begins: without what nobody meant for it, with its settings; and what it does when it was asked for its help
 * or its version alone.
 */
#ifndef MEMTALLY_SERVICE_COMMAND_H
#define MEMTALLY_SERVICE_COMMAND_H

#include "config/settings.h"

struct command {
	enum program program;
	const char *name;
	const char *purpose; /* a sentence, for --help */
};

/* Beside statuses to exit with. */
enum {
	COMMAND_MISUSE =
		2, /* such a one: a wrong flag or configuration, which another try does not mend */
	COMMAND_RUN = -1, /* go on */
	COMMAND_CHECK =
		-2, /* the configuration is to be checked, and what is read of it here is good */
};

/*
 * First of all, before anything is opened: closes what was inherited, but for what the service manager has passed, opens the
 * log, and reads the settings, which the caller frees, whatever is returned. COMMAND_RUN, COMMAND_CHECK, or the status
 * to exit with; what is wrong is on the log.
 */
int command_begin(const struct command *c, int argc, char *argv[], struct settings **ret);

/* Says that the configuration is good, which was to be checked; the status to exit with. */
int command_say_good(void);

#endif
