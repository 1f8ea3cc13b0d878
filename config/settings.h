/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program's settings: the table's defaults, then the file, then the flags. Loading has no side
 * effect, so a reload that fails leaves the old configuration as it was.
 */
#ifndef MEMTALLY_CONFIG_SETTINGS_H
#define MEMTALLY_CONFIG_SETTINGS_H

#include "base/cleanup.h"
#include "config/option.h"

/* Size of an error text, which has a line for each fault, without a newline after the last one. */
enum { SETTINGS_ERROR_SIZE = 4096 };

/*
 * Reads ARGV and the file it names (or the default one) into *ret, which the caller frees with settings_free().
 *
 * On failure ERROR has a line for each fault: the flag, or file, line and key, what was found and what was expected. -EINVAL:
 * a flag or a setting is refused; -EBADMSG: the file is not YAML; -ENOMEM; else the errors of open() and read().
 *
 * PROGRAM_MEMTALLY without --check-config ignores file settings that it does not use or know, and a default file that is not
 * YAML or that the user may not read: then .ignored of *ret has the text of a warning.
 */
int settings_load(enum program program, int argc, char *const argv[], struct settings **ret,
	char error[static SETTINGS_ERROR_SIZE]);

/* Adds a line to ERROR, which may be empty. A line that is too long is cut. */
void settings_add_fault(char error[static SETTINGS_ERROR_SIZE], const char *format, ...)
	__attribute__((format(printf, 2, 3)));

struct settings *settings_free(struct settings *c); /* accepts NULL; returns NULL */

/* What the flags ask for. */
enum settings_action settings_action(const struct settings *c);

static inline void cleanup_settings(struct settings **c)
{
	settings_free(*c);
}
#define AUTO_SETTINGS CLEANUP(cleanup_settings)

#endif
