/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot as JSON, the same for HTTP and the terminal. Each answer is one object that begins
 * with a "snapshot" object, the head. Long lists are rendered in pieces, so that they never stand
 * in memory whole. Absent quantities are left out. Integers are exact; seconds are decimals.
 *
 * Pure. All functions append to a buffer; the caller checks its .error.
 */
#ifndef MEMTALLY_RENDER_JSON_H
#define MEMTALLY_RENDER_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "snapshot/query.h"
#include "snapshot/view.h"

/*
 * Appends the head, without the closing brace of the answer:
 * `{"snapshot":{"instance":...,"time":...,"sequence":...,"interval_seconds":...,"age_seconds":...,
 * "complete":...}`
 * It is the only part that depends on the clock: NOW_BOOTTIME_NS is CLOCK_BOOTTIME. If not
 * HAS_SCHEDULE (there will be no other pass), it has no interval.
 */
void json_render_head(
	const struct view *view, uint64_t now_boottime_ns, bool has_schedule, struct buffer *to);

/* A list that is being rendered. */
struct json_list {
	const struct view *view; /* borrowed */
	enum metric_scope scope;
	const uint32_t *rows; /* borrowed; indices of the rows, in order */
	size_t count;
	/* Begins at 0; index in rows of the next one; count + 1: the end is rendered, too. */
	size_t next;
};

/*
 * Appends the next piece of `,"users":[{...},...]}` after a head, until TO holds at least ENOUGH
 * bytes or the end is reached. A list of files has `,"survey":{...}` before it, if there was a
 * survey. Returns true if there is more to render.
 */
bool json_list_render(struct json_list *list, size_t enough, struct buffer *to);

/*
 * Append `,"process":{...}}`, `,"host":{...}}` and `,"status":{...}}` after a head. The host is
 * followed by the lists `"shmem"` and `"tmpfs"`, if the snapshot has the host's balance, and by
 * `"survey"`, if there was a survey.
 */
void json_render_process(
	const struct view *view, const struct snapshot_process *row, struct buffer *to);
void json_render_host(const struct view *view, struct buffer *to);
void json_render_status(const struct view *view, struct buffer *to);

/* Appends the host without its lists, and the status: `,"host":{...},"status":{...}}`. */
void json_render_host_status(const struct view *view, struct buffer *to);

/*
 * Returns the field under which SCOPE stands: "users", "programs", "units", "processes" and so on;
 * NULL if it has none.
 */
const char *json_list_name(enum metric_scope scope);

/* Appends TEXT, which may contain any bytes, as a JSON string. */
void json_render_string(const char *text, struct buffer *to);

/* Appends `{"error":"..."}`. MESSAGE may contain any bytes. */
void json_render_error(const char *message, struct buffer *to);

#endif
