/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The users of the web configuration and the bcrypt hashes of their passwords. Only for the files
 * of webconfig.h.
 */
#ifndef MEMTALLY_CONFIG_WEBCONFIG_USERS_H
#define MEMTALLY_CONFIG_WEBCONFIG_USERS_H

#include "config/events.h"
#include "config/webconfig.h"

/*
 * Reads basic_auth_users into C, after the start event of its mapping. Refuses names that are empty
 * or have a colon, malformed hashes, and a name that is repeated. Errors never contain a hash.
 * Returns as events_read_mapping().
 */
int webconfig_users_read(struct events *e, struct webconfig *c);

#endif
