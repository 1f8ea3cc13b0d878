/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host and Origin Headers
 *
 * Checks the name under which a client asks, and the site for which a browser asks. A page of
 * another site can make a browser connect to an address of its choice under the page's own name
 * (DNS rebinding) and read the answer. So only names that other sites cannot rebind are answered.
 * Names are compared without case and without a final dot. Pure.
 */
#ifndef MEMTALLY_WEB_HTTP_HOST_H
#define MEMTALLY_WEB_HTTP_HOST_H

#include <stdbool.h>

#include "config/option.h"

/*
 * Returns true if VALUE has the form of a Host header: a name or an address, and an optional port.
 */
bool host_is_valid(const char *value);

/* The names, in addition to "localhost", that requests may use for this machine. All borrowed. */
struct host_names {
	const char *listener; /* the name that the listener was configured with; NULL: none */
	/* the machine's own name, also accepted up to its first dot; NULL: none */
	const char *machine;
	const struct text_list *allowed; /* names that the administrator allows; NULL: none */
};

/*
 * Returns true if VALUE, a Host header, has a name that no other site can point here: an IP
 * address, "localhost", or one of NAMES. The port is ignored: a proxy or a forwarded port may have
 * another one.
 */
bool host_is_served(const char *value, const struct host_names *names);

/*
 * Returns true if ORIGIN ("http://HOST:PORT" or "https://HOST:PORT") is the site that the Host
 * header VALUE names: the same host, and the same port or both without a port.
 */
bool host_is_same_origin(const char *origin, const char *value);

#endif
