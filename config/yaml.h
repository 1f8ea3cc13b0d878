/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The YAML form of the option table. Keys nest at their dots or are written out; a list may be one scalar or a sequence. Anything
 * else is a fault: unknown keys, a key or a group twice, empty lists, anchors, aliases and tags, several documents. All faults of a
 * file are reported, each with file, line, key, what was found and what was expected.
 */
#ifndef MEMTALLY_CONFIG_YAML_H
#define MEMTALLY_CONFIG_YAML_H

#include "config/settings.h"

/*
 * Reads the file at PATH into C. -EINVAL: there are faults, and ERROR has a line for each; -EBADMSG: the file is not YAML, which is the
 * last line of ERROR; -ENOMEM; errors of open() and read(). On failure C is good for settings_free() alone.
 *
 * If PROGRAM is PROGRAM_MEMTALLY and C does not say .check_config, faults in settings of other programs and unknown keys do not count:
 * C->ignored has the first one.
 */
int yaml_load(const char *path, enum program program, struct settings *c,
	char error[static SETTINGS_ERROR_SIZE]);

/* The same for TEXT; NAME stands for the file in errors. Pure. */
int yaml_parse(const char *name, const char *text, size_t len, enum program program,
	struct settings *c, char error[static SETTINGS_ERROR_SIZE]);

#endif
