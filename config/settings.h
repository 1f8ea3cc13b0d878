/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program's settings: the table's defaults, then the file, then the flags. Loading has no side
 * effect, so a reload that fails leaves the old configuration as it was.
 */
#ifndef MEMTALLY_CONFIG_SETTINGS_H
#define MEMTALLY_CONFIG_SETTINGS_H

#include "base/cleanup.h"
#include "config/option.h"

enum { SETTINGS_ERROR_SIZE = 512 };

/*
 * Reads ARGV and the file it names (or the default one) into *ret, which the caller frees with
 * settings_free(). On -EINVAL, -ENOENT and other errors of the file, ERROR names the flag, or file, line
 * and key, and what was expected.
 */
int settings_load(enum program program, int argc, char *const argv[], struct settings **ret,
	char error[static SETTINGS_ERROR_SIZE]);

struct settings *settings_free(struct settings *c); /* accepts NULL; returns NULL */

/* What the flags ask for. */
enum settings_action settings_action(const struct settings *c);

static inline void cleanup_settings(struct settings **c)
{
	settings_free(*c);
}
#define AUTO_SETTINGS CLEANUP(cleanup_settings)

#endif
