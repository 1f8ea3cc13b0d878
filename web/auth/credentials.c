/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/auth/credentials.h"

#include <string.h>
#include <strings.h>

#include "base/cleanup.h"

enum { DECODED_MAX = CREDENTIALS_NAME_SIZE + CREDENTIALS_PASSWORD_SIZE - 1 };

/* Returns the value of the base64 digit C (RFC 4648), or -1 if it is none. */
static int credentials_digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Decodes base64 with its padding. Returns false if TEXT is malformed or too long. */
static bool credentials_decode(const char *text, char to[static DECODED_MAX], size_t *ret_len)
{
	size_t len = strlen(text), n = 0;
	size_t padding = len && text[len - 1] == '=' ? 1 + (len > 1 && text[len - 2] == '=') : 0;
	unsigned int bits = 0;

	if (len % 4)
		return false;
	for (size_t i = 0; i < len - padding; i++) {
		int value = credentials_digit(text[i]);

		if (value < 0)
			return false;
		bits = (bits << 6 | (unsigned int)value) & 0xffff;
		if (i % 4 == 0)
			continue;
		if (n == DECODED_MAX)
			return false;
		to[n++] = (char)(bits >> (6 - 2 * (i % 4)));
	}
	*ret_len = n;
	return true;
}

static bool credentials_split(const char *text, size_t len, struct credentials *ret)
{
	const char *colon = memchr(text, ':', len);
	size_t name_len, password_len;

	if (!colon || memchr(text, 0, len))
		return false;
	name_len = (size_t)(colon - text);
	password_len = len - name_len - 1;
	if (name_len >= sizeof(ret->name) || password_len >= sizeof(ret->password))
		return false;
	memcpy(ret->name, text, name_len);
	ret->name[name_len] = 0;
	memcpy(ret->password, colon + 1, password_len);
	ret->password[password_len] = 0;
	return true;
}

bool credentials_parse(const char *value, struct credentials *ret)
{
	static const char scheme[] = "Basic";
	char text[DECODED_MAX];
	size_t len;
	bool done;

	if (strncasecmp(value, scheme, strlen(scheme)) != 0 || value[strlen(scheme)] != ' ')
		return false;
	value += strlen(scheme);
	value += strspn(value, " ");
	done = credentials_decode(value, text, &len) && credentials_split(text, len, ret);
	explicit_bzero(text, sizeof(text));
	return done;
}
