/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The YAML form of the option table. Keys nest at their dots or are written out; a list may be one
 * scalar or a sequence. Anything else is refused with file, line, key and what was expected: unknown
 * keys, a key or a group twice, empty lists, anchors, aliases and tags, several documents.
 */
#ifndef MEMTALLY_CONFIG_YAML_H
#define MEMTALLY_CONFIG_YAML_H

#include "config/settings.h"

/* Reads the file at PATH into C. -ENOENT and other errors of open and read; -EINVAL. */
int yaml_load(const char *path, enum program program, struct settings *c,
	char error[static SETTINGS_ERROR_SIZE]);

/* The same over TEXT; NAME stands for the file in errors. Pure. */
int yaml_parse(const char *name, const char *text, size_t len, enum program program,
	struct settings *c, char error[static SETTINGS_ERROR_SIZE]);

#endif
