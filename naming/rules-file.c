/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file is read twice. The first reading goes through libyaml's events and refuses files for which
 * the second one would be slow: libyaml searches all anchors for each anchor and alias. The second
 * reading builds a document, in which aliases are references. Each visit to a node is counted,
 * because a few aliases can refer to one node millions of times.
 */
#include "config.h"

#include "naming/rules-file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

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
	struct faults *faults;
	yaml_document_t *document;
	rules_file_each *each;
	void *context;
	struct rules_text *text[RULES_LISTS]; /* the lists of an item; owned */
	size_t room[RULES_LISTS];
	size_t visited; /* bytes of texts, and 1 for each node */
	size_t number;  /* of the item */
};

/* The values of an item's keys; NULL: the key is absent, or its value is null. */
struct values {
	const yaml_node_t *of[KEYS];
};

static void parser_delete(yaml_parser_t *parser)
{
	yaml_parser_delete(parser);
}

/*
 * Returns the line of the parser's problem. libyaml's reader, below its scanner, gives only an
 * offset.
 */
static size_t line_of_problem(const yaml_parser_t *parser, const char *text, size_t len)
{
	size_t line = 1;

	if (parser->error != YAML_READER_ERROR)
		return parser->problem_mark.line + 1;
	for (size_t i = 0; i < len && i < parser->problem_offset; i++)
		line += text[i] == '\n';
	return line;
}

/* Returns the error of a failed PARSER, and adds a fault unless that is -ENOMEM. */
static int parser_fail(
	const yaml_parser_t *parser, const char *text, size_t len, struct faults *faults)
{
	const char *problem = parser->problem ? parser->problem : "unreadable";

	if (parser->error == YAML_MEMORY_ERROR)
		return -ENOMEM;
	if (parser->error == YAML_COMPOSER_ERROR && parser->context)
		problem = "an anchor is defined twice"; /* .problem is "second occurrence" */
	faults_add(faults, line_of_problem(parser, text, len), "not YAML: %s", problem);
	return -EBADMSG;
}

static bool event_has_anchor(const yaml_event_t *event)
{
	return (event->type == YAML_SCALAR_EVENT && event->data.scalar.anchor) ||
	       (event->type == YAML_SEQUENCE_START_EVENT && event->data.sequence_start.anchor) ||
	       (event->type == YAML_MAPPING_START_EVENT && event->data.mapping_start.anchor);
}

/* Counts of a file's events so far. */
struct shape {
	unsigned int documents, depth, anchors;
};

/* Counts EVENT. Returns 0, or -EINVAL with a fault if it is one too many. */
static int shape_add(struct shape *s, const yaml_event_t *event, struct faults *faults)
{
	size_t line = event->start_mark.line + 1;

	s->documents += event->type == YAML_DOCUMENT_START_EVENT;
	s->anchors += event_has_anchor(event);
	if (event->type == YAML_SEQUENCE_START_EVENT || event->type == YAML_MAPPING_START_EVENT)
		s->depth++;
	if (event->type == YAML_SEQUENCE_END_EVENT || event->type == YAML_MAPPING_END_EVENT)
		s->depth--;
	if (s->documents > 1)
		return faults_add(faults, line, "expected one document");
	if (s->depth > RULES_FILE_DEPTH_MAX)
		return faults_add(faults, line, "expected at most %d levels of lists and mappings",
			RULES_FILE_DEPTH_MAX);
	if (s->anchors > RULES_FILE_ANCHORS_MAX)
		return faults_add(
			faults, line, "expected at most %d anchors", RULES_FILE_ANCHORS_MAX);
	return 0;
}

static int rules_file_check(const char *text, size_t len, struct faults *faults)
{
	CLEANUP(parser_delete) yaml_parser_t parser;
	struct shape shape = {0};
	yaml_event_type_t type;

	if (!yaml_parser_initialize(&parser))
		return -ENOMEM;
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
	do {
		yaml_event_t event;
		int r;

		if (!yaml_parser_parse(&parser, &event))
			return parser_fail(&parser, text, len, faults);
		type = event.type;
		r = shape_add(&shape, &event, faults);
		yaml_event_delete(&event);
		if (r < 0)
			return r;
	} while (type != YAML_STREAM_END_EVENT);
	return 0;
}

