/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settings
 *
 * Reads a program's settings: the table's defaults, then the file, then for memtally the variables
 * of the environment, then the options. Loading has no side effects, so the old settings stay valid
 * if a reload fails.
 */
#ifndef MEMTALLY_CONFIG_SETTINGS_H
#define MEMTALLY_CONFIG_SETTINGS_H

#include "base/buffer.h"
#include "config/option.h"

/*
 * Reads the options ARGV and the file that they name (or the default file) into *RET, which the
 * caller frees with settings_free().
 *
 * Returns 0; -EINVAL if an option or a setting is refused; -EBADMSG if the file is not YAML; -EFBIG
 * if it has more than 1 MiB; -ENOMEM; or a negative errno of open() or read(). After a failure
 * ERROR has a line for each fault: the option, the variable, or file, line and key, the value that
 * was found and what was expected.
 *
 * PROGRAM_MEMTALLY without --check-config ignores file settings that it does not use or know, and a
 * default file that is not YAML or that the user may not read. Then .ignored of *RET has the text
 * of a warning.
 */
int settings_load(enum program program, int argc, char *const argv[], struct settings **ret,
	char error[static SETTINGS_ERROR_SIZE]);

/*
 * Returns what the options ask for. --help comes before --version, and --version before
 * --check-config.
 */
enum settings_action settings_action(const struct settings *c);

/*
 * Appends to TO, for --check-config, that the configuration is good, and its file or that there is
 * none; then a line for each variable of the environment that has set a value; terminated.
 */
void settings_say_good(const struct settings *c, struct buffer *to);

#endif
