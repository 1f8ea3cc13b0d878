/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bcrypt
 *
 * Compares passwords with hashes in a time that is the same for all users of the configuration,
 * known or unknown. Pure, and slow on purpose.
 */
#ifndef MEMTALLY_WEB_AUTH_BCRYPT_H
#define MEMTALLY_WEB_AUTH_BCRYPT_H

#include <crypt.h>
#include <stdbool.h>

/*
 * Returns the cost of HASH, 4 to 18: it takes 2^cost rounds. HASH must be well-formed
 * (config/webconfig.h).
 */
unsigned int bcrypt_cost(const char *hash);

/*
 * Returns true if HASH is a hash of PASSWORD. HASH may be NULL for an unknown user: then the result
 * is false. The call always takes as long as a hash of cost MOST, so MOST must be at least the cost
 * of every hash of the configuration. MEMORY is scratch memory for libxcrypt; it is wiped
 * afterwards. A password that libxcrypt refuses is wrong.
 */
bool bcrypt_check(
	const char *password, const char *hash, unsigned int most, struct crypt_data *memory);

#endif
