/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An address to listen on, as a user writes it: HOST:PORT, [IPV6]:PORT, :PORT or unix:PATH; or the name of a
 * host alone. Pure: a name is not looked up and nothing is opened.
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
 * Whether TEXT is a host's name as DNS has it, without a port: letters, digits, '-', '_' and dots, at most
 * 253 bytes. An IPv4 address is one, too.
 */
bool address_is_host(const char *text);

/* Takes TEXT apart; it stays borrowed. -EINVAL; -ERANGE: no UNIX socket has so long a path. */
int address_parse(const char *text, struct address *ret);

#endif
