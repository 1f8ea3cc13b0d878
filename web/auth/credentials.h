/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Credentials
 *
 * Reads name and password from an Authorization header of scheme Basic (RFC 7617). Pure.
 */
#ifndef MEMTALLY_WEB_AUTH_CREDENTIALS_H
#define MEMTALLY_WEB_AUTH_CREDENTIALS_H

#include <stdbool.h>

enum {
	CREDENTIALS_NAME_SIZE = 256,
	CREDENTIALS_PASSWORD_SIZE = 512, /* bcrypt uses 72 bytes of them, libcrypt accepts 511 */
};

/* Both are terminated and contain no other NUL. */
struct credentials {
	char name[CREDENTIALS_NAME_SIZE];
	char password[CREDENTIALS_PASSWORD_SIZE];
};

/*
 * Reads VALUE, the value of an Authorization header, into *RET, which the caller wipes. Returns
 * false if it is of another scheme, malformed, or too long.
 */
bool credentials_parse(const char *value, struct credentials *ret);

#endif
