/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Log Lines
 *
 * Writes the log lines of the programs to standard error. Only programs log, and service/ for them,
 * once for each event: base, snapshot, collectors, config and render return errors to their
 * callers. If standard error is the journal, a line begins with its priority, such as "<3>"; else
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
 * Names the program and sets the highest level that is written. Checks whether standard error is
 * the journal, so call it after standard_fill(), and again if standard error is replaced. PROGRAM
 * is borrowed for the life of the process.
 */
void log_open(const char *program, enum log_level level);

/* Sets the highest level that is written from now on. */
void log_set_level(enum log_level level);

/*
 * Writes one line to standard error if LEVEL is low enough, with control characters escaped. A text
 * of 1024 bytes or more is cut off. Errors are ignored.
 */
void log_message(enum log_level level, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Holds back warnings from now on, for a program that prints a result first. Errors and other lines
 * are written at once, and so are the first warnings if there are more than 16 KiB.
 */
void log_hold(void);

/*
 * Writes the warnings that were held back, in their order, and holds back no more. May be called by a
 * handler of signals.
 */
void log_release(void);

/* Writes each line of TEXT with log_message(), with BEFORE in front of it. */
void log_lines(enum log_level level, const char *before, const char *text);

#define log_error(...)   log_message(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(...) log_message(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_info(...)    log_message(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...)   log_message(LOG_LEVEL_DEBUG, __VA_ARGS__)

/* Rate limit: at most one line in .interval_ns. Pure: the caller gives the time. */
struct log_limit {
	uint64_t interval_ns;
	uint64_t last_ns;    /* when the last line passed; 0: never */
	uint64_t suppressed; /* lines held back since the last line that passed */
};

/*
 * Returns true if a line may be logged at NOW_NS, and then writes to *RET_SUPPRESSED how many lines
 * were held back before it. Returns false if the line is to be held back, and counts it.
 */
bool log_limit_pass(struct log_limit *limit, uint64_t now_ns, uint64_t *ret_suppressed);

#endif
