/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "config/address.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/number.h"
#include "base/os/channel.h"

enum { DNS_NAME_MAX = 253 }; /* bytes as text, RFC 1035 */

bool address_is_host(const char *text)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789-_.";
	size_t len = strlen(text);

	return len && len <= DNS_NAME_MAX && text[0] != '.' && !text[strspn(text, allowed)] &&
	       !strstr(text, "..");
}

int address_parse(const char *text, struct address *ret)
{
	struct address a = {0};
	const char *colon = strrchr(text, ':');
	const char *host = text;
	uint64_t port;
	size_t len;

	if (!strncmp(text, "unix:", 5)) {
		a.path = text + 5;
		if (!*a.path)
			return -EINVAL;
		if (strlen(a.path) > CHANNEL_PATH_MAX)
			return -ERANGE;
		*ret = a;
		return 0;
	}
	if (!colon || strlen(colon + 1) >= sizeof(a.port) ||
		number_parse_u64(colon + 1, strlen(colon + 1), &port) < 0 || port > UINT16_MAX)
		return -EINVAL;
	len = (size_t)(colon - text);
	if (len && text[0] == '[') {
		if (len < 3 || text[len - 1] != ']')
			return -EINVAL;
		host++;
		len -= 2;
	} else if (memchr(text, ':', len) || memchr(text, '[', len) || memchr(text, ']', len)) {
		return -EINVAL; /* IPv6 without brackets: the port cannot be told from it */
	}
	if (len >= sizeof(a.host))
		return -EINVAL;
	memcpy(a.host, host, len);
	memcpy(a.port, colon + 1, strlen(colon + 1));
	*ret = a;
	return 0;
}
