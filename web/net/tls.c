/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GnuTLS has no lists of cipher suites: key exchanges, ciphers and MACs are switched on one by one,
 * and every possible combination is on. So the resulting suites are compared with the configured
 * ones, in their order, for each key exchange. A server has one key, so the order between key
 * exchanges has no meaning. TLS 1.3 has the ciphers that are on.
 *
 * Sessions are not resumed: neither tickets nor a database are switched on. So every connection is
 * verified.
 */
#include "config.h"

#include "web/net/tls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <gnutls/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

enum { NAME_SIZE = 1024 }; /* bytes of a subject alternative name */

struct tls {
	unsigned int refs;
	gnutls_certificate_credentials_t credentials;
	gnutls_priority_t priorities;
	enum webconfig_client client;
	struct text_list allowed_sans; /* owned */
};

/*
 * By enum webconfig_suite. Suites up to TLS 1.2 have a key exchange; .key is NULL for those of TLS
 * 1.3.
 */
static const struct {
	unsigned char id[2]; /* IANA's number */
	const char *key, *cipher, *mac;
} suites[WEBCONFIG_SUITES] = {
	[WEBCONFIG_AES_128_GCM_SHA256] = {{0x13, 0x01}, NULL, "AES-128-GCM", "AEAD"},
	[WEBCONFIG_AES_256_GCM_SHA384] = {{0x13, 0x02}, NULL, "AES-256-GCM", "AEAD"},
	[WEBCONFIG_CHACHA20_POLY1305_SHA256] = {{0x13, 0x03}, NULL, "CHACHA20-POLY1305", "AEAD"},
	[WEBCONFIG_ECDSA_AES_128_CBC_SHA] = {{0xc0, 0x09}, "ECDHE-ECDSA", "AES-128-CBC", "SHA1"},
	[WEBCONFIG_ECDSA_AES_256_CBC_SHA] = {{0xc0, 0x0a}, "ECDHE-ECDSA", "AES-256-CBC", "SHA1"},
	[WEBCONFIG_ECDSA_AES_128_GCM_SHA256] = {{0xc0, 0x2b}, "ECDHE-ECDSA", "AES-128-GCM", "AEAD"},
	[WEBCONFIG_ECDSA_AES_256_GCM_SHA384] = {{0xc0, 0x2c}, "ECDHE-ECDSA", "AES-256-GCM", "AEAD"},
	[WEBCONFIG_ECDSA_CHACHA20_POLY1305_SHA256] = {{0xcc, 0xa9}, "ECDHE-ECDSA",
		"CHACHA20-POLY1305", "AEAD"},
	[WEBCONFIG_RSA_AES_128_CBC_SHA] = {{0xc0, 0x13}, "ECDHE-RSA", "AES-128-CBC", "SHA1"},
	[WEBCONFIG_RSA_AES_256_CBC_SHA] = {{0xc0, 0x14}, "ECDHE-RSA", "AES-256-CBC", "SHA1"},
	[WEBCONFIG_RSA_AES_128_GCM_SHA256] = {{0xc0, 0x2f}, "ECDHE-RSA", "AES-128-GCM", "AEAD"},
	[WEBCONFIG_RSA_AES_256_GCM_SHA384] = {{0xc0, 0x30}, "ECDHE-RSA", "AES-256-GCM", "AEAD"},
	[WEBCONFIG_RSA_CHACHA20_POLY1305_SHA256] = {{0xcc, 0xa8}, "ECDHE-RSA", "CHACHA20-POLY1305",
		"AEAD"},
};

static const char *const versions[WEBCONFIG_VERSIONS] = {
	"VERS-TLS1.0", "VERS-TLS1.1", "VERS-TLS1.2", "VERS-TLS1.3"};

static const char *const groups[WEBCONFIG_CURVES] = {
	"GROUP-SECP256R1", "GROUP-SECP384R1", "GROUP-SECP521R1", "GROUP-X25519"};

/* The configuration that is being read, for errors. */
struct making {
	const struct webconfig_tls *config;
	struct faults *faults;
};

