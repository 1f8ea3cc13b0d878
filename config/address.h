/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Listening Addresses
 *
 * Reads an address to listen on, as a user writes it: HOST:PORT, [IPV6]:PORT, :PORT or unix:PATH;
 * or a host name alone. Pure: names are not looked up, and nothing is opened.
 */
#ifndef MEMTALLY_CONFIG_ADDRESS_H
#define MEMTALLY_CONFIG_ADDRESS_H

#include <stdbool.h>

enum { ADDRESS_HOST_SIZE = 256 };

struct address {
	const char *path;             /* of a UNIX socket, borrowed; NULL: TCP */
	char host[ADDRESS_HOST_SIZE]; /* empty: all addresses */
	char port[sizeof("65535")];
};

/*
 * Returns true if TEXT has the form of a host name without a port: letters, digits, '-', '_' and
 * dots, at most 253 bytes. An IPv4 address has this form, too.
 */
bool address_is_host(const char *text);

/*
 * Reads the address TEXT into *RET. TEXT stays borrowed. Returns 0; -EINVAL if it is malformed;
 * -ERANGE if the path is too long for a UNIX socket (CHANNEL_PATH_MAX).
 */
int address_parse(const char *text, struct address *ret);

#endif
