/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Help Texts
 *
 * Renders the option table as --help and as parts of the man pages.
 */
#ifndef MEMTALLY_SETTINGS_HELP_H
#define MEMTALLY_SETTINGS_HELP_H

#include "base/buffer.h"
#include "config/option.h"

/*
 * Appends to TO what --help of PROGRAM prints. USAGE is the text after "Usage: ", one or more lines
 * under 80 columns; PURPOSE says in a sentence what the program does. Errors are in TO.error.
 */
void help_render(enum program program, const char *usage, const char *purpose, struct buffer *to);

/* Appends the list of PROGRAM's options as mdoc, for its man page. */
void help_render_mdoc(enum program program, struct buffer *to);

/* Appends the list of the configuration file's keys as mdoc. */
void help_render_mdoc_keys(struct buffer *to);

#endif
