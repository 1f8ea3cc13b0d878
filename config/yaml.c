/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of other programs are checked and stored in a scratch struct, which is then dropped. */
#include "config.h"

#include "config/yaml.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/os/file.h"
#include "config/events.h"
#include "config/nearest.h"

enum {
	YAML_FILE_MAX = 1 << 20,
	YAML_DEPTH_MAX = 8,
	YAML_KEY_MAX = 128,
};

struct loader {
	struct events events;
	enum program program;
	struct settings *config;
	struct settings *scratch; /* takes the settings of other programs */
	bool *seen;               /* by index in the option table */
	struct buffer groups;     /* keys that had a mapping as value, each terminated */
	bool is_lenient;          /* faults in settings that .program does not use do not count */
};

/* A mapping that is being read. */
struct level {
	struct loader *loader;
	const char *prefix; /* of its keys; "" at the top level */
	unsigned int depth;
};

/* A list that is being read. */
struct list {
	struct loader *loader;
	const struct option_spec *spec;
};

/*
 * Compares KEY with each setting of the file and with each group: the parts of names up to a dot.
 */
static void find_nearest(const char *key, struct nearest *ret)
{
	size_t count;
	const struct option_spec *spec = option_table(&count);

	nearest_init(ret, key);
	for (size_t i = 0; i < count; i++) {
		if (!spec[i].in_file)
			continue;
		nearest_consider(ret, spec[i].name, strlen(spec[i].name));
		for (const char *dot = spec[i].name; (dot = strchr(dot, '.')); dot++)
			nearest_consider(ret, spec[i].name, (size_t)(dot - spec[i].name));
	}
}

/* Reports a key that the table does not know, with the known one that is closest. */
static int yaml_fail_unknown(struct loader *l, const yaml_mark_t *mark, const char *key)
{
	char suggestion[NEAREST_TEXT_SIZE];
	struct nearest nearest;

	find_nearest(key, &nearest);
	return events_fail(&l->events, mark,
		"unknown key '%.100s': expected a setting that the manual page memtally.yaml(5) lists%s",
		key, nearest_text(&nearest, suggestion));
}

/* Returns true if PROGRAM uses the setting KEY, or a setting of the group KEY. */
static bool is_used(const char *key, enum program program)
{
	size_t count, len = strlen(key);
	const struct option_spec *spec = option_table(&count);

	for (size_t i = 0; i < count; i++)
		if (spec[i].in_file && (spec[i].programs & program) &&
			!strncmp(spec[i].name, key, len) &&
			(spec[i].name[len] == '.' || !spec[i].name[len]))
			return true;
	return false;
}

static bool is_known_prefix(const char *key)
{
	size_t count, len = strlen(key);
	const struct option_spec *spec = option_table(&count);

	for (size_t i = 0; i < count; i++)
		if (spec[i].in_file && !strncmp(spec[i].name, key, len) && spec[i].name[len] == '.')
			return true;
	return false;
}

/* Returns the option KEY and marks it as seen; NULL if it is refused. */
static const struct option_spec *claim_option(
	struct loader *l, const yaml_mark_t *mark, const char *key)
{
	const struct option_spec *spec = option_find(key, ~0U), *table;
	size_t count;

	if (!spec || !spec->in_file) {
		yaml_fail_unknown(l, mark, key);
		return NULL;
	}
	table = option_table(&count);
	if (l->seen[spec - table]) {
		events_fail(&l->events, mark, "key '%s' stands twice", key);
		return NULL;
	}
	l->seen[spec - table] = true;
	return spec;
}

/*
 * Notes that group KEY has a mapping, and refuses a second one. Keys with dots may be used next to
 * it.
 */
static int claim_group(struct loader *l, const yaml_mark_t *mark, const char *key)
{
	for (size_t at = 0; at < l->groups.len; at += strlen(l->groups.data + at) + 1)
		if (!strcmp(l->groups.data + at, key))
			return events_fail(&l->events, mark, "key '%s' stands twice", key);
	buffer_add(&l->groups, key, strlen(key) + 1);
	return l->groups.error;
}

static int set_scalar(struct loader *l, const struct option_spec *spec, const yaml_event_t *event)
{
	struct settings *to = spec->programs & l->program ? l->config : l->scratch;
	const char *value = (const char *)event->data.scalar.value;
	size_t len = event->data.scalar.length;
	char expected[OPTION_EXPECTED_SIZE];
	int r = strlen(value) != len ? -EINVAL : 0;

	if (r == 0 && spec->type == OPTION_PATH && value[0] != '/')
		r = -EINVAL;
	if (r == 0)
		r = option_set(spec, to, value);
	if (r == 0 || r == -ENOMEM)
		return r;
	option_expected(spec, expected);
	return events_fail(&l->events, &event->start_mark, "%s: expected %s%s, got '%.100s'%s",
		spec->name, expected, spec->type == OPTION_PATH ? " that begins with /" : "", value,
		option_remark(spec, value));
}

static int load_item(const yaml_event_t *event, void *context)
{
	const struct list *list = context;

	if (event->type == YAML_SCALAR_EVENT)
		return set_scalar(list->loader, list->spec, event);
	return events_fail(&list->loader->events, &event->start_mark,
		"%s: expected a list of texts", list->spec->name);
}

