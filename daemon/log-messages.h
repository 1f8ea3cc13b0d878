/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Log messages
 *
 * memtallyd's log messages while it runs: their words, and how often each is logged.
 */
#ifndef MEMTALLY_DAEMON_LOG_MESSAGES_H
#define MEMTALLY_DAEMON_LOG_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/log.h"
#include "collectors/pass/pass.h"

struct log_messages {
	struct log_limit pass_errors, budget_warnings; /* one a minute of each */
	struct log_limit pressure, kills;              /* one in ten minutes of each */
	/*
	 * CLOCK_MONOTONIC of the last log_messages_budget(); 0: none since
	 * log_messages_budget_suffices() logged
	 */
	uint64_t short_ns;
	bool has_logged_charges, has_logged_ambiguous; /* log_messages_charges() has logged these */
};

/* Initialises M: nothing has been logged. */
void log_messages_init(struct log_messages *m);

/* Logs that WHAT failed in a pass, with ERROR, a negative errno; at most once a minute. */
void log_messages_pass_error(struct log_messages *m, const char *what, int error);

/*
 * Logs that the budget suffices only for a pass every INTERVAL_NS, and that the configured interval
 * needs NEEDED_PPM millionths of a core; at most once a minute.
 */
void log_messages_budget(struct log_messages *m, uint64_t interval_ns, uint64_t needed_ppm);

/*
 * Call if the budget suffices for the configured interval. Logs so if it has sufficed for a minute
 * and log_messages_budget() was called before.
 */
void log_messages_budget_suffices(struct log_messages *m);

/*
 * Logs that brief passes begin, because processes wait for memory; at most once in ten minutes,
 * with the number of times since the last message.
 */
void log_messages_pressure(struct log_messages *m);

/*
 * Logs that brief passes begin, because the kernel has killed a process for lack of memory; at most
 * once in ten minutes, with the number of times since the last message.
 */
void log_messages_kill(struct log_messages *m);

/* Logs that there is no trigger (psi-trigger.h). ERROR is the negative errno of opening it. */
void log_messages_trigger_error(int error);

/* Logs after the first pass what it could read, and what would help. */
void log_messages_first_pass(const struct pass_summary *s);

/*
 * Call after each pass. Logs, once each, that cgroups cannot be read, and that owners have several
 * cgroups.
 */
void log_messages_charges(struct log_messages *m, const struct pass_summary *s);

/*
 * Call after each pass. Logs for each process that has been blocked for a second that its files
 * block their readers; for the same process again only if it blocks ten minutes after that block
 * ended. At most 20 processes a pass, and a line with the number of others, which are logged after
 * the next passes.
 */
void log_messages_blocked(struct pass *pass);

/* Logs why memtallyd cannot listen at PATH. ERROR is a negative errno. */
void log_messages_listen_error(const char *path, int error);

#endif
