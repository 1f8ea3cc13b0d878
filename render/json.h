/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot as JSON, the same for HTTP and the terminal. Every answer is one object that begins with
 * a "snapshot" object; lists are rendered piecewise, so that a long one never stands in memory whole.
 * Absent quantities are left out. Integers are exact, seconds are decimals. Pure: into a buffer, whose
 * .error the caller checks.
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
 * `{"snapshot":{"instance":...,"time":...,"sequence":...,"interval_seconds":...,"age_seconds":...,
 * "complete":...}`, without the closing brace: the one part of an answer that depends on the clock.
 * HAS_SCHEDULE: that there will be another pass; else the interval is left out.
 */
void json_render_head(
	const struct view *view, uint64_t now_boottime_ns, bool has_schedule, struct buffer *to);

/* A list that is being rendered. */
struct json_list {
	const struct view *view; /* borrowed */
	enum metric_scope scope;
	const uint32_t *rows; /* borrowed; indices in order */
	size_t count;
	size_t next; /* the next row to render; count + 1 when the end is rendered, too */
};

/*
 * Appends `,"users":[{...},...]}` after a head, of files with `,"survey":{...}` before the list where there was one, piece by piece: returns when TO holds at least ENOUGH
 * bytes or the end has been reached. True while there is more.
 */
bool json_list_render(struct json_list *list, size_t enough, struct buffer *to);

/*
 * `,"process":{...}}`, `,"host":{...}}` and `,"status":{...}}`, after a head. After the host stand its lists, `"shmem"`
 * and `"tmpfs"`, where the snapshot says where the host's memory is, and `"survey"`, where files were looked at.
 */
void json_render_process(
	const struct view *view, const struct snapshot_process *row, struct buffer *to);
void json_render_host(const struct view *view, struct buffer *to);
void json_render_status(const struct view *view, struct buffer *to);

/* Both of the last two, without the host's lists: `,"host":{...},"status":{...}}`. */
void json_render_host_status(const struct view *view, struct buffer *to);

/* The plural under which a list of SCOPE stands: "users", "programs", "units", "processes". */
const char *json_list_name(enum metric_scope scope);

/* `{"error":"..."}`, for any bytes of MESSAGE. */
void json_render_error(const char *message, struct buffer *to);

#endif