static size_t node_line(const yaml_node_t *node)
{
	return node->start_mark.line + 1;
}

static const char *node_text(const yaml_node_t *node)
{
	return (const char *)node->data.scalar.value;
}

static bool node_is_null(const yaml_node_t *node)
{
	static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};

	if (node->type != YAML_SCALAR_NODE || node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(nulls); i++)
		if (!strcmp(node_text(node), nulls[i]))
			return true;
	return false;
}

enum { DESCRIPTION_SIZE = 128 };

/* Returns a description of NODE for faults, which may be in TO. */
static const char *node_describe(const yaml_node_t *node, char to[static DESCRIPTION_SIZE])
{
	if (node->type == YAML_SEQUENCE_NODE)
		return "a list";
	if (node->type == YAML_MAPPING_NODE)
		return "a mapping";
	snprintf(to, DESCRIPTION_SIZE, "'%.100s'", node_text(node));
	return to;
}

/*
 * Returns node INDEX of the document and counts it. Returns NULL, with a fault, if that is too much:
 * the caller ends the reading then.
 */
static const yaml_node_t *visit_node(struct reader *r, int index)
{
	const yaml_node_t *node = yaml_document_get_node(r->document, index);

	r->visited += 1 + (node->type == YAML_SCALAR_NODE ? node->data.scalar.length : 0);
	if (r->visited <= RULES_FILE_TEXTS_MAX)
		return node;
	faults_add(r->faults, node_line(node), "aliases make the file longer than %d MiB",
		RULES_FILE_TEXTS_MAX >> 20);
	return NULL;
}

/* Returns the key with the name in NODE; KEYS if there is none. */
static int item_find_key(const yaml_node_t *node)
{
	int key = 0;

	while (key < KEYS && strcmp(node_text(node), key_name[key]) != 0)
		key++;
	return key;
}

static int item_collect(
	struct reader *r, const yaml_node_t *mapping, unsigned int depth, struct values *ret);

/*
 * Merges the mappings of SEQUENCE into RET. Of mappings with one key the first counts: it comes
 * last.
 */
static int item_merge_list(
	struct reader *r, const yaml_node_t *sequence, unsigned int depth, struct values *ret)
{
	const yaml_node_item_t *start = sequence->data.sequence.items.start;
	const yaml_node_item_t *at = sequence->data.sequence.items.top;

	while (at-- > start) {
		const yaml_node_t *node = visit_node(r, *at);
		int result = node ? item_collect(r, node, depth, ret) : -E2BIG;

		if (result < 0)
			return result;
	}
	return 0;
}

/* Sets the value of KEY in RET; merges VALUE into RET if KEY is a merge key. */
static int item_collect_pair(struct reader *r, const yaml_node_t *key, const yaml_node_t *value,
	unsigned int depth, struct values *ret)
{
	char what[DESCRIPTION_SIZE];
	int found;

	if (key->type == YAML_SCALAR_NODE && !strcmp(node_text(key), "<<"))
		return value->type == YAML_SEQUENCE_NODE ? item_merge_list(r, value, depth + 1, ret)
		                                         : item_collect(r, value, depth + 1, ret);
	found = key->type == YAML_SCALAR_NODE ? item_find_key(key) : KEYS;
	if (found < KEYS)
		ret->of[found] = node_is_null(value) ? NULL : value;
	else
		faults_add(r->faults, node_line(key),
			"item %zu: unknown key %s: expected name, comm, exe or cmdline", r->number,
			node_describe(key, what));
	return 0;
}

/*
 * Collects the values of MAPPING: an item, or a mapping that an item merges. Returns 0, also after
 * faults; or -E2BIG, which ends the reading.
 */
static int item_collect(
	struct reader *r, const yaml_node_t *mapping, unsigned int depth, struct values *ret)
{
	char what[DESCRIPTION_SIZE];

