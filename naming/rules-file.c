/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "naming/rules-file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"

static const char default_name[] = "{{.ExeBase}}";

/* Keys of an item, those of lists by enum rules_list_kind. */
enum {
	KEY_NAME = RULES_LISTS,
	KEYS,
};

static const char *const key_name[KEYS] = {
	[RULES_COMM] = "comm",
	[RULES_EXE] = "exe",
	[RULES_CMDLINE] = "cmdline",
	[KEY_NAME] = "name",
};

struct reader {
	struct events events;
	rules_file_each *each;
	void *context;
	struct rules_item item; /* owned: its lists */
	struct buffer name;     /* of the item */
	size_t line;            /* where the item begins, from 1 */
	unsigned int key;       /* of the value that is being read */
	bool has_rules;         /* the file has process_names */
};

static void reader_done(struct reader *r)
{
	events_close(&r->events);
	buffer_done(&r->name);
	for (int kind = 0; kind < RULES_LISTS; kind++) {
		buffer_done(&r->item.list[kind].texts);
		free(r->item.list[kind].line);
	}
}

static void list_clear(struct rules_list *list)
{
	buffer_clear(&list->texts);
	list->count = 0;
	list->is_set = false;
}

static size_t rules_file_line_of(const yaml_event_t *event)
{
	return event->start_mark.line + 1;
}

static bool rules_file_is_null(const yaml_event_t *event)
{
	static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};
	const char *text = events_text(event);

	if (!text || event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(nulls); i++)
		if (!strcmp(text, nulls[i]))
			return true;
	return false;
}

enum { DESCRIPTION_SIZE = 128 };

/* Returns a description of EVENT for faults, which may be in TO. */
static const char *rules_file_describe(const yaml_event_t *event, char to[static DESCRIPTION_SIZE])
{
	switch (event->type) {
	case YAML_SEQUENCE_START_EVENT: return "a list";
	case YAML_MAPPING_START_EVENT: return "a mapping";
	case YAML_ALIAS_EVENT: return "an alias";
	default:
		snprintf(to, DESCRIPTION_SIZE, "'%.100s'", (const char *)event->data.scalar.value);
		return to;
	}
}

/* Refuses EVENT, the value of the key or in its list. Returns -EINVAL. */
static int rules_file_refuse_value(
	struct reader *r, const yaml_event_t *event, const char *expected)
{
	char what[DESCRIPTION_SIZE];

	return events_fail(&r->events, &event->start_mark, "item %zu: %s: expected %s, got %s",
		r->item.number, key_name[r->key], expected, rules_file_describe(event, what));
}

/* Appends the text of EVENT, "" for null, and its NUL to TO. Returns 0, -EINVAL or -ENOMEM. */
static int rules_file_add_text(struct reader *r, const yaml_event_t *event, struct buffer *to)
{
	const char *text = events_text(event);

	if (!text)
		return rules_file_refuse_value(r, event,
			event->type == YAML_SCALAR_EVENT ? "a text without NUL" : "a text");
	buffer_add_text(to, rules_file_is_null(event) ? "" : text);
	buffer_add_char(to, '\0');
	return to->error;
}

static int rules_file_read_list_text(const yaml_event_t *event, void *context)
{
	struct reader *r = context;
	struct rules_list *list = &r->item.list[r->key];

	if (++list->count > RULES_FILE_LIST_MAX)
		return list->count > RULES_FILE_LIST_MAX + 1
		               ? -EINVAL
		               : events_fail(&r->events, &event->start_mark,
					 "item %zu: %s: expected at most %d texts", r->item.number,
					 key_name[r->key], RULES_FILE_LIST_MAX);
	if (ARRAY_RESERVE(list->line, list->room, list->count) < 0)
		return -ENOMEM;
	list->line[list->count - 1] = rules_file_line_of(event);
	return rules_file_add_text(r, event, &list->texts);
}

static int rules_file_read_list(struct reader *r, const yaml_event_t *event)
{
	struct rules_list *list = &r->item.list[r->key];
	int result;

	list_clear(list);
	if (rules_file_is_null(event))
		return 0;
	if (event->type != YAML_SEQUENCE_START_EVENT)
		return rules_file_refuse_value(r, event, "a list of texts");
	list->is_set = true;
	result = events_read_sequence(&r->events, rules_file_read_list_text, r);
	return result == EVENTS_EMPTY ? 0 : result;
}

