/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host and Origin headers: whom a request thinks it is talking to, and on whose behalf. A page from
 * elsewhere can make a browser connect to the loopback address under a name of the page's own (DNS
 * rebinding); there only names that can't be rebound are answered. Pure.
 */
#ifndef MEMTALLY_WEB_HOST_H
#define MEMTALLY_WEB_HOST_H

#include <stdbool.h>

/* Whether VALUE has the form of a Host header: a name or an address, and perhaps a port. */
bool host_is_valid(const char *value);

/*
 * Whether VALUE, a valid Host header, names something on this machine that nobody else can point here:
 * an IP address, "localhost", or NAME, the name that the listener was configured with (NULL: none).
 */
bool host_is_local(const char *value, const char *name);

/* Whether ORIGIN ("http://HOST:PORT") is the site that the Host header VALUE names. */
bool host_is_same_origin(const char *origin, const char *value);

#endif
