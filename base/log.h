/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Log lines of the programs, on standard error. Only programs log (and service, for them), once, at the edge: base, snapshot,
 * collectors, config and render hand errors up. If standard error is the journal, a line begins with its priority, "<3>"; else
 * with the program's name.
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

/*
 * Names the program and sets the highest level that is written. Looks once whether standard error is the journal, so call it after
 * standard_fill() and again if standard error is replaced. PROGRAM is borrowed for the life of the process.
 */
void log_open(const char *program, enum log_level level);

/* Sets the highest level that is written from now on. */
void log_set_level(enum log_level level);

/* Writes one line of at most about 1 KiB to standard error; a failure of the write is ignored. */
void log_message(enum log_level level, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Writes a line for each line of TEXT, with BEFORE in front of it. */
void log_lines(enum log_level level, const char *before, const char *text);

#define log_error(...)   log_message(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(...) log_message(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_info(...)    log_message(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...)   log_message(LOG_LEVEL_DEBUG, __VA_ARGS__)

/* Rate limit: lets one line pass in .interval_ns. Pure: the caller gives the time. */
struct log_limit {
	uint64_t interval_ns;
	uint64_t last_ns;
	uint64_t suppressed; /* since the last line that went through */
};

/* Whether to log at NOW_NS. *RET_SUPPRESSED is the number of lines that were held back since the last one. */
bool log_limit_pass(struct log_limit *limit, uint64_t now_ns, uint64_t *ret_suppressed);

#endif
