/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of web/net/tls.h: complete handshakes with a GnuTLS client over a pair of sockets, in one
 * thread.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <sys/socket.h>

#include "base/cleanup.h"
#include "confine/filter.h"
#include "tests/unit/support/web/pki.h"
#include "web/net/tls.h"

static struct pki authority, other_authority, server, rsa_server, client, stranger, expired,
	for_servers, many_names;

static const struct webconfig_tls defaults = {
	.is_on = true,
	.cert = {.path = (char *)"c", .line = 2},
	.key = {.path = (char *)"k", .line = 3},
	.min = WEBCONFIG_TLS12,
	.max = WEBCONFIG_TLS13,
	.prefers_own = true,
	.suites.line = 5,
};

static const struct webconfig_pem the_authority = {.path = (char *)"a", .line = 4};

static void set_text(struct buffer *to, const char *text)
{
	buffer_clear(to);
	buffer_add_text(to, text);
	assert_int_equal(to->error, 0);
}

static void done_texts(struct tls_texts *t)
{
	buffer_done(&t->cert);
	buffer_done(&t->key);
	buffer_done(&t->client_ca);
}

static int make(const struct webconfig_tls *c, const char *cert, const char *key, const char *ca,
	struct tls **ret, char *error)
{
	CLEANUP(done_texts) struct tls_texts texts = {0};
	struct faults faults;

	set_text(&texts.cert, cert);
	set_text(&texts.key, key);
	set_text(&texts.client_ca, ca);
	faults_init(&faults, "f", error, SETTINGS_ERROR_SIZE);
	return tls_new(c, &texts, &faults, ret);
}

static struct tls *make_good(const struct webconfig_tls *c, const struct pki *own)
{
	char error[SETTINGS_ERROR_SIZE];
	struct tls *t = NULL;

	if (make(c, own->cert, own->key, authority.cert, &t, error) != 0)
		fail_msg("%s", error);
	assert_non_null(t);
	return t;
}

/* The result of a handshake. */
struct outcome {
	bool is_done; /* on both sides, and a byte was transferred */
	gnutls_protocol_t version;
	gnutls_group_t group;
	gnutls_cipher_algorithm_t cipher;
};

static gnutls_session_t begin(unsigned int flags, int fd)
{
	gnutls_session_t s;

	assert_int_equal(gnutls_init(&s, flags | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL), 0);
	gnutls_transport_set_int(s, fd);
	return s;
}

static bool is_fatal(int r)
{
	return r < 0 && gnutls_error_is_fatal(r);
}

/* Makes a handshake of T with a client that has certificate OWN (NULL: none) and PRIORITIES. */
static struct outcome shake(struct tls *t, const struct pki *own, const char *priorities)
{
	struct outcome out = {0};
	gnutls_certificate_credentials_t credentials;
	gnutls_session_t s, c;
	int fd[2], at_server = GNUTLS_E_AGAIN, at_client = GNUTLS_E_AGAIN;
	char byte = 'x';

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fd), 0);
	s = begin(GNUTLS_SERVER, fd[0]);
	assert_int_equal(tls_admit(t, s), 0);
	c = begin(GNUTLS_CLIENT, fd[1]);
	assert_int_equal(gnutls_certificate_allocate_credentials(&credentials), 0);
	if (own) {
		gnutls_datum_t cert = {(unsigned char *)own->cert, (unsigned int)strlen(own->cert)};
		gnutls_datum_t key = {(unsigned char *)own->key, (unsigned int)strlen(own->key)};

		assert_true(gnutls_certificate_set_x509_key_mem(
				    credentials, &cert, &key, GNUTLS_X509_FMT_PEM) >= 0);
		/* Sends the certificate whatever authorities the server asks for. */
		gnutls_certificate_set_flags(credentials, GNUTLS_CERTIFICATE_SKIP_KEY_CERT_MATCH);
	}
	assert_int_equal(gnutls_credentials_set(c, GNUTLS_CRD_CERTIFICATE, credentials), 0);
	assert_int_equal(gnutls_priority_set_direct(c, priorities, NULL), 0);
	for (int i = 0; i < 50 && (at_server || at_client); i++) {
		if (at_client && !is_fatal(at_client))
			at_client = gnutls_handshake(c);
		if (at_server && !is_fatal(at_server))
			at_server = gnutls_handshake(s);
	}
	if (!at_server && !at_client && gnutls_record_send(s, &byte, 1) == 1 &&
		gnutls_record_recv(c, &byte, 1) == 1) {
		out.is_done = true;
		out.version = gnutls_protocol_get_version(s);
		out.group = gnutls_group_get(s);
		out.cipher = gnutls_cipher_get(s);
		assert_int_equal(gnutls_session_is_resumed(s), 0);
	}
	gnutls_deinit(c);
	gnutls_deinit(s);
	gnutls_certificate_free_credentials(credentials);
	close(fd[0]);
	close(fd[1]);
	return out;
}

