/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Log lines of the programs, on standard error. Only programs log (and service, for them), once, at the edge: base, snapshot,
 * collectors, config and render hand errors up. Under systemd lines carry the <N> priority prefix.
 */
#ifndef MEMTALLY_BASE_LOG_H
#define MEMTALLY_BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>

enum log_level {
	LOG_LEVEL_ERROR,
	LOG_LEVEL_WARNING,
	LOG_LEVEL_INFO,
	LOG_LEVEL_DEBUG,
};

/* PROGRAM is borrowed for the life of the process. */
void log_open(const char *program, enum log_level level);
void log_set_level(enum log_level level);

void log_message(enum log_level level, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#define log_error(...)   log_message(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(...) log_message(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_info(...)    log_message(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...)   log_message(LOG_LEVEL_DEBUG, __VA_ARGS__)

/* Lets one line in INTERVAL_NS through; pure, so the caller brings the clock. */
struct log_limit {
	uint64_t interval_ns;
	uint64_t last_ns;
	uint64_t suppressed; /* since the last line that went through */
};

/* Whether to log now; *ret_suppressed says how many lines were held back since the last one. */
bool log_limit_pass(struct log_limit *limit, uint64_t now_ns, uint64_t *ret_suppressed);

#endif
