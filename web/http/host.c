/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/http/host.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"

enum { HOST_MAX = 255 }; /* the longest DNS name */

/* Returns the length of the host in VALUE, brackets included; 0 if VALUE is not host[:port]. */
static size_t host_length(const char *value)
{
	static const char name_chars[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					 "0123456789-._~!$&'()*+,;=%";
	static const char address_chars[] = "0123456789abcdefABCDEF:.";
	size_t len;

	if (value[0] == '[') {
		len = 1 + strspn(value + 1, address_chars);
		if (len == 1 || value[len] != ']')
			return 0;
		len++;
	} else {
		len = strspn(value, name_chars);
	}
	if (len > HOST_MAX)
		return 0;
	if (value[len] == ':') {
		uint64_t port;
		const char *digits = value + len + 1;

		if (*digits &&
			(number_parse_u64(digits, strlen(digits), &port) < 0 || port > UINT16_MAX))
			return 0;
		return len;
	}
	return value[len] ? 0 : len;
}

bool host_is_valid(const char *value)
{
	return host_length(value) > 0;
}

/*
 * Returns the length of HOST without the final dot of an absolute DNS name: "localhost." and
 * "localhost" are one host.
 */
static size_t without_dot(const char *host, size_t len)
{
	return len && host[len - 1] == '.' ? len - 1 : len;
}

static bool is_address(const char *host, size_t len)
{
	char text[HOST_MAX + 1];
	struct in6_addr address;

	if (host[0] == '[') {
		memcpy(text, host + 1, len - 2);
		text[len - 2] = 0;
		return inet_pton(AF_INET6, text, &address) == 1;
	}
	memcpy(text, host, len);
	text[len] = 0;
	return inet_pton(AF_INET, text, &address) == 1;
}

/*
 * Returns true if HOST of LEN bytes and NAME of NAME_LEN bytes are the same name. An empty HOST
 * never is.
 */
static bool host_is_name(const char *host, size_t len, const char *name, size_t name_len)
{
	len = without_dot(host, len);
	return len && len == without_dot(name, name_len) && !strncasecmp(host, name, len);
}

bool host_is_served(const char *value, const struct host_names *names)
{
	size_t len = host_length(value);
	const char *own = names->machine, *listener = names->listener;

	if (!len)
		return false;
	if (is_address(value, without_dot(value, len)) ||
		host_is_name(value, len, "localhost", strlen("localhost")))
		return true;
	if (listener && host_is_name(value, len, listener, strlen(listener)))
		return true;
	if (own && (host_is_name(value, len, own, strlen(own)) ||
			   host_is_name(value, len, own, strcspn(own, "."))))
		return true;
	for (size_t i = 0; names->allowed && i < names->allowed->count; i++)
		if (host_is_name(
			    value, len, names->allowed->item[i], strlen(names->allowed->item[i])))
			return true;
	return false;
}

bool host_is_same_origin(const char *origin, const char *value)
{
	static const char scheme[] = "http://", secure[] = "https://";
	size_t len, value_len;

	if (!strncasecmp(origin, scheme, strlen(scheme)))
		origin += strlen(scheme);
	else if (!strncasecmp(origin, secure, strlen(secure))) /* a proxy in front speaks TLS */
		origin += strlen(secure);
	else
		return false;
	len = host_length(origin);
	value_len = host_length(value);
	return host_is_name(origin, len, value, value_len) &&
	       !strcmp(origin + len, value + value_len); /* the ports */
}
