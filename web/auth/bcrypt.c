/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash of cost c takes 2^c rounds. With that alone, a client could tell users with costly hashes
 * from others, and existing names from unknown ones. So bcrypt_check() fills up the time with
 * further hashes of costs c, c + 1, ... MOST - 1: together with the first one they take 2^MOST
 * rounds for every user. An unknown user costs one hash of cost MOST.
 *
 * libxcrypt and other programs disagree about the unused bits at the end of the salt in a hash. So
 * only the part behind the salt is compared.
 */
#include "config.h"

#include "web/auth/bcrypt.h"

#include <stdio.h>
#include <string.h>

#include "config/webconfig.h"

enum { SALT_END = 29 }; /* $2b$10$ and 22 characters */

unsigned int bcrypt_cost(const char *hash)
{
	return (unsigned int)(hash[WEBCONFIG_COST_AT] - '0') * 10 +
	       (unsigned int)(hash[WEBCONFIG_COST_AT + 1] - '0');
}

static bool has_hash(const char *password, const char *hash, struct crypt_data *memory)
{
	const char *made = crypt_rn(password, hash, memory, (int)sizeof(*memory));
	unsigned char difference = 0;

	if (!made || strlen(made) != WEBCONFIG_HASH_LEN)
		return false;
	for (size_t i = SALT_END; i < WEBCONFIG_HASH_LEN; i++)
		difference |= (unsigned char)(made[i] ^ hash[i]);
	return !difference;
}

static void bcrypt_waste(const char *password, unsigned int cost, struct crypt_data *memory)
{
	char nobodys[WEBCONFIG_HASH_LEN + 1];

	snprintf(nobodys, sizeof(nobodys),
		"$2b$%02u$.....................................................", cost);
	(void)has_hash(password, nobodys, memory);
}

bool bcrypt_check(
	const char *password, const char *hash, unsigned int most, struct crypt_data *memory)
{
	bool is_right = false;

	if (hash) {
		is_right = has_hash(password, hash, memory);
		for (unsigned int cost = bcrypt_cost(hash); cost < most; cost++)
			bcrypt_waste(password, cost, memory);
	} else {
		bcrypt_waste(password, most, memory);
	}
	explicit_bzero(memory, sizeof(*memory));
	return is_right;
}
