/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The name and the password of an Authorization header, scheme Basic (RFC 7617). Pure.
 */
#ifndef MEMTALLY_WEB_CREDENTIALS_H
#define MEMTALLY_WEB_CREDENTIALS_H

#include <stdbool.h>

enum {
	CREDENTIALS_NAME_SIZE = 256,
	CREDENTIALS_PASSWORD_SIZE =
		512, /* of which bcrypt looks at 72 bytes, and libcrypt takes 511 */
};

/* Both terminated; neither has a NUL within. */
struct credentials {
	char name[CREDENTIALS_NAME_SIZE];
	char password[CREDENTIALS_PASSWORD_SIZE];
};

/* Takes VALUE apart. False: it is of another scheme, malformed, or has more than anybody's name or password. */
bool credentials_parse(const char *value, struct credentials *ret);

/* Leaves nothing of it in memory. */
void credentials_wipe(struct credentials *c);

#endif
