/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "base/array.h"
#include "config/webconfig-private.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BCRYPT_ALPHABET "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

struct users {
	struct events *events;
	struct webconfig *config;
};

static bool is_bcrypt(const char *hash)
{
	unsigned int cost;

	if (strlen(hash) != WEBCONFIG_HASH_LEN || hash[0] != '$' || hash[1] != '2' ||
		!strchr("aby", hash[2]) || hash[3] != '$' || hash[6] != '$')
		return false;
	if (hash[4] < '0' || hash[4] > '9' || hash[5] < '0' || hash[5] > '9')
		return false;
	cost = (unsigned int)(hash[4] - '0') * 10 + (unsigned int)(hash[5] - '0');
	return cost >= WEBCONFIG_COST_MIN && cost <= WEBCONFIG_COST_MAX &&
	       !hash[7 + strspn(hash + 7, BCRYPT_ALPHABET)];
}

/* Adds a user. The hash is a secret and must not be in a message. */
static int webconfig_users_add_user(
	struct users *u, const yaml_event_t *key, const yaml_event_t *value)
{
	struct webconfig *c = u->config;
	struct webconfig_user user = {0};
	const char *name = events_text(key), *hash = events_text(value);

	/* In an Authorization header the name ends at the first colon. */
	if (!*name || strchr(name, ':'))
		return events_fail(u->events, &key->start_mark,
			"basic_auth_users: expected a name without colons, got '%.100s'", name);
	for (size_t i = 0; i < c->users; i++)
		if (!strcmp(c->user[i].name, name))
			return events_fail(
				u->events, &key->start_mark, "key '%.100s' stands twice", name);
	if (!hash || !is_bcrypt(hash))
		return events_fail(u->events, &value->start_mark,
			"basic_auth_users: expected of '%.100s' a bcrypt hash ($2a$, $2b$ or $2y$) "
			"of cost %d to %d",
			name, WEBCONFIG_COST_MIN, WEBCONFIG_COST_MAX);
	if (ARRAY_RESERVE(c->user, c->users_room, c->users + 1) < 0)
		return -ENOMEM;
	user.name = strdup(name);
	user.hash = user.name ? strdup(hash) : NULL;
	if (!user.hash) {
		free(user.name);
		return -ENOMEM;
	}
	c->user[c->users++] = user;
	return 0;
}

static int read_user(const yaml_event_t *key, void *context)
{
	struct users *u = context;
	yaml_event_t value;
	int r = events_next(u->events, &value);

	if (r < 0)
		return r;
	r = webconfig_users_add_user(u, key, &value);
	yaml_event_delete(&value);
	return r;
}

int webconfig_users_read(struct events *e, struct webconfig *c)
{
	struct users u = {.events = e, .config = c};

	return events_read_mapping(e, read_user, &u);
}
