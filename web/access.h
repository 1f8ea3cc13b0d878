/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who gets in: the web configuration as it was read, with the certificates and keys that it names. Read anew it is another
 * one; one that can't be had leaves the old one in its place.
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
 * Reads the web configuration at PATH and what it names; paths in it are relative to its directory. PATH may be NULL:
 * everybody gets in, by plain HTTP. Errors of open() and read(), -EINVAL, -ENOMEM; ERROR then says what is wrong and where,
 * and *RET_REFUSED (RET_REFUSED may be NULL) is what was refused (NULL: no memory for that), good for access_has_changed()
 * and access_free() alone.
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
 * Whether one of its files is not the one any more that was read, at NOW (CLOCK_REALTIME). One that was touched less than
 * ACCESS_SETTLE_NS ago is left alone until then: who writes it in place may not have come to its end, and half a
 * configuration may be one that lets in everybody.
 */
bool access_has_changed(const struct access *a, uint64_t now_realtime_ns);

#define ACCESS_SETTLE_NS (UINT64_C(500) * 1000 * 1000)

/* The files that were read, INDEX from 0 on; NULL: no more. */
const char *access_file(const struct access *a, size_t index);

const struct webconfig *access_config(const struct access *a);

/* NULL: plain HTTP. Borrowed. */
struct tls *access_tls(const struct access *a);

/* Whether whoever gets an answer has shown a password or a verified certificate. */
bool access_authenticates(const struct access *a);

/*
 * Whether who is not on this machine may reach SET: by TLS, and authenticated. *RET_NAME, where the answer is no, is the
 * listener that he may not reach, borrowed.
 */
bool access_is_fit_for(const struct access *a, const struct listen_set *set, const char **ret_name);

#endif
