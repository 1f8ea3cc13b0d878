/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "config/events.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int events_open(struct events *e, const char *name, const char *text, size_t len,
	char error[static SETTINGS_ERROR_SIZE])
{
	*e = (struct events){.name = name, .text = text, .len = len, .error = error};
	if (!yaml_parser_initialize(&e->parser))
		return -ENOMEM;
	yaml_parser_set_input_string(&e->parser, (const unsigned char *)text, len);
	return 0;
}

void events_close(struct events *e)
{
	yaml_parser_delete(&e->parser);
}

int events_fail(struct events *e, const yaml_mark_t *mark, const char *format, ...)
{
	va_list args;
	int n = snprintf(e->error, SETTINGS_ERROR_SIZE, "%s:%zu: ", e->name, mark->line + 1);

	if (n < 0 || n >= SETTINGS_ERROR_SIZE)
		return -EINVAL;
	va_start(args, format);
	vsnprintf(e->error + n, (size_t)(SETTINGS_ERROR_SIZE - n), format, args);
	va_end(args);
	return -EINVAL;
}

/* The reader, below the scanner, knows an offset only. */
static yaml_mark_t mark_of_problem(const struct events *e)
{
	yaml_mark_t mark = e->parser.problem_mark;

	if (e->parser.error != YAML_READER_ERROR)
		return mark;
	mark.line = 0;
	for (size_t i = 0; i < e->len && i < e->parser.problem_offset; i++)
		mark.line += e->text[i] == '\n';
	return mark;
}

/* References are refused wherever they stand, and every type is known. */
static int check_plain(struct events *e, const yaml_event_t *event)
{
	const yaml_char_t *anchor = NULL, *tag = NULL;

	if (event->type == YAML_SCALAR_EVENT) {
		anchor = event->data.scalar.anchor;
		tag = event->data.scalar.tag;
	} else if (event->type == YAML_SEQUENCE_START_EVENT) {
		anchor = event->data.sequence_start.anchor;
		tag = event->data.sequence_start.tag;
	} else if (event->type == YAML_MAPPING_START_EVENT) {
		anchor = event->data.mapping_start.anchor;
		tag = event->data.mapping_start.tag;
	}
	if (anchor)
		return events_fail(e, &event->start_mark, "expected no anchor, got '&%.100s'",
			(const char *)anchor);
	if (tag)
		return events_fail(
			e, &event->start_mark, "expected no tag, got '%.100s'", (const char *)tag);
	return 0;
}

int events_next(struct events *e, yaml_event_t *ret)
{
	yaml_mark_t mark;
	int r;

	if (yaml_parser_parse(&e->parser, ret)) {
		r = check_plain(e, ret);
		if (r < 0)
			yaml_event_delete(ret);
		return r;
	}
	if (e->parser.error == YAML_MEMORY_ERROR)
		return -ENOMEM;
	mark = mark_of_problem(e);
	return events_fail(
		e, &mark, "not YAML: %s", e->parser.problem ? e->parser.problem : "unreadable");
}

const char *events_text(const yaml_event_t *event)
{
	const char *text;

	if (event->type != YAML_SCALAR_EVENT)
		return NULL;
	text = (const char *)event->data.scalar.value;
	return strlen(text) == event->data.scalar.length ? text : NULL;
}

/* EACH for what comes until END. */
static int read_until(struct events *e, yaml_event_type_t end, events_each *each, void *context,
	size_t *ret_count)
{
	for (size_t count = 0;; count++) {
		yaml_event_t event;
		bool is_end;
		int r = events_next(e, &event);

		if (r < 0)
			return r;
		is_end = event.type == end;
		if (is_end)
			*ret_count = count;
		else if (end == YAML_MAPPING_END_EVENT && !events_text(&event))
			r = events_fail(e, &event.start_mark, "expected a key");
		else
			r = each(&event, context);
		yaml_event_delete(&event);
		if (r < 0 || is_end)
			return r;
	}
}

int events_read_mapping(struct events *e, events_each *each, void *context)
{
	size_t keys;

	return read_until(e, YAML_MAPPING_END_EVENT, each, context, &keys);
}

int events_read_sequence(struct events *e, events_each *each, void *context)
{
	size_t items;
	int r = read_until(e, YAML_SEQUENCE_END_EVENT, each, context, &items);

	return r == 0 && !items ? EVENTS_EMPTY : r;
}

/* A file of nothing but comments is an empty mapping. */
int events_read(struct events *e, events_each *each, void *context)
{
	bool had_document = false;

	for (;;) {
		yaml_event_t event;
		yaml_event_type_t type;
		int r = events_next(e, &event);

		if (r < 0)
			return r;
		type = event.type;
		if (type == YAML_DOCUMENT_START_EVENT && had_document)
			r = events_fail(e, &event.start_mark, "expected one document");
		else if (type == YAML_DOCUMENT_START_EVENT)
			had_document = true;
		else if (type == YAML_MAPPING_START_EVENT)
			r = events_read_mapping(e, each, context);
		else if (type == YAML_SEQUENCE_START_EVENT || type == YAML_ALIAS_EVENT ||
			 (type == YAML_SCALAR_EVENT && event.data.scalar.length))
			r = events_fail(e, &event.start_mark, "expected 'key: value' lines");
		yaml_event_delete(&event);
		if (r < 0 || type == YAML_STREAM_END_EVENT)
			return r;
	}
}
