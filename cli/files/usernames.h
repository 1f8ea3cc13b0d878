/* SPDX-License-Identifier: Apache-2.0 */
/* Names of users. Each is looked up once. */
#ifndef MEMTALLY_CLI_FILES_USERNAMES_H
#define MEMTALLY_CLI_FILES_USERNAMES_H

#include <stdint.h>

#include "base/cleanup.h"
#include "base/keytable.h"

struct usernames {
	struct keytable by_uid; /* values are owned texts */
};

/* Frees what U owns. */
void usernames_done(struct usernames *u);

/*
 * Returns the clean name of UID, or its number as text if it has no name. U owns the text. Returns
 * NULL if there is no memory. Calls getpwuid(), which may block.
 */
const char *usernames_find(struct usernames *u, uint32_t uid);

#endif
