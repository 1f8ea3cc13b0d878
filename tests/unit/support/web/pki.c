/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/web/pki.h"

#include <arpa/inet.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DAY 86400

static void need(int r)
{
	if (r >= 0)
		return;
	fprintf(stderr, "no certificate: %s\n", gnutls_strerror(r));
	exit(99);
}

static char *text_of(gnutls_datum_t *datum)
{
	char *text = strndup((const char *)datum->data, datum->size);

	if (!text)
		exit(99);
	gnutls_free(datum->data);
	return text;
}

static gnutls_datum_t datum_of(char *text)
{
	return (gnutls_datum_t){(unsigned char *)text, (unsigned int)strlen(text)};
}

static void add_names(gnutls_x509_crt_t cert, const struct pki_wish *w)
{
	const struct {
		gnutls_x509_subject_alt_name_t type;
		const char *name;
	} names[] = {
		{GNUTLS_SAN_DNSNAME, w->dns},
		{GNUTLS_SAN_RFC822NAME, w->mail},
		{GNUTLS_SAN_URI, w->uri},
	};
	unsigned char address[16];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].name)
			need(gnutls_x509_crt_set_subject_alt_name(cert, names[i].type,
				names[i].name, (unsigned int)strlen(names[i].name),
				GNUTLS_FSAN_APPEND));
	if (w->address && inet_pton(AF_INET, w->address, address) == 1)
		need(gnutls_x509_crt_set_subject_alt_name(
			cert, GNUTLS_SAN_IPADDRESS, address, 4, GNUTLS_FSAN_APPEND));
	else if (w->address && inet_pton(AF_INET6, w->address, address) == 1)
		need(gnutls_x509_crt_set_subject_alt_name(
			cert, GNUTLS_SAN_IPADDRESS, address, 16, GNUTLS_FSAN_APPEND));
}

static void set_use(gnutls_x509_crt_t cert, const struct pki_wish *w)
{
	need(gnutls_x509_crt_set_basic_constraints(cert, !w->issuer, -1));
	if (!w->issuer) {
		need(gnutls_x509_crt_set_key_usage(cert, GNUTLS_KEY_KEY_CERT_SIGN));
		return;
	}
	need(gnutls_x509_crt_set_key_usage(
		cert, GNUTLS_KEY_DIGITAL_SIGNATURE | GNUTLS_KEY_KEY_ENCIPHERMENT));
	need(gnutls_x509_crt_set_key_purpose_oid(
		cert, w->is_client ? GNUTLS_KP_TLS_WWW_CLIENT : GNUTLS_KP_TLS_WWW_SERVER, 0));
}

static void sign(gnutls_x509_crt_t cert, gnutls_x509_privkey_t key, const struct pki *issuer)
{
	gnutls_x509_privkey_t issuer_key;
	gnutls_x509_crt_t issuer_cert;
	gnutls_datum_t text;

	if (!issuer) {
		need(gnutls_x509_crt_sign2(cert, cert, key, GNUTLS_DIG_SHA256, 0));
		return;
	}
	need(gnutls_x509_crt_init(&issuer_cert));
	need(gnutls_x509_privkey_init(&issuer_key));
	text = datum_of(issuer->cert);
	need(gnutls_x509_crt_import(issuer_cert, &text, GNUTLS_X509_FMT_PEM));
	text = datum_of(issuer->key);
	need(gnutls_x509_privkey_import(issuer_key, &text, GNUTLS_X509_FMT_PEM));
	need(gnutls_x509_crt_sign2(cert, issuer_cert, issuer_key, GNUTLS_DIG_SHA256, 0));
	gnutls_x509_crt_deinit(issuer_cert);
	gnutls_x509_privkey_deinit(issuer_key);
}

void pki_make(const struct pki_wish *w, struct pki *ret)
{
	gnutls_x509_privkey_t key;
	gnutls_x509_crt_t cert;
	gnutls_datum_t text;
	unsigned char serial[8];
	time_t now = time(NULL);

	need(gnutls_x509_privkey_init(&key));
	need(w->is_rsa ? gnutls_x509_privkey_generate(key, GNUTLS_PK_RSA, 2048, 0)
		       : gnutls_x509_privkey_generate(key, GNUTLS_PK_ECDSA,
				 GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0));
	need(gnutls_x509_crt_init(&cert));
	need(gnutls_x509_crt_set_version(cert, 3));
	need(gnutls_x509_privkey_export2(key, GNUTLS_X509_FMT_PEM, &text));
	ret->key = text_of(&text);
	memcpy(serial, ret->key + strlen(ret->key) / 2, sizeof(serial));
	serial[0] &= 0x7f;
	need(gnutls_x509_crt_set_serial(cert, serial, sizeof(serial)));
	need(gnutls_x509_crt_set_key(cert, key));
	need(gnutls_x509_crt_set_dn_by_oid(
		cert, GNUTLS_OID_X520_COMMON_NAME, 0, w->name, (unsigned int)strlen(w->name)));
	need(gnutls_x509_crt_set_activation_time(cert, now - 2 * DAY));
	need(gnutls_x509_crt_set_expiration_time(cert, w->is_expired ? now - DAY : now + DAY));
	add_names(cert, w);
	set_use(cert, w);
	sign(cert, key, w->issuer);
	need(gnutls_x509_crt_export2(cert, GNUTLS_X509_FMT_PEM, &text));
	ret->cert = text_of(&text);
	gnutls_x509_crt_deinit(cert);
	gnutls_x509_privkey_deinit(key);
}

void pki_done(struct pki *p)
{
	free(p->cert);
	free(p->key);
	*p = (struct pki){0};
}
