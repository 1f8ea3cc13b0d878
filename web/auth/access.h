/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Access
 *
 * One version of the web configuration, with the certificates and keys that it names: which clients
 * get answers. A changed configuration is read into a new struct access. If it has faults, the
 * caller keeps the old one.
 */
#ifndef MEMTALLY_WEB_AUTH_ACCESS_H
#define MEMTALLY_WEB_AUTH_ACCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "config/webconfig.h"
#include "web/net/listen.h"
#include "web/net/tls.h"

struct access;

/*
 * Reads the web configuration at PATH and the files that it names into *RET, which the caller
 * frees. Relative paths are below its directory. If PATH is NULL, every client gets access, by
 * plain HTTP.
 *
 * Returns 0; -EINVAL if there are faults; -EBADMSG if it is not YAML; -EFBIG if a file has more
 * than 1 MiB; -ENOMEM; or a negative errno of open() or read(). After a failure ERROR has a line
 * for each fault. *RET_REFUSED (unless RET_REFUSED is NULL) is then the refused version, or NULL if
 * there was no memory; only access_has_changed() and access_free() may be called with it.
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
 * Returns true if one of the files has changed since it was read. NOW_REALTIME_NS is the time now.
 * Returns false as long as any changed file was touched less than ACCESS_SETTLE_NS ago: it may be
 * incomplete, and half a configuration may give access to every client.
 */
bool access_has_changed(const struct access *a, uint64_t now_realtime_ns);

#define ACCESS_SETTLE_NS (UINT64_C(500) * 1000 * 1000)

/*
 * Returns the path of file INDEX (from 0) of the files that were read, borrowed; NULL if there are
 * no more.
 */
const char *access_file(const struct access *a, size_t index);

/* Returns the settings of the web configuration, borrowed. */
const struct webconfig *access_config(const struct access *a);

/* Returns the TLS settings, borrowed; NULL for plain HTTP. */
struct tls *access_tls(const struct access *a);

/* Returns true if every client needs a password or a verified certificate. */
bool access_authenticates(const struct access *a);

/*
 * Returns true if the listeners of SET may be served with A: listeners that other machines can
 * reach need TLS and authentication. If not, returns false and writes the name of such a listener,
 * borrowed from SET, to *RET_NAME.
 */
bool access_is_fit_for(const struct access *a, const struct listen_set *set, const char **ret_name);

#endif