static int tls_refuse(
	struct making *m, size_t line, const char *key, const char *expected, const char *detail)
{
	return faults_add(m->faults, line, "%s: expected %s%s%s", key, expected, detail ? ": " : "",
		detail ? detail : "");
}

/*
 * Refuses PEM under the key IN_FILE ("cert_file") or HERE ("cert"), whichever the configuration
 * has.
 */
static int refuse_pem(struct making *m, const struct webconfig_pem *pem, const char *in_file,
	const char *here, const char *expected, const char *detail)
{
	return tls_refuse(m, pem->line, pem->path ? in_file : here, expected, detail);
}

static bool is_before_13(unsigned int suite)
{
	return suites[suite].key != NULL;
}

/*
 * Returns the lowest version to offer: TLS 1.3 if the configuration lists suites and none of them
 * is of an earlier version, else the configured one.
 */
static enum webconfig_version least_version(const struct webconfig_tls *c)
{
	bool has_older = !c->suites.count;

	for (size_t i = 0; i < c->suites.count; i++)
		has_older |= is_before_13(c->suites.item[i]);
	return has_older ? c->min : WEBCONFIG_TLS13;
}

/* Adds WORD unless it is there already. */
static void add_once(struct buffer *b, const char *word)
{
	char whole[64];
	int len = snprintf(whole, sizeof(whole), ":+%s:", word);

	buffer_add_char(b, ':');
	if (!memmem(b->data, b->len, whole, (size_t)len))
		buffer_printf(b, "+%s", word);
	else
		b->len--; /* the colon */
}

/*
 * Adds ciphers and MACs in the order of the suites up to TLS 1.2, then those of TLS 1.3, for which
 * Go has no order.
 */
static void add_suites(struct buffer *b, const struct webconfig_choices *c)
{
	if (!c->count)
		return;
	buffer_add_text(b, ":-CIPHER-ALL:-MAC-ALL");
	for (int before_13 = 1; before_13 >= 0; before_13--)
		for (size_t i = 0; i < c->count; i++)
			if (is_before_13(c->item[i]) == before_13) {
				add_once(b, suites[c->item[i]].cipher);
				add_once(b, suites[c->item[i]].mac);
			}
}

/*
 * Adds the key exchanges of the suites, or both if no suite has one: TLS 1.3 works with either kind
 * of key.
 */
static void add_keys(struct buffer *b, const struct webconfig_choices *c)
{
	bool has_key = false;

	buffer_add_text(b, "NORMAL:-KX-ALL");
	for (size_t i = 0; i < c->count; i++)
		if (is_before_13(c->item[i])) {
			add_once(b, suites[c->item[i]].key);
			has_key = true;
		}
	if (!has_key)
		buffer_add_text(b, ":+ECDHE-ECDSA:+ECDHE-RSA");
}

static void write_priorities(const struct webconfig_tls *c, struct buffer *b)
{
	add_keys(b, &c->suites);
	buffer_add_text(b, ":-VERS-ALL");
	for (int v = (int)c->max; v >= (int)least_version(c); v--)
		buffer_printf(b, ":+%s", versions[v]);
	add_suites(b, &c->suites);
	if (c->curves.count)
		buffer_add_text(b, ":-GROUP-ALL");
	for (size_t i = 0; i < c->curves.count; i++)
		buffer_printf(b, ":+%s", groups[c->curves.item[i]]);
	if (c->prefers_own)
		buffer_add_text(b, ":%SERVER_PRECEDENCE");
	buffer_add_char(b, 0);
}

/*
 * Returns the next suite from *INDEX on that has the key exchange KEY (NULL: of TLS 1.3), or -1,
 * and moves *INDEX behind it. Skips unknown suites.
 */
static int next_suite(gnutls_priority_t p, unsigned int *index, const char *key)
{
	for (;; (*index)++) {
		unsigned int at;
		unsigned char id[2];
		int r = gnutls_priority_get_cipher_suite_index(p, *index, &at);

		if (r == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE)
			return -1;
		if (r < 0 || !gnutls_cipher_suite_info(at, id, NULL, NULL, NULL, NULL))
			continue;
		for (int s = 0; s < WEBCONFIG_SUITES; s++)
			if (suites[s].id[0] == id[0] && suites[s].id[1] == id[1] &&
				(key ? suites[s].key && !strcmp(suites[s].key, key)
				     : !suites[s].key)) {
				(*index)++;
				return s;
			}
	}
}

