/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <ctype.h>

#include "base/cleanup.h"
#include "web/auth/credentials.h"

/* Encodes NAME:PASSWORD in base64. */
static void encode(const struct credentials *c, char *to)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char text[CREDENTIALS_NAME_SIZE + CREDENTIALS_PASSWORD_SIZE + 2];
	int len = snprintf(text, sizeof(text), "%s:%s", c->name, c->password);

	for (int i = 0; i < len; i += 3) {
		unsigned int bits = 0;

		for (int j = 0; j < 3; j++)
			bits = bits << 8 | (i + j < len ? (unsigned char)text[i + j] : 0);
		for (int j = 0; j < 4; j++)
			*to++ = i + j <= len ? digits[bits >> (18 - 6 * j) & 63] : '=';
	}
	*to = 0;
}

/*
 * Fuzzes credentials_parse(). Accepted credentials are the whole header: no other header has the
 * same encoding, except for the bits past its end.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_FREE char *text = fuzz_text(data, size);
	char again[2048];
	struct credentials c;
	const char *value = text;
	size_t len, padding;

	if (!credentials_parse(text, &c))
		return 0;
	while (isalpha((unsigned char)*value))
		value++;
	value += strspn(value, " ");
	encode(&c, again);
	len = strlen(again);
	padding = len - strcspn(again, "=");
	fuzz_check(strlen(value) == len);
	fuzz_check(!strncmp(value, again, len - padding - (padding ? 1 : 0)));
	return 0;
}
