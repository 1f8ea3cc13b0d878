/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Certificates for tests, made when they are needed, so that none expires and no key lies in the tree.
 */
#ifndef MEMTALLY_TESTS_UNIT_PKI_H
#define MEMTALLY_TESTS_UNIT_PKI_H

#include <stdbool.h>

/* In PEM, terminated; owned. */
struct pki {
	char *cert, *key;
};

struct pki_wish {
	const char *name;
	const struct pki *issuer; /* NULL: it is an authority, by itself */
	bool is_client;           /* for clients, not for servers */
	bool is_rsa;
	bool is_expired;
	const char *dns, *address, *mail, *uri; /* what else it is called; NULL: not so */
};

/* Ends the process where the library fails. */
void pki_make(const struct pki_wish *wish, struct pki *ret);
void pki_done(struct pki *p);

#endif
