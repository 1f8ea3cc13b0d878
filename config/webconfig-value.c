/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "config/webconfig-private.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/number.h"

enum { BURST_MAX = 1000000 };

/* The largest burst times this fits into 64 bits of nanoseconds. */
#define INTERVAL_MAX_NS (UINT64_C(3600) * NS_PER_SEC)

static int webconfig_value_set_text(char **field, const char *text)
{
	*field = strdup(text);
	return *field ? 0 : -ENOMEM;
}

static int find_choice(const char *const *choices, const char *text)
{
	for (int i = 0; choices[i]; i++)
		if (!strcmp(choices[i], text))
			return i;
	return -1;
}

/* Reads a boolean of YAML 1.1. */
static int webconfig_value_parse_bool(const char *text, bool *ret)
{
	static const char *const yes[] = {"true", "yes", "on", "y"};
	static const char *const no[] = {"false", "no", "off", "n"};

	for (size_t i = 0; i < ARRAY_SIZE(yes); i++)
		if (!strcasecmp(text, yes[i]) || !strcasecmp(text, no[i])) {
			*ret = !strcasecmp(text, yes[i]);
			return 0;
		}
	return -EINVAL;
}

/*
 * Refuses a number without a unit, except 0: Go reads it as nanoseconds, all other programs as
 * seconds.
 */
static int parse_duration(const char *text, uint64_t *ret)
{
	size_t len = strlen(text);
	uint64_t bare, value;
	int r;

	if (number_parse_u64(text, len, &bare) == 0 && bare)
		return -EINVAL;
	r = number_parse_duration(text, len, &value);
	if (r == 0 && value > INTERVAL_MAX_NS)
		r = -ERANGE;
	if (r == 0)
		*ret = value;
	return r;
}

static int parse_count(const char *text, uint64_t *ret)
{
	uint64_t value;
	int r = number_parse_u64(text, strlen(text), &value);

	if (r == 0 && value > BURST_MAX)
		r = -ERANGE;
	if (r == 0)
		*ret = value;
	return r;
}

/* Returns true for printable ASCII: a newline could end the header and begin another one. */
static bool is_header_value(const char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			return false;
	return true;
}

static int set_header(const struct webconfig_setting *s, char **field, const char *text)
{
	if (s->choices ? find_choice(s->choices, text) < 0 : !is_header_value(text))
		return -EINVAL;
	return webconfig_value_set_text(field, text);
}

static int set_choice(const struct webconfig_setting *s, unsigned int *field, const char *text)
{
	int choice = find_choice(s->choices, text);

	if (choice < 0)
		return -EINVAL;
	*field = (unsigned int)choice;
	return 0;
}

static int set_client(const struct webconfig_setting *s, unsigned int *field, const char *text)
{
	int r = set_choice(s, field, text);

	if (r == 0 && *field == WEBCONFIG_CLIENT_REQUIRE_OLD)
		*field = WEBCONFIG_CLIENT_REQUIRE_ANY;
	return r;
}

static int add_choice(
	const struct webconfig_setting *s, struct webconfig_choices *to, const char *text)
{
	int choice = find_choice(s->choices, text);

	if (choice < 0)
		return -EINVAL;
	if (!memchr(to->item, choice, to->count))
		to->item[to->count++] = (unsigned char)choice;
	return 0;
}

/* Returns true for settings that are texts in Go, where an empty text counts as not given. */
static bool may_be_blank(const struct webconfig_setting *s)
{
	return s->type == WEBCONFIG_TYPE_PEM || s->type == WEBCONFIG_TYPE_FILE ||
	       s->type == WEBCONFIG_TYPE_HEADER || s->type == WEBCONFIG_TYPE_CLIENT;
}

int webconfig_value_set(const struct webconfig_setting *s, struct webconfig *c, const char *text)
{
	void *field = (char *)c + s->offset;
	bool unused;

	if (!*text && may_be_blank(s))
		return 0;
	switch (s->type) {
	case WEBCONFIG_TYPE_PEM:
		return webconfig_value_set_text(&((struct webconfig_pem *)field)->text, text);
	case WEBCONFIG_TYPE_FILE:
		return webconfig_value_set_text(&((struct webconfig_pem *)field)->path, text);
	case WEBCONFIG_TYPE_CLIENT: return set_client(s, field, text);
	case WEBCONFIG_TYPE_CHOICE: return set_choice(s, field, text);
	case WEBCONFIG_TYPE_CHOICES: return add_choice(s, field, text);
	case WEBCONFIG_TYPE_TEXTS: return *text ? text_list_add(field, text) : -EINVAL;
	case WEBCONFIG_TYPE_BOOL: return webconfig_value_parse_bool(text, field);
	case WEBCONFIG_TYPE_CHECKED: return webconfig_value_parse_bool(text, &unused);
	case WEBCONFIG_TYPE_HEADER: return set_header(s, field, text);
	case WEBCONFIG_TYPE_DURATION: return parse_duration(text, field);
	case WEBCONFIG_TYPE_COUNT: return parse_count(text, field);
	case WEBCONFIG_TYPE_GROUP:
	case WEBCONFIG_TYPE_USERS: break;
	}
	return -EINVAL;
}