static bool is_listed(const struct webconfig_choices *c, int suite)
{
	return memchr(c->item, suite, c->count) != NULL;
}

/*
 * Checks that P has exactly the configured suites with key exchange KEY, in their order. Returns 0,
 * or -EINVAL with a line in the error text.
 */
static int check_suites_of(struct making *m, gnutls_priority_t p, const char *key)
{
	const struct webconfig_choices *c = &m->config->suites;
	char expected[160];
	unsigned int index = 0;
	int suite;

	for (size_t i = 0; i < c->count; i++) {
		const char *wanted = suites[c->item[i]].key;

		if (!wanted || strcmp(wanted, key) != 0)
			continue;
		suite = next_suite(p, &index, key);
		if (suite == c->item[i])
			continue;
		if (suite >= 0 && !is_listed(c, suite)) {
			index = 0;
			break;
		}
		snprintf(expected, sizeof(expected),
			suite < 0 ? "suites that there are in these versions, not %s"
				  : "%s in the place that the same cipher has with other keys",
			webconfig_suite_name(c->item[i]));
		return tls_refuse(m, c->line, "cipher_suites", expected, NULL);
	}
	while ((suite = next_suite(p, &index, key)) >= 0)
		if (!is_listed(c, suite)) {
			snprintf(expected, sizeof(expected),
				"%s with them, without which they cannot be had",
				webconfig_suite_name((enum webconfig_suite)suite));
			return tls_refuse(m, c->line, "cipher_suites", expected, NULL);
		}
	return 0;
}

static int check_suites(struct making *m, gnutls_priority_t p)
{
	const struct webconfig_tls *c = m->config;
	unsigned int index = 0;
	int r = 0;

	if (!c->suites.count)
		return 0;
	if (c->max == WEBCONFIG_TLS13 && next_suite(p, &index, NULL) < 0)
		return tls_refuse(m, c->suites.line, "cipher_suites",
			"one of TLS 1.3 with them, or a max_version before it", NULL);
	if (least_version(c) < WEBCONFIG_TLS13) {
		r = check_suites_of(m, p, "ECDHE-ECDSA");
		if (r == 0)
			r = check_suites_of(m, p, "ECDHE-RSA");
	}
	return r;
}

static int make_priorities(struct making *m, gnutls_priority_t *ret)
{
	AUTO_BUFFER struct buffer text = {0};
	const char *unknown;
	int r;

	if (m->config->max < least_version(m->config))
		return tls_refuse(m, m->config->suites.line, "cipher_suites",
			"one of the versions that are allowed", NULL);
	write_priorities(m->config, &text);
	if (text.error)
		return text.error;
	r = gnutls_priority_init(ret, text.data, &unknown);
	if (r == GNUTLS_E_MEMORY_ERROR)
		return -ENOMEM;
	if (r < 0) /* GnuTLS lacks some of it, or the system's policy forbids it */
		return tls_refuse(m, m->config->cert.line, "tls_server_config",
			"versions, suites and curves that GnuTLS has here", gnutls_strerror(r));
	return check_suites(m, *ret);
}

static gnutls_datum_t datum_of(const struct buffer *b)
{
	return (gnutls_datum_t){.data = (unsigned char *)b->data, .size = (unsigned int)b->len};
}

struct certificates {
	gnutls_x509_crt_t *item;
	unsigned int count;
};

static void certificates_done(struct certificates *c)
{
	for (unsigned int i = 0; i < c->count; i++)
		gnutls_x509_crt_deinit(c->item[i]);
	gnutls_free(c->item);
}

static void cleanup_key(gnutls_x509_privkey_t *key)
{
	if (*key)
		gnutls_x509_privkey_deinit(*key);
}

