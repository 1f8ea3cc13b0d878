/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YAML Configuration
 *
 * The YAML form of the option table. Keys nest at their dots or are written out; a list is one
 * scalar or a sequence. All else is a fault: unknown keys, repeated keys or groups, empty lists,
 * anchors, aliases, tags, several documents. All faults of a file are reported, each with file,
 * line, key, the value that was found and what was expected.
 */
#ifndef MEMTALLY_CONFIG_YAML_H
#define MEMTALLY_CONFIG_YAML_H

#include "config/option.h"

/*
 * Reads the file at PATH into C. Returns 0; -EINVAL if there are faults; -EBADMSG if the file is
 * not YAML, which is the last line of ERROR; -EFBIG if it has more than 1 MiB; -ENOMEM; or a
 * negative errno of open() or read(). ERROR has a line for each fault. After a failure only
 * settings_free() may be called with C.
 *
 * If PROGRAM is PROGRAM_MEMTALLY and .check_config of C is not set, faults in settings of other
 * programs and unknown keys do not count. Then .ignored of C is a warning about the first one.
 */
int yaml_load(const char *path, enum program program, struct settings *c,
	char error[static SETTINGS_ERROR_SIZE]);

/*
 * Does the same as yaml_load() with TEXT, the LEN bytes of a file. NAME is the file's name for
 * errors. Pure.
 */
int yaml_parse(const char *name, const char *text, size_t len, enum program program,
	struct settings *c, char error[static SETTINGS_ERROR_SIZE]);

#endif
