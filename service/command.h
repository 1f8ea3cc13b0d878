/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The start of a service: closes inherited descriptors, reads the settings, and answers --help and
 * --version.
 */
#ifndef MEMTALLY_SERVICE_COMMAND_H
#define MEMTALLY_SERVICE_COMMAND_H

#include <stdbool.h>

#include "config/settings.h"

struct command {
	enum program program;
	const char *name;
	const char *purpose; /* a sentence, for --help */
};

/* Results in addition to exit statuses. */
enum {
	/* An exit status: a wrong option or configuration. Starting again does not help. */
	COMMAND_MISUSE = 2,
	COMMAND_RUN = -1, /* start the service */
	/* --check-config: the settings are good; check the rest of the configuration. */
	COMMAND_CHECK = -2,
};

/*
 * Call this first, before anything is opened. Closes inherited descriptors except those from the
 * service manager, opens the log, and reads the settings into *RET, which the caller frees in any
 * case. Returns COMMAND_RUN, COMMAND_CHECK, or an exit status; errors have been logged.
 */
int command_begin(const struct command *c, int argc, char *argv[], struct settings **ret);

/*
 * Returns the exit status after a configuration could not be read, with the error R: 1 for -ENOMEM,
 * since another try may succeed; else COMMAND_MISUSE.
 */
int command_refused(int r);

/*
 * Prints for --check-config that the configuration of SETTINGS is good, and which file that is.
 * Returns the exit status.
 */
int command_say_good(const struct settings *settings);

/*
 * Stops the service at signal NUMBER: sets *STOPS, and logs the signal if *STOPS was not set. So
 * only the first of several signals is logged.
 */
void command_stop_at(int number, bool *stops);

#endif