/* Adds the certificate with its chain, and its key. */
static int add_certificate(
	struct making *m, const struct tls_texts *texts, gnutls_certificate_credentials_t to)
{
	CLEANUP(certificates_done) struct certificates certs = {0};
	CLEANUP(cleanup_key) gnutls_x509_privkey_t key = NULL;
	const gnutls_datum_t cert_text = datum_of(&texts->cert), key_text = datum_of(&texts->key);
	const struct webconfig_tls *c = m->config;
	int fault = 0, r;

	r = gnutls_x509_crt_list_import2(
		&certs.item, &certs.count, &cert_text, GNUTLS_X509_FMT_PEM, 0);

	if (r < 0)
		fault = refuse_pem(m, &c->cert, "cert_file", "cert", "a certificate in PEM",
			gnutls_strerror(r));
	if (gnutls_x509_privkey_init(&key) < 0)
		return -ENOMEM;
	r = gnutls_x509_privkey_import2(key, &key_text, GNUTLS_X509_FMT_PEM, NULL, 0);
	if (r < 0)
		fault = refuse_pem(m, &c->key, "key_file", "key",
			"a private key in PEM that is not encrypted", gnutls_strerror(r));
	if (fault < 0)
		return fault;
	r = gnutls_certificate_set_x509_key(to, certs.item, (int)certs.count, key);
	if (r < 0)
		return refuse_pem(m, &c->key, "key_file", "key", "the key of the certificate",
			gnutls_strerror(r));
	return 0;
}

static int add_authorities(
	struct making *m, const struct tls_texts *texts, gnutls_certificate_credentials_t to)
{
	const gnutls_datum_t text = datum_of(&texts->client_ca);
	const struct webconfig_pem *pem = &m->config->client_ca;
	int r;

	if (!pem->text && !pem->path)
		return 0;
	r = gnutls_certificate_set_x509_trust_mem(to, &text, GNUTLS_X509_FMT_PEM);
	return r > 0 ? 0
	             : refuse_pem(m, pem, "client_ca_file", "client_ca", "certificates in PEM",
			       r < 0 ? gnutls_strerror(r) : "there is none");
}

int tls_new(const struct webconfig_tls *c, const struct tls_texts *texts, struct faults *faults,
	struct tls **ret)
{
	struct making m = {.config = c, .faults = faults};
	AUTO_TLS struct tls *t = calloc(1, sizeof(*t));
	int results[3];

	if (!t)
		return -ENOMEM;
	t->refs = 1;
	t->client = c->client;
	for (size_t i = 0; i < c->allowed_sans.count; i++)
		if (text_list_add(&t->allowed_sans, c->allowed_sans.item[i]) < 0)
			return -ENOMEM;
	if (gnutls_certificate_allocate_credentials(&t->credentials) < 0)
		return -ENOMEM;
	/* Calls all three even if one fails, so that all faults are reported. */
	results[0] = add_certificate(&m, texts, t->credentials);
	results[1] = add_authorities(&m, texts, t->credentials);
	results[2] = make_priorities(&m, &t->priorities);
	for (size_t i = 0; i < ARRAY_SIZE(results); i++)
		if (results[i] < 0)
			return results[i];
	*ret = TAKE_PTR(t);
	return 0;
}

struct tls *tls_ref(struct tls *t)
{
	t->refs++;
	return t;
}

struct tls *tls_unref(struct tls *t)
{
	if (!t || --t->refs)
		return NULL;
	if (t->priorities)
		gnutls_priority_deinit(t->priorities);
	if (t->credentials)
		gnutls_certificate_free_credentials(t->credentials);
	text_list_done(&t->allowed_sans);
	free(t);
	return NULL;
}

static bool requires_certificate(const struct tls *t)
{
	return t->client == WEBCONFIG_CLIENT_REQUIRE_ANY ||
	       t->client == WEBCONFIG_CLIENT_REQUIRE_AND_VERIFY;
}

bool tls_authenticates(const struct tls *t)
{
	return t->client == WEBCONFIG_CLIENT_REQUIRE_AND_VERIFY;
}