static int rules_file_read_name(struct reader *r, const yaml_event_t *event)
{
	int result;

	buffer_clear(&r->name);
	result = rules_file_add_text(r, event, &r->name);
	if (result < 0)
		return result;
	r->item.name = *r->name.data ? r->name.data : default_name;
	r->item.name_line = *r->name.data ? rules_file_line_of(event) : r->line;
	return 0;
}

static int rules_file_read_item_key(const yaml_event_t *event, void *context)
{
	struct reader *r = context;
	const char *key = events_text(event);
	yaml_event_t value;
	int result;

	for (r->key = 0; r->key < KEYS && strcmp(key, key_name[r->key]) != 0; r->key++)
		;
	if (r->key == KEYS)
		return events_fail(&r->events, &event->start_mark,
			"item %zu: unknown key '%.100s': expected name, comm, exe or cmdline",
			r->item.number, key);
	result = events_next(&r->events, &value);
	if (result < 0)
		return result;
	result = r->key == KEY_NAME ? rules_file_read_name(r, &value)
	                            : rules_file_read_list(r, &value);
	yaml_event_delete(&value);
	return result;
}

static void rules_file_begin_item(struct reader *r, const yaml_event_t *event)
{
	for (int kind = 0; kind < RULES_LISTS; kind++)
		list_clear(&r->item.list[kind]);
	r->line = rules_file_line_of(event);
	r->item.name = default_name;
	r->item.name_line = r->line;
}

static int rules_file_read_item(const yaml_event_t *event, void *context)
{
	struct reader *r = context;
	const struct rules_list *list = r->item.list;
	size_t faults = r->events.faults.count;
	char what[DESCRIPTION_SIZE];
	int result = 0;

	if (++r->item.number > RULES_FILE_ITEMS_MAX)
		return r->item.number > RULES_FILE_ITEMS_MAX + 1
		               ? -EINVAL
		               : events_fail(&r->events, &event->start_mark,
					 "process_names: expected at most %d rules",
					 RULES_FILE_ITEMS_MAX);
	rules_file_begin_item(r, event);
	if (event->type == YAML_MAPPING_START_EVENT)
		result = events_read_mapping(&r->events, rules_file_read_item_key, r);
	else if (!rules_file_is_null(event))
		return events_fail(&r->events, &event->start_mark,
			"item %zu: expected a mapping, got %s", r->item.number,
			rules_file_describe(event, what));
	if (result < 0 || r->events.faults.count != faults)
		return result;
	if (!list[RULES_COMM].is_set && !list[RULES_EXE].is_set && !list[RULES_CMDLINE].is_set)
		return events_fail(&r->events, &event->start_mark,
			"item %zu selects nothing: comm, exe or cmdline expected", r->item.number);
	return r->each(&r->item, &r->events, r->context);
}

static int rules_file_read_rules(struct reader *r, const yaml_event_t *event)
{
	char what[DESCRIPTION_SIZE];
	int result;

	if (rules_file_is_null(event))
		return 0;
	if (event->type != YAML_SEQUENCE_START_EVENT)
		return events_fail(&r->events, &event->start_mark,
			"process_names: expected a list of rules, got %s",
			rules_file_describe(event, what));
	result = events_read_sequence(&r->events, rules_file_read_item, r);
	return result == EVENTS_EMPTY ? 0 : result;
}

static int rules_file_read_root_key(const yaml_event_t *event, void *context)
{
	struct reader *r = context;
	yaml_event_t value;
	int result;

	if (strcmp(events_text(event), "process_names") != 0)
		return events_fail(&r->events, &event->start_mark,
			"unknown key '%.100s': expected process_names", events_text(event));
	if (r->has_rules)
		return events_fail(&r->events, &event->start_mark, "a second process_names");
	r->has_rules = true;
	result = events_next(&r->events, &value);
	if (result < 0)
		return result;
	result = rules_file_read_rules(r, &value);
	yaml_event_delete(&value);
	return result;
}

int rules_file_read(const char *path, const char *text, size_t len, rules_file_each *each,
	void *context, char error[static SETTINGS_ERROR_SIZE])
{
	CLEANUP(reader_done) struct reader r = {.each = each, .context = context};
	int result = events_open(&r.events, path, text, len, error);

	if (result == 0)
		result = events_read(&r.events, rules_file_read_root_key, &r);
	if (result == 0 && !r.has_rules)
		result = events_fail(
			&r.events, &(yaml_mark_t){0}, "expected the key process_names");
	return result;
}
