/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host and Origin headers: the name under which a client asks, and the site that a browser asks for. A page of another
 * site can make a browser connect to an address of its choice under the page's own name (DNS rebinding) and read the answer; so
 * only names that cannot be rebound are answered. Names are compared without case and without a final dot. Pure.
 */
#ifndef MEMTALLY_WEB_HOST_H
#define MEMTALLY_WEB_HOST_H

#include <stdbool.h>

#include "config/option.h"

/* Whether VALUE has the form of a Host header: a name or an address, and perhaps a port. */
bool host_is_valid(const char *value);

/* The names, in addition to "localhost", that requests may use for this machine. All borrowed. */
struct host_names {
	const char *listener; /* the name that the listener was configured with; NULL: none */
	const char *
		machine; /* the machine's own name, which is also accepted up to its first dot; NULL: none */
	const struct text_list *allowed; /* names that the administrator allows; NULL: none */
};

/*
 * Whether VALUE, a Host header, has a name that no other site can point here: an IP address, "localhost", or one of NAMES.
 * The port is ignored: a proxy or a forwarded port may have another one.
 */
bool host_is_served(const char *value, const struct host_names *names);

/* Whether ORIGIN ("http://HOST:PORT") is the site that the Host header VALUE names: the same host, and the same port or none. */
bool host_is_same_origin(const char *origin, const char *value);

#endif
