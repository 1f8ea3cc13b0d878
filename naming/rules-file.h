/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Configuration files of process-exporter: the list process_names. Their texts are read from YAML;
 * patterns and templates stay texts. Pure.
 *
 * As in process-exporter 0.7.10, YAML has anchors, aliases and merge keys (<<); scalars of any type
 * are their text; null is no value, and an empty text in a list; and of a key that stands twice the
 * last value counts. process-exporter ignores unknown keys, a file without process_names, and all
 * documents but the first: here these are faults. libyaml refuses an anchor that is defined twice.
 */
#ifndef MEMTALLY_NAMING_RULES_FILE_H
#define MEMTALLY_NAMING_RULES_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/faults.h"

enum {
	RULES_FILE_MAX = 1 << 20, /* bytes of a file */
	RULES_FILE_TEXTS_MAX =
		2 << 20,              /* bytes of all texts, each alias replaced by what it means */
	RULES_FILE_ITEMS_MAX = 10000, /* rules */
	RULES_FILE_LIST_MAX = 1000,   /* selectors of a rule, in each of its lists */
	RULES_FILE_DEPTH_MAX = 16,    /* levels of mappings and lists, also of merges */
	RULES_FILE_ANCHORS_MAX = 256,
};

/* A text of the file, terminated UTF-8. */
struct rules_text {
	const char *text; /* borrowed */
	size_t line;      /* from 1 */
};

enum rules_list_kind {
	RULES_COMM,
	RULES_EXE,
	RULES_CMDLINE,
	RULES_LISTS,
};

struct rules_list {
	const struct rules_text *item; /* borrowed */
	size_t count;                  /* 0 is possible: process-exporter accepts [] */
	bool is_set;
};

/* An item of process_names: at least one of its lists is set. */
struct rules_item {
	struct rules_text name; /* the default of process-exporter if the file has none */
	struct rules_list list[RULES_LISTS];
	size_t number; /* from 1 */
};

/*
 * Called with each item, in order. ITEM is valid during the call. Returns 0; -EINVAL if it added
 * faults; or another negative errno, which ends the reading.
 */
typedef int rules_file_each(const struct rules_item *item, void *context);

/*
 * Reads TEXT, the LEN bytes of a file, and calls EACH for each item without faults. Adds a fault to
 * F for each fault of the file. Returns 0; -EINVAL if F has faults; -EBADMSG if the text is not
 * YAML; -ENOMEM; or another error of EACH. Time and memory are bounded if LEN is at most
 * RULES_FILE_MAX.
 */
int rules_file_read(
	const char *text, size_t len, struct faults *f, rules_file_each *each, void *context);

#endif
