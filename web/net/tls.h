/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS Settings
 *
 * The TLS settings of one version of the web configuration: certificate, versions, ciphers, and the
 * authorities of client certificates. A connection keeps the settings with which it began; settings
 * that are read later apply to later connections.
 */
#ifndef MEMTALLY_WEB_NET_TLS_H
#define MEMTALLY_WEB_NET_TLS_H

#include <gnutls/gnutls.h>
#include <stdbool.h>

#include "base/buffer.h"
#include "base/faults.h"
#include "config/webconfig.h"

struct tls;

/* PEM texts from the configuration or the files that it names. */
struct tls_texts {
	struct buffer cert, key, client_ca; /* .client_ca may be empty */
};

/*
 * Makes *RET from C and TEXTS, with one reference; neither is kept. Returns 0; -EINVAL if there are
 * faults, which are added to FAULTS; or -ENOMEM.
 */
int tls_new(const struct webconfig_tls *c, const struct tls_texts *texts, struct faults *faults,
	struct tls **ret);

struct tls *tls_ref(struct tls *t);   /* returns T */
struct tls *tls_unref(struct tls *t); /* accepts NULL; returns NULL */

static inline void cleanup_tls(struct tls **t)
{
	tls_unref(*t);
}
#define AUTO_TLS CLEANUP(cleanup_tls)

/*
 * Prepares SESSION, of a server, before its handshake. T must live as long as the session. Uses the
 * session's database pointer for T; there is no database of sessions. Returns 0; -EIO if GnuTLS
 * refuses.
 */
int tls_admit(struct tls *t, gnutls_session_t session);

/* Returns true if a client needs a verified certificate to complete the handshake. */
bool tls_authenticates(const struct tls *t);

#endif
