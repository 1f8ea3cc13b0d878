/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Configuration files of process-exporter: the list process_names. Their texts are read from YAML;
 * patterns and templates stay texts. Pure.
 *
 * As in process-exporter 0.7.10, scalars of any type are their text; null is no value, and an empty
 * text in a list; and of a key that stands twice in a rule the last value counts. process-exporter
 * ignores unknown keys, a file without process_names, and all documents but the first: here these
 * are faults, and so are anchors, aliases and tags.
 */
#ifndef MEMTALLY_NAMING_RULES_FILE_H
#define MEMTALLY_NAMING_RULES_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "config/events.h"

enum {
	RULES_FILE_MAX = 1 << 20,     /* bytes of a file */
	RULES_FILE_ITEMS_MAX = 10000, /* rules */
	RULES_FILE_LIST_MAX = 1000,   /* selectors of a rule, in each of its lists */
};

enum rules_list_kind {
	RULES_COMM,
	RULES_EXE,
	RULES_CMDLINE,
	RULES_LISTS,
};

struct rules_list {
	struct buffer texts; /* terminated UTF-8, one text behind the other */
	size_t *line;        /* of each text, from 1 */
	size_t count, room;
	bool is_set; /* process-exporter accepts an empty list */
};

/* An item of process_names: at least one of its lists is set. */
struct rules_item {
	const char
		*name; /* terminated UTF-8; the default of process-exporter if the file has none */
	size_t name_line; /* from 1 */
	struct rules_list list[RULES_LISTS];
	size_t number; /* from 1 */
};

/*
 * Called with each item, in order. ITEM is valid during the call; EVENTS is for events_fail().
 * Returns 0; -EINVAL if it added faults; or another negative errno, which ends the reading.
 */
typedef int rules_file_each(const struct rules_item *item, struct events *events, void *context);

/*
 * Reads TEXT, the LEN bytes of a file that errors call PATH, and calls EACH for each item without
 * faults. Returns 0; -EINVAL if there are faults; -EBADMSG if the text is not YAML; -ENOMEM; or
 * another error of EACH. ERROR has a line for each fault.
 */
int rules_file_read(const char *path, const char *text, size_t len, rules_file_each *each,
	void *context, char error[static SETTINGS_ERROR_SIZE]);

#endif
