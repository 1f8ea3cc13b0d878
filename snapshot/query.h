/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which rows of a snapshot, in which order: the parameters of the HTTP lists and the options of the
 * terminal program, over one list of fields.
 */
#ifndef MEMTALLY_SNAPSHOT_QUERY_H
#define MEMTALLY_SNAPSHOT_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/sight.h"
#include "snapshot/view.h"

enum {
	QUERY_FILTERS_MAX = 64,
	QUERY_VALUE_MAX = SNAPSHOT_NAME_MAX + 1, /* bytes of one filter's value, terminated */
	QUERY_TEXT_SIZE = 16384,                 /* bytes of all of them */
	QUERY_LIMIT_MAX = 1000000,
	QUERY_ERROR_SIZE =
		512, /* a key of 64 bytes, or an argument of 100, and all kinds of owners */
};

enum query_field_kind {
	QUERY_METRIC,
	QUERY_PID,
	QUERY_UID,
	QUERY_GID,
	QUERY_OWNER, /* of a process */
	QUERY_SOURCE,
	QUERY_REASON,
	QUERY_NAME, /* of an owner; of a file its path */
	QUERY_ID,   /* likewise, as snapshot/owner.h calls it, as the next two */
	QUERY_ABOVE,
	QUERY_USER,
	QUERY_DELETED, /* of a file, as the next three */
	QUERY_EXECUTABLE,
	QUERY_DEVICE,
	QUERY_INODE,
};

struct query_field {
	enum query_field_kind kind;
	enum owner_kind owner;       /* QUERY_OWNER */
	const struct metric *metric; /* QUERY_METRIC; where it is labelled, the family's sum */
};

struct query_filter {
	struct query_field field;
	uint32_t value; /* where it begins in the query's text */
};

struct query {
	enum metric_scope scope; /* owners', METRIC_PROCESS or METRIC_FILE */
	struct sight sight;      /* of those of processes and files; all by default */
	struct query_field sort;
	bool has_sort, has_order, has_limit;
	bool ascending;
	uint32_t limit;
	struct query_filter filter[QUERY_FILTERS_MAX];
	size_t filters;
	char text[QUERY_TEXT_SIZE];
	size_t text_len;
};

/* Everything of SCOPE, the largest PSS first. */
void query_init(struct query *q, enum metric_scope scope);

/*
 * Sets parameter KEY (sort, order, limit, an owner's name, pid, path ...) to VALUE. sort, order and limit may
 * stand once, the filters several times: the alternatives of one key are or'ed, keys are and'ed.
 * -EINVAL with a sentence for the user in ERROR.
 */
int query_set(
	struct query *q, const char *key, const char *value, char error[static QUERY_ERROR_SIZE]);

/*
 * The rows of VIEW that Q selects, in order: indices in *ret_rows, which the caller frees. "(other)" is
 * never among them. Rows without the field that is sorted by come last in either order; ties go by pid
 * or by the order of the image. -ENOMEM.
 */
int query_run(
	const struct query *q, const struct view *view, uint32_t **ret_rows, size_t *ret_count);

#endif
