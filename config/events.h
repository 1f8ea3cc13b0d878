/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YAML Events
 *
 * Reads a configuration file as libyaml's events, because only events know their line. Anchors,
 * aliases, tags, several documents and more than 16 levels are refused everywhere. A fault in one
 * setting does not end the reading: all faults of a file are reported, each with file and line.
 */
#ifndef MEMTALLY_CONFIG_EVENTS_H
#define MEMTALLY_CONFIG_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

#include "base/faults.h"
#include "config/option.h"

struct events {
	yaml_parser_t parser;
	const char *text;
	size_t len;
	struct faults faults; /* those that count */

	bool is_ignoring;     /* set by the caller: faults from now on do not count */
	unsigned int ignored; /* faults that did not count */
	char first_ignored[FAULTS_LINE_SIZE]; /* text of the first one */

	unsigned int depth; /* mappings and sequences that have begun and not ended */
	size_t count;       /* events read so far */
};

/*
 * Begins to read TEXT of LEN bytes. NAME is the file's name for errors. NAME, TEXT and ERROR stay
 * borrowed until events_close(). ERROR becomes empty. Returns 0 or -ENOMEM.
 */
int events_open(struct events *e, const char *name, const char *text, size_t len,
	char error[static SETTINGS_ERROR_SIZE]);
/* Frees what E owns. */
void events_close(struct events *e);

/*
 * Reads the next event into *RET, which the caller deletes (yaml_event_delete()). Returns 0;
 * -EINVAL if it has an anchor or a tag, which is reported and deleted; -EBADMSG if the text is not
 * YAML or has more levels, which is reported and ends the reading; or -ENOMEM.
 */
int events_next(struct events *e, yaml_event_t *ret);

/*
 * Reports a fault at MARK: adds a line "FILE:LINE: ..." to the error text, or counts it as ignored.
 * Returns -EINVAL.
 */
int events_fail(struct events *e, const yaml_mark_t *mark, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Returns the text of a scalar, borrowed from EVENT; NULL if EVENT is no scalar or its text
 * contains a NUL.
 */
const char *events_text(const yaml_event_t *event);

/*
 * Called with each item of a sequence, or with each key of a mapping. events_text() is not NULL for
 * a key; the callback reads the value with events_next(). If it returns -EINVAL, the rest of the
 * item or value is skipped and the reading goes on; any other negative result ends it. Otherwise it
 * returns 0.
 */
typedef int events_each(const yaml_event_t *event, void *context);

enum {
	EVENTS_EMPTY = 1, /* the sequence has no items */
};

/*
 * Reads the rest of a mapping after its start event, and calls EACH for each key. Returns 0, also
 * after faults; -EBADMSG; -ENOMEM.
 */
int events_read_mapping(struct events *e, events_each *each, void *context);

/*
 * Reads the rest of a sequence after its start event, and calls EACH for each item. Returns 0, also
 * after faults; EVENTS_EMPTY; -EBADMSG; -ENOMEM.
 */
int events_read_sequence(struct events *e, events_each *each, void *context);

/*
 * Reads the whole file: one mapping, with EACH for its keys, or only comments. Returns 0; -EINVAL
 * if there are faults that count; -EBADMSG if it is not YAML; -ENOMEM.
 */
int events_read(struct events *e, events_each *each, void *context);

#endif
