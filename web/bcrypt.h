/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Passwords against their hashes, in a time that does not tell whose they are. Pure, and slow on purpose.
 */
#ifndef MEMTALLY_WEB_BCRYPT_H
#define MEMTALLY_WEB_BCRYPT_H

#include <crypt.h>
#include <stdbool.h>

/* The cost of HASH, which config/webconfig.h has found well-formed: 4 to 18. */
unsigned int bcrypt_cost(const char *hash);

/*
 * Whether HASH is one of PASSWORD; HASH may be NULL, for nobody's. It takes what a hash of cost MOST takes, whatever HASH's
 * own is (up to MOST) and whatever comes out. MEMORY is the library's to work in. A password that the library refuses is
 * wrong.
 */
bool bcrypt_check(
	const char *password, const char *hash, unsigned int most, struct crypt_data *memory);

#endif
