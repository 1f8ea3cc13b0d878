/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Access: one version of the web configuration, with the certificates and keys that it names. A changed configuration is read
 * as a new struct access; if it has faults, the caller keeps the old one.
 */
#ifndef MEMTALLY_WEB_ACCESS_H
#define MEMTALLY_WEB_ACCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "config/webconfig.h"
#include "web/listen.h"
#include "web/tls.h"

struct access;

/*
 * Reads the web configuration at PATH, and the files that it names; relative paths are below its directory. PATH may be NULL:
 * every client gets access, by plain HTTP. Returns 0; -EINVAL: there are faults; -EBADMSG: not YAML; -ENOMEM; or a negative
 * errno of open() or read(). After a failure ERROR has a line for each fault, and *RET_REFUSED (unless RET_REFUSED is NULL)
 * is the refused version (NULL: no memory), only for access_has_changed() and access_free().
 */
int access_load(const char *path, struct access **ret, struct access **ret_refused,
	char error[static SETTINGS_ERROR_SIZE]);
struct access *access_free(struct access *a); /* accepts NULL; returns NULL */

static inline void cleanup_access(struct access **a)
{
	access_free(*a);
}
#define AUTO_ACCESS CLEANUP(cleanup_access)

/*
 * Whether one of the files has changed since it was read, at NOW_REALTIME_NS. A file that was touched less than
 * ACCESS_SETTLE_NS ago does not count yet: it may be incomplete, and half a configuration may give access to every client.
 */
bool access_has_changed(const struct access *a, uint64_t now_realtime_ns);

#define ACCESS_SETTLE_NS (UINT64_C(500) * 1000 * 1000)

/* The path of file INDEX, from 0, of the files that were read; NULL: there are no more. */
const char *access_file(const struct access *a, size_t index);

const struct webconfig *access_config(const struct access *a);

/* The TLS settings, borrowed; NULL: plain HTTP. */
struct tls *access_tls(const struct access *a);

/* Whether every client must have a password or a verified certificate. */
bool access_authenticates(const struct access *a);

/*
 * Whether the listeners of SET may be reachable from other machines: only with TLS and authentication, if they are beyond
 * loopback. If not, *RET_NAME is a listener that may not be, borrowed.
 */
bool access_is_fit_for(const struct access *a, const struct listen_set *set, const char **ret_name);

#endif
