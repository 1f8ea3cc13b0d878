/* SPDX-License-Identifier: Apache-2.0 */
/* The users of the web configuration and the bcrypt hashes of their passwords. For the files of webconfig.h alone. */
#ifndef MEMTALLY_CONFIG_WEBCONFIG_USERS_H
#define MEMTALLY_CONFIG_WEBCONFIG_USERS_H

#include "config/events.h"
#include "config/webconfig.h"

/*
 * Reads basic_auth_users, the beginning of whose mapping has been read, into C: names without colons, well-formed hashes, nobody
 * twice. No error has a hash in it. As events_read_mapping().
 */
int webconfig_users_read(struct events *e, struct webconfig *c);

#endif
