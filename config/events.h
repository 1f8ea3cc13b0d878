/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A configuration file as libyaml's events, because only events know their line. What no configuration of ours needs is
 * refused wherever it stands: anchors, aliases and tags, several documents. Every error has file and line.
 */
#ifndef MEMTALLY_CONFIG_EVENTS_H
#define MEMTALLY_CONFIG_EVENTS_H

#include <stddef.h>
#include <yaml.h>

#include "config/settings.h"

struct events {
	yaml_parser_t parser;
	const char *name; /* stands for the file in errors */
	const char *text;
	size_t len;
	char *error; /* of SETTINGS_ERROR_SIZE */
};

/* Begins to read TEXT. All but E is borrowed. -ENOMEM. */
int events_open(struct events *e, const char *name, const char *text, size_t len,
	char error[static SETTINGS_ERROR_SIZE]);
void events_close(struct events *e);

/* The next event, for the caller to delete. -EINVAL: refused, and the reason is in the error; -ENOMEM. */
int events_next(struct events *e, yaml_event_t *ret);

/* Says what is wrong at MARK; -EINVAL. */
int events_fail(struct events *e, const yaml_mark_t *mark, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Reads a mapping whose beginning has been read. */
typedef int events_mapping(struct events *e, void *context);

/*
 * The whole file: one mapping, which READ is called for, or nothing but comments. What READ returns, or as
 * events_next().
 */
int events_read(struct events *e, events_mapping *read, void *context);

#endif
