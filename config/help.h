/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The option table for people: --help and the options' part of the man pages.
 */
#ifndef MEMTALLY_SETTINGS_HELP_H
#define MEMTALLY_SETTINGS_HELP_H

#include "base/buffer.h"
#include "config/option.h"

/* What --help prints; USAGE is a line, or several under 80 columns. */
void help_render(enum program program, const char *usage, const char *purpose, struct buffer *to);

/* The OPTIONS section of PROGRAM's man page, as mdoc. */
void help_render_mdoc(enum program program, struct buffer *to);

/* The keys of the configuration file, as mdoc. */
void help_render_mdoc_keys(struct buffer *to);

#endif
