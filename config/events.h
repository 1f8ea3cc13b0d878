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

/* The text of a scalar, as long as the event is there. NULL: it is no scalar, or has a NUL in it. */
const char *events_text(const yaml_event_t *event);

/*
 * What becomes of an item of a sequence, or of a key of a mapping: a key has an events_text(), and its value is the next
 * event, for the function to read. 0; what is negative ends the reading.
 */
typedef int events_each(const yaml_event_t *event, void *context);

enum {
	EVENTS_EMPTY = 1,
};

/* The rest of a mapping whose beginning has been read: EACH for its keys. What EACH returns, or as events_next(). */
int events_read_mapping(struct events *e, events_each *each, void *context);

/* The same of a sequence, for its items. EVENTS_EMPTY: there is none. */
int events_read_sequence(struct events *e, events_each *each, void *context);

/* The whole file: one mapping, EACH for its keys, or nothing but comments. As events_read_mapping(). */
int events_read(struct events *e, events_each *each, void *context);

#endif
