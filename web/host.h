/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host and Origin headers: whom a request thinks it is talking to, and on whose behalf. A page from
 * elsewhere can make a browser connect to an address of its choice under a name of the page's own (DNS
 * rebinding), and read the answer as its own; so only names that can't be rebound are answered. Pure.
 */
#ifndef MEMTALLY_WEB_HOST_H
#define MEMTALLY_WEB_HOST_H

#include <stdbool.h>

#include "config/option.h"

/* Whether VALUE has the form of a Host header: a name or an address, and perhaps a port. */
bool host_is_valid(const char *value);

/* The names, besides "localhost", by which this machine may be asked. All borrowed. */
struct host_names {
	const char *listener; /* that the listener was configured with; NULL: none */
	const char *
		machine; /* the machine's own; its part before the first dot will do, too; NULL: none */
	const struct text_list *allowed; /* by the administrator; NULL: none */
};

/*
 * Whether VALUE, a Host header, names something that nobody else can point here: an IP address, "localhost",
 * or one of NAMES. Its port does not matter: a proxy or a forwarded port may have another.
 */
bool host_is_served(const char *value, const struct host_names *names);

/* Whether ORIGIN ("http://HOST:PORT") is the site that the Host header VALUE names. */
bool host_is_same_origin(const char *origin, const char *value);

#endif
