/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Certificates and keys for tests. They are made at run time, so that none expires and no key is
 * in the source tree.
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_WEB_PKI_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_WEB_PKI_H

#include <stdbool.h>

/*
 * A certificate and its private key in PEM. NUL-terminated, owned by the caller; free with
 * pki_done().
 */
struct pki {
	char *cert, *key;
};

struct pki_wish {
	const char *name;
	const struct pki *issuer; /* NULL: a self-signed authority */
	bool is_client;           /* true: for TLS clients; false: for TLS servers */
	bool is_rsa;
	bool is_expired;
	const char *dns, *address, *mail, *uri; /* subject alternative names; NULL: none */
};

/* Makes a certificate. If GnuTLS fails, the process exits with status 99. */
void pki_make(const struct pki_wish *wish, struct pki *ret);
void pki_done(struct pki *p);

#endif