static bool is_allowed_name(const struct tls *t, const char *name, size_t len)
{
	for (size_t i = 0; i < t->allowed_sans.count; i++) {
		const char *allowed = t->allowed_sans.item[i];

		if (strlen(allowed) == len && !memcmp(allowed, name, len))
			return true;
	}
	return false;
}

/*
 * Returns true if CERT has an allowed subject alternative name. A name is compared with its length,
 * so a NUL in it makes it a different name.
 */
static bool has_allowed_name(const struct tls *t, gnutls_x509_crt_t cert)
{
	for (unsigned int i = 0;; i++) {
		char name[NAME_SIZE], address[INET6_ADDRSTRLEN];
		size_t len = sizeof(name);
		int type = gnutls_x509_crt_get_subject_alt_name(cert, i, name, &len, NULL);

		if (type == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE)
			return false;
		if (type == GNUTLS_SAN_IPADDRESS && (len == 4 || len == 16) &&
			inet_ntop(len == 4 ? AF_INET : AF_INET6, name, address, sizeof(address)) &&
			is_allowed_name(t, address, strlen(address)))
			return true;
		if ((type == GNUTLS_SAN_DNSNAME || type == GNUTLS_SAN_RFC822NAME ||
			    type == GNUTLS_SAN_URI) &&
			is_allowed_name(t, name, len))
			return true;
		if (type < 0 && type != GNUTLS_E_SHORT_MEMORY_BUFFER)
			return false;
	}
}

static bool is_allowed_certificate(const struct tls *t, const gnutls_datum_t *text)
{
	gnutls_x509_crt_t cert;
	bool is_allowed;

	if (!t->allowed_sans.count)
		return true;
	if (gnutls_x509_crt_init(&cert) < 0)
		return false;
	is_allowed = gnutls_x509_crt_import(cert, text, GNUTLS_X509_FMT_DER) == 0 &&
	             has_allowed_name(t, cert);
	gnutls_x509_crt_deinit(cert);
	return is_allowed;
}

/*
 * Returns true if the certificate is verified and may be used by clients, as Go requires. A
 * certificate without any purpose may be used for all.
 */
static bool is_verified(gnutls_session_t session)
{
	gnutls_typed_vdata_st purpose = {
		.type = GNUTLS_DT_KEY_PURPOSE_OID,
		.data = (unsigned char *)GNUTLS_KP_TLS_WWW_CLIENT,
	};
	unsigned int status;

	return gnutls_certificate_verify_peers(session, &purpose, 1, &status) == 0 && !status;
}

/* Called during the handshake, which fails if the result is not 0. */
static int tls_verify(gnutls_session_t session)
{
	const struct tls *t = gnutls_db_get_ptr(session);
	unsigned int count = 0;
	const gnutls_datum_t *certs = gnutls_certificate_get_peers(session, &count);

	if (!certs || !count)
		return requires_certificate(t) ? GNUTLS_E_NO_CERTIFICATE_FOUND : 0;
	if ((t->client == WEBCONFIG_CLIENT_VERIFY_IF_GIVEN ||
		    t->client == WEBCONFIG_CLIENT_REQUIRE_AND_VERIFY) &&
		!is_verified(session))
		return GNUTLS_E_CERTIFICATE_ERROR;
	return is_allowed_certificate(t, &certs[0]) ? 0 : GNUTLS_E_CERTIFICATE_ERROR;
}

int tls_admit(struct tls *t, gnutls_session_t session)
{
	gnutls_certificate_request_t request = t->client == WEBCONFIG_CLIENT_NONE
	                                               ? GNUTLS_CERT_IGNORE
	                                       : requires_certificate(t) ? GNUTLS_CERT_REQUIRE
	                                                                 : GNUTLS_CERT_REQUEST;

	gnutls_db_set_ptr(session, t);
	gnutls_session_set_verify_function(session, tls_verify);
	gnutls_certificate_server_set_request(session, request);
	if (gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, t->credentials) < 0 ||
		gnutls_priority_set(session, t->priorities) < 0)
		return -EIO;
	return 0;
}