	if (depth > RULES_FILE_DEPTH_MAX) {
		faults_add(r->faults, node_line(mapping), "item %zu: expected at most %d merges",
			r->number, RULES_FILE_DEPTH_MAX);
		return -E2BIG;
	}
	if (mapping->type != YAML_MAPPING_NODE) {
		faults_add(r->faults, node_line(mapping), "item %zu: expected a mapping, got %s",
			r->number, node_describe(mapping, what));
		return 0;
	}
	for (const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
		pair < mapping->data.mapping.pairs.top; pair++) {
		const yaml_node_t *key = visit_node(r, pair->key);
		const yaml_node_t *value = key ? visit_node(r, pair->value) : NULL;
		int result = value ? item_collect_pair(r, key, value, depth, ret) : -E2BIG;

		if (result < 0)
			return result;
	}
	return 0;
}

/* Returns whether NODE, the value of KEY or in its list, is a text. Adds a fault if it is none. */
static bool item_check_text(struct reader *r, const char *key, const yaml_node_t *node)
{
	char what[DESCRIPTION_SIZE];

	if (node->type != YAML_SCALAR_NODE)
		faults_add(r->faults, node_line(node), "item %zu: %s: expected a text, got %s",
			r->number, key, node_describe(node, what));
	else if (strlen(node_text(node)) != node->data.scalar.length)
		faults_add(r->faults, node_line(node), "item %zu: %s: expected a text without NUL",
			r->number, key);
	else
		return true;
	return false;
}

/* Reads the texts of SEQUENCE into the list KIND. Returns 0, also after faults; -E2BIG; -ENOMEM. */
static int item_read_texts(struct reader *r, enum rules_list_kind kind, const yaml_node_t *sequence)
{
	const yaml_node_item_t *item = sequence->data.sequence.items.start;
	size_t count = (size_t)(sequence->data.sequence.items.top - item);

	if (count > RULES_FILE_LIST_MAX) {
		faults_add(r->faults, node_line(sequence),
			"item %zu: %s: expected at most %d texts", r->number, key_name[kind],
			RULES_FILE_LIST_MAX);
		return 0;
	}
	if (ARRAY_RESERVE(r->text[kind], r->room[kind], count) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const yaml_node_t *node = visit_node(r, item[i]);

		if (!node)
			return -E2BIG;
		if (item_check_text(r, key_name[kind], node))
			r->text[kind][i] = (struct rules_text){
				node_is_null(node) ? "" : node_text(node), node_line(node)};
	}
	return 0;
}

/* Reads the list KIND from NODE, its value, into RET. Returns the same as item_read_texts(). */
static int item_read_list(struct reader *r, enum rules_list_kind kind, const yaml_node_t *node,
	struct rules_list *ret)
{
	char what[DESCRIPTION_SIZE];
	int result;

	if (node->type != YAML_SEQUENCE_NODE) {
		faults_add(r->faults, node_line(node),
			"item %zu: %s: expected a list of texts, got %s", r->number, key_name[kind],
			node_describe(node, what));
		return 0;
	}
	result = item_read_texts(r, kind, node);
	*ret = (struct rules_list){
		.item = r->text[kind],
		.count = (size_t)(node->data.sequence.items.top - node->data.sequence.items.start),
		.is_set = true,
	};
	return result;
}

/* Reads the values of the item at LINE into RET. Returns the same as item_read_texts(). */
static int item_read_values(
	struct reader *r, const struct values *values, size_t line, struct rules_item *ret)
{
	const yaml_node_t *name = values->of[KEY_NAME];
	bool has_list = false;

	*ret = (struct rules_item){.name = {default_name, line}, .number = r->number};
	if (name && item_check_text(r, key_name[KEY_NAME], name) && *node_text(name))
		ret->name = (struct rules_text){node_text(name), node_line(name)};
	for (int kind = 0; kind < RULES_LISTS; kind++) {
		int result = 0;

		if (values->of[kind])
			result = item_read_list(
				r, (enum rules_list_kind)kind, values->of[kind], &ret->list[kind]);
		if (result < 0)
			return result;
		has_list = has_list || values->of[kind];
	}
	if (!has_list)
		faults_add(r->faults, line,
			"item %zu selects nothing: comm, exe or cmdline expected", r->number);
	return 0;
}

