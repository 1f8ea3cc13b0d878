/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "config/events.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

enum {
	DEPTH_MAX = 16,     /* the time of libyaml grows with the square of the depth */
	CONTAINER_ENDS = 1, /* result of events_read_one() */
};

int events_open(struct events *e, const char *name, const char *text, size_t len,
	char error[static SETTINGS_ERROR_SIZE])
{
	*e = (struct events){.text = text, .len = len};
	faults_init(&e->faults, name, error, SETTINGS_ERROR_SIZE);
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
	char fault[FAULTS_LINE_SIZE];
	va_list args;

	va_start(args, format);
	faults_format(&e->faults, fault, mark->line + 1, format, args);
	va_end(args);
	if (!e->is_ignoring)
		faults_add_text(&e->faults, fault);
	else if (!e->ignored++)
		memcpy(e->first_ignored, fault, sizeof(fault));
	return -EINVAL;
}

/*
 * Returns the place of a problem. libyaml's reader, below its scanner, gives only an offset, so the
 * line is counted here.
 */
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

/* Refuses anchors and tags: references are not allowed, and every setting has a known type. */
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

static void events_count(struct events *e, const yaml_event_t *event)
{
	e->count++;
	if (event->type == YAML_SEQUENCE_START_EVENT || event->type == YAML_MAPPING_START_EVENT)
		e->depth++;
	else if (event->type == YAML_SEQUENCE_END_EVENT || event->type == YAML_MAPPING_END_EVENT)
		e->depth--;
}

/* Refuses EVENT, which is too deep, and deletes it. Returns -EBADMSG. */
static int refuse_depth(struct events *e, yaml_event_t *event)
{
	e->is_ignoring = false;
	events_fail(e, &event->start_mark, "expected at most %d levels of lists and mappings",
		DEPTH_MAX);
	yaml_event_delete(event);
	return -EBADMSG;
}

/* Reads the next event, with or without anchor and tag. Returns 0, -EBADMSG or -ENOMEM. */
static int next_of_any_kind(struct events *e, yaml_event_t *ret)
{
	yaml_mark_t mark;

	if (yaml_parser_parse(&e->parser, ret)) {
		events_count(e, ret);
		return e->depth > DEPTH_MAX ? refuse_depth(e, ret) : 0;
	}
	if (e->parser.error == YAML_MEMORY_ERROR)
		return -ENOMEM;
	mark = mark_of_problem(e);
	e->is_ignoring = false; /* it is unknown which setting this is */
	events_fail(e, &mark, "not YAML: %s", e->parser.problem ? e->parser.problem : "unreadable");
	return -EBADMSG;
}

int events_next(struct events *e, yaml_event_t *ret)
{
	int r = next_of_any_kind(e, ret);

	if (r < 0)
		return r;
	r = check_plain(e, ret);
	if (r < 0)
		yaml_event_delete(ret);
	return r;
}

const char *events_text(const yaml_event_t *event)
{
	const char *text;

	if (event->type != YAML_SCALAR_EVENT)
		return NULL;
	text = (const char *)event->data.scalar.value;
	return strlen(text) == event->data.scalar.length ? text : NULL;
}

/* Skips events until all containers deeper than DEPTH have ended. */
static int skip_to(struct events *e, unsigned int depth)
{
	while (e->depth > depth) {
		yaml_event_t event;
		int r = next_of_any_kind(e, &event);

		if (r < 0)
			return r;
		yaml_event_delete(&event);
	}
	return 0;
}

/* Skips the next scalar, alias or container. */
static int skip_node(struct events *e)
{
	unsigned int depth = e->depth;
	yaml_event_t event;
	int r = next_of_any_kind(e, &event);

	if (r < 0)
		return r;
	yaml_event_delete(&event);
	return skip_to(e, depth);
}

/*
 * Reads one item, or a key with its value, of a container at depth e->depth, which ends with an
 * event of type END. Returns CONTAINER_ENDS at its end.
 */
static int events_read_one(
	struct events *e, yaml_event_type_t end, events_each *each, void *context)
{
	unsigned int depth = e->depth;
	bool is_mapping = end == YAML_MAPPING_END_EVENT, has_value;
	size_t first = e->count + 1; /* .count after the first event of the item or key */
	yaml_event_t event;
	int r = events_next(e, &event);

	if (r == 0) {
		if (event.type == end)
			r = CONTAINER_ENDS;
		else if (is_mapping && !events_text(&event))
			r = events_fail(e, &event.start_mark, "expected a key");
		else
			r = each(&event, context);
		yaml_event_delete(&event);
	}
	if (r != -EINVAL)
		return r;
	has_value = !is_mapping || e->count > first;
	r = skip_to(e, depth);
	return r == 0 && !has_value ? skip_node(e) : r;
}

/* Reads up to the event END and calls EACH for each item or key before it. */
static int events_read_until(struct events *e, yaml_event_type_t end, events_each *each,
	void *context, size_t *ret_count)
{
	for (size_t n = 0;; n++) {
		int r = events_read_one(e, end, each, context);

		if (r == CONTAINER_ENDS)
			*ret_count = n;
		if (r != 0)
			return r == CONTAINER_ENDS ? 0 : r;
	}
}

int events_read_mapping(struct events *e, events_each *each, void *context)
{
	size_t keys;

	return events_read_until(e, YAML_MAPPING_END_EVENT, each, context, &keys);
}

int events_read_sequence(struct events *e, events_each *each, void *context)
{
	size_t items = 0;
	int r = events_read_until(e, YAML_SEQUENCE_END_EVENT, each, context, &items);

	return r == 0 && !items ? EVENTS_EMPTY : r;
}

/* Reads all documents. A file with only comments is an empty mapping. */
static int read_document(struct events *e, events_each *each, void *context)
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

int events_read(struct events *e, events_each *each, void *context)
{
	int r = read_document(e, each, context);

	return r == 0 && e->faults.count ? -EINVAL : r;
}
