/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What users are called: each is asked for once.
 */
#ifndef MEMTALLY_CLI_USERNAME_H
#define MEMTALLY_CLI_USERNAME_H

#include <stdint.h>

#include "base/cleanup.h"
#include "collectors/keytable.h"

struct usernames {
	struct keytable by_uid; /* of owned texts */
};

void usernames_done(struct usernames *u);
#define AUTO_USERNAMES CLEANUP(usernames_done)

/* The name of UID, clean, or its number where it has none; as long as U is. NULL: out of memory. */
const char *usernames_find(struct usernames *u, uint32_t uid);

#endif