static int item_read(struct reader *r, const yaml_node_t *node)
{
	struct values values = {0};
	struct rules_item item;
	size_t faults = r->faults->count;
	int result = node_is_null(node) ? 0 : item_collect(r, node, 0, &values);

	if (result == 0 && r->faults->count == faults)
		result = item_read_values(r, &values, node_line(node), &item);
	if (result == 0 && r->faults->count == faults)
		result = r->each(&item, r->context);
	return result == -EINVAL ? 0 : result;
}

static int rules_file_read_items(struct reader *r, const yaml_node_t *node)
{
	char what[DESCRIPTION_SIZE];

	if (node_is_null(node))
		return 0;
	if (node->type != YAML_SEQUENCE_NODE)
		return faults_add(r->faults, node_line(node),
			"process_names: expected a list of rules, got %s",
			node_describe(node, what));
	for (const yaml_node_item_t *at = node->data.sequence.items.start;
		at < node->data.sequence.items.top; at++) {
		const yaml_node_t *item = visit_node(r, *at);
		int result;

		if (!item)
			return -E2BIG;
		if (++r->number > RULES_FILE_ITEMS_MAX)
			return faults_add(r->faults, node_line(item),
				"process_names: expected at most %d rules", RULES_FILE_ITEMS_MAX);
		result = item_read(r, item);
		if (result < 0)
			return result;
	}
	return 0;
}

/* Returns the value of process_names; NULL, with a fault, if there is none. */
static const yaml_node_t *rules_file_find_items(struct reader *r, const yaml_node_t *root)
{
	const yaml_node_t *found = NULL;
	char what[DESCRIPTION_SIZE];

	for (const yaml_node_pair_t *pair = root->data.mapping.pairs.start;
		pair < root->data.mapping.pairs.top; pair++) {
		const yaml_node_t *key = yaml_document_get_node(r->document, pair->key);

		if (key->type == YAML_SCALAR_NODE && !strcmp(node_text(key), "process_names"))
			found = yaml_document_get_node(r->document, pair->value);
		else
			faults_add(r->faults, node_line(key),
				"unknown key %s: expected process_names", node_describe(key, what));
	}
	if (!found && !r->faults->count)
		faults_add(r->faults, node_line(root), "expected the key process_names");
	return found;
}

static int rules_file_read_root(struct reader *r)
{
	const yaml_node_t *root = yaml_document_get_root_node(r->document), *items;
	char what[DESCRIPTION_SIZE];

	if (!root || node_is_null(root))
		return faults_add(
			r->faults, root ? node_line(root) : 1, "expected the key process_names");
	if (root->type != YAML_MAPPING_NODE)
		return faults_add(r->faults, node_line(root),
			"expected a mapping with the key process_names, got %s",
			node_describe(root, what));
	items = rules_file_find_items(r, root);
	return items ? rules_file_read_items(r, items) : 0;
}

static int rules_file_load(struct reader *r, const char *text, size_t len)
{
	CLEANUP(parser_delete) yaml_parser_t parser;
	yaml_document_t document;
	int result;

	if (!yaml_parser_initialize(&parser))
		return -ENOMEM;
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
	if (!yaml_parser_load(&parser, &document))
		return parser_fail(&parser, text, len, r->faults);
	r->document = &document;
	result = rules_file_read_root(r);
	yaml_document_delete(&document);
	return result;
}

int rules_file_read(
	const char *text, size_t len, struct faults *f, rules_file_each *each, void *context)
{
	struct reader r = {.faults = f, .each = each, .context = context};
	int result = rules_file_check(text, len, f);

	if (result == 0)
		result = rules_file_load(&r, text, len);
	for (int kind = 0; kind < RULES_LISTS; kind++)
		free(r.text[kind]);
	if (result == -E2BIG || (result == 0 && f->count))
		return -EINVAL;
	return result;
}
