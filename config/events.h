/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A configuration file as libyaml's events: only events know their line. Anchors, aliases, tags and several documents are refused
 * wherever they stand. A fault in one setting does not end the reading: all faults of a file are reported, each with file and line.
 */
#ifndef MEMTALLY_CONFIG_EVENTS_H
#define MEMTALLY_CONFIG_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

#include "config/settings.h"

enum { EVENTS_FAULT_SIZE = 512 }; /* of the text of one fault */

struct events {
	yaml_parser_t parser;
	const char *name; /* of the file, in errors */
	const char *text;
	size_t len;
	char *error;         /* of SETTINGS_ERROR_SIZE: a line for each fault */
	size_t error_len;    /* of the lines that fit */
	unsigned int faults; /* that count */
	unsigned int unsaid; /* of .faults, those without room in .error */

	bool is_ignoring;     /* set by the loader: faults from now on do not count */
	unsigned int ignored; /* faults that did not count */
	char first_ignored[EVENTS_FAULT_SIZE]; /* the text of the first one */

	unsigned int depth; /* containers that have begun and not ended */
	size_t count;       /* events that were read */
};

/* Begins to read TEXT of LEN bytes. NAME, TEXT and ERROR stay borrowed; ERROR becomes empty. Returns 0 or -ENOMEM. */
int events_open(struct events *e, const char *name, const char *text, size_t len,
	char error[static SETTINGS_ERROR_SIZE]);
/* Frees what E owns. */
void events_close(struct events *e);

/*
 * Reads the next event into *RET, which the caller deletes. Returns 0; -EINVAL: a fault; -EBADMSG: not YAML, which ends the
 * reading; -ENOMEM.
 */
int events_next(struct events *e, yaml_event_t *ret);

/* Reports a fault at MARK; returns -EINVAL. */
int events_fail(struct events *e, const yaml_mark_t *mark, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The text of a scalar, as long as the event is there. NULL: it is no scalar, or has a NUL in it. */
const char *events_text(const yaml_event_t *event);

/*
 * Reads an item of a sequence, or the value of a key of a mapping. A key has an events_text(); its value is the next event. After
 * -EINVAL the rest of the item or of the value is skipped and the reading goes on; any other negative result ends it.
 */
typedef int events_each(const yaml_event_t *event, void *context);

enum {
	EVENTS_EMPTY = 1, /* the sequence has no items */
};

/* Reads the rest of a mapping after its beginning, and calls EACH for its keys. Returns 0, also after faults; -EBADMSG; -ENOMEM. */
int events_read_mapping(struct events *e, events_each *each, void *context);

/* Does the same for the items of a sequence. Also returns EVENTS_EMPTY. */
int events_read_sequence(struct events *e, events_each *each, void *context);

/*
 * Reads the whole file: one mapping, with EACH for its keys, or only comments. Returns 0; -EINVAL if there are faults;
 * -EBADMSG if it is not YAML; -ENOMEM.
 */
int events_read(struct events *e, events_each *each, void *context);

#endif
