/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS settings of one web configuration: certificate, versions, ciphers, and the authorities of client certificates. A
 * connection keeps the settings that it began with; settings that are read later are for later connections.
 */
#ifndef MEMTALLY_WEB_TLS_H
#define MEMTALLY_WEB_TLS_H

#include <gnutls/gnutls.h>
#include <stdbool.h>

#include "base/buffer.h"
#include "config/webconfig.h"

struct tls;

/* Texts from the configuration, or from the files that it names, in PEM. */
struct tls_texts {
	struct buffer cert, key, client_ca; /* .client_ca may be empty */
};

/*
 * Makes TLS credentials and settings from C and TEXTS, which are not kept; NAME stands for the configuration in errors.
 * -EINVAL: there are faults, and ERROR has a line for each; -ENOMEM.
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
 * Prepares SESSION, of a server, before its handshake. T must live as long as the session. Uses the session's database
 * pointer; there is no database of sessions. Returns 0; -EIO if the library refuses.
 */
int tls_admit(struct tls *t, gnutls_session_t session);

/* Whether a client needs a verified certificate to complete the handshake. */
bool tls_authenticates(const struct tls *t);

#endif