/*
 * Under valgrind a handshake takes half a second, an RSA key much longer, and a hundred handshakes
 * cover no more of our code than one.
 */
static bool is_slow(void)
{
	return filter_is_wide() && !SANITIZED;
}

/* Every client_auth_type with every kind of client, in both versions. */
static void admits_clients_by_certificate(void **state)
{
	enum { NONE, GOOD, STRANGER, EXPIRED, FOR_SERVERS, KINDS };
	const struct pki *const kinds[KINDS] = {NULL, &client, &stranger, &expired, &for_servers};
	static const struct {
		enum webconfig_client client;
		bool lets[KINDS];
	} cases[] = {
		{WEBCONFIG_CLIENT_NONE, {true, true, true, true, true}},
		{WEBCONFIG_CLIENT_REQUEST, {true, true, true, true, true}},
		{WEBCONFIG_CLIENT_REQUIRE_ANY, {false, true, true, true, true}},
		{WEBCONFIG_CLIENT_VERIFY_IF_GIVEN, {true, true, false, false, false}},
		{WEBCONFIG_CLIENT_REQUIRE_AND_VERIFY, {false, true, false, false, false}},
	};
	static const char *const versions[] = {
		"NORMAL:-VERS-ALL:+VERS-TLS1.3", "NORMAL:-VERS-ALL:+VERS-TLS1.2"};

	(void)state;
	for (size_t i = is_slow() ? ARRAY_SIZE(cases) - 1 : 0; i < ARRAY_SIZE(cases); i++) {
		struct webconfig_tls c = defaults;
		AUTO_TLS struct tls *t = NULL;

		c.client = cases[i].client;
		c.client_ca = the_authority;
		t = make_good(&c, &server);
		assert_int_equal(
			tls_authenticates(t), c.client == WEBCONFIG_CLIENT_REQUIRE_AND_VERIFY);
		for (size_t v = 0; v < (is_slow() ? 1 : ARRAY_SIZE(versions)); v++)
			for (size_t k = 0; k < KINDS; k++)
				if (shake(t, kinds[k], versions[v]).is_done != cases[i].lets[k])
					fail_msg("type %d, client %zu, %s", (int)c.client, k,
						versions[v]);
	}
}

