/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a file as Go's yaml and crypto/tls do, which administrators know: an empty text is a
 * setting that is not given, "yes" is true, and a list of one item is written as a list. If Go
 * would silently ignore a setting, or let one win over another, it is refused here.
 */
#include "config.h"

#include "config/webconfig.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config/nearest.h"
#include "config/webconfig-private.h"

struct loader {
	struct events *events;
	struct webconfig *config;
	struct webconfig_lines lines;
};

/* A mapping that is being read. */
struct level {
	struct loader *loader;
	enum webconfig_group group;
};

/* A list that is being read. */
struct list {
	struct loader *loader;
	const struct webconfig_setting *setting;
};

/* Wipes TEXT, which may be a private key, and frees it. */
static void webconfig_wipe(char *text)
{
	if (text)
		explicit_bzero(text, strlen(text));
	free(text);
}

static void pem_done(struct webconfig_pem *pem)
{
	webconfig_wipe(pem->text);
	free(pem->path);
}

static int fail_value(
	struct loader *l, const struct webconfig_setting *s, const yaml_event_t *event)
{
	/* Does not quote a value that may be a private key. */
	if (event->type != YAML_SCALAR_EVENT || s->type == WEBCONFIG_TYPE_PEM)
		return events_fail(
			l->events, &event->start_mark, "%s: expected %s", s->name, s->expected);
	return events_fail(l->events, &event->start_mark, "%s: expected %s, got '%.100s'", s->name,
		s->expected, (const char *)event->data.scalar.value);
}

/* Reports a key that GROUP does not have, with the known one that is closest. */
static int webconfig_fail_unknown(
	struct loader *l, enum webconfig_group group, const yaml_event_t *key)
{
	char suggestion[NEAREST_TEXT_SIZE];
	const char *name = events_text(key);
	struct nearest nearest;

	nearest_init(&nearest, name);
	for (size_t i = 0; i < WEBCONFIG_SETTINGS; i++)
		if (webconfig_settings[i].group == group)
			nearest_consider(&nearest, webconfig_settings[i].name,
				strlen(webconfig_settings[i].name));
	return events_fail(l->events, &key->start_mark,
		"unknown key '%.100s'%s%s: expected one that memtally-web(8) lists%s", name,
		group == WEBCONFIG_GROUP_ROOT ? "" : " in ", webconfig_form_group_name(group),
		nearest_text(&nearest, suggestion));
}

static int read_scalar(
	struct loader *l, const struct webconfig_setting *s, const yaml_event_t *event)
{
	const char *value = events_text(event);
	int r = value ? webconfig_value_set(s, l->config, value) : -EINVAL;

	return r == 0 || r == -ENOMEM ? r : fail_value(l, s, event);
}

static int read_item(const yaml_event_t *event, void *context)
{
	const struct list *list = context;

	return read_scalar(list->loader, list->setting, event);
}

static int read_list(struct loader *l, const struct webconfig_setting *s, const yaml_event_t *start)
{
	struct list list = {.loader = l, .setting = s};
	int r = events_read_sequence(l->events, read_item, &list);

	return r == EVENTS_EMPTY ? fail_value(l, s, start) : r;
}

/* Returns true for a null value, as of a group with every line commented out. */
static bool is_null(const yaml_event_t *event)
{
	const char *text = (const char *)event->data.scalar.value;

	return event->type == YAML_SCALAR_EVENT &&
	       event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	       (!*text || !strcmp(text, "~") || !strcasecmp(text, "null"));
}

static int read_setting(const yaml_event_t *key, void *context);

static int read_mapping(
	struct loader *l, const struct webconfig_setting *s, const yaml_event_t *event)
{
	struct level level = {.loader = l, .group = s->group_of};

	if (is_null(event))
		return 0;
	if (event->type != YAML_MAPPING_START_EVENT)
		return events_fail(
			l->events, &event->start_mark, "%s: expected a mapping", s->name);
	if (s->type == WEBCONFIG_TYPE_USERS)
		return webconfig_users_read(l->events, l->config);
	return events_read_mapping(l->events, read_setting, &level);
}

static int webconfig_read_value(
	struct loader *l, const struct webconfig_setting *s, const yaml_event_t *event)
{
	if (s->type == WEBCONFIG_TYPE_GROUP || s->type == WEBCONFIG_TYPE_USERS)
		return read_mapping(l, s, event);
	if (!webconfig_form_is_list(s))
		return read_scalar(l, s, event);
	return event->type == YAML_SEQUENCE_START_EVENT ? read_list(l, s, event)
	                                                : fail_value(l, s, event);
}

static int read_known(struct loader *l, const struct level *level, const yaml_event_t *key)
{
	const char *name = events_text(key);
	const struct webconfig_setting *s = webconfig_form_find(level->group, name);
	yaml_event_t value;
	size_t *line;
	int r;

	if (!s)
		return webconfig_fail_unknown(l, level->group, key);
	line = &l->lines.line[s - webconfig_settings];
	if (*line)
		return events_fail(l->events, &key->start_mark, "key '%s' stands twice", name);
	*line = key->start_mark.line + 1;
	r = events_next(l->events, &value);
	if (r < 0)
		return r;
	r = webconfig_read_value(l, s, &value);
	yaml_event_delete(&value);
	return r;
}

static int read_setting(const yaml_event_t *key, void *context)
{
	const struct level *level = context;
	struct loader *l = level->loader;
	size_t faults = l->events->faults.count;
	int r = read_known(l, level, key);

	if (l->events->faults.count > faults)
		l->lines.has_faults[level->group] = true;
	return r;
}

int webconfig_parse(const char *name, const char *text, size_t len, struct webconfig *ret,
	char error[static SETTINGS_ERROR_SIZE])
{
	AUTO_WEBCONFIG struct webconfig c = {
		.tls = {.min = WEBCONFIG_TLS12, .max = WEBCONFIG_TLS13, .prefers_own = true},
	};
	struct events events;
	struct loader l = {.events = &events, .config = &c};
	struct level root = {.loader = &l, .group = WEBCONFIG_GROUP_ROOT};
	int r = events_open(&events, name, text, len, error);

	if (r < 0)
		return r;
	r = events_read(&events, read_setting, &root);
	if (r == 0 || r == -EINVAL)
		r = webconfig_check(&events, &c, &l.lines);
	events_close(&events);
	if (r < 0)
		return r;
	*ret = c;
	c = (struct webconfig){0};
	return 0;
}

void webconfig_done(struct webconfig *c)
{
	pem_done(&c->tls.cert);
	pem_done(&c->tls.key);
	pem_done(&c->tls.client_ca);
	text_list_done(&c->tls.allowed_sans);
	for (size_t i = 0; i < WEBCONFIG_HEADERS; i++)
		free(c->header[i]);
	for (size_t i = 0; i < c->users; i++) {
		free(c->user[i].name);
		webconfig_wipe(c->user[i].hash);
	}
	free(c->user);
	*c = (struct webconfig){0};
}
