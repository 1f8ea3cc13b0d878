/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/history/history-answer.h"

#include <inttypes.h>
#include <math.h>

#include "base/saturate.h"
#include "render/decimal.h"
#include "render/json.h"
#include "snapshot/owner.h"

/* Appends a time in seconds, with milliseconds if it is no whole second. */
static void history_answer_add_time(struct buffer *to, uint64_t ns)
{
	decimal_add_seconds(to, ns - ns % NS_PER_MSEC);
}

static void history_answer_add_value(struct buffer *to, double value, bool is_whole)
{
	if (isnan(value))
		buffer_add_text(to, "null");
	else if (is_whole || value == floor(value))
		buffer_add_u64(to, (uint64_t)(value + 0.5));
	else
		buffer_printf(to, "%.3f", value);
}

static void history_answer_add_values(
	struct buffer *to, const char *field, const double *values, size_t count, bool is_whole)
{
	buffer_printf(to, ",\"%s\":[", field);
	for (size_t i = 0; i < count; i++) {
		if (i)
			buffer_add_char(to, ',');
		history_answer_add_value(to, values[i], is_whole);
	}
	buffer_add_char(to, ']');
}

/* Returns the number of slots from FIRST on that have the same source and length. */
static size_t count_alike(const struct history_table *t, size_t first)
{
	size_t end = first + 1;

	while (end < t->slots && t->slot[end].source == t->slot[first].source &&
		(t->slot[first].source == HISTORY_WEB ||
			t->slot[end].length_ns == t->slot[first].length_ns))
		end++;
	return end - first;
}

/* Returns the end of slot I of T: of its time, of the time asked for, or where the next one begins. */
static uint64_t find_end_ns(const struct history_query *q, const struct history_plan *p,
	const struct history_table *t, size_t i)
{
	const struct history_slot *slot = &t->slot[i];
	uint64_t end_ns = slot->time_ns + slot->length_ns;

	if (slot->source == HISTORY_RECORDER || (slot->source == HISTORY_WEB && !p->web_step_s))
		return slot->time_ns;
	end_ns = saturate_min(end_ns, (uint64_t)q->to_s * NS_PER_SEC);
	return i + 1 < t->slots ? saturate_min(end_ns, t->slot[i + 1].time_ns) : end_ns;
}

static void history_answer_add_sources(const struct history_query *q, const struct history_plan *p,
	const struct history_table *t, struct buffer *to)
{
	buffer_add_text(to, ",\"sources\":[");
	for (size_t i = 0, n; i < t->slots; i += n) {
		const struct history_slot *first = &t->slot[i];
		static const char *const names[] = {[HISTORY_WEB] = "memtally-web",
			[HISTORY_LEDGER] = "memtally-ledger",
			[HISTORY_RECORDER] = "memtally-recorder"};
		bool is_web = first->source == HISTORY_WEB;

		n = count_alike(t, i);
		buffer_printf(to, "%s{\"source\":\"%s\",\"from_seconds\":", i ? "," : "",
			names[first->source]);
		history_answer_add_time(to, first->time_ns);
		buffer_add_text(to, ",\"to_seconds\":");
		history_answer_add_time(to, find_end_ns(q, p, t, i + n - 1));
		buffer_add_text(to, ",\"resolution_seconds\":");
		buffer_add_u64(to, is_web ? p->resolution_s : first->length_ns / NS_PER_SEC);
		buffer_add_char(to, '}');
	}
	buffer_add_char(to, ']');
}

static void add_times(const struct history_table *t, struct buffer *to)
{
	buffer_add_text(to, ",\"times_seconds\":[");
	for (size_t i = 0; i < t->slots; i++) {
		if (i)
			buffer_add_char(to, ',');
		history_answer_add_time(to, t->slot[i].time_ns);
	}
	buffer_add_char(to, ']');
}

static void history_answer_add_name(
	const struct history_query *q, const struct history_row *row, struct buffer *to)
{
	enum owner_kind kind;

	buffer_add_text(to, "{\"name\":");
	if (row->kind != HISTORY_ROW_OWNER) {
		json_render_string(row->kind == HISTORY_ROW_HOST ? "host" : USAGE_OTHER, to);
		return;
	}
	json_render_string(row->name, to);
	kind = metric_owner_kind(q->scope);
	if (owner_of(kind)->id && !owner_of(kind)->words && row->id != OWNER_NO_ID) {
		buffer_add_text(to, ",\"id\":");
		buffer_add_u64(to, row->id);
	}
	if (*row->user) {
		buffer_add_text(to, ",\"user\":");
		json_render_string(row->user, to);
	}
}

static void history_answer_add_rows(
	const struct history_query *q, const struct history_table *t, struct buffer *to)
{
	bool is_whole = q->metric->is_bytes;

	buffer_add_text(to, ",\"rows\":[");
	for (size_t i = 0; i < t->rows; i++) {
		const struct history_row *row = &t->row[i];

		if (i)
			buffer_add_char(to, ',');
		history_answer_add_name(q, row, to);
		history_answer_add_values(to, "values", row->value, t->slots, is_whole);
		if (row->has_bounds) {
			history_answer_add_values(to, "low", row->low, t->slots, is_whole);
			history_answer_add_values(to, "high", row->high, t->slots, is_whole);
		}
		buffer_add_char(to, '}');
	}
	buffer_add_char(to, ']');
}

void history_answer_render(const struct history_query *q, const struct history_plan *p,
	const struct history_table *t, const char *problem, bool lasts, struct buffer *to)
{
	buffer_printf(to,
		",\"history\":{\"scope\":\"%s\",\"metric\":\"%s\",\"from_seconds\":%" PRId64
		",\"to_seconds\":%" PRId64 ",\"step_seconds\":%u",
		metric_scope_name(q->scope), q->metric->name, q->from_s, q->to_s, p->resolution_s);
	history_answer_add_sources(q, p, t, to);
	if (problem) {
		buffer_add_text(to, ",\"problem\":");
		json_render_string(problem, to);
		buffer_printf(to, ",\"problem_lasts\":%s", lasts ? "true" : "false");
	}
	add_times(t, to);
	history_answer_add_rows(q, t, to);
	buffer_add_text(to, "}}");
}