static void checks_alternative_names(void **state)
{
	static const struct {
		const char *allowed;
		bool lets;
	} cases[] = {
		{"one.example", true},
		{"192.0.2.7", true},
		{"one@example.org", true},
		{"spiffe://example/one", true},
		{"two.example", false},
		{"one.exampl", false},
		{"one.example.", false},
		{"one", false}, /* the common name does not count */
		{"192.0.2.8", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *items[] = {(char *)"other", (char *)cases[i].allowed};
		struct webconfig_tls c = defaults;
		AUTO_TLS struct tls *t = NULL;

		c.client = WEBCONFIG_CLIENT_REQUIRE_AND_VERIFY;
		c.client_ca = the_authority;
		c.allowed_sans = (struct text_list){items, ARRAY_SIZE(items)};
		t = make_good(&c, &server);
		if (shake(t, &many_names, "NORMAL").is_done != cases[i].lets)
			fail_msg("%s", cases[i].allowed);
		if (i == 0)
			/* a certificate without names */
			assert_false(shake(t, &client, "NORMAL").is_done);
	}
}

static void keeps_to_versions(void **state)
{
	static const struct {
		enum webconfig_version min, max;
		gnutls_protocol_t version; /* the version of a client that supports all */
		const char *client;        /* the version that a client lacks */
	} cases[] = {
		{WEBCONFIG_TLS12, WEBCONFIG_TLS13, GNUTLS_TLS1_3, "NORMAL:-VERS-ALL:+VERS-TLS1.1"},
		{WEBCONFIG_TLS12, WEBCONFIG_TLS12, GNUTLS_TLS1_2, "NORMAL:-VERS-ALL:+VERS-TLS1.3"},
		{WEBCONFIG_TLS13, WEBCONFIG_TLS13, GNUTLS_TLS1_3, "NORMAL:-VERS-ALL:+VERS-TLS1.2"},
		{WEBCONFIG_TLS10, WEBCONFIG_TLS11, GNUTLS_TLS1_1, "NORMAL:-VERS-ALL:+VERS-TLS1.2"},
		{WEBCONFIG_TLS10, WEBCONFIG_TLS10, GNUTLS_TLS1_0, "NORMAL:-VERS-ALL:+VERS-TLS1.1"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct webconfig_tls c = defaults;
		AUTO_TLS struct tls *t = NULL;
		struct outcome out;

		c.min = cases[i].min;
		c.max = cases[i].max;
		t = make_good(&c, &server);
		out = shake(t, NULL, "NORMAL:+VERS-TLS1.1:+VERS-TLS1.0");
		assert_true(out.is_done);
		assert_int_equal(out.version, cases[i].version);
		assert_false(shake(t, NULL, cases[i].client).is_done);
	}
}

static void set_suites(struct webconfig_tls *c, const int *suites)
{
	for (c->suites.count = 0; suites[c->suites.count] >= 0; c->suites.count++)
		c->suites.item[c->suites.count] = (unsigned char)suites[c->suites.count];
}

/* A client that supports everything, in another order than the server. */
static void prefers_its_own_order(void **state)
{
	static const int suites[] = {
		WEBCONFIG_ECDSA_AES_128_GCM_SHA256, WEBCONFIG_ECDSA_AES_256_GCM_SHA384, -1};
	static const char wants_256[] =
		"NORMAL:-VERS-ALL:+VERS-TLS1.2:-CIPHER-ALL:+AES-256-GCM:+AES-128-GCM:"
		"-GROUP-ALL:+GROUP-SECP256R1:+GROUP-X25519";
	struct webconfig_tls c = defaults;
	AUTO_TLS struct tls *own = NULL, *clients = NULL;
	struct outcome out;

	(void)state;
	set_suites(&c, suites);
	c.max = WEBCONFIG_TLS12;
	c.curves = (struct webconfig_choices){
		.item = {WEBCONFIG_X25519, WEBCONFIG_P256}, .count = 2};
	own = make_good(&c, &server);
	out = shake(own, NULL, wants_256);
	assert_int_equal(out.cipher, GNUTLS_CIPHER_AES_128_GCM);
	assert_int_equal(out.group, GNUTLS_GROUP_X25519);
	c.prefers_own = false;
	c.curves.count = 0;
	clients = make_good(&c, &server);
	out = shake(clients, NULL, wants_256);
	assert_int_equal(out.cipher, GNUTLS_CIPHER_AES_256_GCM);
	assert_int_equal(out.group, GNUTLS_GROUP_SECP256R1);
	assert_false(
		shake(own, NULL, "NORMAL:-VERS-ALL:+VERS-TLS1.2:-CIPHER-ALL:+CHACHA20-POLY1305")
			.is_done);
	assert_false(shake(own, NULL, "NORMAL:-VERS-ALL:+VERS-TLS1.2:-GROUP-ALL:+GROUP-SECP384R1")
			     .is_done);
}

/* Without configured lists: suites with forward secrecy. */
static void has_good_defaults(void **state)
{
	AUTO_TLS struct tls *t = make_good(&defaults, &rsa_server);

	(void)state;
	assert_true(shake(t, NULL, "NORMAL").is_done);
	assert_true(shake(t, NULL, "NORMAL:-VERS-ALL:+VERS-TLS1.2").is_done);
	assert_false(shake(t, NULL, "NORMAL:-VERS-ALL:+VERS-TLS1.2:-KX-ALL:+RSA").is_done);
	assert_false(shake(t, NULL, "NORMAL:-VERS-ALL:+VERS-TLS1.2:-KX-ALL:+DHE-RSA").is_done);
}

static void accepts_supported_suites(void **state)
{
	static const struct {
		int suites[WEBCONFIG_SUITES + 1];
		enum webconfig_version min, max;
		const char *error; /* NULL: accepted */
	} cases[] = {
		{{WEBCONFIG_RSA_AES_128_GCM_SHA256, -1}, WEBCONFIG_TLS12, WEBCONFIG_TLS13, NULL},
		{{WEBCONFIG_AES_128_GCM_SHA256, -1}, WEBCONFIG_TLS12, WEBCONFIG_TLS13, NULL},
		{{WEBCONFIG_ECDSA_AES_128_GCM_SHA256, WEBCONFIG_ECDSA_AES_256_GCM_SHA384,
			 WEBCONFIG_RSA_AES_128_GCM_SHA256, WEBCONFIG_RSA_AES_256_GCM_SHA384, -1},
			WEBCONFIG_TLS12, WEBCONFIG_TLS13, NULL},
		{{WEBCONFIG_ECDSA_AES_128_GCM_SHA256, WEBCONFIG_RSA_AES_128_GCM_SHA256,
			 WEBCONFIG_ECDSA_AES_256_GCM_SHA384, WEBCONFIG_RSA_AES_256_GCM_SHA384, -1},
			WEBCONFIG_TLS12, WEBCONFIG_TLS13, NULL},
		{{WEBCONFIG_RSA_AES_256_CBC_SHA, WEBCONFIG_RSA_AES_128_CBC_SHA, -1},
			WEBCONFIG_TLS10, WEBCONFIG_TLS12, NULL},
		{{WEBCONFIG_ECDSA_AES_128_GCM_SHA256, WEBCONFIG_RSA_AES_256_GCM_SHA384, -1},
			WEBCONFIG_TLS12, WEBCONFIG_TLS13,
			"f:5: cipher_suites: expected TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384 with "
			"them, without which they cannot be had"},
		{{WEBCONFIG_RSA_AES_128_GCM_SHA256, WEBCONFIG_AES_256_GCM_SHA384, -1},
			WEBCONFIG_TLS12, WEBCONFIG_TLS13,
			"f:5: cipher_suites: expected TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384 with "
			"them, without which they cannot be had"},
		{{WEBCONFIG_ECDSA_AES_128_GCM_SHA256, WEBCONFIG_ECDSA_AES_256_GCM_SHA384,
			 WEBCONFIG_RSA_AES_256_GCM_SHA384, WEBCONFIG_RSA_AES_128_GCM_SHA256, -1},
			WEBCONFIG_TLS12, WEBCONFIG_TLS13,
			"f:5: cipher_suites: expected TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384 in the "
			"place that the same cipher has with other keys"},
		{{WEBCONFIG_RSA_AES_128_CBC_SHA, -1}, WEBCONFIG_TLS12, WEBCONFIG_TLS13,
			"f:5: cipher_suites: expected one of TLS 1.3 with them, or a max_version "
			"before it"},
		{{WEBCONFIG_AES_128_GCM_SHA256, -1}, WEBCONFIG_TLS12, WEBCONFIG_TLS12,
			"f:5: cipher_suites: expected one of the versions that are allowed"},
		{{WEBCONFIG_RSA_AES_128_CBC_SHA, WEBCONFIG_RSA_AES_128_GCM_SHA256, -1},
			WEBCONFIG_TLS10, WEBCONFIG_TLS11,
			"f:5: cipher_suites: expected suites that there are in these versions, not "
			"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct webconfig_tls c = defaults;
		AUTO_TLS struct tls *t = NULL;
		char error[SETTINGS_ERROR_SIZE];
		int r;

		set_suites(&c, cases[i].suites);
		c.min = cases[i].min;
		c.max = cases[i].max;
		r = make(&c, rsa_server.cert, rsa_server.key, "", &t, error);
		if (r != (cases[i].error ? -EINVAL : 0) ||
			strcmp(error, cases[i].error ? cases[i].error : "") != 0)
			fail_msg("case %zu: %d, %s", i, r, error);
	}
}

/* All of Go's names together, and each that is sufficient alone: then it is the one negotiated. */
static void negotiates_every_suite(void **state)
{
	struct webconfig_tls c = defaults;
	AUTO_TLS struct tls *all = NULL;

	(void)state;
	for (int s = 0; s < WEBCONFIG_SUITES; s++)
		c.suites.item[c.suites.count++] = (unsigned char)s;
	all = make_good(&c, &rsa_server);
	assert_true(shake(all, NULL, "NORMAL").is_done);
	c.max = WEBCONFIG_TLS12;
	c.suites.count = 1;
	for (int s = WEBCONFIG_ECDSA_AES_128_CBC_SHA; s < WEBCONFIG_SUITES && !is_slow(); s++) {
		AUTO_TLS struct tls *t = NULL;
		const char *name = webconfig_suite_name((enum webconfig_suite)s);

		c.suites.item[0] = (unsigned char)s;
		t = make_good(&c, strstr(name, "_RSA_") ? &rsa_server : &server);
		assert_true(shake(t, NULL, "NORMAL").is_done);
	}
}

static void describes_errors(void **state)
{
	static const char junk[] = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
	struct webconfig_tls c = defaults;
	const struct {
		const char *cert, *key, *ca, *error;
	} cases[] = {
		{"", server.key, authority.cert, "f:2: cert_file: expected a certificate in PEM: "},
		{junk, server.key, authority.cert,
			"f:2: cert_file: expected a certificate in PEM: "},
		{server.cert, "", authority.cert,
			"f:3: key_file: expected a private key in PEM that is not encrypted: "},
		{server.cert, server.cert, authority.cert,
			"f:3: key_file: expected a private key in PEM that is not encrypted: "},
		{server.cert, client.key, authority.cert,
			"f:3: key_file: expected the key of the certificate: "},
		{server.cert, server.key, "",
			"f:4: client_ca_file: expected certificates in PEM: "},
		{server.cert, server.key, junk,
			"f:4: client_ca_file: expected certificates in PEM: "},
	};

	(void)state;
	c.client = WEBCONFIG_CLIENT_REQUIRE_AND_VERIFY;
	c.client_ca = the_authority;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_TLS struct tls *t = NULL;
		char error[SETTINGS_ERROR_SIZE];

		assert_int_equal(
			make(&c, cases[i].cert, cases[i].key, cases[i].ca, &t, error), -EINVAL);
		if (strncmp(error, cases[i].error, strlen(cases[i].error)) != 0)
			fail_msg("%s\ninstead of %s", error, cases[i].error);
		assert_null(strstr(error, "BEGIN"));
	}
	c.cert = (struct webconfig_pem){.text = (char *)"x", .line = 7};
	assert_int_equal(
		make(&c, "", "", "", &(struct tls *){NULL}, (char[SETTINGS_ERROR_SIZE]){""}),
		-EINVAL);
}

static void lives_until_its_last_user(void **state)
{
	struct tls *t = make_good(&defaults, &server), *held = tls_ref(t);

	(void)state;
	assert_null(tls_unref(t));
	assert_true(shake(held, NULL, "NORMAL").is_done);
	assert_null(tls_unref(held));
	assert_null(tls_unref(NULL));
}

static int setup(void **state)
{
	(void)state;
	pki_make(&(struct pki_wish){.name = "authority"}, &authority);
	pki_make(&(struct pki_wish){.name = "authority"}, &other_authority);
	pki_make(&(struct pki_wish){.name = "here", .issuer = &authority}, &server);
	pki_make(&(struct pki_wish){.name = "here", .issuer = &authority, .is_rsa = !is_slow()},
		&rsa_server);
	pki_make(&(struct pki_wish){.name = "c", .issuer = &authority, .is_client = true}, &client);
	pki_make(&(struct pki_wish){.name = "c", .issuer = &other_authority, .is_client = true},
		&stranger);
	pki_make(
		&(struct pki_wish){
			.name = "c", .issuer = &authority, .is_client = true, .is_expired = true},
		&expired);
	pki_make(&(struct pki_wish){.name = "c", .issuer = &authority}, &for_servers);
	pki_make(&(struct pki_wish){.name = "one",
			 .issuer = &authority,
			 .is_client = true,
			 .dns = "one.example",
			 .address = "192.0.2.7",
			 .mail = "one@example.org",
			 .uri = "spiffe://example/one"},
		&many_names);
	return 0;
}

static int teardown(void **state)
{
	struct pki *const all[] = {&authority, &other_authority, &server, &rsa_server, &client,
		&stranger, &expired, &for_servers, &many_names};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		pki_done(all[i]);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(admits_clients_by_certificate),
		cmocka_unit_test(checks_alternative_names),
		cmocka_unit_test(keeps_to_versions),
		cmocka_unit_test(prefers_its_own_order),
		cmocka_unit_test(has_good_defaults),
		cmocka_unit_test(accepts_supported_suites),
		cmocka_unit_test(negotiates_every_suite),
		cmocka_unit_test(describes_errors),
		cmocka_unit_test(lives_until_its_last_user),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
