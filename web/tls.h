/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS as one web configuration has it: certificate, versions, ciphers, and whose certificates clients may come with. A
 * connection keeps what it began with; what is read later is for those who come later.
 */
#ifndef MEMTALLY_WEB_TLS_H
#define MEMTALLY_WEB_TLS_H

#include <gnutls/gnutls.h>
#include <stdbool.h>

#include "base/buffer.h"
#include "config/webconfig.h"

struct tls;

/* What stands in the configuration or in the files that it names, in PEM. */
struct tls_texts {
	struct buffer cert, key, client_ca; /* the last may be empty */
};

/*
 * TLS after C, which NAME stands for in errors, with TEXTS; nothing of them is kept but what the library has made of it.
 * -EINVAL: it can't be had, and ERROR says why; -ENOMEM.
 */
int tls_new(const struct webconfig_tls *c, const char *name, const struct tls_texts *texts,
	struct tls **ret, char error[static SETTINGS_ERROR_SIZE]);

struct tls *tls_ref(struct tls *t);   /* returns T */
struct tls *tls_unref(struct tls *t); /* accepts NULL; returns NULL */

static inline void cleanup_tls(struct tls **t)
{
	tls_unref(*t);
}
#define AUTO_TLS CLEANUP(cleanup_tls)

/*
 * Prepares SESSION, of a server, whose handshake has not begun. T has to live as long as the session. Uses the session's
 * pointer for a database of sessions, which there is none of. -EIO: the library refuses.
 */
int tls_admit(struct tls *t, gnutls_session_t session);

/* Whether whoever gets through the handshake has shown a certificate that was verified. */
bool tls_authenticates(const struct tls *t);

#endif