static int load_sequence(struct loader *l, const struct option_spec *spec, const yaml_mark_t *mark)
{
	struct list list = {.loader = l, .spec = spec};
	int r = events_read_sequence(&l->events, load_item, &list);

	if (r == EVENTS_EMPTY)
		return events_fail(
			&l->events, mark, "%s: expected a list that is not empty", spec->name);
	return r;
}

static int load_key(const yaml_event_t *event, void *context);

/*
 * Sets the option KEY from its value EVENT. MARK is the place of KEY; the value may begin some
 * lines later.
 */
static int load_option(
	struct loader *l, const yaml_mark_t *mark, const char *key, const yaml_event_t *event)
{
	struct settings *to;
	const struct option_spec *spec = claim_option(l, mark, key);
	char expected[OPTION_EXPECTED_SIZE];

	if (!spec)
		return -EINVAL;
	to = spec->programs & l->program ? l->config : l->scratch;
	option_reset(spec, to);
	if (event->type == YAML_SCALAR_EVENT)
		return set_scalar(l, spec, event);
	if (event->type == YAML_SEQUENCE_START_EVENT && option_is_list(spec))
		return load_sequence(l, spec, mark);
	option_expected(spec, expected);
	return events_fail(&l->events, &event->start_mark, "%s: expected %s, got a %s", spec->name,
		expected,
		event->type == YAML_SEQUENCE_START_EVENT  ? "list"
		: event->type == YAML_MAPPING_START_EVENT ? "mapping"
							  : "reference");
}

static int load_group(
	struct loader *l, const yaml_mark_t *mark, const char *key, unsigned int depth)
{
	struct level level = {.loader = l, .prefix = key, .depth = depth + 1};
	int r = claim_group(l, mark, key);

	if (r < 0)
		return r;
	return depth == YAML_DEPTH_MAX ? yaml_fail_unknown(l, mark, key)
	                               : events_read_mapping(&l->events, load_key, &level);
}

static int load_value(
	struct loader *l, const yaml_mark_t *mark, const char *key, unsigned int depth)
{
	yaml_event_t event;
	int r = events_next(&l->events, &event);

	if (r < 0)
		return r;
	if (event.type == YAML_MAPPING_START_EVENT && is_known_prefix(key))
		r = load_group(l, mark, key, depth);
	else if (is_known_prefix(key) && !option_find(key, ~0U))
		r = events_fail(&l->events, &event.start_mark, "%s: expected a mapping", key);
	else
		r = load_option(l, mark, key, &event);
	yaml_event_delete(&event);
	return r;
}

static int load_known_key(
	struct loader *l, const yaml_event_t *event, const char *prefix, unsigned int depth)
{
	char key[YAML_KEY_MAX];
	int n = snprintf(
		key, sizeof(key), "%s%s%s", prefix, *prefix ? "." : "", events_text(event));

	l->events.is_ignoring = l->is_lenient && !is_used(key, l->program);
	if (n < 0 || (size_t)n >= sizeof(key) || (!is_known_prefix(key) && !option_find(key, ~0U)))
		return yaml_fail_unknown(l, &event->start_mark, key);
	return load_value(l, &event->start_mark, key, depth);
}

static int load_key(const yaml_event_t *event, void *context)
{
	const struct level *level = context;
	struct events *e = &level->loader->events;
	bool was_ignoring = e->is_ignoring;
	int r = load_known_key(level->loader, event, level->prefix, level->depth);

	e->is_ignoring = was_ignoring;
	return r;
}

/* If faults were ignored, sets the warning about them in C. Returns 0 or -ENOMEM. */
static int keep_ignored(const struct events *e, struct settings *c)
{
	char *text;
	int n;

	if (!e->ignored)
		return 0;
	n = e->ignored == 1
	            ? asprintf(&text, "%s; this setting is ignored", e->first_ignored)
	            : asprintf(&text,
			      "%s; this setting is ignored, and %u more faults like it (see memtally --check-config)",
			      e->first_ignored, e->ignored - 1);
	if (n < 0)
		return -ENOMEM;
	free(c->ignored);
	c->ignored = text;
	return 0;
}

int yaml_parse(const char *name, const char *text, size_t len, enum program program,
	struct settings *c, char error[static SETTINGS_ERROR_SIZE])
{
	AUTO_SETTINGS struct settings *scratch = calloc(1, sizeof(*scratch));
	AUTO_FREE bool *seen = NULL;
	struct loader l = {.program = program, .config = c, .scratch = scratch};
	struct level root = {.loader = &l, .prefix = ""};
	size_t count;
	int r;

	option_table(&count);
	seen = calloc(count, sizeof(*seen));
	if (!scratch || !seen)
		return -ENOMEM;
	l.seen = seen;
	l.is_lenient = program == PROGRAM_MEMTALLY && !c->check_config;
	r = events_open(&l.events, name, text, len, error);
	if (r < 0)
		return r;
	r = events_read(&l.events, load_key, &root);
	if (r == 0)
		r = keep_ignored(&l.events, c);
	events_close(&l.events);
	buffer_done(&l.groups);
	return r;
}

int yaml_load(const char *path, enum program program, struct settings *c,
	char error[static SETTINGS_ERROR_SIZE])
{
	AUTO_BUFFER struct buffer text = {0};
	int r = file_read_all(AT_FDCWD, path, YAML_FILE_MAX, &text);

	if (r < 0) {
		snprintf(error, SETTINGS_ERROR_SIZE, "%s: %s", path, strerror(-r));
		return r;
	}
	return yaml_parse(path, text.data, text.len, program, c, error);
}
